// Accesses of tensors as accesses of pointers and buffers, in the widest pieces that their order and alignment allow,
// and the copies that are not loads and stores. See LayoutLowering.h.
#include "compiler/transforms/LayoutLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace fly::ir {

using layout::IntTuple;
using layout::Leaf;
using layout::Result;

//===-------------------------------------------------- accesses -------------------------------------------------===//

/// The pointer to the element at an offset from the tensor's base; failures are reported at the op.
FailureOr<Value> LayoutLowering::pointerTo(Operation *op, const ResolvedTensor &tensor, Result<Leaf> offset,
                                           Type elementType) {
  auto pointer = [&]() -> Result<Value> {
    FLY_TRY(distance, std::move(offset));
    return addressOf(tensor, distance, elementType);
  }();
  if (!pointer)
    return fail(op, pointer.text());
  return *pointer;
}

/// The tensor of an op, and the offset of the element at its coordinate.
template <typename Op> FailureOr<std::pair<ResolvedTensor, Leaf>> LayoutLowering::element(Op op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return failure();
  place(op);
  IntTuple coordinate = coordinateOf(op.getCoordinate(), op.getDynamic(), tensor->layout);
  Result<Leaf> offset = offsetOf(*tensor, coordinate);
  if (!offset)
    return fail(op, offset.text());
  return std::pair(*tensor, *offset);
}

/// The pointer to the element at the op's coordinate.
template <typename Op> FailureOr<Value> LayoutLowering::elementPointer(Op op) {
  auto found = element(op);
  if (failed(found))
    return failure();
  return pointerTo(op, found->first, found->second, op.getTensor().getType().getElementType());
}

Result<BufferOffsets> LayoutLowering::bufferOffsetsOf(const ResolvedTensor &tensor, const Leaf &offset,
                                                      Type elementType, Value predicate) {
  if (tensor.farBytes)
    return layout::Error{"this is a far buffer, which is rebased before it is accessed"};
  FLY_TRY(units, inUnits(offset, elementType));
  return bufferOffsets(arithmetic, builder, here(), units, elementUnit(elementBits(elementType)).bytes,
                       tensor.checksScalar, tensor.extra, predicate);
}

/// The integer that an atomic access of a vector moves.
static IntegerType wordOf(Type type) {
  auto vector = cast<VectorType>(type);
  return IntegerType::get(type.getContext(), unsigned(vector.getNumElements()) * vector.getElementTypeBitWidth());
}

Result<Value> LayoutLowering::loadAt(const ResolvedTensor &tensor, Result<Leaf> offset, Type elementType, Type type,
                                     const Access &access) {
  FLY_TRY(distance, std::move(offset));
  if (tensor.isBuffer()) {
    FLY_TRY(at, bufferOffsetsOf(tensor, distance, elementType, access.predicate));
    return BufferLoadOp::create(builder, here(), type, tensor.base, at.checked, at.unchecked, at.known, access.cache)
        .getResult();
  }
  FLY_TRY(pointer, addressOf(tensor, distance, elementType));
  Type moved = access.scope ? Type(wordOf(type)) : type;
  auto load = PtrLoadOp::create(builder, here(), moved, pointer);
  if (access.scope)
    load.setOrder(MemoryOrder::Relaxed), load.setScope(access.scope);
  load.setIsVolatile(access.isVolatile);
  load.setIsNontemporal(access.isNontemporal);
  if (moved == type)
    return load.getResult();
  Value word = vector::FromElementsOp::create(builder, here(), VectorType::get({1}, moved), load.getResult());
  return vector::BitCastOp::create(builder, here(), cast<VectorType>(type), word).getResult();
}

Result<bool> LayoutLowering::storeAt(const ResolvedTensor &tensor, Result<Leaf> offset, Type elementType, Value value,
                                     const Access &access) {
  FLY_TRY(distance, std::move(offset));
  if (tensor.isBuffer()) {
    FLY_TRY(at, bufferOffsetsOf(tensor, distance, elementType, access.predicate));
    BufferStoreOp::create(builder, here(), value, tensor.base, at.checked, at.unchecked, at.known, access.cache);
    return true;
  }
  FLY_TRY(pointer, addressOf(tensor, distance, elementType));
  if (access.scope) {
    Type word = wordOf(value.getType());
    value = vector::BitCastOp::create(builder, here(), VectorType::get({1}, word), value);
    value = vector::ExtractOp::create(builder, here(), value, ArrayRef<int64_t>{0});
  }
  auto store = PtrStoreOp::create(builder, here(), value, pointer);
  if (access.scope)
    store.setOrder(MemoryOrder::Relaxed), store.setScope(access.scope);
  store.setIsVolatile(access.isVolatile);
  store.setIsNontemporal(access.isNontemporal);
  return true;
}

LogicalResult LayoutLowering::lowerLoad(LoadOp op) {
  auto found = element(op);
  if (failed(found))
    return failure();
  Result<Value> value = loadAt(found->first, found->second, op.getType(), op.getType(), {});
  if (!value)
    return fail(op, value.text());
  op.replaceAllUsesWith(*value);
  op.erase();
  return success();
}

