// Elementwise arithmetic of host arrays: one row of a table an operation, one loop for all of them.
//
// A row holds the operation on exact integers and on doubles. Integers are mathematical, so the only errors are
// undefined results (division by zero) and overflow of 128 bits; a function then returns the reason.
#include "compiler/host/HostArrayInternal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace fly::host {

static constexpr const char *overflow = "the integer result needs more than 128 bits";
using IntFunction = const char *(*)(Int, Int, Int &);
using FloatFunction = double (*)(double, double);
enum class Gives : uint8_t { Number, Bool, BoolOfBools };

// --- Binary operations ---

static const char *floorDivide(Int a, Int b, Int &r) {
  if (b == 0)
    return "integer division by zero";
  if (b == -1)
    return __builtin_sub_overflow(Int(0), a, &r) ? overflow : nullptr;
  r = a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
  return nullptr;
}
static const char *floorModulo(Int a, Int b, Int &r) {
  if (b == 0)
    return "integer modulo by zero";
  r = b == -1 ? 0 : a % b;
  if (r != 0 && (r < 0) != (b < 0))
    r += b;
  return nullptr;
}
static double floorModulo(double a, double b) {
  double r = std::fmod(a, b);
  if (r != 0)
    return (r < 0) != (b < 0) ? r + b : r;
  return std::copysign(0.0, b);
}
static double floorDivide(double a, double b) {
  if (b == 0)
    return a / b;
  double quotient = (a - floorModulo(a, b)) / b; // nearly an integer; the nearest integer is right
  double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}
static const char *power(Int base, Int exponent, Int &r) {
  if (exponent < 0)
    return "an integer to a negative power; convert with `.to(f64)`";
  r = 1;
  if (base == 0 || base == 1 || base == -1) {
    r = exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
    return nullptr;
  }
  for (; exponent > 0; --exponent) // at most 127 iterations: |base| >= 2
    if (__builtin_mul_overflow(r, base, &r))
      return overflow;
  return nullptr;
}
static const char *shiftLeft(Int a, Int b, Int &r) {
  if (b < 0)
    return "a negative shift";
  if (a == 0) {
    r = 0;
    return nullptr;
  }
  if (b > 126 || __builtin_mul_overflow(a, Int(1) << int(b), &r))
    return overflow;
  return nullptr;
}
static const char *shiftRight(Int a, Int b, Int &r) {
  if (b < 0)
    return "a negative shift";
  r = a >> int(b > 127 ? 127 : b);
  return nullptr;
}
// The number when the other is NaN, and -0 below 0, as v_min and v_max.
static double least(double a, double b) { return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b); }
static double greatest(double a, double b) { return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b); }

struct BinaryRow {
  Binary op;
  const char *name;
  IntFunction ints;
  FloatFunction floats;
  Gives gives;
};

