// fly-lower-layouts: tensors and layouts become pointers, offsets and accesses. What and why: Passes.td.
//
// A tensor value is resolved into {base pointer, offset, layout}, whose dynamic leaves carry SSA values; resolving is
// recursive over the op that defines the tensor and remembered, so a view of a view costs its own arithmetic only:
//
//   make_tensor %p, %l     {%p, 0, layout of %l with its operands as leaves}
//   slice %t[c]            {base, offset + crd2idx of what c fixes, what c keeps}
//   rearrange S of %t      {base, offset, S of the layout}
//
// The inner function of a composed layout, such as a swizzle, is applied only at an element: rearranging and slicing
// change its domain and its offset, which stay linear. Only the part of the offset's constant that the swizzle could
// mix up passes through it; the rest becomes the instruction's immediate, as usual (SwizzleSplit.h).
//
//   1. walk the kernel; at each op that makes a tensor, resolve it there (so its operands dominate the instructions);
//   2. at each op that uses one, emit address and access, and replace the op;
//   3. erase the tensor and layout ops, users first.
#include "compiler/dialect/CopyAttributes.h"
#include "compiler/layout/SwizzleSplit.h"
#include "compiler/transforms/LayoutLowering.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PossibleOnes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_FLYLOWERLAYOUTS
#include "compiler/transforms/Passes.h.inc"

using layout::AnyLayout;
using layout::ComposedLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Result;

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
  ResolvedTensor result = *tensor;
  result.offset = offset, result.layout = part.layout;
  return result;
}

Result<ResolvedTensor> LayoutLowering::resolve(RearrangeOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getSource(), op);
  if (failed(tensor))
    return layout::Error{""};
  FailureOr<AnyLayout> layout = rearranged(op, tensor->layout);
  if (failed(layout))
    return layout::Error{""};
  ResolvedTensor result = *tensor;
  result.layout = *layout;
  return result;
}

Result<ResolvedTensor> LayoutLowering::resolve(RecastOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return layout::Error{""};
  place(op);
  FLY_TRY(layout, layout::recastLayout(tensor->layout, op.getTensor().getType().getElementBits(),
                                       op.getType().getElementBits(), arithmetic));
  ElementUnit from = op.getTensor().getType().getUnit(), to = op.getType().getUnit();
  const int64_t down = from.elements * to.bytes, up = from.bytes * to.elements, common = std::gcd(down, up);
  // The type has an alignment of whole new elements only if the offset is a multiple of them. For elements of three
  // bytes it cannot express that; there the view's start becomes the base.
  if (!llvm::isPowerOf2_64(uint64_t(down / common))) {
    FLY_TRY(start, addressOf(*tensor, tensor->offset, op.getTensor().getType().getElementType()));
    ResolvedTensor result = *tensor;
    result.base = start, result.offset = Leaf::known(0), result.layout = layout;
    return result;
  }
  FLY_TRY(parts, arithmetic.multiply(tensor->offset, Leaf::known(up / common)));
  std::optional<Leaf> offset = arithmetic.divideExactly(parts, down / common);
  if (!offset) {
    FLY_TRY(whole, arithmetic.floorDivide(parts, Leaf::known(down / common)));
    offset = whole;
  }
  ResolvedTensor result = *tensor;
  result.offset = *offset, result.layout = layout;
  return result;
}

/// The resource begins where the view does.
Result<ResolvedTensor> LayoutLowering::resolve(BufferOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return layout::Error{""};
  place(op);
  FLY_TRY(start, addressOf(*tensor, tensor->offset, op.getType().getElementType()));
  if (op.getIsFar())
    return ResolvedTensor{
        start, Leaf::known(0), tensor->layout, false, int64_t(op.getWidest()), op.getChecksScalar(), op.getBytes()};
  Value resource = MakeBufferOp::create(builder, here(), op.getType().getPointerType(), start, op.getBytes());
  return ResolvedTensor{resource, Leaf::known(0), tensor->layout, true, int64_t(op.getWidest()), op.getChecksScalar()};
}

