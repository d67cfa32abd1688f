// fly-lower-layouts: tensors and layouts become pointers, offsets and accesses. What and why: Passes.td.
//
// A tensor value is resolved into {base pointer, offset, layout}, whose dynamic leaves carry SSA values; resolving is
// recursive over the op that defines the tensor and remembered, so a view of a view costs its own arithmetic only:
//
//   make_tensor %p, %l     {%p, 0, layout of %l with its operands as leaves}
//   slice %t[c]            {base, offset + crd2idx of what c fixes, what c keeps}
//   rearrange S of %t      {base, offset, S of the layout}
//
// The inner function of a composed layout, a swizzle, waits until an element is reached: rearranging and slicing change
// its domain and its offset, which stay linear. Of the offset's constant only what the swizzle could mix up goes through
// it; the rest becomes the instruction's immediate, as everywhere (Swizzle::passing).
//
//   1. walk the kernel; at each op that makes a tensor, resolve it there (so its operands dominate the instructions);
//   2. at each op that uses one, emit address and access, and replace the op;
//   3. erase the tensor and layout ops, users first.
#include "compiler/layout/Runs.h"
#include "compiler/transforms/EmittingArithmetic.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/Uniformity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_FLYLOWERLAYOUTS
#include "compiler/transforms/Passes.h.inc"

namespace {

using layout::AnyLayout;
using layout::ComposedLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Result;

/// The widest access of one thread, in bytes.
constexpr int64_t widestAccess = 16;

struct ResolvedTensor {
  Value base;
  Leaf offset = Leaf::known(0); // elements; 0 of a composed layout, which has its own
  AnyLayout layout;
  bool bytesFitIn32Bits = false;
};

class LayoutLowering {
public:
  explicit LayoutLowering(KernelOp kernel) : kernel(kernel), builder(kernel.getContext()), arithmetic(builder), uniformity(kernel) {}

  LogicalResult run();

private:
  LogicalResult lower(Operation *op);
  LogicalResult lowerLoad(LoadOp op);
  LogicalResult lowerStore(StoreOp op);
  LogicalResult lowerAddress(AddressOp op);
  LogicalResult lowerLoadVector(LoadVectorOp op);
  LogicalResult lowerStoreVector(StoreVectorOp op);
  LogicalResult lowerLeaf(LeafOp op);
  LogicalResult lowerCrd2Idx(Crd2IdxOp op);

  void *handleOf(Value value, const Leaf &leaf) {
    return arithmetic.handleOf(value, uniformity.isUniform(value), leaf.divisibility);
  }
  FailureOr<AnyLayout> resolveLayout(Value value, Operation *user);
  FailureOr<AnyLayout> rearranged(RearrangeOp op, const AnyLayout &layout);
  FailureOr<ResolvedTensor> resolveTensor(Value value, Operation *user);
  Result<ResolvedTensor> resolve(MakeTensorOp op);
  Result<ResolvedTensor> resolve(SliceOp op);
  Result<ResolvedTensor> resolve(RearrangeOp op);
  Result<ResolvedTensor> resolve(RecastOp op);

  IntTuple coordinateOf(IntTupleAttr coordinate, OperandRange dynamic, const AnyLayout &layout);
  Result<Leaf> throughInner(const layout::AnyFunction &inner, const Leaf &offset);
  Result<Leaf> offsetOf(const ResolvedTensor &tensor, const IntTuple &coordinate);
  Result<Leaf> offsetOf(const ResolvedTensor &tensor, const layout::Runs &runs, const layout::Run &run);
  Result<Value> addressOf(const ResolvedTensor &tensor, const Leaf &offset, Type elementType);
  Value addBytes(Value pointer, int64_t bytes);
  FailureOr<Value> pointerTo(Operation *op, const ResolvedTensor &tensor, Result<Leaf> offset, Type elementType);
  template <typename Op> FailureOr<Value> elementPointer(Op op);