#define INTS(expression) [](Int a, Int b, Int &r) -> const char * { r = (expression); return nullptr; }
#define CHECKED(builtin) [](Int a, Int b, Int &r) -> const char * { return builtin(a, b, &r) ? overflow : nullptr; }
#define FLOATS(expression) [](double a, double b) -> double { return (expression); }
static const BinaryRow binaryRows[] = {
    {Binary::Add, "+", CHECKED(__builtin_add_overflow), FLOATS(a + b), Gives::Number},
    {Binary::Sub, "-", CHECKED(__builtin_sub_overflow), FLOATS(a - b), Gives::Number},
    {Binary::Mul, "*", CHECKED(__builtin_mul_overflow), FLOATS(a * b), Gives::Number},
    {Binary::Div, "/", nullptr, FLOATS(a / b), Gives::Number},
    {Binary::FloorDiv, "//", floorDivide, floorDivide, Gives::Number},
    {Binary::Mod, "%", floorModulo, floorModulo, Gives::Number},
    {Binary::Pow, "**", power, FLOATS(std::pow(a, b)), Gives::Number},
    {Binary::And, "&", INTS(a & b), nullptr, Gives::BoolOfBools},
    {Binary::Or, "|", INTS(a | b), nullptr, Gives::BoolOfBools},
    {Binary::Xor, "^", INTS(a ^ b), nullptr, Gives::BoolOfBools},
    {Binary::Shl, "<<", shiftLeft, nullptr, Gives::Number},
    {Binary::Shr, ">>", shiftRight, nullptr, Gives::Number},
    {Binary::Lt, "<", INTS(a < b), FLOATS(a < b), Gives::Bool},
    {Binary::Le, "<=", INTS(a <= b), FLOATS(a <= b), Gives::Bool},
    {Binary::Gt, ">", INTS(a > b), FLOATS(a > b), Gives::Bool},
    {Binary::Ge, ">=", INTS(a >= b), FLOATS(a >= b), Gives::Bool},
    {Binary::Eq, "==", INTS(a == b), FLOATS(a == b), Gives::Bool},
    {Binary::Ne, "!=", INTS(a != b), FLOATS(a != b), Gives::Bool},
    {Binary::Min, "min", INTS(a < b ? a : b), least, Gives::Number},
    {Binary::Max, "max", INTS(a > b ? a : b), greatest, Gives::Number},
};
#undef INTS
#undef CHECKED
#undef FLOATS

std::optional<Binary> binaryByName(llvm::StringRef name) {
  for (const BinaryRow &row : binaryRows)
    if (name == row.name)
      return row.op;
  return std::nullopt;
}
llvm::StringRef spelling(Binary op) { return binaryRows[size_t(op)].name; }

ArrayResult apply(Binary op, const HostArray &x, const HostArray &y) {
  const BinaryRow &row = binaryRows[size_t(op)];
  auto shape = broadcastShape(x.shape, y.shape);
  if (!shape.ok())
    return failure(shape.error);
  bool floating = x.isFloat() || y.isFloat();
  bool bools = x.kind == NumberClass::Bool && y.kind == NumberClass::Bool;
  if (floating && !row.floats)
    return failure("`" + std::string(row.name) + "` is for integers, not for floats");
  if (!floating && !row.ints)
    return failure("`/` on integers; use `//`, or convert with `.to(f64)`");
  NumberClass kind = row.gives == Gives::Bool || (row.gives == Gives::BoolOfBools && bools) ? NumberClass::Bool
                     : floating                                                             ? NumberClass::Float
                                                                                            : NumberClass::Int;
  ArrayResult r = makeArray(shape.value, kind);
  if (!r.ok())
    return r;
  bool maskX = keepsMask(x, kind), maskY = keepsMask(y, kind), masked = maskX || maskY;
  if (masked)
    ensureMask(r.value);
  const char *reason = nullptr;
  walk<2>(shape.value, {broadcastStrides(x.shape, shape.value), broadcastStrides(y.shape, shape.value)},
          [&](int64_t flat, const std::array<int64_t, 2> &at) {
            if (masked)
              r.value.poisoned.set(flat, (maskX && x.isPoisoned(at[0])) || (maskY && y.isPoisoned(at[1])));
            if (!floating) {
              Int result = 0;
              if (const char *why = row.ints(x.integer(at[0]), y.integer(at[1]), result))
                reason = reason ? reason : why;
              r.value.elements.setInteger(flat, result);
              return;
            }
            double value = row.floats(x.number(at[0]), y.number(at[1]));
            if (kind == NumberClass::Float)
              r.value.elements.setNumber(flat, value);
            else
              r.value.elements.setInteger(flat, value != 0);
          });
  if (reason)
    return failure(std::string(reason) + " in `" + row.name + "`");
  return r;
}

// --- Unary operations ---

/// With an integer function the operation keeps integers; else they become doubles first.
struct UnaryRow {
  Unary op;
  const char *name;
  const char *(*ints)(Int, Int &);
  double (*floats)(double);
  bool givesBool;
};

