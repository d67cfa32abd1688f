// Two programs in one kernel: waves divide at a branch, and each side has barriers of its own.
//
//   if wave_id == 0:                 a barrier of the hardware counts waves that have arrived, and does not ask at which
//       for t in range(n):           instruction. So waves that divide go on together if each way passes equally many
//           fill(t)                  barriers: here n.
//           barrier()
//   else:
//       for t in range(n):
//           barrier()
//           use(t)
//
// The number of barriers of a way is a sum of products: of a loop, its turns times the barriers of a turn. Turns are equal
// if they are equal constants, or counted from and to the same values, which all waves share. Whatever cannot be written
// in this form is not known to be equal.
#pragma once

#include "compiler/analysis/Context.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace fly::analysis {

/// Of a branch whose ways meet again in `meeting` (null: where the kernel ends): what is wrong with the barriers on its
/// sides, in words; empty if each way passes equally many. `isShared`: whether all waves of a workgroup have the value.
std::string unequalBarriers(Context &context, mlir::cf::CondBranchOp branch, mlir::Block *meeting,
                            llvm::function_ref<bool(mlir::Value)> isShared);

} // namespace fly::analysis
