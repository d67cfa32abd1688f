// Modules: running their top level once, imports, and what a `def` at that level becomes.
#include "compiler/sema/amd/ExactInstructions.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/language/LibraryNames.h"
#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/language/Resolver.h"
#include "compiler/sema/language/TuneOffers.h"

namespace fly::sema {

void Evaluator::runModule(ModuleScope &module) {
  auto outerFrame = frame;
  KernelScope outerKernel = std::exchange(kernel, {});
  frame = std::make_shared<Frame>();
  frame->module = &module;
  frame->isModule = true;
  module.running = true;
  unsigned errors = failures;
  if (resolveNames(module, *this) || watcher) {
    try {
      execBlock(module.tree->body);
    } catch (Failed &) {
    }
  }
  // A kernel whose Constexpr parameters all have values is exported under its own name.
  module.state = failures == errors ? ModuleScope::State::Ready : ModuleScope::State::Failed;
  module.running = false;
  frame = outerFrame;
  kernel = std::move(outerKernel);
}

static ModuleScope *ready(Elaborator &e, llvm::StringRef dotted, unsigned level, SourceRange range) {
  ModuleScope *module = e.loader.load(dotted, level, range, *e.frame->module);
  if (!module)
    throw Failed{};
  if (module->state == ModuleScope::State::Loading) {
    e.diags.frames.push_back({range, "imported here"});
    e.runModule(*module);
    e.diags.frames.pop_back();
  }
  if (module->state == ModuleScope::State::Failed)
    throw Failed{};
  e.frame->module->imports.push_back(module);
  return module;
}

void Evaluator::importModule(const ast::ImportStmt &stmt) {
  for (auto &imported : stmt.names) {
    ModuleScope *module = ready(*this, imported.name, 0, imported.range);
    if (!imported.alias.empty()) {
      binding(*frame, imported.alias) = Value(ModuleValue{module});
      continue;
    }
    // `import a.b.c` binds `a`; the modules in between are separate name spaces.
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(imported.name).split(parts, '.');
    if (parts.size() == 1) {
      binding(*frame, imported.name) = Value(ModuleValue{module});
      continue;
    }
    std::map<std::string, Value> *space = nullptr;
    std::string path;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      path += (i ? "." : "") + parts[i].str();
      auto &slot = space ? (*space)[parts[i].str()] : binding(*frame, parts[i].str());
      if (!slot.is<ModuleValue>())
        slot = Value(ModuleValue{loader.nameSpace(path)});
      space = &slot.as<ModuleValue>()->module->names;
    }
    (*space)[parts.back().str()] = Value(ModuleValue{module});
  }
}

void Evaluator::importNames(const ast::ImportFromStmt &stmt) {
  for (auto &imported : stmt.names) {
    if (stmt.module.empty()) { // from . import a
      ModuleScope *module = ready(*this, imported.name, std::max(1u, stmt.level), imported.range);
      binding(*frame, imported.alias.empty() ? imported.name : imported.alias) = Value(ModuleValue{module});
      continue;
    }
    ModuleScope *module = ready(*this, stmt.module, stmt.level, stmt.moduleRange);
    if (imported.name[0] == '_')
      fail(imported.range, diag::private_name{.name = imported.name, .module = module->name});
    auto found = module->names.find(imported.name);
    if (found == module->names.end() && module->name == isaModule)
      if (auto instruction = exactInstruction(*this, imported.name)) {
        binding(*frame, imported.alias.empty() ? imported.name : imported.alias) = *instruction;
        continue;
      }
    if (found == module->names.end()) {
      std::vector<std::string> candidates;
      for (auto &[name, value] : module->names)
        if (name[0] != '_')
          candidates.push_back(name);
      if (imported.name == completionMarker)
        failUnknown(*this, diag::unknown_import, imported.range, module->name, imported.name, candidates);
      if (auto there = findIn(libraryNames(loader), imported.name)) {
        report(diag::unknown_import, imported.range, {module->name, imported.name, "; `" + there->module + "` has it"})
            .help("import it from there: `" + there->import() + "`");
        throw Failed{};
      }
      failUnknown(*this, diag::unknown_import, imported.range, module->name, imported.name, candidates);
    }
    binding(*frame, imported.alias.empty() ? imported.name : imported.alias) = found->second;
  }
}