LogicalResult LayoutLowering::lowerStore(StoreOp op) {
  auto found = element(op);
  if (failed(found))
    return failure();
  if (auto stored = storeAt(found->first, found->second, op.getValue().getType(), op.getValue(), {}); !stored)
    return fail(op, stored.text());
  op.erase();
  return success();
}

/// The address of a buffer's first element is its resource: the operand of an exact instruction.
LogicalResult LayoutLowering::lowerAddress(AddressOp op) {
  if (op.getTensor().getType().getSpace() == AddressSpace::Buffer) {
    auto found = element(op);
    if (failed(found))
      return failure();
    if (found->first.farBytes || !found->second.isStatic() || found->second.value != 0 || found->first.extra.checked ||
        found->first.extra.unchecked || found->first.extra.known)
      return op.emitOpError("a resource begins where its buffer does; this view begins later");
    op.replaceAllUsesWith(PtrCastOp::create(builder, op.getLoc(), op.getType(), found->first.base).getResult());
    op.erase();
    return success();
  }
  FailureOr<Value> pointer = elementPointer(op);
  if (failed(pointer))
    return failure();
  op.replaceAllUsesWith(PtrCastOp::create(builder, op.getLoc(), op.getType(), *pointer).getResult());
  op.erase();
  return success();
}

/// Accesses as wide as alignment and layout allow, of whole bytes.
Result<layout::Runs> LayoutLowering::runsOf(TensorType type, const ResolvedTensor &tensor, Operation *op) {
  if (tensor.isOneAccess)
    return layout::Runs{{{0, cast<VectorType>(*fragmentType(type)).getNumElements(), 0}}};
  FLY_TRY(runs, accessesOf(type, tensor.widest * 8));
  const unsigned bits = type.getElementBits();
  for (const layout::Run &piece : runs.runs)
    if (piece.count * bits % 8 || (piece.offset * bits % 8))
      return layout::Error{"layout `" + layout::textOf(type.getLayout()) + "`, alignment " +
                           std::to_string(type.getAlignment()) + ": an access of " +
                           std::to_string(piece.count * bits) + " bits is not a whole number of bytes"};
  int64_t count = runs.runs.back().first + runs.runs.back().count;
  if (count > 1 && static_cast<int64_t>(runs.runs.size()) == count && bits < widestBits)
    op->emitRemark() << "accesses " << count << " elements one by one: layout `" << layout::textOf(type.getLayout())
                     << "`, alignment " << type.getAlignment() << " bytes";
  return runs;
}

/// How some elements are held in registers: packed elements as bytes. An access of three dwords uses dwords, because
/// the backend splits bytes unless their number is a power of two.
static VectorType piecesOf(TensorType type, int64_t elements) {
  if (type.getElementBits() % 8 == 0)
    return VectorType::get({elements}, type.getElementType());
  return VectorType::get({elements * type.getElementBits() / 8}, IntegerType::get(type.getContext(), 8));
}
static VectorType accessTypeOf(TensorType type, int64_t elements) {
  VectorType bytes = piecesOf(type, elements);
  int64_t size = bytes.getNumElements();
  bool isPacked = type.getElementBits() % 8 != 0;
  return isPacked && !llvm::isPowerOf2_64(uint64_t(size)) && size % 4 == 0
             ? VectorType::get({size / 4}, IntegerType::get(type.getContext(), 32))
             : bytes;
}
static int64_t lanesOf(TensorType type, int64_t elements) {
  return type.getElementBits() % 8 ? elements * type.getElementBits() / 8 : elements;
}
static Value asType(OpBuilder &builder, Location place, Value value, VectorType type) {
  return value.getType() == type ? value : vector::BitCastOp::create(builder, place, type, value).getResult();
}

/// All elements of a tensor, in its order.
FailureOr<Value> LayoutLowering::loadPieces(Operation *op, Value view, const Access &access) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(view, op);
  if (failed(tensor))
    return failure();
  place(op);
  auto tensorType = cast<TensorType>(view.getType());
  auto runs = runsOf(tensorType, *tensor, op);
  if (!runs)
    return fail(op, runs.text());
  auto type = cast<VectorType>(op->getResult(0).getType());
  SmallVector<Value> elements;
  for (const layout::Run &piece : runs->runs) {
    Result<Value> loaded = loadAt(*tensor, offsetOf(*tensor, *runs, piece), tensorType.getElementType(),
                                  accessTypeOf(tensorType, piece.count), access);
    if (!loaded)
      return fail(op, loaded.text());
    Value part = asType(builder, op->getLoc(), *loaded, piecesOf(tensorType, piece.count));
    if (runs->runs.size() == 1)
      return part;
    for (int64_t i = 0; i < lanesOf(tensorType, piece.count); ++i)
      elements.push_back(vector::ExtractOp::create(builder, op->getLoc(), part, ArrayRef<int64_t>{i}));
  }
  return vector::FromElementsOp::create(builder, op->getLoc(), type, elements).getResult();
}

