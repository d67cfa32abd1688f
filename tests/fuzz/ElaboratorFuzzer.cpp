// Fuzzes everything after the parser: whatever parses must become machine code or diagnostics, never crash or hang.
//
// An input goes, on one of the architectures, through
//   * the formatter (some), which must keep the tree and be idempotent;
//   * the module's top level, the bodies of its checks (with launches that do nothing) and the plans of its launch
//     functions;
//   * its exported kernels, to verified Fly IR (all), through the passes with the verifier after each (half of them),
//     and to a linked code object (one in eight; FLY_FUZZ_OBJECTS=1: all);
//   * JSON and C header of what came out.
// Which of that an input sees depends on its bytes alone, so that a finding repeats. Limits keep one input short.
// FLY0921, the diagnostic for what the compiler itself got wrong, is a finding; so is a failure without a diagnostic.
#include "Properties.h"

#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/Sema.h"
#include "compiler/host/HostArrayLimits.h"
#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/kernel/Launches.h"
#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/transforms/Passes.h"

#include "llvm/Support/xxhash.h"
#include "mlir/Pass/PassManager.h"

using namespace fly;
using fuzz::require;

namespace {

/// Shares of the inputs, by bits of their hash.
struct Share {
  uint64_t hash;
  bool all = std::getenv("FLY_FUZZ_OBJECTS") != nullptr;
  bool formats() const { return all || hash % 4 == 0; }
  bool lowers() const { return all || hash / 4 % 2 == 0; }
  bool emits() const { return all || hash / 4 % 8 == 0; }
  const target::Target &target() const { return target::all()[hash / 64 % target::all().size()]; }
  size_t firstKernel() const { return hash / 4096 % 1024; }
};

/// How far inputs came; printed at the end with FLY_FUZZ_STATISTICS=1.
struct Statistics {
  size_t inputs = 0, parsed = 0, evaluated = 0, accepted = 0, kernels = 0, lowered = 0, objects = 0;
  ~Statistics() {
    if (inputs && std::getenv("FLY_FUZZ_STATISTICS"))
      fprintf(stderr,
              "inputs %zu: %zu parsed, %zu with a top level that runs, %zu without an error; kernels: %zu to Fly IR, "
              "%zu lowered, %zu to code\n",
              inputs, parsed, evaluated, accepted, kernels, lowered, objects);
  }
} statistics;

class Run {
public:
  Run(Share share, mlir::MLIRContext &context)
      : share(share), diags(sources), loader(diags, {}, sema::environment()),
        elaborator(diags, share.target(), loader, context) {
    elaborator.limits.steps = 50'000;
    elaborator.limits.callDepth = 50;
    elaborator.printTo = &nothing;
  }

  void run(llvm::StringRef text) {
    ++statistics.inputs;
    FileId file = sources.add("fuzz.fly", text.str());
    auto tree = parseModule(file, diags);
    if (tree) {
      ++statistics.parsed;
      if (share.formats())
        fuzz::checkFormat(file, diags);
      main = loader.addMain("fuzz", "/nonexistent/fuzz.fly", file, std::move(tree));
      elaborator.runModule(*main);
      statistics.evaluated += !diags.hasErrors();
      if (!diags.hasErrors())
        exports();
      if (!diags.hasErrors())
        checks();
      statistics.accepted += !diags.hasErrors();
    }
    fuzz::checkDiagnostics(diags);
    for (auto &diagnostic : diags.all())
      if (diagnostic.kind == diag::backend_failure) {
        diags.flush(llvm::errs());
        require(false, "the compiler makes valid IR and machine code of it, or reports an error");
      }
  }

private:
  /// Launches of checks stop here: the kernel is elaborated, arguments are bound, arrays stay as they are.
  struct NoLaunches final : sema::KernelRunner {
    explicit NoLaunches(Run &run) : run(run) {}
    void launch(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange range) override {
      auto &e = run.elaborator;
      auto info = sema::describeInstance(e, kernel, range);
      sema::bindLaunchArguments(e, *kernel.kernel->def, info.parameters, arguments, range);
      if (++launches > 3)
        return;
      auto instance = kernel.kernel->isLaunch ? nullptr : run.instance(kernel, "launched", range);
      if (!kernel.kernel->isLaunch && !instance)
        throw sema::Failed{};
    }
    void beginTogether(SourceRange) override {}
    void endTogether(bool) override {}
    void expectation(const host::Comparison &comparison, SourceRange) override {
      if (!comparison.ok())
        host::describe(comparison);
    }
    [[noreturn]] void mismatch(std::string, SourceRange) override { throw sema::Failed{}; }
    Run &run;
    unsigned launches = 0;
  };

