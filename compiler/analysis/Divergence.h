// Barriers that only some threads of a workgroup reach, work of a whole wave that only some of its lanes reach, and
// lanes that differ where the instruction takes one.
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// Reports each lane of `readlane` and the like that provably differs between the lanes of a wave.
void checkWaveOperands(Context &context);
/// The values that differ between the lanes of a wave.
llvm::DenseSet<mlir::Value> divergentInWave(ir::KernelOp kernel, Ranges &ranges, int64_t waveSize);
/// The values that differ between the threads of a workgroup.
llvm::DenseSet<mlir::Value> divergentInWorkgroup(ir::KernelOp kernel, Ranges &ranges, int64_t waveSize);
/// Reports each barrier of the elaborated kernel under a condition that provably depends on the thread,
/// and each collective under one that depends on the lane. `divisors`: of the kernel's arguments.
void checkBarriers(Context &context, llvm::ArrayRef<int64_t> divisors);

} // namespace fly::analysis
