// Integer helpers that are one or a few instructions of the machine: bits, halves of products, saturation.
//
// They take machine integers and vectors of every width. Compile-time integers have no width: functions that do not
// need one accept them, the others require a type.
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/Arithmetic.h"
#include "compiler/sema/prelude/Prelude.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fly::sema {

namespace {
namespace arith = mlir::arith;

/// `llvm.NAME.i32`, `llvm.NAME.v4i32`.
mlir::Value intrinsic(Elaborator &e, const char *name, Type type, mlir::ValueRange operands, SourceRange range) {
  std::string text = std::string("llvm.") + name + "." + (type.isVector() ? "v" + std::to_string(type.lanes) : "") +
                     "i" + std::to_string(type.format().bits);
  auto &b = e.ir(range, name);
  return mlir::LLVM::CallIntrinsicOp::create(b, e.location(range), mlirType(e, type), b.getStringAttr(text), operands)
      .getResult(0);
}

MachineValue integerArgument(Elaborator &e, BoundCall &call, size_t at, const char *parameter) {
  const Value &x = call[at];
  if (auto *m = x.as<MachineValue>(); m && m->type.isInteger())
    return *m;
  const std::string what = diag::argument(parameter, call.builtin->name);
  if (x.is<Int>() || x.is<bool>())
    e.fail(call.ranges[at],
           diag::argument_of_type{.what = what, .type = "i32 or another machine integer", .found = describe(x)});
  e.fail(call.ranges[at], diag::not_an_integer{.what = what, .found = describe(x)});
}

/// Both arguments as integers of one type.
std::pair<MachineValue, MachineValue> integerPair(Elaborator &e, BoundCall &call) {
  size_t typed = call[0].is<MachineValue>() ? 0 : 1;
  integerArgument(e, call, typed, typed ? "y" : "x");
  auto pair = unify(e, call[0], call[1], call.builtin->name, call.range, call.range, call.ranges[0], call.ranges[1]);
  if (!pair.first.type.isInteger())
    integerArgument(e, call, 0, "x");
  return pair;
}

// ---------------------------------------------------------------------------------------------------------
// Bits

enum class Count { Ones, Leading, Trailing };
/// A count is an i32, whatever is counted.
template <Count count> Value countBits(Elaborator &e, BoundCall &call) {
  if (auto *known = call[0].as<Int>(); known && count != Count::Leading) {
    const std::string what = "an argument of `" + std::string(call.builtin->name) + "` without a machine type";
    if (count == Count::Ones && *known < Int(0))
      e.fail(call.ranges[0], diag::negative_value{.what = what, .found = toText(call[0])});
    if (count == Count::Trailing && *known <= Int(0))
      e.fail(call.ranges[0], diag::not_positive{.what = what, .found = toText(call[0])});
    int64_t ones = 0, trailing = 0;
    for (Int rest = *known; rest > Int(0); rest = rest / Int(2)) {
      ones += rest % Int(2) != Int(0);
      trailing += ones == 0;
    }
    return Value(count == Count::Ones ? ones : trailing);
  }
  MachineValue x = integerArgument(e, call, 0, "x");
  auto &b = e.ir(call.range, call.builtin->name);
  auto loc = e.location(call.range);
  mlir::Value bits;
  switch (count) {
  case Count::Ones: bits = mlir::math::CtPopOp::create(b, loc, x.value); break;
  case Count::Leading: bits = mlir::math::CountLeadingZerosOp::create(b, loc, x.value); break;
  case Count::Trailing: bits = mlir::math::CountTrailingZerosOp::create(b, loc, x.value); break;
  }
  Type type = x.type.withNumber(host::Number::I32); // 8 bits count to 8: no sign to mind
  mlir::Type to = mlirType(e, type);
  if (x.type.format().bits < 32)
    bits = arith::ExtUIOp::create(b, loc, to, bits);
  else if (x.type.format().bits > 32)
    bits = arith::TruncIOp::create(b, loc, to, bits);
  return Value(MachineValue{bits, type});
}

Value reverseBits(Elaborator &e, BoundCall &call) {
  MachineValue x = integerArgument(e, call, 0, "x");
  return Value(MachineValue{intrinsic(e, "bitreverse", x.type, x.value, call.range), x.type});
}

/// A funnel shift of the number with itself; the amount counts modulo the width.
template <bool left> Value rotate(Elaborator &e, BoundCall &call) {
  MachineValue x = integerArgument(e, call, 0, "x");
  Value amount = call[1];
  if (auto known = toInt64(amount); known && !amount.is<double>()) {
    int64_t bits = x.type.format().bits;
    amount = Value(((*known % bits) + bits) % bits);
  }
  auto [same, by] =
      unify(e, Value(x), amount, call.builtin->name, call.range, call.range, call.ranges[0], call.ranges[1]);
  return Value(
      MachineValue{intrinsic(e, left ? "fshl" : "fshr", x.type, {x.value, x.value, by.value}, call.range), x.type});
}

/// `width` bits from bit `offset` on; of a signed type the highest of them is the sign.
Value extractBits(Elaborator &e, BoundCall &call) {
  MachineValue x = integerArgument(e, call, 0, "x");
  int64_t bits = x.type.format().bits, width = requireInt(e, call[2], call.ranges[2], "the width");
  if (width < 1 || width > bits)
    e.fail(call.ranges[2],
           diag::out_of_range{.what = "the width", .low = 1, .high = bits, .found = std::to_string(width)});
  auto r = call.range;
  auto shift = [&](ast::BinaryOp op, const Value &value, const Value &by) {
    return e.binary(op, value, by, r, r, r, call.ranges[1]);
  };
  if (auto known = toInt64(call[1]); known && !call[1].is<double>()) {
    if (*known < 0 || *known + width > bits)
      e.fail(call.ranges[1],
             diag::out_of_range{.what = "the offset", .low = 0, .high = bits - width, .found = std::to_string(*known)});
    Value up = shift(ast::BinaryOp::Shl, Value(x), Value(bits - width - *known));
    return shift(ast::BinaryOp::Shr, up, Value(bits - width));
  }
  Value down = shift(ast::BinaryOp::Shr, Value(x), call[1]);
  return shift(ast::BinaryOp::Shr, shift(ast::BinaryOp::Shl, down, Value(bits - width)), Value(bits - width));
}

// ---------------------------------------------------------------------------------------------------------
// Products and sums

mlir::Value widened(Elaborator &e, MachineValue x, Type type, SourceRange range) {
  auto &b = *e.kernel.builder;
  return x.type.isSigned() ? arith::ExtSIOp::create(b, e.location(range), mlirType(e, type), x.value).getResult()
                           : arith::ExtUIOp::create(b, e.location(range), mlirType(e, type), x.value).getResult();
}

/// The upper half of the product.
Value multiplyHigh(Elaborator &e, BoundCall &call) {
  auto [x, y] = integerPair(e, call);
  auto &b = e.ir(call.range, "mul_hi");
  auto loc = e.location(call.range);
  mlir::Value high = x.type.isSigned() ? arith::MulSIExtendedOp::create(b, loc, x.value, y.value).getHigh()
                                       : arith::MulUIExtendedOp::create(b, loc, x.value, y.value).getHigh();
  return Value(MachineValue{high, x.type});
}

/// The full product, in the type of twice the width.
Value multiplyWide(Elaborator &e, BoundCall &call) {
  auto [x, y] = integerPair(e, call);
  using host::Number;
  static const std::pair<Number, Number> doubles[] = {{Number::I8, Number::I16},  {Number::I16, Number::I32},
                                                      {Number::I32, Number::I64}, {Number::U8, Number::U16},
                                                      {Number::U16, Number::U32}, {Number::U32, Number::U64}};
  auto number = x.type.number;
  auto *row = llvm::find_if(doubles, [&](auto &row) { return row.first == number; });
  if (row == std::end(doubles)) {
    e.report(diag::bad_operand, call.range, {"mul_wide", x.type.text() + ", because there is no 128-bit type"})
        .help("`x * y` is the lower half of the product, `mul_hi(x, y)` the upper one");
    throw Failed{};
  }
  Type wide = x.type.withNumber(row->second);
  auto &b = e.ir(call.range, "mul_wide");
  mlir::Value a = widened(e, x, wide, call.range), c = widened(e, y, wide, call.range);
  return Value(MachineValue{arith::MulIOp::create(b, e.location(call.range), a, c), wide});
}

template <bool add> Value saturating(Elaborator &e, BoundCall &call) {
  auto [x, y] = integerPair(e, call);
  const char *name = x.type.isSigned() ? (add ? "sadd.sat" : "ssub.sat") : (add ? "uadd.sat" : "usub.sat");
  return Value(MachineValue{intrinsic(e, name, x.type, {x.value, y.value}, call.range), x.type});
}

/// (x // y, x % y) by one division.
Value divideBoth(Elaborator &e, BoundCall &call) {
  auto r = call.range;
  Value quotient = e.binary(ast::BinaryOp::FloorDiv, call[0], call[1], r, r, call.ranges[0], call.ranges[1]);
  if (!quotient.is<MachineValue>() || toInt64(call[1])) // by a constant, the remainder has its own form
    return makeTuple({quotient, e.binary(ast::BinaryOp::Mod, call[0], call[1], r, r, call.ranges[0], call.ranges[1])});
  Value whole = e.binary(ast::BinaryOp::Mul, quotient, call[1], r, r, call.ranges[0], call.ranges[1]);
  return makeTuple({quotient, e.binary(ast::BinaryOp::Sub, call[0], whole, r, r, call.ranges[0], r)});
}

Value clampBetween(Elaborator &e, BoundCall &call) {
  return minMax(e, false, minMax(e, true, call[0], call[1], call.range), call[2], call.range);
}

const Builtin integerRows[] = {
    {"popcount", "x", "the number of bits that are 1, as an i32", countBits<Count::Ones>},
    {"clz", "x", "the number of zero bits above the highest 1, as an i32; the width for 0", countBits<Count::Leading>},
    {"ctz", "x", "the number of zero bits below the lowest 1, as an i32; the width for 0", countBits<Count::Trailing>},
    {"bit_reverse", "x", "the bits in reverse order", reverseBits},
    {"rotate_left", "x, amount", "the bits rotated towards the high end, by `amount` modulo the width", rotate<true>},
    {"rotate_right", "x, amount", "the bits rotated towards the low end, by `amount` modulo the width", rotate<false>},
    {"bit_extract", "x, offset, width", "`width` bits starting at bit `offset`, sign-extended if the type is signed",
     extractBits},
    {"mul_hi", "x, y", "the upper half of the product", multiplyHigh},
    {"mul_wide", "x, y", "the full product, in the type of twice the width", multiplyWide},
    {"add_sat", "x, y", "the sum, clamped to the range of the type", saturating<true>},
    {"sub_sat", "x, y", "the difference, clamped to the range of the type", saturating<false>},
    {"divmod", "x, y", "(x // y, x % y), also for compile-time numbers", divideBoth},
    {"clamp", "x, low, high", "`min(max(x, low), high)`", clampBetween},
};
} // namespace

llvm::ArrayRef<Builtin> integerBuiltins() { return integerRows; }

} // namespace fly::sema
