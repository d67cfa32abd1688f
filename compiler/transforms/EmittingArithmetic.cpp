// Leaf arithmetic as instructions; see EmittingArithmetic.h.
#include "compiler/transforms/EmittingArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

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

void *EmittingArithmetic::handleOf(Value value, bool isUniform, std::int64_t divisor) {
  std::int64_t &known = divisors.try_emplace(value, 1).first->second;
  known = std::max(known, divisor);
  return keep({isUniform ? Value() : value, isUniform ? value : Value(), 0, false, divisor});
}

Leaf EmittingArithmetic::withConstant(const Leaf &leaf, std::int64_t constant) {
  Term term = termOf(leaf);
  term.constant = constant;
  Leaf result = leaf;
  result.handle = keep(term);
  result.divisibility = std::gcd(term.divisor, constant);
  return result;
}

//===---------------------------------------------- exact division -----------------------------------------------===//
// Elements of 4 and 6 bits: bytes are a half or three quarters of an offset. The division is applied where a factor is
// known, so that `i * 32 + j * 64` becomes `i * 16 + j * 32`, and an extent `n` is halved once, outside of the loop.

/// An operation whose result is the mathematical one.
template <typename Op> static Op exactly(Value value) {
  auto op = value.getDefiningOp<Op>();
  constexpr auto both = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  return op && (op.getOverflowFlags() & both) == both ? op : Op();
}

static std::optional<std::int64_t> constantOf(Value value) {
  auto op = value.getDefiningOp<arith::ConstantOp>();
  auto number = op ? dyn_cast<IntegerAttr>(op.getValue()) : IntegerAttr();
  return number ? std::optional(number.getValue().getSExtValue()) : std::nullopt;
}

bool EmittingArithmetic::divides(std::int64_t by, Value value) const {
  if (auto number = constantOf(value))
    return *number % by == 0;
  if (auto known = divisors.find(value); known != divisors.end() && known->second % by == 0)
    return true;
  if (auto product = exactly<arith::MulIOp>(value))
    return divides(by, product.getLhs()) || divides(by, product.getRhs());
  if (auto total = exactly<arith::AddIOp>(value))
    return divides(by, total.getLhs()) && divides(by, total.getRhs());
  auto wide = value.getDefiningOp<arith::ExtUIOp>();
  return wide && divides(by, wide.getIn());
}

Value EmittingArithmetic::quotient(Value value, std::int64_t by, bool mayBeNegative) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (divides(by, value)) {
    if (auto number = constantOf(value))
      return constant(*number / by, bits);
    if (auto product = exactly<arith::MulIOp>(value)) {
      Value left = product.getLhs(), right = product.getRhs();
      if (!divides(by, right))
        std::swap(left, right);
      Value fewer = quotient(right, by, mayBeNegative);
      return constantOf(fewer) == 1
                 ? left
                 : arith::MulIOp::create(builder, *location, left, fewer, flags(mayBeNegative)).getResult();
    }
    if (auto total = exactly<arith::AddIOp>(value))
      if (divides(by, total.getLhs()) && divides(by, total.getRhs()))
        return sum(quotient(total.getLhs(), by, mayBeNegative), quotient(total.getRhs(), by, mayBeNegative), bits,
                   mayBeNegative);
    if (auto wide = value.getDefiningOp<arith::ExtUIOp>(); wide && divides(by, wide.getIn()))
      return widen(quotient(wide.getIn(), by, false), bits, false);
  }
  Value amount = constant(llvm::Log2_64(uint64_t(by)), bits);
  if (mayBeNegative)
    return arith::ShRSIOp::create(builder, *location, value, amount);
  return arith::ShRUIOp::create(builder, *location, value, amount);
}

std::optional<Leaf> EmittingArithmetic::divideExactly(const Leaf &leaf, std::int64_t by) {
  if (by == 1)
    return leaf;
  if (leaf.isStatic())
    return leaf.value % by == 0 ? std::optional(Leaf::known(leaf.value / by)) : std::nullopt;
  Term term = termOf(leaf);
  auto isDivided = [&](Value part) { return !part || divides(by, part); };
  bool eachPart = term.divisor % by == 0 || (isDivided(term.lane) && isDivided(term.uniform)),
       whole = leaf.divisor() % by == 0;
  if (term.constant % by != 0 || (!eachPart && !whole))
    return std::nullopt;
  if (!eachPart && term.lane && term.uniform) { // known only of their sum
    term.lane =
        sum(term.lane, term.uniform,
            std::max(term.lane.getType().getIntOrFloatBitWidth(), term.uniform.getType().getIntOrFloatBitWidth()),
            term.mayBeNegative);
    term.uniform = {};
  }
  for (Value *part : {&term.lane, &term.uniform})
    if (*part)
      *part = quotient(*part, by, term.mayBeNegative);
  term.constant /= by;
  term.divisor = std::max<std::int64_t>(1, term.divisor / by);
  Leaf result = leaf;
  result.handle = keep(term);
  result.divisibility = std::max<std::int64_t>(1, leaf.divisor() / by);
  return result;
}

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

Value EmittingArithmetic::scale(Value value, std::int64_t factor, bool mayBeNegative) {
  if (factor == 1)
    return value;
  Value right = constant(factor, value.getType().getIntOrFloatBitWidth());
  return arith::MulIOp::create(builder, *location, value, right, flags(mayBeNegative));
}

