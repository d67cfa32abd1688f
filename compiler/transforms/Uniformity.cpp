// See Uniformity.h.
#include "compiler/transforms/Uniformity.h"
#include "compiler/dialect/WaveActions.h"

using namespace mlir;

namespace fly::ir {

/// Whether the result differs between lanes regardless of the operands.
static bool isOfLane(Operation *op) {
  if (isa<ThreadIdOp, LaneIdOp, AtomicOp, CompareExchangeOp>(op))
    return true;
  if (auto wave = dyn_cast<WaveIdOp>(op))
    return !wave.getInRegister();
  if (auto load = dyn_cast<PtrLoadOp>(op))
    return load.getPointer().getType().getSpace() != AddressSpace::Global &&
           load.getPointer().getType().getSpace() != AddressSpace::Constant;
  // A load is uniform only if the backend can use a scalar load: from memory that is never written.
  return isa<LoadOp, LoadVectorOp, MaskedLoadOp, TransposingLoadOp>(op);
}

Uniformity::Uniformity(KernelOp kernel) {
  SmallVector<Value> work;
  auto mark = [&](Value value) {
    if (differs.insert(value).second)
      work.push_back(value);
  };
  kernel.getBody().walk([&](Operation *op) {
    auto wave = dyn_cast<WaveOp>(op);
    if (auto exact = dyn_cast<ExactOp>(op))
      for (auto [result, file] : llvm::zip(exact.getResults(), exact.getFiles()))
        if (file != 's' || result.getType().isInteger(1))
          mark(result);
    if (isOfLane(op) || (wave && !info(wave.getAction()).equalInWave))
      for (Value result : op->getResults())
        mark(result);
  });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto branch = dyn_cast<BranchOpInterface>(user)) {
        if (auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber()))
          mark(*argument);
      } else if (auto store = dyn_cast<SlotStoreOp>(user)) {
        for (Operation *other : store.getSlot().getUsers())
          if (auto load = dyn_cast<SlotLoadOp>(other))
            mark(load.getResult());
      } else if (isa<ExactOp>(user)) { // marked already
      } else if (auto wave = dyn_cast<WaveOp>(user); !wave || !info(wave.getAction()).equalInWave) {
        for (Value result : user->getResults())
          mark(result);
      }
    }
  }
}

} // namespace fly::ir
