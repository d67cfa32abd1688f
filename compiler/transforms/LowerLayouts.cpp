// fly-lower-layouts: tensors and layouts become pointers, offsets and accesses. What and why: Passes.td.
//
// A tensor value is resolved into {base pointer, offset, layout}, whose dynamic leaves carry SSA values; resolving is
// recursive over the op that defines the tensor and remembered, so a view of a view costs its own arithmetic only:
//
//   make_tensor %p, %l     {%p, 0, layout of %l with its operands as leaves}
//   slice %t[c]            {base, offset + crd2idx of what c fixes, what c keeps}
//   zipped_divide %t by T  {base, offset, zippedDivide(layout, T)}
//
//   1. walk the kernel; at each op that makes a tensor, resolve it there (so its operands dominate the instructions);
//   2. at each op that uses one, emit address and access, and replace the op;
//   3. erase the tensor and layout ops, users first.
#include "compiler/layout/Algebra.h"
#include "compiler/transforms/EmittingArithmetic.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_FLYLOWERLAYOUTS
#include "compiler/transforms/Passes.h.inc"

namespace {

using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Result;

/// The widest access of one thread, in bytes.
constexpr int64_t widestAccess = 16;

struct ResolvedTensor {
  Value base;
  Leaf offset = Leaf::known(0); // elements
  Layout layout;
  bool bytesFitIn32Bits = false;
};

class LayoutLowering {
public:
  explicit LayoutLowering(KernelOp kernel) : kernel(kernel), builder(kernel.getContext()), arithmetic(builder) {}

  LogicalResult run();

private:
  LogicalResult lower(Operation *op);
  LogicalResult lowerLoad(LoadOp op);
  LogicalResult lowerStore(StoreOp op);
  LogicalResult lowerAddress(AddressOp op);
  LogicalResult lowerLoadVector(LoadVectorOp op);
  LogicalResult lowerStoreVector(StoreVectorOp op);
  LogicalResult lowerLeaf(LeafOp op);

  FailureOr<Layout> resolveLayout(Value value, Operation *user);
  FailureOr<ResolvedTensor> resolveTensor(Value value, Operation *user);
  Result<ResolvedTensor> resolve(MakeTensorOp op);
  Result<ResolvedTensor> resolve(SliceOp op);
  Result<ResolvedTensor> resolve(ZippedDivideOp op);

  IntTuple coordinateOf(IntTupleAttr coordinate, OperandRange dynamic, const Layout &layout);
  Result<Value> addressOf(const ResolvedTensor &tensor, const Leaf &offset, Type elementType);
  Value addBytes(Value pointer, int64_t bytes);
  FailureOr<Value> pointerTo(Operation *op, const ResolvedTensor &tensor, Result<Leaf> inside, Type elementType);
  template <typename Op> FailureOr<Value> elementPointer(Op op);

  /// The pieces in which a fragment is accessed: first element, number of elements, offset of the first.
  struct Piece {
    int64_t first, count, offset;
  };
  Result<SmallVector<Piece>> piecesOf(TensorType type, Operation *op);

  /// The next instructions go before `op` and are said to come from there.
  void place(Operation *op) {
    builder.setInsertionPoint(op);
    arithmetic.setLocation(op->getLoc());
    location = op->getLoc();
  }
  Location here() { return *location; }
  LogicalResult fail(Operation *op, const std::string &text) { return op->emitOpError() << text; }