LogicalResult LayoutLowering::storePieces(Operation *op, Value value, Value view, const Access &access) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(view, op);
  if (failed(tensor))
    return failure();
  place(op);
  auto tensorType = cast<TensorType>(view.getType());
  auto runs = runsOf(tensorType, *tensor, op);
  if (!runs)
    return fail(op, runs.text());
  for (const layout::Run &piece : runs->runs) {
    Value part = value;
    if (runs->runs.size() != 1) {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < lanesOf(tensorType, piece.count); ++i)
        elements.push_back(vector::ExtractOp::create(builder, op->getLoc(), value,
                                                     ArrayRef<int64_t>{lanesOf(tensorType, piece.first) + i}));
      part = vector::FromElementsOp::create(builder, op->getLoc(), piecesOf(tensorType, piece.count), elements);
    }
    part = asType(builder, op->getLoc(), part, accessTypeOf(tensorType, piece.count));
    if (auto stored = storeAt(*tensor, offsetOf(*tensor, *runs, piece), tensorType.getElementType(), part, access);
        !stored)
      return fail(op, stored.text());
  }
  op->erase();
  return success();
}

/// The tensor of an access that is one run.
FailureOr<ResolvedTensor> LayoutLowering::pieceOf(Operation *op, Value view) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(view, op);
  if (failed(tensor))
    return failure();
  place(op);
  auto type = cast<TensorType>(view.getType());
  auto runs = layout::runsOf(type.getLayout(), mostElements(type.getElementBits()), int64_t(1) << 30);
  if (!runs)
    return fail(op, runs.text());
  Result<Leaf> offset = offsetOf(*tensor, *runs, runs->runs.front());
  if (!offset)
    return fail(op, offset.text());
  ResolvedTensor piece = *tensor;
  piece.offset = *offset, piece.layout = type.getLayout();
  return piece;
}

/// Element by element; two small floats that are aligned together are one.
LogicalResult LayoutLowering::lowerAtomic(MaskedAtomicOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return failure();
  place(op);
  Type element = op.getTensor().getType().getElementType();
  int64_t size = elementBytes(element), together = size == 2 ? 2 : 1;
  auto runs = layout::runsOf(op.getTensor().getType().getLayout(), together, together);
  if (!runs)
    return fail(op, runs.text());
  for (const layout::Run &piece : runs->runs) {
    Result<Leaf> offset = offsetOf(*tensor, *runs, piece);
    if (!offset)
      return fail(op, offset.text());
    Result<BufferOffsets> at = bufferOffsetsOf(*tensor, *offset, element, op.getPredicate());
    if (!at)
      return fail(op, at.text());
    Value part;
    if (piece.count == 1)
      part = vector::ExtractOp::create(builder, op.getLoc(), op.getValue(), ArrayRef<int64_t>{piece.first});
    else
      part = vector::ExtractStridedSliceOp::create(builder, op.getLoc(), op.getValue(), ArrayRef<int64_t>{piece.first},
                                                   ArrayRef<int64_t>{piece.count}, ArrayRef<int64_t>{1});
    BufferAtomicOp::create(builder, op.getLoc(), op.getKind(), part, tensor->base, at->checked, at->unchecked,
                           at->known, op.getCache());
  }
  op.erase();
  return success();
}

LogicalResult LayoutLowering::lowerDirectCopy(DirectCopyOp op) {
  FailureOr<ResolvedTensor> source = pieceOf(op, op.getSource()), destination = pieceOf(op, op.getDestination());
  if (failed(source) || failed(destination))
    return failure();
  Type element = op.getSource().getType().getElementType();
  FailureOr<Value> end = pointerTo(op, *destination, destination->offset, element);
  if (failed(end))
    return failure();
  VectorType moved = *fragmentType(op.getSource().getType());
  int64_t bytes = moved.getNumElements() * elementBytes(moved.getElementType());
  if (!source->isBuffer()) {
    FailureOr<Value> start = pointerTo(op, *source, source->offset, element);
    if (failed(start))
      return failure();
    DirectMoveOp::create(builder, op.getLoc(), *start, *end, bytes, op.getOwnPlace(), op.getCache());
  } else {
    Result<BufferOffsets> at = bufferOffsetsOf(*source, source->offset, element, op.getPredicate());
    if (!at)
      return fail(op, at.text());
    BufferMoveOp::create(builder, op.getLoc(), source->base, at->checked, at->unchecked, at->known, *end, bytes,
                         op.getCache());
  }
  op.erase();
  return success();
}

LogicalResult LayoutLowering::lowerTransposingLoad(TransposingLoadOp op) {
  FailureOr<ResolvedTensor> tensor = pieceOf(op, op.getTensor());
  if (failed(tensor))
    return failure();
  TensorType type = op.getTensor().getType();
  FailureOr<Value> pointer = pointerTo(op, *tensor, tensor->offset, type.getElementType());
  if (failed(pointer))
    return failure();
  op.replaceAllUsesWith(
      PtrTransposingLoadOp::create(builder, op.getLoc(), op.getType(), *pointer, type.getElementBits()).getResult());
  op.erase();
  return success();
}

} // namespace fly::ir