/// The bytes from a view's first element to the end of its last, in 64 bits regardless of the width of extents and
/// strides, because the check is whether fewer bits suffice. At least 1.
Value LayoutLowering::bytesSpanned(const AnyLayout &layout, Type elementType) {
  const Layout &domain = layout::domainOf(layout);
  auto number = [&](const Leaf &leaf) { return arithmetic.materialize(leaf, 64); };
  Value last = arithmetic.constant(0, 64);
  for (auto [extent, stride] : llvm::zip_equal(domain.shape().leaves(), domain.stride().leaves())) {
    if (extent.isStatic(1) || stride.isStatic(0))
      continue;
    Value steps = extent.isStatic()
                      ? arithmetic.constant(extent.value - 1, 64)
                      : arith::SubIOp::create(builder, here(), number(extent), arithmetic.constant(1, 64)).getResult();
    last = arith::AddIOp::create(builder, here(), last, arith::MulIOp::create(builder, here(), steps, number(stride)));
  }
  if (!domain.shape().isStatic()) // it may be empty
    last = arith::MaxSIOp::create(builder, here(), last, arithmetic.constant(0, 64));
  int64_t bits = elementBits(elementType), elements = bits % 8 ? 8 / std::gcd<int64_t>(8, bits) : 1,
          bytes = elements * bits / 8;
  if (elements > 1)
    last = arith::DivUIOp::create(builder, here(), last, arithmetic.constant(elements, 64));
  return arith::MulIOp::create(builder, here(),
                               arith::AddIOp::create(builder, here(), last, arithmetic.constant(1, 64)),
                               arithmetic.constant(bytes, 64));
}

/// Moves the operations from `before` on to their own block; where the condition holds, the kernel traps before it.
void LayoutLowering::trapIf(Value condition, Operation *before) {
  Block *block = before->getBlock(), *rest = block->splitBlock(before);
  Block *trap = builder.createBlock(rest);
  LLVM::CallIntrinsicOp::create(builder, here(), builder.getStringAttr("llvm.trap"), ValueRange{});
  cf::BranchOp::create(builder, here(), rest);
  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, here(), condition, trap, rest);
}

/// The rest of the tensor from the view's start on, at most as far as offsets reach.
Result<ResolvedTensor> LayoutLowering::resolve(RebaseOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return layout::Error{""};
  place(op);
  Type element = op.getType().getElementType();
  if (op.getIsChecked()) {
    if (op->getParentOp() != kernel)
      return layout::Error{"is checked by a branch, which structured control flow has no place for"};
    Value spanned = bytesSpanned(tensor->layout, element), reach = arithmetic.constant(BufferOp::reach, 64);
    trapIf(arith::CmpIOp::create(builder, here(), arith::CmpIPredicate::ugt, spanned, reach), op);
    place(op);
  }
  FLY_TRY(units, inUnits(tensor->offset, element));
  Value skipped =
      arith::MulIOp::create(builder, here(), arithmetic.materialize(units, 64),
                            arithmetic.constant(op.getType().getUnit().bytes, 64), arith::IntegerOverflowFlags::nuw);
  Value left = arith::SubIOp::create(builder, here(), tensor->farBytes,
                                     arith::MinUIOp::create(builder, here(), skipped, tensor->farBytes));
  left = arith::MinUIOp::create(builder, here(), left, arithmetic.constant(BufferOp::reach, 64));
  FLY_TRY(start, addressOf(*tensor, tensor->offset, element));
  Value resource = MakeBufferOp::create(builder, here(), op.getType().getPointerType(), start, left);
  return ResolvedTensor{resource, Leaf::known(0), tensor->layout, true, tensor->widest, tensor->checksScalar};
}

