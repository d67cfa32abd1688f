// Rewrites of whole kernels as passes, and the pipeline that they form.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace fly::analysis {

#define GEN_PASS_DECL
#include "compiler/analysis/Passes.h.inc"

/// Options of the pipeline; in text `fly-finish-kernel{wave-size=32}`.
struct FinishKernelOptions : mlir::PassPipelineOptions<FinishKernelOptions> {
  Option<int64_t> waveSize{*this, "wave-size", llvm::cl::desc("lanes of a wave"), llvm::cl::init(64)};
};

/// What a kernel still needs once it is whole, before it is analysed. Of `fly.kernel`.
void buildFinishKernelPipeline(mlir::OpPassManager &kernels, const FinishKernelOptions &options);

/// Makes the passes, and the pipeline as `fly-finish-kernel`, known by name. Once a process.
void registerAnalysisPasses();

#define GEN_PASS_REGISTRATION
#include "compiler/analysis/Passes.h.inc"

} // namespace fly::analysis