Value EmittingArithmetic::sum(Value left, Value right, unsigned bits, bool mayBeNegative) {
  if (!left || !right)
    return left || right ? widen(left ? left : right, bits, mayBeNegative) : Value();
  return arith::AddIOp::create(builder, *location, widen(left, bits, mayBeNegative), widen(right, bits, mayBeNegative),
                               flags(mayBeNegative));
}

Value EmittingArithmetic::materialize(const Leaf &leaf, unsigned bits) {
  if (leaf.isStatic())
    return constant(leaf.value, bits);
  const Term &term = termOf(leaf);
  Value value = sum(term.lane, term.uniform, bits, term.mayBeNegative);
  if (term.constant == 0 && value)
    return value;
  Value known = constant(term.constant, bits);
  return value ? sum(value, known, bits, term.mayBeNegative || term.constant < 0) : known;
}

/// The parts of a leaf, `bits` wide; a known leaf has only a constant.
EmittingArithmetic::Term EmittingArithmetic::partsOf(const Leaf &leaf, unsigned bits) {
  if (leaf.isStatic())
    return {{}, {}, leaf.value, leaf.value < 0, 0};
  Term term = termOf(leaf);
  for (Value *part : {&term.lane, &term.uniform})
    if (*part)
      *part = widen(*part, bits, term.mayBeNegative);
  if (term.constant == 0) // the leaf may know more: it went through a division
    term.divisor = std::max(term.divisor, leaf.divisibility);
  return term;
}

void *EmittingArithmetic::emitAdd(const Leaf &left, const Leaf &right, unsigned bits) {
  Term a = partsOf(left, bits), b = partsOf(right, bits);
  bool mayBeNegative = a.mayBeNegative || b.mayBeNegative;
  Term total{sum(a.lane, b.lane, bits, mayBeNegative), sum(a.uniform, b.uniform, bits, mayBeNegative), 0, mayBeNegative,
             std::max<std::int64_t>(1, std::gcd(a.divisor, b.divisor))};
  if (__builtin_add_overflow(a.constant, b.constant, &total.constant))
    return keep({arith::AddIOp::create(builder, *location, materialize(left, bits), materialize(right, bits)),
                 {},
                 0,
                 mayBeNegative});
  return keep(total);
}

void *EmittingArithmetic::emitMultiply(const Leaf &left, const Leaf &right, unsigned bits) {
  if (left.isStatic())
    return emitMultiply(right, left, bits);
  Term a = partsOf(left, bits), b = partsOf(right, bits);
  std::int64_t product;
  if (right.isStatic() && !__builtin_mul_overflow(a.constant, right.value, &product)) {
    bool mayBeNegative = a.mayBeNegative || right.value < 0;
    auto scaled = [&](Value part) { return part ? scale(part, right.value, mayBeNegative) : part; };
    std::int64_t divisor;
    if (__builtin_mul_overflow(a.divisor, right.value < 0 ? -right.value : right.value, &divisor))
      divisor = a.divisor;
    return keep({scaled(a.lane), scaled(a.uniform), product, mayBeNegative, divisor});
  }
  bool mayBeNegative = a.mayBeNegative || b.mayBeNegative;
  auto times = [&](Value x, Value y) -> Value {
    return x && y ? arith::MulIOp::create(builder, *location, x, y, flags(mayBeNegative)).getResult() : Value();
  };
  // A sum times what is uniform: part by part, so that the uniform parts stay so.
  if (a.lane && !b.lane)
    std::swap(a, b);
  if (!a.lane && a.uniform && (!b.lane || b.uniform || b.constant)) {
    Value whole = a.constant ? sum(a.uniform, constant(a.constant, bits), bits, mayBeNegative) : a.uniform;
    Value rest = b.constant ? sum(b.uniform, constant(b.constant, bits), bits, mayBeNegative) : b.uniform;
    return keep({times(whole, b.lane), times(whole, rest), 0, mayBeNegative});
  }
  Value value = arith::MulIOp::create(builder, *location, materialize(left, bits), materialize(right, bits),
                                      flags(mayBeNegative));
  return keep({value, {}, 0, mayBeNegative});
}

void *EmittingArithmetic::emit(LeafOperation operation, const Leaf &left, const Leaf &right, unsigned bits, bool) {
  if (operation == LeafOperation::Add)
    return emitAdd(left, right, bits);
  if (operation == LeafOperation::Multiply)
    return emitMultiply(left, right, bits);

  Value a = materialize(left, bits), b = materialize(right, bits);
  bool isUniform = !partsOf(left, bits).lane && !partsOf(right, bits).lane;
  auto result = [&](Value value) { return handleOf(value, isUniform, 1); };
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
      return result(arith::ShRUIOp::create(builder, *location, a, constant(llvm::Log2_64(right.value), bits)));
    return result(arith::DivUIOp::create(builder, *location, a, b));
  case LeafOperation::Remainder:
    if (isPowerOfTwo)
      return result(arith::AndIOp::create(builder, *location, a, constant(right.value - 1, bits)));
    return result(arith::RemUIOp::create(builder, *location, a, b));
  case LeafOperation::And: return result(arith::AndIOp::create(builder, *location, a, b));
  case LeafOperation::Xor: return result(arith::XOrIOp::create(builder, *location, a, b));
  default: return result(arith::MinUIOp::create(builder, *location, a, b));
  }
}

} // namespace fly::ir
