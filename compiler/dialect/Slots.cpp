// How slots are promoted to SSA values: the interfaces that upstream's mem2reg uses. A slot is only ever loaded from
// and stored to, so every use can be removed; a load before any store sees `fly.undefined`.
#include "compiler/dialect/FlyOps.h"

using namespace mlir;
namespace fly::ir {

SmallVector<MemorySlot> SlotOp::getPromotableSlots() {
  return {MemorySlot{getSlot(), cast<SlotType>(getSlot().getType()).getValueType()}};
}

Value SlotOp::getDefaultValue(const MemorySlot &slot, OpBuilder &builder) {
  return UndefinedOp::create(builder, getLoc(), slot.elemType);
}

void SlotOp::handleBlockArgument(const MemorySlot &, BlockArgument, OpBuilder &) {}

std::optional<PromotableAllocationOpInterface> SlotOp::handlePromotionComplete(const MemorySlot &, Value defaultValue,
                                                                               OpBuilder &) {
  if (defaultValue && defaultValue.use_empty())
    defaultValue.getDefiningOp()->erase();
  erase();
  return std::nullopt;
}

/// Every blocking use of a slot by a load or store is the slot operand itself.
static bool usesOnly(const SmallPtrSetImpl<OpOperand *> &uses, Value slot) {
  return llvm::all_of(uses, [&](OpOperand *use) { return use->get() == slot; });
}

bool SlotLoadOp::loadsFrom(const MemorySlot &slot) { return getSlot() == slot.ptr; }
bool SlotLoadOp::storesTo(const MemorySlot &) { return false; }
Value SlotLoadOp::getStored(const MemorySlot &, OpBuilder &, Value, const DataLayout &) { return {}; }

bool SlotLoadOp::canUsesBeRemoved(const MemorySlot &slot, const SmallPtrSetImpl<OpOperand *> &blockingUses,
                                  SmallVectorImpl<OpOperand *> &, const DataLayout &) {
  return usesOnly(blockingUses, slot.ptr);
}

DeletionKind SlotLoadOp::removeBlockingUses(const MemorySlot &, const SmallPtrSetImpl<OpOperand *> &, OpBuilder &,
                                            Value reachingDefinition, const DataLayout &) {
  getResult().replaceAllUsesWith(reachingDefinition);
  return DeletionKind::Delete;
}

bool SlotStoreOp::loadsFrom(const MemorySlot &) { return false; }
bool SlotStoreOp::storesTo(const MemorySlot &slot) { return getSlot() == slot.ptr; }
Value SlotStoreOp::getStored(const MemorySlot &, OpBuilder &, Value, const DataLayout &) { return getValue(); }

bool SlotStoreOp::canUsesBeRemoved(const MemorySlot &slot, const SmallPtrSetImpl<OpOperand *> &blockingUses,
                                   SmallVectorImpl<OpOperand *> &, const DataLayout &) {
  return usesOnly(blockingUses, slot.ptr);
}

DeletionKind SlotStoreOp::removeBlockingUses(const MemorySlot &, const SmallPtrSetImpl<OpOperand *> &, OpBuilder &,
                                             Value, const DataLayout &) {
  return DeletionKind::Delete;
}

} // namespace fly::ir
