// Buffers of tensors beyond 2 GiB: each access gets one that begins where a part was cut out by coordinates that all
// lanes share (RebaseFarBuffers.cpp).
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// Whether all offsets of a layout are known to lie within reach of a buffer. Of 32-bit extents the kernel checks it.
bool isWithinReach(ir::TensorType type);
/// What to do about a view that reaches further, in its diagnostic.
void helpBeyondReach(DiagnosticBuilder builder);

/// A view of a far buffer that an operation accesses, and where the program does.
struct FarAccess {
  mlir::OpOperand *operand;
  mlir::Location location;
};
/// All of a kernel, in order.
llvm::SmallVector<FarAccess> farAccesses(ir::KernelOp kernel);
/// The views on the way from a far buffer to one of them, both included.
llvm::SmallVector<mlir::Value> wayTo(mlir::Value view);

/// Reports accesses to far buffers that have not got a buffer of their own.
void checkFarAccesses(Context &context);

} // namespace fly::analysis
