// Fuzzes the elaborator: whatever parses must elaborate to valid Fly IR or to diagnostics, never crash or hang.
//
// A module's top level runs and its first exported kernels are instantiated, with limits that keep one input
// short. `instantiate` verifies the IR and reports what is not valid as FLY0921, which must not happen.
#include "compiler/sema/Kernels.h"
#include "compiler/sema/Modules.h"
#include "compiler/syntax/Parser.h"
#include "compiler/transforms/Passes.h"

#include "llvm/Support/thread.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace fly;

static void elaborate(llvm::StringRef text, mlir::MLIRContext &context) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  FileId file = sources.add("fuzz.fly", text.str());
  auto tree = parseModule(file, diags);
  if (!tree) return;
  sema::ModuleLoader loader(diags, {});
  sema::Elaborator elaborator(diags, *target::find("gfx942"), loader, context);
  elaborator.limits.steps = 50'000;
  elaborator.limits.callDepth = 50;
  llvm::raw_null_ostream nothing;
  elaborator.printTo = &nothing;
  auto *main = loader.addMain("fuzz", "/nonexistent/fuzz.fly", file, std::move(tree));
  elaborator.runModule(*main);
  unsigned instances = 0;
  if (!diags.hasErrors())
    for (auto &instance : sema::exportedInstances(elaborator, *main)) {
      sema::instantiate(elaborator, instance.kernel, instance.symbol, instance.range);
      if (++instances == 3) break;
    }
  for (auto &diagnostic : diags.all())
    if (diagnostic.kind == diag::backend_failure) {
      diags.flush(llvm::errs());
      llvm::errs() << "violated: the elaborator emits valid IR or reports an error\n";
      std::abort();
    }
  diags.flush(nothing);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned runs = 0;
  if (runs++ % 500 == 0) { // types and attributes are never freed
    mlir::DialectRegistry registry;
    ir::registerFlyDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::success(); });
  }
  llvm::thread worker(std::optional<unsigned>(256u << 20),
                      [&] { elaborate(llvm::StringRef(reinterpret_cast<const char *>(data), size), *context); });
  worker.join();
  return 0;
}
