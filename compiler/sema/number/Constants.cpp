// Arithmetic on compile-time values: Python's integers of any size, IEEE doubles, strings and sequences.
#include "compiler/sema/number/Constants.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/Dicts.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

namespace fly::sema {

using ast::BinaryOp;

namespace {

constexpr int64_t maximumBits = 1 << 16; ///< of a compile-time integer: larger ones are a mistake

unsigned bitsOf(const Int &value) { // without the sign
  unsigned bits = 0;
  Int rest = value < Int(0) ? -value : value;
  // By halves: dividing one word off at a time would take as many divisions as it has words.
  llvm::SmallVector<Int> powers{Int(int64_t(1) << 32)}; // 2^32, 2^64, 2^128, ... as far as they are needed
  while (rest >= powers.back())
    powers.push_back(powers.back() * powers.back());
  for (size_t i = powers.size(); i-- > 0;)
    while (rest >= powers[i]) {
      rest = rest / powers[i];
      bits += 32u << i;
    }
  return bits + unsigned(llvm::Log2_64(uint64_t(int64_t(rest)) | 1)) + 1;
}

/// The cost of arithmetic on large integers, in steps: it grows with the square of the number of words.
void chargeFor(Elaborator &e, const Int &x, const Int &y, SourceRange range) {
  auto isSmall = [](const Int &v) { return v < Int(int64_t(1) << 62) && v > Int(-(int64_t(1) << 62)); };
  if (isSmall(x) && isSmall(y))
    return;
  uint64_t words = (bitsOf(x) + bitsOf(y)) / 32;
  for (uint64_t cost = words * words / 512; cost; --cost)
    e.step(range);
}

Int powerOfTwo(int64_t exponent) {
  Int result(1), base(2);
  for (; exponent; exponent >>= 1, base = base * base)
    if (exponent & 1)
      result = result * base;
  return result;
}

Int floorMod(const Int &x, const Int &y) { return x - y * llvm::floorDiv(x, y); }

/// Two's complement with infinitely many sign bits, 32 bits at a time.
template <typename Op> Int bitwise(Int x, Int y, Op op) {
  static const Int word = Int(int64_t(1) << 32);
  Int result(0), scale(1);
  auto isSign = [](const Int &v) { return v == Int(0) || v == Int(-1); };
  while (!isSign(x) || !isSign(y)) {
    uint32_t a = uint32_t(int64_t(floorMod(x, word))), b = uint32_t(int64_t(floorMod(y, word)));
    result = result + Int(int64_t(op(a, b))) * scale;
    scale = scale * word;
    x = llvm::floorDiv(x, word);
    y = llvm::floorDiv(y, word);
  }
  uint32_t sign = op(x == Int(0) ? 0u : ~0u, y == Int(0) ? 0u : ~0u);
  return sign ? result - scale : result;
}

Int toInt(const Value &value) { return value.is<bool>() ? Int(*value.as<bool>() ? 1 : 0) : *value.as<Int>(); }

/// The highest `bits` of the integer, at most 62, the last of them set if any bit below is; rounded to nearest even.
double integerToDouble(Elaborator &e, const Int &i, unsigned bits, SourceRange range) {
  const Int magnitude = i < Int(0) ? -i : i, limit(int64_t(1) << bits);
  Int scale(1);
  int dropped = 0;
  for (Int rest = magnitude; rest >= limit && dropped <= std::numeric_limits<double>::max_exponent; ++dropped) {
    scale = scale * Int(2);
    rest = magnitude / scale;
  }
  const Int kept = magnitude / scale;
  const bool isExact = kept * scale == magnitude;
  const double result = std::ldexp(double(int64_t(kept) | (isExact ? 0 : 1)), dropped);
  if (std::isinf(result))
    e.fail(diag::literal_out_of_range, range, {"this integer", "a float", "+-1.8e308"});
  return i < Int(0) ? -result : result;
}

} // namespace

double toDouble(Elaborator &e, const Value &value, SourceRange range) {
  if (auto *d = value.as<double>())
    return *d;
  const Int i = toInt(value);
  if (auto small = toInt64(Value(i)))
    return double(*small);
  return integerToDouble(e, i, 62, range); // more than the 53 that are rounded to
}

double toDoubleOdd(Elaborator &e, const Value &value, SourceRange range) {
  if (auto *d = value.as<double>())
    return *d;
  return integerToDouble(e, toInt(value), 53, range);
}

static Value integerBinary(Elaborator &e, BinaryOp op, const Int &x, const Int &y, SourceRange range,
                           SourceRange rhsRange) {
  const char *name = ast::spelling(op);
  auto small = toInt64(Value(y));
  auto tooLarge = [&]() -> Value {
    e.fail(diag::literal_out_of_range, range,
           {"the result", "a compile-time integer", "up to " + std::to_string(maximumBits) + " bits"});
  };
  chargeFor(e, x, y, range);
  switch (op) {
  case BinaryOp::Add: return Value(x + y);
  case BinaryOp::Sub: return Value(x - y);
  case BinaryOp::Mul:
    if (bitsOf(x) + bitsOf(y) > maximumBits)
      return tooLarge();
    return Value(x * y);
  case BinaryOp::Div: break; // refused before
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    if (y == Int(0))
      e.fail(diag::division_by_zero, rhsRange, {name});
    return Value(op == BinaryOp::Mod ? floorMod(x, y) : llvm::floorDiv(x, y));
  case BinaryOp::Pow: {
    if (y < Int(0)) {
      if (x == Int(0))
        e.fail(diag::division_by_zero, range, {name});
      return Value(std::pow(toDouble(e, Value(x), range), toDouble(e, Value(y), rhsRange)));
    }
    if (x == Int(0) || x == Int(1))
      return Value(y == Int(0) ? Int(1) : x);
    if (x == Int(-1))
      return Value(floorMod(y, Int(2)) == Int(0) ? Int(1) : x);
    if (!small || *small > maximumBits || *small * bitsOf(x) > 2 * maximumBits)
      return tooLarge();
    Int result(1), base = x;
    for (int64_t n = *small; n; n >>= 1) {
      if (n & 1)
        result = result * base;
      if (n > 1)
        base = base * base;
    }
    return Value(result);
  }
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    if (y < Int(0))
      e.fail(rhsRange,
             diag::shift_out_of_range{.amount = toText(Value(y)), .type = "an integer", .limit = maximumBits});
    if (op == BinaryOp::Shr)
      return !small || *small > 2 * maximumBits ? Value(Int(x < Int(0) ? -1 : 0))
                                                : Value(llvm::floorDiv(x, powerOfTwo(*small)));
    if (x == Int(0))
      return Value(x);
    if (!small || *small > maximumBits - bitsOf(x))
      return tooLarge();
    return Value(x * powerOfTwo(*small));
  case BinaryOp::And: return Value(bitwise(x, y, [](uint32_t a, uint32_t b) { return a & b; }));
  case BinaryOp::Or: return Value(bitwise(x, y, [](uint32_t a, uint32_t b) { return a | b; }));
  case BinaryOp::Xor: return Value(bitwise(x, y, [](uint32_t a, uint32_t b) { return a ^ b; }));
  case BinaryOp::MatMul: break;
  }
  e.fail(diag::bad_operand, range, {name, "integers"});
}

static Value floatBinary(Elaborator &e, BinaryOp op, double x, double y, SourceRange range, SourceRange rhsRange) {
  const char *name = ast::spelling(op);
  switch (op) {
  case BinaryOp::Add: return Value(x + y);
  case BinaryOp::Sub: return Value(x - y);
  case BinaryOp::Mul: return Value(x * y);
  case BinaryOp::Div:
    if (y == 0)
      e.fail(diag::division_by_zero, rhsRange, {name});
    return Value(x / y);
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod: {
    if (y == 0)
      e.fail(diag::division_by_zero, rhsRange, {name});
    double rest = std::fmod(x, y);
    if (rest != 0 && (rest < 0) != (y < 0))
      rest += y;
    return Value(op == BinaryOp::Mod ? rest : std::floor(x / y));
  }
  case BinaryOp::Pow: return Value(std::pow(x, y));
  default: e.fail(diag::bad_operand, range, {name, "floats"});
  }
}

static Value repeated(Elaborator &e, const Value &sequence, const Value &count, SourceRange range) {
  int64_t n = requireInt(e, count, range, "the count");
  auto *elements = sequence.sequence();
  auto *text = sequence.as<std::string>();
  int64_t length = int64_t(elements ? elements->size() : text->size());
  if (n > 0 && length > (int64_t(1) << 24) / n)
    e.fail(diag::literal_out_of_range, range, {"the length", "a sequence", "up to 2^24 elements"});
  if (length == 0)
    return sequence;
  if (text) {
    std::string out;
    for (int64_t i = 0; i < n; ++i)
      out += *text;
    return Value(out);
  }
  Values out;
  for (int64_t i = 0; i < n; ++i)
    out.insert(out.end(), elements->begin(), elements->end());
  return sequence.is<TupleValue>() ? makeTuple(std::move(out)) : makeList(std::move(out));
}

Value constantBinary(Elaborator &e, BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range,
                     SourceRange rhsRange) {
  if (lhs.isNumber() && rhs.isNumber()) {
    Value result;
    if (lhs.is<double>() || rhs.is<double>())
      result = floatBinary(e, op, toDouble(e, lhs, range), toDouble(e, rhs, rhsRange), range, rhsRange);
    else if (lhs.is<bool>() && rhs.is<bool>() && (op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor)) {
      bool x = *lhs.as<bool>(), y = *rhs.as<bool>();
      result = Value(op == BinaryOp::And ? x && y : op == BinaryOp::Or ? x || y : x != y);
    } else
      result = integerBinary(e, op, toInt(lhs), toInt(rhs), range, rhsRange);
    result.origin = lhs.origin ? lhs.origin : rhs.origin;
    return result;
  }
  if (op == BinaryOp::Add) {
    auto length = [](const Value &v) {
      return v.sequence() ? v.sequence()->size() : v.is<std::string>() ? v.as<std::string>()->size() : 0;
    };
    if (length(lhs) + length(rhs) > size_t(1) << 24)
      e.fail(diag::literal_out_of_range, range, {"the length", "a sequence", "up to 2^24 elements"});
    if (lhs.is<std::string>() && rhs.is<std::string>())
      return Value(*lhs.as<std::string>() + *rhs.as<std::string>());
    if (lhs.sequence() && rhs.sequence() && lhs.is<TupleValue>() == rhs.is<TupleValue>()) {
      Values all = *lhs.sequence();
      all.insert(all.end(), rhs.sequence()->begin(), rhs.sequence()->end());
      return lhs.is<TupleValue>() ? makeTuple(std::move(all)) : makeList(std::move(all));
    }
  }
  if (op == BinaryOp::Or && lhs.is<DictValue>() && rhs.is<DictValue>()) {
    DictBuilder dict(*lhs.as<DictValue>());
    dict.setAll(e, *rhs.as<DictValue>(), rhsRange);
    return dict.done();
  }
  auto repeatable = [](const Value &v) { return v.sequence() || v.is<std::string>(); };
  if (op == BinaryOp::Mul && repeatable(lhs) && (rhs.is<Int>() || rhs.is<bool>()))
    return repeated(e, lhs, rhs, range);
  if (op == BinaryOp::Mul && repeatable(rhs) && (lhs.is<Int>() || lhs.is<bool>()))
    return repeated(e, rhs, lhs, range);
  e.fail(diag::bad_operand, range, {ast::spelling(op), describe(lhs) + " and " + describe(rhs)});
}

} // namespace fly::sema