#define FLOAT(expression) [](double a) -> double { return (expression); }
static const char *negate(Int a, Int &r) { return __builtin_sub_overflow(Int(0), a, &r) ? overflow : nullptr; }
static const char *same(Int a, Int &r) {
  r = a;
  return nullptr;
}
static const char *isZero(Int a, Int &r) {
  r = a == 0;
  return nullptr;
}
static const char *invert(Int a, Int &r) {
  r = ~a;
  return nullptr;
}
static const char *magnitude(Int a, Int &r) { return a < 0 ? negate(a, r) : same(a, r); }
static const UnaryRow unaryRows[] = {
    {Unary::Neg, "-", negate, FLOAT(-a), false},
    {Unary::Plus, "+", same, FLOAT(a), false},
    {Unary::Not, "not", isZero, FLOAT(a == 0), true},
    {Unary::Invert, "~", invert, nullptr, false},
    {Unary::Abs, "abs", magnitude, FLOAT(std::fabs(a)), false},
    {Unary::Exp, "exp", nullptr, FLOAT(std::exp(a)), false},
    {Unary::Exp2, "exp2", nullptr, FLOAT(std::exp2(a)), false},
    {Unary::Log, "log", nullptr, FLOAT(std::log(a)), false},
    {Unary::Log2, "log2", nullptr, FLOAT(std::log2(a)), false},
    {Unary::Sqrt, "sqrt", nullptr, FLOAT(std::sqrt(a)), false},
    {Unary::Rsqrt, "rsqrt", nullptr, FLOAT(1 / std::sqrt(a)), false},
    {Unary::Rcp, "rcp", nullptr, FLOAT(1 / a), false},
    {Unary::Floor, "floor", same, FLOAT(std::floor(a)), false},
    {Unary::Ceil, "ceil", same, FLOAT(std::ceil(a)), false},
    {Unary::Round, "round", same, FLOAT(std::nearbyint(a)), false},
    {Unary::Trunc, "trunc", same, FLOAT(std::trunc(a)), false},
    {Unary::Sin, "sin", nullptr, FLOAT(std::sin(a)), false},
    {Unary::Cos, "cos", nullptr, FLOAT(std::cos(a)), false},
    {Unary::Tanh, "tanh", nullptr, FLOAT(std::tanh(a)), false},
    {Unary::Erf, "erf", nullptr, FLOAT(std::erf(a)), false},
    {Unary::IsNan, "isnan", nullptr, FLOAT(std::isnan(a)), true},
    {Unary::IsInf, "isinf", nullptr, FLOAT(std::isinf(a)), true},
};
#undef FLOAT

std::optional<Unary> unaryByName(llvm::StringRef name) {
  for (const UnaryRow &row : unaryRows)
    if (name == row.name)
      return row.op;
  return std::nullopt;
}
llvm::StringRef spelling(Unary op) { return unaryRows[size_t(op)].name; }

ArrayResult apply(Unary op, const HostArray &x) {
  const UnaryRow &row = unaryRows[size_t(op)];
  if (op == Unary::Invert && x.kind == NumberClass::Bool)
    return apply(Unary::Not, x);
  if (x.isFloat() && !row.floats)
    return failure("`" + std::string(row.name) + "` is for integers, not for floats");
  bool inFloat = x.isFloat() || !row.ints;
  NumberClass kind = row.givesBool ? NumberClass::Bool : inFloat ? NumberClass::Float : NumberClass::Int;
  ArrayResult r = makeArray(x.shape, kind);
  if (!r.ok())
    return r;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (!inFloat) {
      Int result = 0;
      if (const char *reason = row.ints(x.integer(i), result))
        return failure(std::string(reason) + " in `" + row.name + "`");
      r.value.elements.setInteger(i, result);
      continue;
    }
    double value = row.floats(x.number(i));
    if (kind == NumberClass::Float)
      r.value.elements.setNumber(i, value);
    else
      r.value.elements.setInteger(i, value != 0);
  }
  if (keepsMask(x, kind))
    r.value.poisoned = x.poisoned;
  return r;
}

