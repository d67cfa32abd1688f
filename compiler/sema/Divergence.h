// Barriers that only some threads of a workgroup reach, work of a whole wave that only some of its lanes reach, and lanes
// that differ where the instruction takes one.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/Elaborator.h"

namespace fly::sema {

/// Reports each lane of `readlane` and the like that provably differs between the lanes of a wave.
void checkWaveOperands(Elaborator &e, ir::KernelOp kernel);
/// The values that differ between the lanes of a wave.
llvm::DenseSet<mlir::Value> divergentInWave(ir::KernelOp kernel, int64_t waveSize);
/// Remembers an operation that every aligned run of `lanes` lanes does together or not at all: a transposing read, or the
/// mark that `together()` leaves.
void noteCollective(Elaborator &e, mlir::Operation *op, int64_t lanes, SourceRange range, std::string name);
/// Reports each barrier of the elaborated kernel that stands behind a condition which provably depends on the thread, and
/// each collective behind one that depends on the lane. `divisors`: of the kernel's arguments.
void checkBarriers(Elaborator &e, ir::KernelOp kernel, llvm::ArrayRef<int64_t> divisors);

} // namespace fly::sema
