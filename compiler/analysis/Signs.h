// Run-time checks that a number is not negative, left out where it cannot be.
#pragma once

#include "compiler/dialect/FlyOps.h"

namespace fly::analysis {

/// `value >= 0` as an i1, which the end of the kernel may turn into a constant.
mlir::Value emitNonNegative(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);
/// Settles those checks of the kernel that always hold. (At its end, for only then it is known what loops carry.)
void settleNonNegative(ir::KernelOp kernel);

} // namespace fly::analysis
