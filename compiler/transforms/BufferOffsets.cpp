// See BufferOffsets.h.
#include "compiler/transforms/BufferOffsets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace fly::ir {

using layout::AnyLayout;
using layout::InferringArithmetic;
using layout::Layout;
using layout::Leaf;
using layout::Rearrangement;
using layout::Tile;

/// Whether extents of `tile` divide the modes of `shape`.
static bool divides(const Tile &tile, const layout::IntTuple &shape) {
  if (tile.kind() == Tile::Kind::Keep)
    return true;
  if (tile.isTuple()) {
    if (shape.rank() < tile.rank())
      return false;
    for (size_t i = 0; i < tile.rank(); ++i)
      if (!divides(tile.mode(i), shape.mode(i)))
        return false;
    return true;
  }
  InferringArithmetic arithmetic;
  auto wanted = layout::size(tile.layout(), arithmetic);
  auto whole = layout::size(Layout(shape, shape), arithmetic);
  if (!wanted || !wanted->isStatic() || wanted->value < 1 || !whole)
    return false;
  return whole->divisor() % wanted->value == 0;
}

bool keepsToTensor(const Rearrangement &step, const AnyLayout &before, const AnyLayout &after) {
  using Kind = Rearrangement::Kind;
  switch (step.kind) {
  case Kind::Coalesce: case Kind::Filter: case Kind::Select: case Kind::Group: case Kind::Flatten: case Kind::Append: case Kind::Prepend:
    return true;
  case Kind::LogicalDivide: case Kind::ZippedDivide: case Kind::TiledDivide: case Kind::FlatDivide:
    return divides(step.tile, layout::domainOf(before).shape());
  default: { // composition: of the same size, mode by mode or as a whole
    InferringArithmetic arithmetic;
    const Layout &from = layout::domainOf(before), &to = layout::domainOf(after);
    auto sameSize = [&](const Layout &a, const Layout &b) {
      auto x = layout::size(a, arithmetic), y = layout::size(b, arithmetic);
      return x && y && x->isStatic() && y->isStatic() && y->value <= x->value;
    };
    if (sameSize(from, to))
      return true;
    if (!step.tile.isTuple() || from.rank() != to.rank())
      return false;
    for (size_t i = 0; i < from.rank(); ++i)
      if (i < step.tile.rank() && step.tile.mode(i).kind() != Tile::Kind::Keep && !sameSize(from.mode(i), to.mode(i)))
        return false;
    return true;
  }
  }
}

layout::Result<BufferOffsets> bufferOffsets(EmittingArithmetic &arithmetic, OpBuilder &builder, Location place, const Leaf &offset,
                                            int64_t size, bool isExact, Value predicate) {
  BufferOffsets result;
  EmittingArithmetic::Term term;
  if (offset.isStatic())
    term.constant = offset.value;
  else
    term = EmittingArithmetic::termOf(offset);
  if (__builtin_mul_overflow(term.constant, size, &result.known) || result.known < 0 || result.known > INT32_MAX)
    return layout::Error{"the offset of " + std::to_string(term.constant) + " elements is not in a buffer, which reaches 2 GiB"};
  // A buffer reaches 2^31 bytes, so that 32 bits of an offset that is inside are all of it.
  auto bytesOf = [&](Value part) -> Value {
    if (!part)
      return part;
    if (part.getType().isInteger(64))
      part = arith::TruncIOp::create(builder, place, builder.getI32Type(), part);
    if (size == 1)
      return part;
    auto flags = term.mayBeNegative ? arith::IntegerOverflowFlags::none : arith::IntegerOverflowFlags::nuw;
    return arith::MulIOp::create(builder, place, part, arithmetic.constant(size, 32), flags);
  };
  Value lane = bytesOf(term.lane), uniform = bytesOf(term.uniform);
  if (!isExact && uniform) {
    lane = lane ? arith::AddIOp::create(builder, place, lane, uniform, arith::IntegerOverflowFlags::nuw).getResult() : uniform;
    uniform = {};
  }
  Value zero = !lane || !uniform ? arithmetic.constant(0, 32) : Value();
  result.checked = lane ? lane : zero;
  result.unchecked = uniform ? uniform : zero;
  if (predicate) // 2^31, and nothing that is added to it wraps
    result.checked = arith::SelectOp::create(builder, place, predicate, result.checked, arithmetic.constant(INT32_MIN, 32));
  return result;
}

} // namespace fly::ir