Result<ResolvedTensor> LayoutLowering::resolve(AtOffsetsOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op);
  if (failed(tensor))
    return layout::Error{""};
  place(op);
  ResolvedTensor result = *tensor;
  result.extra.checked = addOffsets(builder, here(), tensor->extra.checked, op.getChecked());
  result.extra.unchecked = addOffsets(builder, here(), tensor->extra.unchecked, op.getUnchecked());
  if (__builtin_add_overflow(tensor->extra.known, int64_t(op.getKnown()), &result.extra.known))
    return layout::Error{"the offsets in bytes do not fit in 64 bits"};
  if (op.getType() == op.getTensor().getType())
    return result;
  // Another type has elements of another size: the offset of the view is converted to bytes here.
  FLY_TRY(at, bufferOffsetsOf(result, tensor->offset, op.getTensor().getType().getElementType(), {}));
  result.extra = at;
  result.offset = Leaf::known(0);
  result.isOneAccess = true;
  result.layout = op.getType().getLayout();
  return result;
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
  else if (auto op = dyn_cast<BufferOp>(definition))
    result = resolve(op);
  else if (auto op = dyn_cast<RebaseOp>(definition))
    result = resolve(op);
  else if (auto op = dyn_cast<AtOffsetsOp>(definition))
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

/// The coordinate with its operands as leaves. In a layout that spans more than 31 bits of offsets they are widened;
/// its leaves do not show that, because each of them is small.
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

