// Slots with all accesses in one block become values in one walk over its operations.
//
// Upstream's mem2reg walks the block of a slot once for each slot: a fragment of 2,048 elements is 512 slots, which
// takes time with its square. It has only the slots left that several blocks access.
#include "compiler/transforms/ForwardSlots.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace fly::ir {

namespace {

/// The block of all accesses; null if there are several, or if an operation is not an access.
Block *onlyBlock(SlotOp slot) {
  Block *block = nullptr;
  for (OpOperand &use : slot.getResult().getUses()) {
    Operation *user = use.getOwner();
    const bool isLoad = isa<SlotLoadOp>(user),
               isStore = isa<SlotStoreOp>(user) && cast<SlotStoreOp>(user).getSlot() == use.get();
    if ((!isLoad && !isStore) || (block && block != user->getBlock()))
      return nullptr;
    block = user->getBlock();
  }
  return block;
}

/// No branch leads to it: it runs once, so that a load before the first store sees nothing of a later one.
bool isEntry(Block *block) { return block->isEntryBlock(); }

struct ForwardSlots final : PassWrapper<ForwardSlots, OperationPass<KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForwardSlots)
  llvm::StringRef getArgument() const override { return "fly-forward-slots"; }
  llvm::StringRef getDescription() const override { return "slots that one block accesses become values"; }

  void runOnOperation() override {
    llvm::DenseSet<Value> local;
    llvm::SetVector<Block *> blocks;
    llvm::SmallVector<SlotOp> slots;
    getOperation().walk([&](SlotOp slot) {
      Block *block = onlyBlock(slot);
      if (!block || !isEntry(block) || slot->getBlock() != block)
        return;
      local.insert(slot.getResult());
      blocks.insert(block);
      slots.push_back(slot);
    });
    for (Block *block : blocks) {
      llvm::DenseMap<Value, Value> held;
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        if (auto store = dyn_cast<SlotStoreOp>(op); store && local.contains(store.getSlot()))
          held[store.getSlot()] = store.getValue();
        else if (auto load = dyn_cast<SlotLoadOp>(op); load && local.contains(load.getSlot())) {
          Value value = held.lookup(load.getSlot());
          if (!value)
            continue;
          load.getResult().replaceAllUsesWith(value);
          load.erase();
        }
      }
    }
    for (SlotOp slot : slots) { // slots that are never read
      if (llvm::any_of(slot.getResult().getUsers(), [](Operation *user) { return isa<SlotLoadOp>(user); }))
        continue;
      for (Operation *user : llvm::make_early_inc_range(slot.getResult().getUsers()))
        user->erase();
      slot.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createForwardSlots() { return std::make_unique<ForwardSlots>(); }

} // namespace fly::ir
