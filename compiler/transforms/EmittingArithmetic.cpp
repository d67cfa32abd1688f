// Leaf arithmetic as instructions; see EmittingArithmetic.h.
#include "compiler/transforms/EmittingArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fly::ir {

using layout::Leaf;
using layout::LeafOperation;

static arith::IntegerOverflowFlags flags(bool mayBeNegative) {
  return mayBeNegative ? arith::IntegerOverflowFlags::nsw
                       : arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
}

void *EmittingArithmetic::keep(Term term) {
  terms.push_back(term);
  return &terms.back();
}

void *EmittingArithmetic::handleOf(Value value) { return keep({value, 0, false}); }

Value EmittingArithmetic::constant(std::int64_t value, unsigned bits) {
  Type type = builder.getIntegerType(bits);
  return arith::ConstantOp::create(builder, *location, IntegerAttr::get(type, APInt(bits, value, true, true)));
}

Value EmittingArithmetic::widen(Value value, unsigned bits, bool isSigned) {
  if (value.getType().isInteger(bits))
    return value;
  Type type = builder.getIntegerType(bits);
  if (isSigned)
    return arith::ExtSIOp::create(builder, *location, type, value);
  return arith::ExtUIOp::create(builder, *location, type, value);
}

Value EmittingArithmetic::multiply(Value value, std::int64_t factor, bool mayBeNegative) {
  if (factor == 1)
    return value;
  Value right = constant(factor, value.getType().getIntOrFloatBitWidth());
  return arith::MulIOp::create(builder, *location, value, right, flags(mayBeNegative));
}

Value EmittingArithmetic::materialize(const Leaf &leaf, unsigned bits) {
  if (leaf.isStatic())
    return constant(leaf.value, bits);
  const Term &term = termOf(leaf);
  Value value = widen(term.value, bits, term.mayBeNegative);
  if (term.constant == 0)
    return value;
  bool mayBeNegative = term.mayBeNegative || term.constant < 0;
  return arith::AddIOp::create(builder, *location, value, constant(term.constant, bits), flags(mayBeNegative));
}

void *EmittingArithmetic::emitAdd(const Leaf &left, const Leaf &right, unsigned bits) {
  Term a = left.isStatic() ? Term{{}, left.value} : termOf(left);
  Term b = right.isStatic() ? Term{{}, right.value} : termOf(right);
  bool mayBeNegative = a.mayBeNegative || b.mayBeNegative;
  std::int64_t sum;
  if (__builtin_add_overflow(a.constant, b.constant, &sum)) {
    Value total = arith::AddIOp::create(builder, *location, materialize(left, bits), materialize(right, bits));
    return keep({total, 0, mayBeNegative});
  }
  if (!a.value || !b.value)
    return keep({widen(a.value ? a.value : b.value, bits, mayBeNegative), sum, mayBeNegative});
  Value value = arith::AddIOp::create(builder, *location, widen(a.value, bits, a.mayBeNegative),
                                      widen(b.value, bits, b.mayBeNegative), flags(mayBeNegative));
  return keep({value, sum, mayBeNegative});
}

void *EmittingArithmetic::emitMultiply(const Leaf &left, const Leaf &right, unsigned bits) {
  if (left.isStatic())
    return emitMultiply(right, left, bits);
  const Term term = termOf(left);
  std::int64_t product;
  if (right.isStatic() && !__builtin_mul_overflow(term.constant, right.value, &product)) {
    bool mayBeNegative = term.mayBeNegative || right.value < 0;
    Value value = multiply(widen(term.value, bits, term.mayBeNegative), right.value, mayBeNegative);
    return keep({value, product, mayBeNegative});
  }
  bool mayBeNegative = term.mayBeNegative || (right.isStatic() ? right.value < 0 : termOf(right).mayBeNegative);
  Value value = arith::MulIOp::create(builder, *location, materialize(left, bits), materialize(right, bits),
                                      flags(mayBeNegative));
  return keep({value, 0, mayBeNegative});
}

void *EmittingArithmetic::emit(LeafOperation operation, const Leaf &left, const Leaf &right, unsigned bits, bool) {
  if (operation == LeafOperation::Add)
    return emitAdd(left, right, bits);
  if (operation == LeafOperation::Multiply)
    return emitMultiply(left, right, bits);

  Value a = materialize(left, bits), b = materialize(right, bits);
  bool isPowerOfTwo = right.isStatic() && llvm::isPowerOf2_64(static_cast<uint64_t>(right.value));
  // An extent is below 2^(bits - 1), so adding to it does not wrap as an unsigned number.
  if (operation == LeafOperation::CeilDivide) {
    Value more = right.isStatic() ? constant(right.value - 1, bits)
                                  : Value(arith::SubIOp::create(builder, *location, b, constant(1, bits)));
    a = arith::AddIOp::create(builder, *location, a, more, arith::IntegerOverflowFlags::nuw);
    operation = LeafOperation::FloorDivide;
  }
  switch (operation) {
  case LeafOperation::FloorDivide:
    if (isPowerOfTwo)
      return keep({arith::ShRUIOp::create(builder, *location, a, constant(llvm::Log2_64(right.value), bits))});
    return keep({arith::DivUIOp::create(builder, *location, a, b)});
  case LeafOperation::Remainder:
    if (isPowerOfTwo)
      return keep({arith::AndIOp::create(builder, *location, a, constant(right.value - 1, bits))});
    return keep({arith::RemUIOp::create(builder, *location, a, b)});
  case LeafOperation::And: return keep({arith::AndIOp::create(builder, *location, a, b)});
  case LeafOperation::Xor: return keep({arith::XOrIOp::create(builder, *location, a, b)});
  default: return keep({arith::MinUIOp::create(builder, *location, a, b)});
  }
}

} // namespace fly::ir
