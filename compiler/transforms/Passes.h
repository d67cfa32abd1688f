// The passes between the Fly dialect and LLVM, and the pipeline they make.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace fly::ir {

#define GEN_PASS_DECL
#include "compiler/transforms/Passes.h.inc"

/// Options of the whole pipeline; in text `fly-to-llvm{arch=gfx942}`.
struct FlyToLLVMOptions : mlir::PassPipelineOptions<FlyToLLVMOptions> {
  Option<std::string> arch{*this, "arch", llvm::cl::desc("architecture, e.g. gfx942"), llvm::cl::init("")};
};

/// From elaborated kernels to a module in the LLVM and ROCDL dialects, with line tables.
void buildFlyToLLVMPipeline(mlir::OpPassManager &manager, const FlyToLLVMOptions &options);

/// Makes every pass of the pipeline, and the pipeline itself as `fly-to-llvm`, known by name. Once a process.
void registerFlyPasses();

/// Registers the dialects that modules pass through on the way, and what their conversions need.
void registerFlyDialects(mlir::DialectRegistry &registry);

#define GEN_PASS_REGISTRATION
#include "compiler/transforms/Passes.h.inc"

} // namespace fly::ir