  KernelOp kernel;
  OpBuilder builder;
  EmittingArithmetic arithmetic;
  std::optional<Location> location;
  DenseMap<Value, ResolvedTensor> resolved;
  SmallVector<Operation *> viewOps; // tensor and layout ops, definitions before uses
};

//===------------------------------------------------- resolving -------------------------------------------------===//

FailureOr<Layout> LayoutLowering::resolveLayout(Value value, Operation *user) {
  auto made = value.getDefiningOp<MakeLayoutOp>();
  if (!made)
    return fail(user, "the layout is a block argument; layouts cannot be carried through control flow");
  std::vector<void *> handles;
  for (Value operand : made.getDynamic())
    handles.push_back(arithmetic.handleOf(operand));
  return made.getType().getLayout().withHandles(handles);
}

Result<ResolvedTensor> LayoutLowering::resolve(MakeTensorOp op) {
  FailureOr<Layout> layout = resolveLayout(op.getLayout(), op);
  if (failed(layout))
    return layout::Error{""};
  return ResolvedTensor{op.getPointer(), Leaf::known(0), *layout, op.getBytesFitIn_32Bits()};
}

Result<ResolvedTensor> LayoutLowering::resolve(SliceOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return layout::Error{""};
  place(op);
  IntTuple coordinate = coordinateOf(op.getCoordinate(), op.getDynamic(), tensor->layout);
  FLY_TRY(part, layout::slice(coordinate, tensor->layout, arithmetic));
  FLY_TRY(offset, arithmetic.add(tensor->offset, part.offset));
  return ResolvedTensor{tensor->base, offset, part.layout, tensor->bytesFitIn32Bits};
}

Result<ResolvedTensor> LayoutLowering::resolve(ZippedDivideOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return layout::Error{""};
  place(op);
  FLY_TRY(modes, layout::tilerOf(op.getTiler().getTuple()));
  FLY_TRY(divided, layout::zippedDivide(tensor->layout, modes, arithmetic));
  return ResolvedTensor{tensor->base, tensor->offset, divided, tensor->bytesFitIn32Bits};
}

FailureOr<ResolvedTensor> LayoutLowering::resolveTensor(Value value, Operation *user) {
  if (auto known = resolved.find(value); known != resolved.end())
    return known->second;
  Operation *definition = value.getDefiningOp();
  if (!definition)
    return fail(user, "the tensor is a block argument; tensors cannot be carried through control flow");
  OpBuilder::InsertionGuard guard(builder);
  Result<ResolvedTensor> result = layout::Error{"the tensor comes from `" + definition->getName().getStringRef().str() +
                                                "`, which this pass does not know"};
  if (auto op = dyn_cast<MakeTensorOp>(definition))
    result = resolve(op);
  else if (auto op = dyn_cast<SliceOp>(definition))
    result = resolve(op);
  else if (auto op = dyn_cast<ZippedDivideOp>(definition))
    result = resolve(op);
  if (!result) {
    if (!result.text().empty()) // an empty text has been reported
      definition->emitOpError() << result.text();
    return failure();
  }
  resolved[value] = *result;
  return *result;
}

//===------------------------------------------------- addresses -------------------------------------------------===//

/// The coordinate with its operands as leaves. In a layout that spans more than 31 bits of offsets they are widened: its
/// leaves do not say so, because each of them is small.
IntTuple LayoutLowering::coordinateOf(IntTupleAttr coordinate, OperandRange dynamic, const Layout &layout) {
  layout::InferringArithmetic inferring;
  Result<Leaf> span = layout::cosize(layout, inferring);
  bool isWide = span && span->isStatic() && span->width() == 64;
  auto operand = dynamic.begin();
  return coordinate.getTuple().mapLeaves([&](Leaf leaf) {
    if (leaf.isDynamic() && operand != dynamic.end()) {
      Value value = *operand++;
      if (isWide && leaf.bits == 32) {
        value = arithmetic.widen(value, 64, false);
        leaf.bits = 64;
      }
      leaf.handle = arithmetic.handleOf(value);
    }
    return leaf;
  });
}

Value LayoutLowering::addBytes(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  int64_t multiple = static_cast<int64_t>(llvm::MinAlign(static_cast<uint64_t>(bytes), uint64_t(1) << 32));
  return PtrAddOp::create(builder, here(), pointer, arithmetic.constant(bytes, 64), multiple, false);
}

Result<Value> LayoutLowering::addressOf(const ResolvedTensor &tensor, const Leaf &offset, Type elementType) {
  int64_t size = elementBytes(elementType), bytes;
  int64_t constant = offset.isStatic() ? offset.value : EmittingArithmetic::termOf(offset).constant;
  if (__builtin_mul_overflow(constant, size, &bytes))
    return layout::Error{"the offset of " + std::to_string(constant) + " elements does not fit in 64 bits of bytes"};
  Value pointer = tensor.base;
  if (offset.isDynamic()) {
    const EmittingArithmetic::Term &term = EmittingArithmetic::termOf(offset);
    AddressSpace space = cast<PtrType>(pointer.getType()).getSpace();
    // Offsets of 32-bit tensors fit in 31 bits, so those of one or two bytes an element fit in 32 bits of bytes.
    bool isNarrow = term.value.getType().isInteger(32) && !term.mayBeNegative && (tensor.bytesFitIn32Bits || size <= 2);
    bool has32BitPointers = space == AddressSpace::Shared || space == AddressSpace::Private;
    Value value = isNarrow || has32BitPointers ? term.value : arithmetic.widen(term.value, 64, term.mayBeNegative);
    // Below 2^32, but not below 2^31: only nuw holds.
    if (size != 1) {
      Value factor = arithmetic.constant(size, value.getType().getIntOrFloatBitWidth());
      auto flags = term.mayBeNegative ? arith::IntegerOverflowFlags::none : arith::IntegerOverflowFlags::nuw;
      value = arith::MulIOp::create(builder, here(), value, factor, flags);
    }
    int64_t twos = static_cast<int64_t>(llvm::MinAlign(static_cast<uint64_t>(offset.divisor()), uint64_t(1) << 31));
    // What is known to divide a sum divides each of its parts (LeafArithmetic::add).
    pointer = PtrAddOp::create(builder, here(), pointer, value, twos * size, !term.mayBeNegative);
  }
  return addBytes(pointer, bytes);
}

//===-------------------------------------------------- accesses -------------------------------------------------===//

/// The pointer to the element `inside` elements from the tensor's first; failures are reported at the op.
FailureOr<Value> LayoutLowering::pointerTo(Operation *op, const ResolvedTensor &tensor, Result<Leaf> inside,
                                           Type elementType) {
  auto pointer = [&]() -> Result<Value> {
    FLY_TRY(distance, std::move(inside));
    FLY_TRY(offset, arithmetic.add(tensor.offset, distance));
    return addressOf(tensor, offset, elementType);
  }();
  if (!pointer)
    return fail(op, pointer.text());
  return *pointer;
}

/// The pointer to the element at the op's coordinate.
template <typename Op> FailureOr<Value> LayoutLowering::elementPointer(Op op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return failure();
  place(op);
  IntTuple coordinate = coordinateOf(op.getCoordinate(), op.getDynamic(), tensor->layout);
  return pointerTo(op, *tensor, layout::crd2idx(coordinate, tensor->layout, arithmetic),
                   op.getTensor().getType().getElementType());
}

LogicalResult LayoutLowering::lowerLoad(LoadOp op) {
  FailureOr<Value> pointer = elementPointer(op);
  if (failed(pointer))
    return failure();
  op.replaceAllUsesWith(PtrLoadOp::create(builder, op.getLoc(), op.getType(), *pointer).getResult());
  op.erase();
  return success();
}

LogicalResult LayoutLowering::lowerStore(StoreOp op) {
  FailureOr<Value> pointer = elementPointer(op);
  if (failed(pointer))
    return failure();
  PtrStoreOp::create(builder, op.getLoc(), op.getValue(), *pointer);
  op.erase();
  return success();
}

LogicalResult LayoutLowering::lowerAddress(AddressOp op) {
  FailureOr<Value> pointer = elementPointer(op);
  if (failed(pointer))
    return failure();
  op.replaceAllUsesWith(PtrCastOp::create(builder, op.getLoc(), op.getType(), *pointer).getResult());
  op.erase();
  return success();
}

/// Runs of adjacent elements, cut into powers of two of at most 128 bits that their alignment allows.
Result<SmallVector<LayoutLowering::Piece>> LayoutLowering::piecesOf(TensorType type, Operation *op) {
  layout::InferringArithmetic inferring;
  FLY_TRY(total, layout::size(type.getLayout(), inferring));
  SmallVector<int64_t> offsets;
  for (int64_t i = 0; i < total.value; ++i) {
    FLY_TRY(offset, layout::crd2idx(i, type.getLayout(), inferring));
    offsets.push_back(offset.value);
  }
  int64_t size = type.getElementBytes(), count = total.value;
  SmallVector<Piece> pieces;
  for (int64_t first = 0; first < count;) {
    int64_t run = 1;
    while (first + run < count && offsets[first + run] == offsets[first] + run)
      ++run;
    int64_t alignment = commonAlignment(type.getAlignment(), offsets[first] * size);
    int64_t taken = 1;
    while (taken * 2 <= run && taken * 2 * size <= std::min(widestAccess, alignment))
      taken *= 2;
    pieces.push_back({first, taken, offsets[first]});
    first += taken;
  }
  if (count > 1 && static_cast<int64_t>(pieces.size()) == count && size < widestAccess)
    op->emitRemark() << "accesses " << count << " elements one by one: layout `" << type.getLayout().text()
                     << "`, alignment " << type.getAlignment() << " bytes";
  return pieces;
}

LogicalResult LayoutLowering::lowerLoadVector(LoadVectorOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return failure();
  place(op);
  auto pieces = piecesOf(op.getTensor().getType(), op);
  if (!pieces)
    return fail(op, pieces.text());
  VectorType type = op.getType();
  SmallVector<Value> elements;
  Value whole;
  for (const Piece &piece : *pieces) {
    FailureOr<Value> address = pointerTo(op, *tensor, Leaf::known(piece.offset), type.getElementType());
    if (failed(address))
      return failure();
    Type pieceType = VectorType::get({piece.count}, type.getElementType());
    auto load = PtrLoadOp::create(builder, op.getLoc(), pieceType, *address);
    load.setIsVolatile(op.getIsVolatile());
    load.setIsNontemporal(op.getIsNontemporal());
    whole = load;
    if (pieces->size() == 1)
      break;
    for (int64_t i = 0; i < piece.count; ++i)
      elements.push_back(vector::ExtractOp::create(builder, op.getLoc(), whole, ArrayRef<int64_t>{i}));
  }
  if (pieces->size() != 1)
    whole = vector::FromElementsOp::create(builder, op.getLoc(), type, elements);
  op.replaceAllUsesWith(whole);
  op.erase();
  return success();
}

LogicalResult LayoutLowering::lowerStoreVector(StoreVectorOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return failure();
  place(op);
  auto pieces = piecesOf(op.getTensor().getType(), op);
  if (!pieces)
    return fail(op, pieces.text());
  auto type = cast<VectorType>(op.getValue().getType());
  for (const Piece &piece : *pieces) {
    FailureOr<Value> address = pointerTo(op, *tensor, Leaf::known(piece.offset), type.getElementType());
    if (failed(address))
      return failure();
    Value part = op.getValue();
    if (pieces->size() != 1) {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < piece.count; ++i)
        elements.push_back(
            vector::ExtractOp::create(builder, op.getLoc(), op.getValue(), ArrayRef<int64_t>{piece.first + i}));
      part = vector::FromElementsOp::create(builder, op.getLoc(), VectorType::get({piece.count}, type.getElementType()),
                                            elements);
    }
    auto store = PtrStoreOp::create(builder, op.getLoc(), part, *address);
    store.setIsVolatile(op.getIsVolatile());
    store.setIsNontemporal(op.getIsNontemporal());
  }
  op.erase();
  return success();
}

