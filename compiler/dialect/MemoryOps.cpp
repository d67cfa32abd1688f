// Verifiers, inference, folds and side effects of the operations on memory (FlyMemoryOps.td).
//
// A volatile or ordered access is declared to read and write all memory, so it is neither merged nor removed, and
// nothing moves across it.
#include "compiler/dialect/FlyOps.h"

using namespace mlir;
namespace fly::ir {

LogicalResult SharedOp::verify() {
  if (getType().getSpace() != AddressSpace::Shared)
    return emitOpError() << "gives a pointer to shared memory; found " << getType();
  return success();
}

LogicalResult DynamicSharedOp::verify() {
  if (getType().getSpace() != AddressSpace::Shared)
    return emitOpError() << "gives a pointer to shared memory; found " << getType();
  return success();
}

LogicalResult OutputRingOp::verify() {
  if (getType().getSpace() != AddressSpace::Global)
    return emitOpError() << "gives a pointer to global memory; found " << getType();
  return success();
}

LogicalResult TextOp::verify() {
  if (getType().getSpace() != AddressSpace::Constant)
    return emitOpError() << "gives a pointer to constant memory; found " << getType();
  return success();
}

LogicalResult PtrAddOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto pointer = dyn_cast<PtrType>(adaptor.getPointer().getType());
  if (!pointer)
    return emitOptionalError(location, "`fly.ptr_add` takes a pointer");
  // While text is read, the default is not there yet.
  IntegerAttr multiple = adaptor.getMultipleOfAttr();
  results.push_back(PtrType::get(pointer.getContext(), pointer.getSpace(),
                                 commonAlignment(pointer.getAlignment(), multiple ? multiple.getInt() : 1)));
  return success();
}

LogicalResult PtrCastOp::verify() {
  AddressSpace from = getPointer().getType().getSpace(), to = getType().getSpace();
  if (from != to && from != AddressSpace::Generic && to != AddressSpace::Generic)
    return emitOpError() << "changes the space only to and from `generic`; found " << getPointer().getType() << " and "
                         << getType();
  return success();
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) { return getType() == getPointer().getType() ? getPointer() : Value(); }

/// An order has a scope, and the other way round; what is loaded acquires, what is stored releases.
template <typename Op> static LogicalResult verifyOrder(Op op, MemoryOrder never) {
  if (op.getOrder().has_value() != op.getScope().has_value())
    return op.emitOpError() << "has an order or a scope without the other";
  if (op.getOrder() == never || op.getOrder() == MemoryOrder::AcqRel)
    return op.emitOpError() << "cannot be `" << stringifyMemoryOrder(*op.getOrder()) << "`";
  return success();
}

LogicalResult PtrLoadOp::verify() { return verifyOrder(*this, MemoryOrder::Release); }
LogicalResult PtrStoreOp::verify() { return verifyOrder(*this, MemoryOrder::Acquire); }

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addEffects(Effects &effects, OpOperand &memory, bool writes, bool isOrdered, bool isInvariant = false) {
  if (isInvariant)
    return; // nothing writes it, so reading it has no effect
  if (writes)
    effects.emplace_back(MemoryEffects::Write::get(), &memory);
  else
    effects.emplace_back(MemoryEffects::Read::get(), &memory);
  if (!isOrdered)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void PtrLoadOp::getEffects(Effects &effects) {
  addEffects(effects, getPointerMutable(), false, getIsVolatile() || getOrder(), getIsInvariant());
}
void PtrStoreOp::getEffects(Effects &effects) {
  addEffects(effects, getPointerMutable(), true, getIsVolatile() || getOrder());
}
void LoadVectorOp::getEffects(Effects &effects) { addEffects(effects, getTensorMutable(), false, getIsVolatile()); }

} // namespace fly::ir
