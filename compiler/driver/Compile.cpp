// One file for one architecture: run its modules, take instances through the passes to objects, link them.
#include "compiler/driver/Session.h"

#include "compiler/codegen/CodeGen.h"
#include "compiler/syntax/Parser.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

namespace fly::driver {

ArchCompilation::ArchCompilation(Session &session, const target::Target &target)
    : session(session), target(target), loader(session.diags, session.searchPath),
      elaborator(session.diags, target, loader, session.context()) {
  loader.stdlib = session.stdlib;
  elaborator.locationNames = [&session](FileId file) { return session.locationName(file); };
}

bool ArchCompilation::run() {
  auto timer = session.times.measure("elaborate");
  main = loader.addMain(session.moduleName, session.mainPath, session.mainFile, parseModule(session.mainFile, session.diags));
  if (!main->tree || !readDefinitions(session, elaborator))
    return false;
  elaborator.runModule(*main);
  return main->state == sema::ModuleScope::State::Ready;
}

namespace {
/// Keeps the text of the module after one pass.
struct KeepAfterPass : mlir::PassInstrumentation {
  std::string pass, *text;
  KeepAfterPass(std::string pass, std::string *text) : pass(std::move(pass)), text(text) {}
  void runAfterPass(mlir::Pass *done, mlir::Operation *op) override {
    if (done->getArgument() != pass || !text->empty())
      return;
    while (op->getParentOp())
      op = op->getParentOp();
    llvm::raw_string_ostream os(*text);
    op->print(os);
  }
};

template <typename Op> std::string textOf(Op op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os);
  os << '\n';
  return text;
}
} // namespace

std::unique_ptr<CompiledInstance> ArchCompilation::compile(const sema::KernelValue &kernel, std::string symbol,
                                                           SourceRange range, const Keep &keep) {
  auto start = std::chrono::steady_clock::now();
  auto compiled = std::make_unique<CompiledInstance>();
  std::unique_ptr<sema::Instance> instance;
  {
    auto timer = session.times.measure("elaborate");
    instance = sema::instantiate(elaborator, kernel, std::move(symbol), range);
  }
  if (!instance)
    return nullptr;
  compiled->info = std::move(instance->info);
  auto promises = readPromises(elaborator, kernel, range);
  if (!promises)
    return nullptr;
  compiled->promises = {std::move(*promises), namedLoops(*instance->module)};
  if (keep.fly)
    compiled->fly = textOf(*instance->module);
  SourceRange at = kernel.kernel->def->nameRange;
  auto giveUp = [&](llvm::StringRef message, llvm::StringRef details = "") {
    auto builder = session.diags.report(diag::backend_failure, at);
    builder.arg(compiled->info.symbol).arg(message);
    builder.note("while compiling for " + std::string(target.name));
    if (!details.empty())
      builder.note(details.take_front(2000));
    return nullptr;
  };
  {
    auto timer = session.times.measure("passes");
    mlir::PassManager manager(&session.context(), mlir::ModuleOp::getOperationName());
    manager.enableVerifier(true);
    ir::FlyToLLVMOptions options;
    options.arch = std::string(target.name);
    ir::buildFlyToLLVMPipeline(manager, options);
    if (!keep.afterPass.empty())
      manager.addInstrumentation(std::make_unique<KeepAfterPass>(keep.afterPass, &compiled->rocdl));
    // What a pass says is shown as a note of one diagnostic of ours.
    std::string said;
    mlir::ScopedDiagnosticHandler handler(&session.context(), [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && said.empty())
        said = diagnostic.str();
      return mlir::success();
    });
    if (mlir::failed(manager.run(*instance->module)))
      return giveUp(said.empty() ? "a pass failed" : said);
  }
  if (keep.rocdl)
    compiled->rocdl = textOf(*instance->module);
  if (!keep.object && !keep.llvmIr)
    return compiled;
  auto timer = session.times.measure("LLVM");
  codegen::Options options;
  if (!instance->externs.empty()) {
    auto files = collectBitcode(session, target, instance->externs);
    if (!files)
      return nullptr;
    options.bitcode = std::move(*files);
  }
  options.keepLlvmIr = keep.llvmIr;
  options.emitObject = keep.object;
  auto object = codegen::compileToObject(*instance->module, target, options);
  if (!object)
    return giveUp(object.failure().message, object.failure().details);
  compiled->object = std::move(object->bytes);
  compiled->llvmIr = std::move(object->llvmIr);
  compiled->info.compileMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

std::string ArchCompilation::link(std::vector<CompiledInstance *> instances,
                                  const std::vector<std::pair<std::string, std::string>> &aliases, const std::string &what) {
  auto timer = session.times.measure("link");
  std::vector<std::string_view> objects;
  for (auto *instance : instances)
    objects.push_back(instance->object);
  std::vector<codegen::Alias> names;
  for (auto &[symbol, alias] : aliases)
    names.push_back({symbol, alias});
  auto hsaco = codegen::linkCodeObject(objects, names, target);
  if (!hsaco) {
    session.diags.report(diag::backend_failure, {}).arg(what).arg(hsaco.failure().message);
    return "";
  }
  auto resources = codegen::readResources(*hsaco, target);
  if (!resources) {
    session.diags.report(diag::backend_failure, {}).arg(what).arg(resources.failure().message);
    return "";
  }
  for (auto *instance : instances)
    if (auto found = resources->find(instance->info.symbol); found != resources->end())
      instance->info.resources = found->second;
  std::vector<Promised> promised;
  for (auto *instance : instances)
    promised.push_back({&instance->promises, &instance->info});
  if (!keepPromises(session.diags, elaborator.locationNames, *hsaco, promised))
    return "";
  return std::move(*hsaco);
}

} // namespace fly::driver