LogicalResult LayoutLowering::lowerLeaf(LeafOp op) {
  Layout layout;
  if (isa<TensorType>(op.getSource().getType())) {
    FailureOr<ResolvedTensor> tensor = resolveTensor(op.getSource(), op);
    if (failed(tensor))
      return failure();
    layout = tensor->layout;
  } else {
    FailureOr<Layout> made = resolveLayout(op.getSource(), op);
    if (failed(made))
      return failure();
    layout = *made;
  }
  place(op);
  const IntTuple &half = op.getSide() == LeafSide::Shape ? layout.shape() : layout.stride();
  Value value = arithmetic.materialize(half.leaves()[op.getIndex()], op.getType().getIntOrFloatBitWidth());
  op.replaceAllUsesWith(value);
  op.erase();
  return success();
}

//===---------------------------------------------------- walk ---------------------------------------------------===//

LogicalResult LayoutLowering::lower(Operation *op) {
  if (isa<MakeLayoutOp>(op)) {
    viewOps.push_back(op);
    return success();
  }
  if (isa<MakeTensorOp, SliceOp, ZippedDivideOp>(op)) {
    viewOps.push_back(op);
    return resolveTensor(op->getResult(0), op);
  }
  if (auto load = dyn_cast<LoadOp>(op))
    return lowerLoad(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return lowerStore(store);
  if (auto address = dyn_cast<AddressOp>(op))
    return lowerAddress(address);
  if (auto load = dyn_cast<LoadVectorOp>(op))
    return lowerLoadVector(load);
  if (auto store = dyn_cast<StoreVectorOp>(op))
    return lowerStoreVector(store);
  if (auto leaf = dyn_cast<LeafOp>(op))
    return lowerLeaf(leaf);
  return success();
}

LogicalResult LayoutLowering::run() {
  SmallVector<Operation *> operations;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { operations.push_back(op); });
  for (Operation *op : operations)
    if (failed(lower(op)))
      return failure();
  // A view's users are views that follow it, or have been replaced; anything else is not ours to remove.
  for (bool erased = true; erased;) {
    erased = false;
    for (Operation *&op : llvm::reverse(viewOps))
      if (op && op->use_empty()) {
        op->erase();
        op = nullptr;
        erased = true;
      }
  }
  for (Operation *op : viewOps)
    if (op)
      return fail(op, "is used by an operation that takes no tensors or layouts");
  return success();
}

struct LowerLayoutsPass : impl::FlyLowerLayoutsBase<LowerLayoutsPass> {
  void runOnOperation() override {
    if (failed(LayoutLowering(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace fly::ir