  Result<layout::Runs> runsOf(TensorType type, Operation *op);

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
  Uniformity uniformity;
  std::optional<Location> location;
  DenseMap<Value, ResolvedTensor> resolved;
  SmallVector<Operation *> viewOps; // tensor and layout ops, definitions before uses
};

//===------------------------------------------------- resolving -------------------------------------------------===//

FailureOr<AnyLayout> LayoutLowering::resolveLayout(Value value, Operation *user) {
  if (auto step = value.getDefiningOp<RearrangeOp>()) {
    FailureOr<AnyLayout> source = resolveLayout(step.getSource(), step);
    if (failed(source))
      return failure();
    OpBuilder::InsertionGuard guard(builder);
    return rearranged(step, *source);
  }
  auto made = value.getDefiningOp<MakeLayoutOp>();
  if (!made)
    return fail(user, "the layout is a block argument; layouts cannot be carried through control flow");
  const AnyLayout &layout = made.getType().getLayout();
  std::vector<void *> handles;
  for (auto [leaf, operand] : llvm::zip_equal(layout::dynamicLeaves(layout), made.getDynamic()))
    handles.push_back(handleOf(operand, leaf));
  return layout::withHandles(layout, handles);
}

/// The layout after the op's step, whose dynamic leaves are the op's operands.
FailureOr<AnyLayout> LayoutLowering::rearranged(RearrangeOp op, const AnyLayout &layout) {
  place(op);
  const layout::Rearrangement &step = op.getStep().getStep();
  std::vector<void *> handles;
  for (auto [leaf, operand] : llvm::zip_equal(step.dynamicLeaves(), op.getDynamic()))
    handles.push_back(handleOf(operand, leaf));
  Result<AnyLayout> result = step.withHandles(handles).apply(layout, arithmetic);
  if (!result)
    return fail(op, result.text());
  return *result;
}

Result<ResolvedTensor> LayoutLowering::resolve(MakeTensorOp op) {
  FailureOr<AnyLayout> layout = resolveLayout(op.getLayout(), op);
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
  FLY_TRY(part, layout::sliceAndOffset(coordinate, tensor->layout, arithmetic));
  FLY_TRY(offset, arithmetic.add(tensor->offset, part.offset.leaf()));
  return ResolvedTensor{tensor->base, offset, part.layout, tensor->bytesFitIn32Bits};
}

Result<ResolvedTensor> LayoutLowering::resolve(RearrangeOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getSource(), op);
  if (failed(tensor))
    return layout::Error{""};
  FailureOr<AnyLayout> layout = rearranged(op, tensor->layout);
  if (failed(layout))
    return layout::Error{""};
  return ResolvedTensor{tensor->base, tensor->offset, *layout, tensor->bytesFitIn32Bits};
}