// --- Three operands ---

/// x * y + z rounded to odd, for factors whose product is exact in double. The error of the addition is
/// Knuth's two-sum; where there is one, the odd one of the two doubles around the exact value is taken.
static double fmaOdd(double x, double y, double z) {
  double product = x * y, sum = product + z;
  if (!std::isfinite(sum))
    return sum;
  double back = sum - product;
  double error = (product - (sum - back)) + (z - back);
  if (error != 0 && (std::bit_cast<uint64_t>(sum) & 1) == 0)
    return std::nextafter(sum, error > 0 ? std::numeric_limits<double>::infinity()
                                         : -std::numeric_limits<double>::infinity());
  return sum;
}

ArrayResult fma(const HostArray &x, const HostArray &y, const HostArray &z) {
  if (!x.isFloat() && !y.isFloat() && !z.isFloat()) {
    ArrayResult product = apply(Binary::Mul, x, y);
    return product.ok() ? apply(Binary::Add, product.value, z) : product;
  }
  auto xy = broadcastShape(x.shape, y.shape);
  auto shape = xy.ok() ? broadcastShape(xy.value, z.shape) : xy;
  if (!shape.ok())
    return failure(shape.error);
  auto narrow = [](const HostArray &a) { // 24 significant bits at most, so that the product fits in a double's 53
    return a.type && format(*a.type).bits <= (a.isFloat() ? 32u : 16u);
  };
  bool odd = narrow(x) && narrow(y) && narrow(z);
  ArrayResult r = makeArray(shape.value, NumberClass::Float);
  if (!r.ok())
    return r;
  bool masked = !x.poisoned.empty() || !y.poisoned.empty() || !z.poisoned.empty();
  if (masked)
    ensureMask(r.value);
  walk<3>(shape.value,
          {broadcastStrides(x.shape, shape.value), broadcastStrides(y.shape, shape.value),
           broadcastStrides(z.shape, shape.value)},
          [&](int64_t flat, const std::array<int64_t, 3> &at) {
            double a = x.number(at[0]), b = y.number(at[1]), c = z.number(at[2]);
            r.value.elements.setNumber(flat, odd ? fmaOdd(a, b, c) : std::fma(a, b, c));
            if (masked)
              r.value.poisoned.set(flat, x.isPoisoned(at[0]) || y.isPoisoned(at[1]) || z.isPoisoned(at[2]));
          });
  return r;
}

ArrayResult where(const HostArray &condition, const HostArray &yes, const HostArray &no) {
  auto both = broadcastShape(yes.shape, no.shape);
  auto shape = both.ok() ? broadcastShape(condition.shape, both.value) : both;
  if (!shape.ok())
    return failure(shape.error);
  NumberClass kind = yes.isFloat() || no.isFloat() ? NumberClass::Float
                     : yes.kind == no.kind         ? yes.kind
                                                   : NumberClass::Int;
  ArrayResult r = makeArray(shape.value, kind, yes.type == no.type ? yes.type : std::nullopt);
  if (!r.ok())
    return r;
  bool masked = !condition.poisoned.empty() || !yes.poisoned.empty() || !no.poisoned.empty();
  if (masked)
    ensureMask(r.value);
  walk<3>(shape.value,
          {broadcastStrides(condition.shape, shape.value), broadcastStrides(yes.shape, shape.value),
           broadcastStrides(no.shape, shape.value)},
          [&](int64_t flat, const std::array<int64_t, 3> &at) {
            bool first = condition.number(at[0]) != 0;
            r.value.set(flat, first ? yes.at(at[1]) : no.at(at[2]));
            if (masked)
              r.value.poisoned.set(flat, condition.isPoisoned(at[0]) ||
                                             (first ? yes.isPoisoned(at[1]) : no.isPoisoned(at[2])));
          });
  return r;
}

} // namespace fly::host
