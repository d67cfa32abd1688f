// See BufferOffsets.h.
#include "compiler/transforms/BufferOffsets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace fly::ir {

using layout::Leaf;

Value addOffsets(OpBuilder &builder, Location place, Value left, Value right) {
  return left && right ? arith::AddIOp::create(builder, place, left, right).getResult() : left ? left : right;
}

layout::Result<BufferOffsets> bufferOffsets(EmittingArithmetic &arithmetic, OpBuilder &builder, Location place,
                                            const Leaf &offset, int64_t size, bool checksScalar,
                                            const BufferOffsets &extra, Value predicate) {
  BufferOffsets result;
  EmittingArithmetic::Term term;
  if (offset.isStatic())
    term.constant = offset.value;
  else
    term = EmittingArithmetic::termOf(offset);
  if (__builtin_mul_overflow(term.constant, size, &result.known) ||
      __builtin_add_overflow(result.known, extra.known, &result.known) || result.known < 0)
    return layout::Error{"the offset of " + std::to_string(term.constant) +
                         " elements is not in a buffer, which reaches 2 GiB"};
  if (result.known > INT32_MAX) // outside, whatever is added: no part wraps back inside
    return BufferOffsets{arithmetic.constant(INT32_MIN, 32), arithmetic.constant(0, 32), 0};
  // A buffer spans at most 2^31 bytes, so an offset inside it fits in 32 bits.
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
  if (!checksScalar && uniform) {
    lane = lane ? arith::AddIOp::create(builder, place, lane, uniform, arith::IntegerOverflowFlags::nuw).getResult()
                : uniform;
    uniform = {};
  }
  lane = addOffsets(builder, place, lane, extra.checked);
  uniform = addOffsets(builder, place, uniform, extra.unchecked);
  Value zero = !lane || !uniform ? arithmetic.constant(0, 32) : Value();
  result.checked = lane ? lane : zero;
  result.unchecked = uniform ? uniform : zero;
  if (predicate) // 2^31, and nothing that is added to it wraps
    result.checked =
        arith::SelectOp::create(builder, place, predicate, result.checked, arithmetic.constant(INT32_MIN, 32));
  return result;
}

} // namespace fly::ir