// ---------------------------------------------------------------------------------------------------------
// Definitions

namespace {
/// `@kernel` or `@kernel(...)`: the decorator's name, and its call if there is one.
std::pair<std::string, const ast::CallExpr *> decoratorOf(const ast::Expr &expr) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(&expr);
  auto *name = llvm::dyn_cast<ast::NameExpr>(call ? call->callee : &expr);
  return {name ? name->name : "", call};
}

const std::vector<std::string> kernelOptions = {"grid",      "block",    "cluster",   "requires", "lds",   "arch",
                                                "max_block", "fastmath", "denormals", "vgprs",    "agprs", "isa",
                                                "auto_wait", "llvm",     "name",      "resident"};
const std::vector<std::string> launchOptions = {"requires", "arch"};
} // namespace

/// `isLaunch`: under `@launch`, whose kernels have grids and blocks.
static void defineKernel(Elaborator &e, const ast::DefStmt &stmt, const ast::Expr &decorator, const ast::CallExpr *call,
                         bool isLaunch, const ast::Expr *tune) {
  const std::string what = isLaunch ? "@launch" : "@kernel";
  auto &known = isLaunch ? launchOptions : kernelOptions;
  auto kernel = std::make_unique<KernelDefinition>();
  kernel->name = stmt.name;
  kernel->def = &stmt;
  kernel->module = e.frame->module;
  kernel->decorator = call;
  kernel->isLaunch = isLaunch;
  if (call)
    for (auto &argument : call->arguments) {
      if (argument.keyword.empty())
        e.fail(
            diag::bad_decorator, argument.range,
            {"`" + what + "` takes keywords only: " + (isLaunch ? "`requires=`" : "`grid=`, `block=`, `requires=`")});
      if (!llvm::is_contained(known, argument.keyword))
        failUnknown(e, diag::unknown_keyword, argument.range, what, argument.keyword, known);
      if (!kernel->options.insert({argument.keyword, argument.value}).second)
        e.fail(diag::duplicate_argument, argument.range, {what, argument.keyword});
    }
  for (const char *needed : {"grid", "block"})
    if (!isLaunch && !kernel->options.count(needed))
      e.fail(diag::missing_argument, decorator.range, {"@kernel", needed});
  if (tune)
    kernel->tune = readTuneOffer(e, *tune, stmt);
  KernelValue value{kernel.get(), std::make_shared<const std::map<std::string, Value>>()};
  e.frame->module->kernels.push_back(std::move(kernel));
  e.frame->module->names[stmt.name] = Value(value);
}

static void defineCheck(Elaborator &e, const ast::DefStmt &stmt, const ast::CallExpr *call, bool isBench) {
  const std::string what = isBench ? "@bench" : "@check";
  CheckDefinition check;
  check.isBench = isBench;
  check.def = &stmt;
  check.module = e.frame->module;
  if (call)
    for (auto &argument : call->arguments) {
      if (argument.keyword == "arch" && llvm::none_of(stmt.parameters, [](auto &p) { return p.name == "arch"; })) {
        check.arch = argument.value;
        continue;
      }
      if (argument.keyword.empty())
        e.fail(diag::bad_decorator, argument.range,
               {"`" + what + "` takes only keywords, one per parameter: `n=[1, 255]`"});
      if (isBench && (argument.keyword == "bytes" || argument.keyword == "flops")) {
        auto &slot = argument.keyword == "bytes" ? check.bytes : check.flops;
        if (slot)
          e.fail(diag::duplicate_argument, argument.range, {what, argument.keyword});
        slot = argument.value;
        continue;
      }
      auto known = llvm::find_if(stmt.parameters, [&](auto &p) { return p.name == argument.keyword; });
      if (known == stmt.parameters.end()) {
        std::vector<std::string> names;
        for (auto &p : stmt.parameters)
          names.push_back(p.name);
        failUnknown(e, diag::unknown_keyword, argument.range, stmt.name, argument.keyword, names);
      }
      for (auto &earlier : check.parameters)
        if (earlier.first == argument.keyword)
          e.fail(diag::duplicate_argument, argument.range, {what, argument.keyword});
      check.parameters.push_back({argument.keyword, argument.value});
    }
  for (auto &p : stmt.parameters)
    if (!p.defaultValue && llvm::none_of(check.parameters, [&](auto &c) { return c.first == p.name; }))
      e.fail(diag::missing_argument, stmt.nameRange, {what, p.name});
  e.frame->module->checks.push_back(std::move(check));
}