/// Applies the inner function to an offset. The parts of a swizzle's argument that are known to pass through separately
/// do so (SwizzleSplit.h): the constant, and the part that the lanes of a wave share.
Result<Leaf> LayoutLowering::throughInner(const layout::AnyFunction &inner, const Leaf &offset) {
  auto *swizzle = std::get_if<layout::Swizzle>(&inner);
  if (!swizzle || !offset.isDynamic() || EmittingArithmetic::termOf(offset).mayBeNegative) {
    FLY_TRY(result, layout::evaluate(IntTuple(offset), inner, arithmetic));
    return result.leaf();
  }
  const EmittingArithmetic::Term term = EmittingArithmetic::termOf(offset);
  const int64_t multiples = -(term.divisor & -term.divisor), above = -layout::unitAbove(*swizzle);
  auto onesOf = [&](Value value) { return value ? int64_t(possibleOnes(value)) & multiples : 0; };
  const int64_t lane = onesOf(term.lane), uniform = onesOf(term.uniform);
  const bool isAbove = term.lane && term.uniform && (uniform & above) == uniform;
  const bool isApart = term.lane && term.uniform && (lane & uniform) == 0;
  const int64_t ones = isAbove ? lane : (lane & uniform) == 0 ? lane | uniform : multiples & INT64_MAX;
  const layout::SwizzleSplit parts = layout::split(*swizzle, term.constant, ones);
  auto part = [&](Value value, bool isUniform) {
    Leaf leaf = offset;
    leaf.handle = arithmetic.handleOf(value, isUniform, term.divisor);
    leaf.divisibility = term.divisor;
    return leaf;
  };
  if (isAbove || (isApart && parts.before == 0)) {
    FLY_TRY(ofLanes, arithmetic.add(part(term.lane, false), Leaf::known(parts.before)));
    FLY_TRY(ofLane, swizzle->apply(ofLanes, arithmetic));
    FLY_TRY(flipped, arithmetic.bitXor(ofLane, Leaf::known(parts.flipped)));
    Leaf shared = part(term.uniform, true);
    if (!isAbove) {
      FLY_TRY(moved, swizzle->apply(shared, arithmetic));
      shared = moved;
    }
    FLY_TRY(joined, isAbove ? arithmetic.add(flipped, shared) : arithmetic.bitXor(flipped, shared));
    return arithmetic.add(joined, Leaf::known(parts.after));
  }
  FLY_TRY(moved, swizzle->apply(arithmetic.withConstant(offset, parts.before), arithmetic));
  FLY_TRY(flipped, arithmetic.bitXor(moved, Leaf::known(parts.flipped)));
  return arithmetic.add(flipped, Leaf::known(parts.after));
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

/// An offset in elements as one in the fewest that fill bytes.
Result<Leaf> LayoutLowering::inUnits(const Leaf &offset, Type elementType) {
  std::optional<Leaf> units = arithmetic.divideExactly(offset, elementUnit(elementBits(elementType)).elements);
  if (!units)
    return layout::Error{"an offset of `" + layout::leafText(offset) + "` elements of " +
                         std::to_string(elementBits(elementType)) + " bits is not a whole number of bytes"};
  return *units;
}

/// Multiplies a number by `size` bytes. It may be as large as 2^32 - 1, so only nuw holds. The bits that a swizzle
/// flips are flipped after the multiplication, so that all accesses of a tile share it.
Value LayoutLowering::inBytes(Value units, int64_t size, bool mayBeNegative) {
  if (size == 1)
    return units;
  APInt flipped;
  if (auto flip = units.getDefiningOp<arith::XOrIOp>();
      flip && llvm::isPowerOf2_64(uint64_t(size)) && matchPattern(flip.getRhs(), m_ConstantInt(&flipped)))
    return arith::XOrIOp::create(builder, here(), inBytes(flip.getLhs(), size, mayBeNegative),
                                 arithmetic.constant(flipped.getSExtValue() * size, flipped.getBitWidth()));
  auto flags = mayBeNegative ? arith::IntegerOverflowFlags::none : arith::IntegerOverflowFlags::nuw;
  return arith::MulIOp::create(builder, here(), units,
                               arithmetic.constant(size, units.getType().getIntOrFloatBitWidth()), flags);
}

Result<Value> LayoutLowering::addressOf(const ResolvedTensor &tensor, const Leaf &elements, Type elementType) {
  FLY_TRY(offset, inUnits(elements, elementType));
  int64_t size = elementUnit(elementBits(elementType)).bytes, bytes;
  int64_t constant = offset.isStatic() ? offset.value : EmittingArithmetic::termOf(offset).constant;
  if (__builtin_mul_overflow(constant, size, &bytes))
    return layout::Error{"the offset of " + std::to_string(constant) + " elements does not fit in 64 bits of bytes"};
  Value pointer = tensor.base;
  if (offset.isStatic())
    return addBytes(pointer, bytes);
  const EmittingArithmetic::Term &term = EmittingArithmetic::termOf(offset);
  AddressSpace space = cast<PtrType>(pointer.getType()).getSpace();
  bool has32BitPointers = space == AddressSpace::Shared || space == AddressSpace::Private;
  // A known divisor of a sum divides each of its parts (LeafArithmetic::add).
  int64_t multiple =
      static_cast<int64_t>(llvm::MinAlign(static_cast<uint64_t>(offset.divisor()), uint64_t(1) << 31)) * size;
  const bool isSmall = elementBits(elementType) <= 16;
  auto addPart = [&](Value part) {
    if (part)
      pointer = PtrAddOp::create(builder, here(), pointer, part, multiple, !term.mayBeNegative);
  };
  auto bytesOf = [&](Value part) {
    if (!part)
      return part;
    // Offsets of 32-bit tensors fit in 31 bits, so with one or two bytes per element they fit in 32 bits as bytes.
    bool isNarrow = part.getType().isInteger(32) && !term.mayBeNegative && (tensor.bytesFitIn32Bits || isSmall);
    Value value = isNarrow || has32BitPointers ? part : arithmetic.widen(part, 64, term.mayBeNegative);
    return inBytes(value, size, term.mayBeNegative);
  };
  if (has32BitPointers) { // one register holds the address, whatever its parts are
    unsigned bits = (term.lane ? term.lane : term.uniform).getType().getIntOrFloatBitWidth();
    addPart(arithmetic.sum(bytesOf(term.lane), bytesOf(term.uniform), bits, term.mayBeNegative));
  } else {
    addPart(bytesOf(term.uniform));
    addPart(bytesOf(term.lane));
  }
  return addBytes(pointer, bytes);
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
  if (isa<MakeTensorOp, ViewOpInterface>(op)) {
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
  auto replaced = [&](FailureOr<Value> value) {
    if (failed(value))
      return failure();
    op->getResult(0).replaceAllUsesWith(*value);
    op->erase();
    return success();
  };
  if (auto load = dyn_cast<LoadVectorOp>(op))
    return replaced(loadPieces(op, load.getTensor(),
                               {load.getIsVolatile(), load.getIsNontemporal(), load.getCache(), load.getScope()}));
  if (auto load = dyn_cast<MaskedLoadOp>(op))
    return replaced(loadPieces(op, load.getTensor(), {false, false, load.getCache(), {}, load.getPredicate()}));
  if (auto store = dyn_cast<StoreVectorOp>(op))
    return storePieces(op, store.getValue(), store.getTensor(),
                       {store.getIsVolatile(), store.getIsNontemporal(), store.getCache(), store.getScope()});
  if (auto store = dyn_cast<MaskedStoreOp>(op))
    return storePieces(op, store.getValue(), store.getTensor(),
                       {false, false, store.getCache(), {}, store.getPredicate()});
  if (auto atomic = dyn_cast<MaskedAtomicOp>(op))
    return lowerAtomic(atomic);
  if (auto copy = dyn_cast<DirectCopyOp>(op))
    return lowerDirectCopy(copy);
  if (auto load = dyn_cast<TransposingLoadOp>(op))
    return lowerTransposingLoad(load);
  if (auto move = dyn_cast<TensorMoveOp>(op))
    return lowerTensorMove(move);
  if (auto leaf = dyn_cast<LeafOp>(op))
    return lowerLeaf(leaf);
  if (isMark(op)) // the analyses are done
    op->erase();
  return success();
}

/// A barrier guarantees that writes before it are visible after it, also those of direct copies and the tensor mover.
/// The backend does not wait for them, because they are not writes of a thread. If they read LDS, the end of the kernel
/// waits too, because afterwards the LDS belongs to another workgroup.
void LayoutLowering::waitBeforeBarriers() {
  bool direct = false, counted = false, movesTiles = false, readsShared = false;
  SmallVector<Operation *> barriers;
  kernel.getBody().walk([&](Operation *op) {
    if (auto move = dyn_cast<DirectMoveOp>(op)) {
      direct = true;
      counted |= move.getOwnPlace();
      readsShared |= move.getSource().getType().getSpace() == AddressSpace::Shared;
    }
    const bool loadsTile = isa<ROCDL::TensorLoadToLDSOp, ROCDL::TensorLoadToLDSD2Op>(op);
    const bool storesTile = isa<ROCDL::TensorStoreFromLDSOp, ROCDL::TensorStoreFromLDSD2Op>(op);
    movesTiles |= loadsTile || storesTile;
    readsShared |= storesTile;
    direct |= isa<BufferMoveOp>(op);
    if (isa<BarrierOp, ClusterBarrierOp, ReturnOp>(op) && !op->hasAttr(leavesCopiesAttr))
      barriers.push_back(op);
  });
  for (Operation *op : barriers) {
    if (isa<ReturnOp>(op) && !readsShared)
      continue;
    place(op);
    if (direct)
      WaitOp::create(builder, op->getLoc(), counted ? WaitCounter::Async : WaitCounter::Vm, 0);
    if (movesTiles)
      WaitOp::create(builder, op->getLoc(), WaitCounter::Tensor, 0);
  }
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
  waitBeforeBarriers();
  return success();
}

namespace {
struct LowerLayoutsPass : impl::FlyLowerLayoutsBase<LowerLayoutsPass> {
  void runOnOperation() override {
    if (failed(LayoutLowering(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace fly::ir
