// Verifiers and inference of the operations on buffers (FlyBufferOps.td) and of copies (FlyCopyOps.td).
#include "compiler/dialect/FlyOps.h"

using namespace mlir;
namespace fly::ir {

/// A buffer's tensors have `space`, its pointers too.
template <typename Type>
static LogicalResult requireSpace(Operation *op, Type type, AddressSpace space, StringRef what) {
  if (type.getSpace() != space)
    return op->emitOpError() << what << " is in the space `" << stringifyAddressSpace(space) << "`; found " << type;
  return success();
}

LogicalResult BufferOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto tensor = dyn_cast<TensorType>(adaptor.getTensor().getType());
  if (!tensor)
    return emitOptionalError(location, "`fly.buffer` takes a tensor");
  results.push_back(TensorType::get(context, tensor.getElementType(), AddressSpace::Buffer, tensor.getAlignment(),
                                    tensor.getLayout()));
  return success();
}

LogicalResult BufferOp::verify() {
  return requireSpace(*this, getTensor().getType(), AddressSpace::Global, "what it reaches");
}

LogicalResult RebaseOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getTensor().getType());
  return success();
}

LogicalResult RebaseOp::verify() {
  if (!BufferOp::farOrigin(getTensor()))
    return emitOpError("takes a view of a far buffer");
  return success();
}

LogicalResult AtOffsetsOp::verify() {
  if (failed(requireSpace(*this, getTensor().getType(), AddressSpace::Buffer, "the tensor")) ||
      failed(requireSpace(*this, getType(), AddressSpace::Buffer, "the result")))
    return failure();
  if (getKnown() < 0 || getKnown() > INT32_MAX)
    return emitOpError() << "has an offset of " << int64_t(getKnown()) << " bytes, which is not one of 31 bits";
  if (getType() != getTensor().getType() &&
      (!std::holds_alternative<layout::Layout>(getType().getLayout()) || !getType().getDomain().isStatic()))
    return emitOpError() << "has a result of another type whose layout is not known: " << getType();
  return success();
}

LogicalResult MakeBufferOp::verify() {
  if (failed(requireSpace(*this, getPointer().getType(), AddressSpace::Global, "the pointer")))
    return failure();
  return requireSpace(*this, getType(), AddressSpace::Buffer, "the result");
}

template <typename Op> static LogicalResult verifyAccess(Op op) {
  if (op.getKnown() < 0 || op.getKnown() > INT32_MAX)
    return op.emitOpError() << "has an offset of " << op.getKnown() << " bytes, which is not one of 31 bits";
  return requireSpace(op, op.getBuffer().getType(), AddressSpace::Buffer, "the buffer");
}

LogicalResult BufferLoadOp::verify() { return verifyAccess(*this); }
LogicalResult BufferStoreOp::verify() { return verifyAccess(*this); }
LogicalResult BufferAtomicOp::verify() { return verifyAccess(*this); }

/// All elements of a tensor of static layout.
static LogicalResult inferFragment(std::optional<Location> location, Type operand, SmallVectorImpl<Type> &results) {
  auto tensor = dyn_cast<TensorType>(operand);
  if (!tensor)
    return emitOptionalError(location, "the operation takes a tensor");
  auto type = fragmentType(tensor);
  if (!type)
    return emitOptionalError(location, type.text());
  results.push_back(*type);
  return success();
}

LogicalResult MaskedLoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  return inferFragment(location, adaptor.getTensor().getType(), results);
}
LogicalResult TransposingLoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &results) {
  return inferFragment(location, adaptor.getTensor().getType(), results);
}

LogicalResult MaskedLoadOp::verify() {
  return requireSpace(*this, getTensor().getType(), AddressSpace::Buffer, "the tensor");
}

template <typename Op> static LogicalResult verifyWrite(Op op) {
  auto type = fragmentType(op.getTensor().getType());
  if (!type)
    return op.emitOpError() << type.text();
  if (*type != op.getValue().getType())
    return op.emitOpError() << "writes " << *type << " to this tensor; found " << op.getValue().getType();
  return requireSpace(op, op.getTensor().getType(), AddressSpace::Buffer, "the tensor");
}

LogicalResult MaskedStoreOp::verify() { return verifyWrite(*this); }
LogicalResult MaskedAtomicOp::verify() { return verifyWrite(*this); }

LogicalResult DirectCopyOp::verify() {
  TensorType from = getSource().getType(), to = getDestination().getType();
  auto source = fragmentType(from), destination = fragmentType(to);
  if (!source || !destination)
    return emitOpError() << (source ? destination : source).text();
  if (*source != *destination)
    return emitOpError() << "moves elements as they are; found " << from << " and " << to;
  if ((from.getSpace() == AddressSpace::Shared) == (to.getSpace() == AddressSpace::Shared))
    return emitOpError() << "has one side in shared memory; found " << from << " and " << to;
  if (getPredicate() && from.getSpace() != AddressSpace::Buffer)
    return emitOpError() << "has a predicate only from a buffer; found " << from;
  return success();
}

} // namespace fly::ir