void Evaluator::define(const ast::DefStmt &stmt) {
  bool isEntry = false;
  // The promises of `@expect` are evaluated for each instance (compiler/object_checks/Promises.h).
  std::vector<ast::Expr *> decorators;
  const ast::Expr *promise = nullptr, *tune = nullptr;
  for (auto *decorator : stmt.decorators)
    if (auto [name, call] = decoratorOf(*decorator); name == "tune") {
      if (tune)
        fail(diag::bad_decorator, decorator->range, {"a kernel can have only one `@tune`"});
      tune = decorator;
    } else if (name != "expect")
      decorators.push_back(decorator);
    else if (!call)
      fail(diag::bad_decorator, decorator->range, {"`@expect` needs the promise as an argument: `@expect(scratch=0)`"});
    else
      promise = decorator;
  for (auto *beside : {promise, tune})
    if (beside) {
      const std::string of = decorators.size() == 1 ? decoratorOf(*decorators[0]).first : "";
      if (of != "kernel" && !(of == "launch" && beside == tune))
        fail(diag::bad_decorator, beside->range,
             {"`@" + decoratorOf(*beside).first + "` must be next to the `@kernel`" +
              (beside == tune ? " or `@launch`" : "") + " that it applies to"});
    }
  for (auto *decorator : decorators) {
    auto [name, call] = decoratorOf(*decorator);
    bool isKernel = name == "kernel" || name == "launch";
    if (name == "extern" && decorators.size() == 1)
      return defineExtern(stmt, *decorator, call);
    if (!isKernel && name != "check" && name != "bench") {
      auto builder =
          report(diag::bad_decorator, decorator->range,
                 {name == "struct" ? std::string("`@struct` must precede a `class`")
                                   : "there is no decorator `" + diags.sources.text(decorator->range).str() + "`"});
      SourceRange at = decorator->range;
      at.end = at.begin + static_cast<uint32_t>(name.size());
      if (auto guess = didYouMean(name, {"kernel", "launch", "check", "bench", "extern", "expect", "tune", "struct"}))
        builder.suggest(at, name, guess);
      builder.help("the decorators are `@kernel(...)`, `@launch`, `@check(...)`, `@bench(...)` and `@extern(...)`");
      throw Failed{};
    }
    if (decorators.size() > 1)
      fail(diag::bad_decorator, decorators[1]->range,
           {"a function can have only one of `@kernel`, `@launch`, `@check` and `@bench`"});
    if (!frame->isModule)
      fail(diag::bad_decorator, decorator->range,
           {"`@" + name + "` is only valid for a function at the top level of a file"});
    isEntry = true;
    if (isKernel)
      defineKernel(*this, stmt, *decorator, call, name == "launch", tune);
    else
      defineCheck(*this, stmt, call, name == "bench");
  }
  if (isEntry)
    return;
  FunctionValue function;
  function.def = &stmt;
  function.module = frame->module;
  if (!frame->isModule)
    function.enclosing = frame;
  evaluateDefaults(stmt.parameters, function);
  binding(*frame, stmt.name) = Value(function);
}

} // namespace fly::sema
