// Barriers that only some threads of a workgroup reach, and lanes that differ where the instruction takes one.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/Elaborator.h"

namespace fly::sema {

/// Reports each lane of `readlane` and the like that provably differs between the lanes of a wave.
void checkWaveOperands(Elaborator &e, ir::KernelOp kernel);
/// The values that differ between the lanes of a wave.
llvm::DenseSet<mlir::Value> divergentInWave(ir::KernelOp kernel, int64_t waveSize);
/// Reports each barrier of the elaborated kernel that stands behind a condition which provably depends on the thread.
void checkBarriers(Elaborator &e, ir::KernelOp kernel);

} // namespace fly::sema