  void exports() {
    auto exported = sema::exportedInstances(elaborator, *main);
    artifact::ModuleInfo module;
    module.name = "fuzz";
    module.archs.emplace_back().arch = std::string(share.target().name);
    for (size_t i = 0; i < std::min<size_t>(exported.size(), 3); ++i) {
      auto &each = exported[(i + share.firstKernel()) % exported.size()];
      unsigned before = elaborator.failures;
      if (!each.kernel.kernel->isLaunch) {
        if (auto made = instance(each.kernel, each.symbol, each.range))
          module.archs[0].instances.push_back(std::move(made->info));
        continue;
      }
      try {
        auto plan = sema::planLaunch(elaborator, each.kernel, each.range);
        plan.info.symbol = each.symbol;
        if (plan.kernels.empty() && elaborator.failures == before)
          module.archs[0].launches.push_back(std::move(plan.info));
      } catch (sema::Failed &) {
        ++elaborator.failures;
      }
    }
    auto json = llvm::json::parse(artifact::toJson(module));
    if (!json)
      llvm::errs() << artifact::toJson(module) << "\n" << llvm::toString(json.takeError()) << "\n";
    require(bool(json), "the description of a module is JSON");
    artifact::toHeader(module);
  }

  std::unique_ptr<sema::Instance> instance(const sema::KernelValue &kernel, std::string symbol, SourceRange range) {
    unsigned before = elaborator.failures;
    auto made = sema::instantiate(elaborator, kernel, std::move(symbol), range);
    require(made || diags.errorCount() > 0 || elaborator.failures > before,
            "a kernel that is refused has a diagnostic");
    statistics.kernels += made != nullptr;
    if (!made || made->isa || !share.lowers() || !made->externs.empty())
      return made;
    auto bad = [&](llvm::StringRef message) {
      diags.report(diag::backend_failure, range).arg(made->info.symbol).arg(message);
    };
    std::string said;
    {
      mlir::ScopedDiagnosticHandler handler(&elaborator.context, [&](mlir::Diagnostic &diagnostic) {
        said += diagnostic.str() + "\n";
        return mlir::success();
      });
      mlir::PassManager manager(&elaborator.context, mlir::ModuleOp::getOperationName());
      manager.enableVerifier(true); // after every pass
      ir::FlyToLLVMOptions options;
      options.arch = std::string(share.target().name);
      ir::buildFlyToLLVMPipeline(manager, options);
      if (mlir::failed(manager.run(*made->module)))
        return bad(said), nullptr;
    }
    ++statistics.lowered;
    if (!share.emits())
      return made;
    auto object = codegen::compileToObject(*made->module, share.target());
    if (!object && !object.failure().refusals.empty()) {
      diags.report(range, diag::not_kept{.kernel = made->info.symbol, .problem = object.failure().message});
      return nullptr;
    }
    if (!object)
      return bad(object.failure().message + "\n" + object.failure().details), nullptr;
    auto linked = codegen::linkCodeObject({object->bytes}, {}, share.target());
    if (!linked)
      return bad(linked.failure().message), nullptr;
    auto resources = codegen::readResources(*linked, share.target());
    if (!resources)
      return bad(resources.failure().message), nullptr;
    ++statistics.objects;
    made->info.resources = (*resources)[made->info.symbol];
    return made;
  }

  void checks() {
    NoLaunches runner(*this);
    unsigned count = 0;
    for (auto &check : main->checks) {
      if (++count > 3)
        return;
      sema::FrameScope frame(elaborator, check.module, runner);
      try {
        sema::Arguments arguments;
        bool empty = false;
        for (auto &[name, list] : check.parameters) {
          auto values = elaborator.iterate(elaborator.eval(*list), list->range, "`@check`");
          if ((empty = values.empty()))
            break;
          arguments.push_back({name, values[share.firstKernel() % values.size()], check.def->nameRange});
        }
        if (!empty)
          elaborator.callFunction(sema::FunctionValue{check.def, nullptr, nullptr, check.module}, std::move(arguments),
                                  check.def->nameRange);
      } catch (sema::Failed &) {
      }
      elaborator.fatal = false;
    }
  }

  Share share;
  SourceManager sources;
  DiagnosticEngine diags;
  sema::ModuleLoader loader;
  sema::Evaluator elaborator;
  llvm::raw_null_ostream nothing;
  sema::ModuleScope *main = nullptr;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned runs = 0;
  if (runs++ % 500 == 0) { // types and attributes are never freed
    mlir::DialectRegistry registry;
    ir::registerFlyDialects(registry);
    codegen::registerTranslations(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::success(); });
    codegen::initialize();
    host::arrayByteLimit = 1 << 20;
  }
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  Run({llvm::xxh3_64bits(text)}, *context).run(text);
  return 0;
}
