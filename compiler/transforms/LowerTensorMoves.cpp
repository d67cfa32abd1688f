// `fly.tensor_move` as the instruction of gfx1250's tensor data mover.
//
// The instruction's operand is a descriptor of 12 scalar words, or 20 for more than two modes, which is built here.
// Mode k of the descriptor is the one with the k-th smallest stride in LDS. Its extents count from the given address,
// so they are the rest of the tensor from the coordinate on.
//
// Fields and their sources: runtime/emulator/ops/memory/TensorDescriptor.h.
#include "compiler/dialect/TensorMover.h"
#include "compiler/transforms/LayoutLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>
#include <bit>

using namespace mlir;

namespace fly::ir {

using layout::Layout;
using layout::Leaf;

namespace {

/// Emits the words of a descriptor.
class Words {
public:
  Words(OpBuilder &builder, EmittingArithmetic &arithmetic, Location location)
      : b(builder), arithmetic(arithmetic), location(location) {}

  Value number(int64_t value) { return arithmetic.constant(int32_t(uint32_t(value)), 32); }
  /// A leaf in 64 bits.
  Value wide(const Leaf &leaf) {
    if (leaf.isStatic())
      return arithmetic.constant(leaf.value, 64);
    return arithmetic.widen(arithmetic.materialize(leaf, leaf.width()), 64, true);
  }
  /// A leaf of 32 bits.
  Value narrow(const Leaf &leaf) { return leaf.isStatic() ? number(leaf.value) : arithmetic.materialize(leaf, 32); }
  /// 32 bits of a number from `shift` on.
  Value part(Value value, int64_t shift) {
    if (shift)
      value = arith::ShRUIOp::create(b, location, value, arithmetic.constant(shift, 64));
    return arith::TruncIOp::create(b, location, b.getI32Type(), value);
  }
  Value masked(Value value, int64_t mask) { return arith::AndIOp::create(b, location, value, number(mask)); }
  Value shifted(Value value, int64_t by) { return arith::ShLIOp::create(b, location, value, number(by)); }
  Value either(Value left, Value right) { return arith::OrIOp::create(b, location, left, right); }
  Value high(Value value) { return arith::ShRUIOp::create(b, location, value, number(16)); }
  /// How much of an extent there is from `at` on, both not negative, as an i32. Without comparisons of 64 bits, which
  /// only VALU has: the descriptor is in SGPRs.
  Value inside(const Leaf &extent, const Leaf &at) {
    if (extent.isStatic() && at.isStatic())
      return number(std::clamp<int64_t>(extent.value - at.value, 0, INT32_MAX));
    using Is = arith::CmpIPredicate;
    Value none = number(0), all = number(INT32_MAX);
    if (extent.width() == 32 && at.width() == 32) {
      Value rest = arith::SubIOp::create(b, location, narrow(extent), narrow(at));
      return arith::MaxSIOp::create(b, location, rest, none);
    }
    Value rest = arith::SubIOp::create(b, location, wide(extent), wide(at));
    Value low = part(rest, 0), high = part(rest, 32);
    Value isLarge = arith::OrIOp::create(b, location, arith::CmpIOp::create(b, location, Is::sgt, high, none),
                                         arith::CmpIOp::create(b, location, Is::slt, low, none));
    Value notNegative = arith::SelectOp::create(b, location, isLarge, all, low);
    return arith::SelectOp::create(b, location, arith::CmpIOp::create(b, location, Is::slt, high, none), none,
                                   notNegative);
  }
  Value group(ArrayRef<Value> words) {
    return vector::FromElementsOp::create(b, location, VectorType::get({int64_t(words.size())}, b.getI32Type()), words);
  }

private:
  OpBuilder &b;
  EmittingArithmetic &arithmetic;
  Location location;
};

} // namespace

LogicalResult LayoutLowering::lowerTensorMove(TensorMoveOp op) {
  FailureOr<ResolvedTensor> tensor = resolveTensor(op.getTensor(), op), tile = resolveTensor(op.getTile(), op);
  if (failed(tensor) || failed(tile))
    return failure();
  place(op);
  Type element = op.getTensor().getType().getElementType();
  layout::IntTuple coordinate = coordinateOf(op.getCoordinate(), op.getDynamic(), tensor->layout);
  FailureOr<Value> start = pointerTo(op, *tensor, offsetOf(*tensor, coordinate), element);
  if (failed(start))
    return failure();
  Value global = PtrToIntOp::create(builder, here(), builder.getI64Type(), *start);
  FailureOr<Value> destination = pointerTo(op, *tile, tile->offset, element);
  if (failed(destination))
    return failure();
  Value local = PtrToIntOp::create(builder, here(), builder.getI32Type(), *destination);

  const int64_t bytes = op.getTile().getType().getElementBits() / 8;
  const Layout &part = *moverLayout(op.getTile().getType());
  const TilePacking packing = *packingOf(part, bytes);
  const Layout &whole = std::get<Layout>(tensor->layout);
  std::vector<Leaf> extents = whole.shape().leaves(), strides = whole.stride().leaves();
  std::vector<Leaf> tileExtents = part.shape().leaves();
  auto operand = op.getDynamic().begin();
  std::vector<Leaf> at = op.getCoordinate()
                             .getTuple()
                             .mapLeaves([&](Leaf leaf) {
                               if (leaf.isDynamic())
                                 leaf.handle = handleOf(*operand++, leaf);
                               return leaf;
                             })
                             .leaves();

  Words d(builder, arithmetic, here());
  const size_t rank = packing.order.size();
  auto tileOf = [&](size_t k) { return k < rank ? tileExtents[packing.order[k]].value : 0; };
  auto insideOf = [&](size_t k) {
    return k < rank ? d.inside(extents[packing.order[k]], at[packing.order[k]]) : d.number(0);
  };
  auto strideOf = [&](size_t k) { return d.wide(k < rank ? strides[packing.order[k]] : Leaf::known(0)); };
  int64_t flags = int64_t(std::countr_zero(uint64_t(bytes))) << 16;
  if (packing.interval)
    flags |= int64_t(1) << 20 | int64_t(std::countr_zero(uint64_t(packing.interval)) - 3) << 22 |
             (packing.gap / 4 - 1) << 25;
  Value first = strideOf(1), second = strideOf(2), inside0 = insideOf(0), inside1 = insideOf(1);
  Value group0 = d.group({d.number(1), local, d.part(global, 0),
                          d.either(d.masked(d.part(global, 32), 0x1ffffff), d.number(int64_t(2) << 30))});
  Value start1 = op.getMulticast() ? d.either(d.masked(op.getMulticast(), 0xffff), d.number(flags)) : d.number(flags);
  Value group1 = d.group(
      {start1, d.shifted(inside0, 16), d.either(d.high(inside0), d.shifted(inside1, 16)),
       d.either(d.high(inside1), d.number(tileOf(0) << 16)), d.number(tileOf(1) | tileOf(2) << 16), d.part(first, 0),
       d.either(d.masked(d.part(first, 32), 0xffff), d.shifted(d.part(second, 0), 16)), d.part(second, 16)});
  auto emit = [&](auto load, auto store, auto... groups) {
    if (op.getIsStore())
      decltype(store)::create(builder, here(), groups..., op.getCache(), ArrayAttr(), ArrayAttr(), ArrayAttr());
    else
      decltype(load)::create(builder, here(), groups..., op.getCache(), ArrayAttr(), ArrayAttr(), ArrayAttr());
  };
  if (rank <= 2)
    emit(ROCDL::TensorLoadToLDSD2Op(), ROCDL::TensorStoreFromLDSD2Op(), group0, group1);
  else {
    Value third = strideOf(3), fourth = strideOf(4), last = insideOf(4);
    Value group2 = d.group({insideOf(2), insideOf(3), d.part(third, 0),
                            d.either(d.masked(d.part(third, 32), 0xffff), d.number(tileOf(3) << 16))});
    Value group3 = d.group({d.part(fourth, 0), d.either(d.masked(d.part(fourth, 32), 0xffff), d.shifted(last, 16)),
                            d.either(d.high(last), d.number(tileOf(4) << 16)), d.number(0)});
    emit(ROCDL::TensorLoadToLDSOp(), ROCDL::TensorStoreFromLDSOp(), group0, group1, group2, group3);
  }
  op.erase();
  return success();
}

} // namespace fly::ir