Result<ResolvedTensor> LayoutLowering::resolve(RecastOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return layout::Error{""};
  place(op);
  int64_t from = int64_t(op.getTensor().getType().getElementBytes()), to = int64_t(op.getType().getElementBytes());
  FLY_TRY(layout, layout::recastLayout(tensor->layout, from * 8, to * 8, arithmetic));
  // The type has an alignment of whole new elements only if the offset is a multiple of them.
  FLY_TRY(offset, from >= to ? arithmetic.multiply(tensor->offset, Leaf::known(from / to))
                             : arithmetic.floorDivide(tensor->offset, Leaf::known(to / from)));
  return ResolvedTensor{tensor->base, offset, layout, tensor->bytesFitIn32Bits};
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
  else if (auto op = dyn_cast<RearrangeOp>(definition))
    result = resolve(op);
  else if (auto op = dyn_cast<RecastOp>(definition))
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
IntTuple LayoutLowering::coordinateOf(IntTupleAttr coordinate, OperandRange dynamic, const AnyLayout &layout) {
  layout::InferringArithmetic inferring;
  Result<Leaf> span = layout::cosize(layout, inferring);
  bool isWide = span && span->isStatic() && span->width() == 64;
  auto operand = dynamic.begin();
  return coordinate.getTuple().mapLeaves([&](Leaf leaf) {
    if (leaf.isDynamic() && operand != dynamic.end()) {
      Value given = *operand++, value = given;
      if (isWide && leaf.bits == 32) {
        value = arithmetic.widen(value, 64, false);
        leaf.bits = 64;
      }
      leaf.handle = arithmetic.handleOf(value, uniformity.isUniform(given), leaf.divisibility);
    }
    return leaf;
  });
}

/// What the inner function makes of an offset; of its constant, what may stays behind.
Result<Leaf> LayoutLowering::throughInner(const layout::AnyFunction &inner, const Leaf &offset) {
  auto *swizzle = std::get_if<layout::Swizzle>(&inner);
  if (!swizzle || !offset.isDynamic()) {
    FLY_TRY(result, layout::evaluate(IntTuple(offset), inner, arithmetic));
    return result.leaf();
  }
  const EmittingArithmetic::Term &term = EmittingArithmetic::termOf(offset);
  int64_t passing = swizzle->passing(term.constant, term.constant == 0 ? offset.divisibility : term.divisor);
  FLY_TRY(swizzled, swizzle->apply(passing ? arithmetic.withConstant(offset, term.constant - passing) : offset, arithmetic));
  return arithmetic.add(swizzled, Leaf::known(passing));
}

/// The offset in elements from the tensor's base.
Result<Leaf> LayoutLowering::offsetOf(const ResolvedTensor &tensor, const IntTuple &coordinate) {
  if (auto *composed = std::get_if<ComposedLayout>(&tensor.layout)) {
    FLY_TRY(reached, layout::evaluate(coordinate, composed->outer(), arithmetic));
    FLY_TRY(shifted, layout::addCoordinates(composed->offset(), reached, arithmetic));
    if (shifted.isLeaf())
      return throughInner(composed->inner(), shifted.leaf());
    FLY_TRY(result, layout::evaluate(shifted, composed->inner(), arithmetic));
    return result.leaf();
  }
  FLY_TRY(inside, layout::crd2idx(coordinate, std::get<Layout>(tensor.layout), arithmetic));
  return arithmetic.add(tensor.offset, inside);
}

Result<Leaf> LayoutLowering::offsetOf(const ResolvedTensor &tensor, const layout::Runs &runs, const layout::Run &run) {
  if (!runs.isBeforeInner)
    return arithmetic.add(tensor.offset, Leaf::known(run.offset));
  const auto &composed = std::get<ComposedLayout>(tensor.layout);
  if (!composed.offset().isLeaf())
    return layout::Error{"the places of `" + composed.text() + "` must be known at compile time"};
  FLY_TRY(shifted, arithmetic.add(composed.offset().leaf(), Leaf::known(run.offset)));
  return throughInner(composed.inner(), shifted);
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
  if (offset.isStatic())
    return addBytes(pointer, bytes);
  const EmittingArithmetic::Term &term = EmittingArithmetic::termOf(offset);
  AddressSpace space = cast<PtrType>(pointer.getType()).getSpace();
  bool has32BitPointers = space == AddressSpace::Shared || space == AddressSpace::Private;
  // What is known to divide a sum divides each of its parts (LeafArithmetic::add).
  int64_t multiple = static_cast<int64_t>(llvm::MinAlign(static_cast<uint64_t>(offset.divisor()), uint64_t(1) << 31)) * size;
  auto addPart = [&](Value part) {
    if (!part)
      return;
    // Offsets of 32-bit tensors fit in 31 bits, so those of one or two bytes an element fit in 32 bits of bytes.
    bool isNarrow = part.getType().isInteger(32) && !term.mayBeNegative && (tensor.bytesFitIn32Bits || size <= 2);
    Value value = isNarrow || has32BitPointers ? part : arithmetic.widen(part, 64, term.mayBeNegative);
    // Below 2^32, but not below 2^31: only nuw holds.
    if (size != 1) {
      Value factor = arithmetic.constant(size, value.getType().getIntOrFloatBitWidth());
      auto flags = term.mayBeNegative ? arith::IntegerOverflowFlags::none : arith::IntegerOverflowFlags::nuw;
      value = arith::MulIOp::create(builder, here(), value, factor, flags);
    }
    pointer = PtrAddOp::create(builder, here(), pointer, value, multiple, !term.mayBeNegative);
  };
  if (has32BitPointers) { // one register holds the address, whatever its parts are
    unsigned bits = (term.lane ? term.lane : term.uniform).getType().getIntOrFloatBitWidth();
    addPart(arithmetic.sum(term.lane, term.uniform, bits, term.mayBeNegative));
  } else {
    addPart(term.uniform);
    addPart(term.lane);
  }
  return addBytes(pointer, bytes);
}

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

/// The pointer to the element at the op's coordinate.
template <typename Op> FailureOr<Value> LayoutLowering::elementPointer(Op op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return failure();
  place(op);
  IntTuple coordinate = coordinateOf(op.getCoordinate(), op.getDynamic(), tensor->layout);
  return pointerTo(op, *tensor, offsetOf(*tensor, coordinate), op.getTensor().getType().getElementType());
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

/// Accesses of at most 128 bits, as wide as alignment and layout allow.
Result<layout::Runs> LayoutLowering::runsOf(TensorType type, Operation *op) {
  int64_t size = type.getElementBytes();
  FLY_TRY(runs, layout::runsOf(type.getLayout(), widestAccess / size, std::max<int64_t>(1, type.getAlignment() / size)));
  int64_t count = runs.runs.back().first + runs.runs.back().count;
  if (count > 1 && static_cast<int64_t>(runs.runs.size()) == count && size < widestAccess)
    op->emitRemark() << "accesses " << count << " elements one by one: layout `" << layout::textOf(type.getLayout())
                     << "`, alignment " << type.getAlignment() << " bytes";
  return runs;
}

LogicalResult LayoutLowering::lowerLoadVector(LoadVectorOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return failure();
  place(op);
  auto runs = runsOf(op.getTensor().getType(), op);
  if (!runs)
    return fail(op, runs.text());
  VectorType type = op.getType();
  SmallVector<Value> elements;
  Value whole;
  for (const layout::Run &piece : runs->runs) {
    FailureOr<Value> address = pointerTo(op, *tensor, offsetOf(*tensor, *runs, piece), type.getElementType());
    if (failed(address))
      return failure();
    Type pieceType = VectorType::get({piece.count}, type.getElementType());
    auto load = PtrLoadOp::create(builder, op.getLoc(), pieceType, *address);
    load.setIsVolatile(op.getIsVolatile());
    load.setIsNontemporal(op.getIsNontemporal());
    whole = load;
    if (runs->runs.size() == 1)
      break;
    for (int64_t i = 0; i < piece.count; ++i)
      elements.push_back(vector::ExtractOp::create(builder, op.getLoc(), whole, ArrayRef<int64_t>{i}));
  }
  if (runs->runs.size() != 1)
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
  auto runs = runsOf(op.getTensor().getType(), op);
  if (!runs)
    return fail(op, runs.text());
  auto type = cast<VectorType>(op.getValue().getType());
  for (const layout::Run &piece : runs->runs) {
    FailureOr<Value> address = pointerTo(op, *tensor, offsetOf(*tensor, *runs, piece), type.getElementType());
    if (failed(address))
      return failure();
    Value part = op.getValue();
    if (runs->runs.size() != 1) {
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
  AnyLayout layout;
  if (isa<TensorType>(op.getSource().getType())) {
    FailureOr<ResolvedTensor> tensor = resolveTensor(op.getSource(), op);
    if (failed(tensor))
      return failure();
    layout = tensor->layout;
  } else {
    FailureOr<AnyLayout> made = resolveLayout(op.getSource(), op);
    if (failed(made))
      return failure();
    layout = *made;
  }
  place(op);
  const Layout &domain = layout::domainOf(layout);
  const IntTuple &half = op.getSide() == LeafSide::Shape ? domain.shape() : domain.stride();
  Value value = arithmetic.materialize(half.leaves()[op.getIndex()], op.getType().getIntOrFloatBitWidth());
  op.replaceAllUsesWith(value);
  op.erase();
  return success();
}

LogicalResult LayoutLowering::lowerCrd2Idx(Crd2IdxOp op) {
  FailureOr<AnyLayout> layout = resolveLayout(op.getLayout(), op);
  if (failed(layout))
    return failure();
  place(op);
  ResolvedTensor view{{}, Leaf::known(0), *layout, false};
  Result<Leaf> offset = offsetOf(view, coordinateOf(op.getCoordinate(), op.getDynamic(), *layout));
  if (!offset)
    return fail(op, offset.text());
  op.replaceAllUsesWith(arithmetic.materialize(*offset, op.getType().getIntOrFloatBitWidth()));
  op.erase();
  return success();
}

//===---------------------------------------------------- walk ---------------------------------------------------===//

LogicalResult LayoutLowering::lower(Operation *op) {
  if (isa<MakeLayoutOp>(op)) {
    viewOps.push_back(op);
    return success();
  }
  if (auto step = dyn_cast<RearrangeOp>(op); step && isa<LayoutType>(step.getType())) {
    viewOps.push_back(op);
    return resolveLayout(step.getResult(), op);
  }
  if (isa<MakeTensorOp, SliceOp, RearrangeOp, RecastOp>(op)) {
    viewOps.push_back(op);
    return resolveTensor(op->getResult(0), op);
  }
  if (auto index = dyn_cast<Crd2IdxOp>(op))
    return lowerCrd2Idx(index);
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
