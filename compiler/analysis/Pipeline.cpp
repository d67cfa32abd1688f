// See Pipeline.h. The order, and why:
//
//   fly-finish-kernel: rewrites, which report nothing
//     fly-rebase-far-buffers   which values all lanes share is known only now
//     fly-fold-sign-checks     what loops carry is known only now
//
//   Rewrites come first, so that all analyses see one kernel: a buffer that begins elsewhere for each lane has been
//   left as it was, and a condition that always holds keeps no lane out.
//
//   analyses, which change nothing: from what a program says of its tiles to what it costs
//     checkTakenParts
//     checkTilesInside
//     checkUnwrittenRegisters
//     checkFarAccesses         what found no place for its buffer
//     checkBarriers
//     checkWaveOperands
//     checkAccesses
//     checkUnwrittenOutputs    of a kernel without errors: one mistake, one diagnostic
//     checkUnwrittenLds        the same
//     neighbouringAccesses
//
//   Their order is that of their diagnostics.
#include "compiler/analysis/Pipeline.h"

#include "compiler/analysis/AccessPatterns.h"
#include "compiler/analysis/Divergence.h"
#include "compiler/analysis/FarBuffers.h"
#include "compiler/analysis/Passes.h"
#include "compiler/analysis/TakenParts.h"
#include "compiler/analysis/TilesOutside.h"
#include "compiler/analysis/UnwrittenRegisters.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace fly::analysis {

void buildFinishKernelPipeline(mlir::OpPassManager &kernels, const FinishKernelOptions &options) {
  kernels.addPass(createFlyRebaseFarBuffers({options.waveSize}));
  kernels.addPass(createFlyFoldSignChecks());
}

void registerAnalysisPasses() {
  registerFlyAnalysisPasses();
  mlir::PassPipelineRegistration<FinishKernelOptions>("fly-finish-kernel", "rewrites that need the whole of a kernel",
                                                      buildFinishKernelPipeline);
}

static void finish(ir::KernelOp kernel, int64_t waveSize) {
  mlir::PassManager manager(kernel.getContext(), ir::KernelOp::getOperationName());
  manager.enableVerifier(false); // the front end verifies the finished kernel
  FinishKernelOptions options;
  options.waveSize = waveSize;
  buildFinishKernelPipeline(manager, options);
  [[maybe_unused]] const bool isDone = mlir::succeeded(manager.run(kernel));
  assert(isDone && "these passes do not fail");
}

std::vector<NeighbouringAccesses> analyse(Context &context, const LaunchFacts &launch) {
  const unsigned errors = context.reporter.failures;
  finish(context.kernel, context.target.waveSize);
  checkTakenParts(context);
  checkTilesInside(context, launch.grid);
  checkUnwrittenRegisters(context);
  checkFarAccesses(context);
  checkBarriers(context, launch.divisors);
  checkWaveOperands(context);
  checkAccesses(context);
  if (context.reporter.failures == errors) {
    checkUnwrittenOutputs(context, launch.name, launch.outputs);
    checkUnwrittenLds(context, launch.name);
  }
  return neighbouringAccesses(context);
}

} // namespace fly::analysis
