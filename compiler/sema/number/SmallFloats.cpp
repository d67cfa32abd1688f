// Conversions of the stored formats as integer and float operations that are right on every target, and as the target's
// own instructions where those do the same (SmallFloatInstructions.cpp).
//
// Widening uses f16, which holds every number of the 8-, 6- and 4-bit formats. Their exponent and mantissa, shifted to
// the position of f16's, are the number times a power of two, also if it is denormal:
//
//     f8E4M3FN 0x01 = 2^-9     f16 0x0080 = 2^-17     times 2^(15 - 7)
//
// (f8E5M2FNUZ has numbers where f16 has infinity and NaN; those take another way.)
//
// Narrowing rounds the magnitude twice and takes the one that applies. A normal is rounded on its bits, the carry runs
// into the exponent. A denormal is added to the power of two whose last place is the format's least number: the adder
// rounds it, and the low bits of the sum are the answer.
//
// The float operations in here are exact or round on purpose: no flag of fast-math reaches them.
#include "compiler/sema/number/SmallFloats.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/SmallFloatInstructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <bit>
#include <cmath>

namespace fly::sema {

namespace arith = mlir::arith;
using host::Number;
using host::Specials;
using Predicate = arith::CmpIPredicate;

void requireArithmetic(Elaborator &e, Type type, llvm::StringRef what, SourceRange range) {
  if (!type.format().isStorage())
    return;
  e.report(diag::bad_operand, range, {what.str(), type.text() + ", which only stores numbers"})
      .help("convert to a type that has arithmetic first, `" + std::string(type.format().isFloat() ? "f32" : "i32") +
            "(x)`; to get the bits, use `bitcast(u8, x)`");
  throw Failed{};
}

// ---------------------------------------------------------------------------------------------------------
// Elementwise operations on scalars and vectors alike

mlir::Value Elementwise::integer(unsigned bits, uint64_t value) const {
  auto element = b.getIntegerType(bits);
  mlir::TypedAttr attr = mlir::IntegerAttr::get(element, llvm::APInt(bits, value, false, true));
  if (lanes)
    attr = mlir::DenseElementsAttr::get(mlir::VectorType::get({lanes}, element), mlir::Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}
mlir::Value Elementwise::number(mlir::Type element, double value) const {
  mlir::TypedAttr attr = b.getFloatAttr(element, value);
  if (lanes)
    attr = mlir::DenseElementsAttr::get(mlir::VectorType::get({lanes}, element), mlir::Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}
mlir::Type Elementwise::type(mlir::Type element) const {
  return lanes ? mlir::Type(mlir::VectorType::get({lanes}, element)) : element;
}
mlir::Value Elementwise::bitcast(mlir::Value x, mlir::Type element) const {
  return arith::BitcastOp::create(b, loc, type(element), x);
}
mlir::Value Elementwise::bitAnd(mlir::Value x, uint64_t mask) const {
  return arith::AndIOp::create(b, loc, x, integer(widthOf(x), mask));
}
mlir::Value Elementwise::bitOr(mlir::Value x, mlir::Value y) const { return arith::OrIOp::create(b, loc, x, y); }
mlir::Value Elementwise::add(mlir::Value x, mlir::Value y) const { return arith::AddIOp::create(b, loc, x, y); }
mlir::Value Elementwise::shl(mlir::Value x, unsigned by) const {
  return by ? arith::ShLIOp::create(b, loc, x, integer(widthOf(x), by)).getResult() : x;
}
mlir::Value Elementwise::shr(mlir::Value x, unsigned by) const {
  return by ? arith::ShRUIOp::create(b, loc, x, integer(widthOf(x), by)).getResult() : x;
}
mlir::Value Elementwise::compare(Predicate p, mlir::Value x, uint64_t y) const {
  return arith::CmpIOp::create(b, loc, p, x, integer(widthOf(x), y));
}
mlir::Value Elementwise::select(mlir::Value c, mlir::Value x, mlir::Value y) const {
  return arith::SelectOp::create(b, loc, c, x, y);
}
mlir::Value Elementwise::resize(mlir::Value x, unsigned bits) const {
  unsigned from = widthOf(x);
  if (from == bits)
    return x;
  auto to = type(b.getIntegerType(bits));
  return from < bits ? arith::ExtUIOp::create(b, loc, to, x).getResult()
                     : arith::TruncIOp::create(b, loc, to, x).getResult();
}
unsigned Elementwise::widthOf(mlir::Value x) const {
  return mlir::getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
}

namespace {

/// Fast-math does not reach what is emitted while it lives.
struct Strict {
  explicit Strict(Elaborator &e) : e(e), outer(e.fastmath) { e.fastmath = 0; }
  ~Strict() { e.fastmath = outer; }
  Elaborator &e;
  unsigned outer;
};

uint64_t magnitudeMask(const host::NumberFormat &f) { return (uint64_t(1) << (f.exponentBits + f.mantissaBits)) - 1; }
uint64_t signBit(const host::NumberFormat &f) { return f.isSigned ? uint64_t(1) << (f.bits - 1) : 0; }

// ---------------------------------------------------------------------------------------------------------
// Widening

/// f16 from one number a byte.
mlir::Value halfFrom(const Elementwise &m, mlir::Value bytes, const host::NumberFormat &f) {
  mlir::Value code = m.resize(bytes, 16);
  auto f16 = m.b.getF16Type();
  mlir::Value magnitude = m.shl(m.bitAnd(code, magnitudeMask(f)), 10 - f.mantissaBits);
  mlir::Value sign = m.shl(m.bitAnd(code, signBit(f)), 16 - f.bits);
  mlir::Value half = m.bitcast(m.bitOr(magnitude, sign), f16);
  if (f.bias != 15) {
    mlir::Value scaled = arith::MulFOp::create(m.b, m.loc, half, m.number(f16, std::ldexp(1.0, 15 - f.bias)));
    if (f.bias > 15) { // the highest exponent means infinity in f16: what stays normal counts one down on its bits
      mlir::Value normal = m.bitcast(m.bitOr(m.add(magnitude, m.integer(16, 0xfc00)), sign), f16);
      scaled = m.select(m.compare(Predicate::ugt, magnitude, 0x07ff), normal, scaled);
    }
    half = scaled;
  }
  mlir::Value nan;
  if (f.specials == Specials::Fn)
    nan = m.compare(Predicate::eq, m.bitAnd(code, magnitudeMask(f)), magnitudeMask(f));
  else if (f.specials == Specials::Fnuz)
    nan = m.compare(Predicate::eq, code, signBit(f));
  return nan ? m.select(nan, m.number(f16, std::nan("")), half) : half;
}

/// The same for an even count of numbers, two in a word: each code goes to the upper byte of its half, and integer
/// operations on the word move both. The sum of magnitude and one (or all ones) tells in bit 15 which are NaN.
mlir::Value halvesFrom(const Elementwise &m, mlir::Value bytes, const host::NumberFormat &f) {
  int64_t words = m.lanes / 2;
  llvm::SmallVector<int64_t> order;
  for (int64_t i = 0; i < m.lanes; ++i)
    order.append({m.lanes + i, i}); // zero below, the code above
  mlir::Value zero = m.integer(8, 0);
  mlir::Value spread = mlir::vector::ShuffleOp::create(m.b, m.loc, bytes, zero, order);
  Elementwise w{m.b, m.loc, words};
  auto both = [&](uint64_t half) { return half << 16 | half; };
  auto viewed = [&](mlir::Value x, mlir::Type element, int64_t count) -> mlir::Value {
    return mlir::vector::BitCastOp::create(m.b, m.loc, mlir::VectorType::get({count}, element), x);
  };
  mlir::Value code = viewed(spread, m.b.getI32Type(), words);
  mlir::Value magnitude = w.bitAnd(code, both(magnitudeMask(f) << 8)),
              sign = w.shl(w.bitAnd(code, both(signBit(f) << 8)), 8 - f.bits);
  int up = 2 - int(f.mantissaBits);
  mlir::Value bits = w.bitOr(up < 0 ? w.shr(magnitude, unsigned(-up)) : w.shl(magnitude, unsigned(up)), sign);
  mlir::Value half = viewed(bits, m.b.getF16Type(), m.lanes);
  if (f.bias != 15)
    half = arith::MulFOp::create(m.b, m.loc, half, m.number(m.b.getF16Type(), std::ldexp(1.0, 15 - f.bias)));
  mlir::Value nan;
  if (f.specials == Specials::Fn)
    nan = w.bitAnd(w.add(magnitude, w.integer(32, both(0x0100))), both(0x8000));
  else if (f.specials == Specials::Fnuz) {
    mlir::Value number = w.add(magnitude, w.integer(32, both(0x7f00)));
    mlir::Value none = arith::XOrIOp::create(m.b, m.loc, number, w.integer(32, both(0xffff)));
    nan = w.bitAnd(arith::AndIOp::create(m.b, m.loc, code, none), both(0x8000));
  }
  if (!nan)
    return half;
  mlir::Value exponent = arith::SubIOp::create(m.b, m.loc, nan, w.shr(nan, 5)); // 0x7c00 of each NaN
  if (f.specials == Specials::Fnuz)
    exponent = w.bitOr(exponent, w.shr(nan, 6)); // whose mantissa is zero
  return viewed(w.bitOr(viewed(half, m.b.getI32Type(), words), exponent), m.b.getF16Type(), m.lanes);
}

mlir::Value exponentToSingle(const Elementwise &m, mlir::Value bytes) {
  mlir::Value code = m.resize(bytes, 32);
  mlir::Value bits = m.shl(code, 23);
  bits = m.select(m.compare(Predicate::eq, code, 0), m.integer(32, 0x00400000), bits); // 2^-127 is a denormal
  bits = m.select(m.compare(Predicate::eq, code, 255), m.integer(32, 0x7fc00000), bits);
  return m.bitcast(bits, m.b.getF32Type());
}

/// f32 to a format that holds the number: its upper half is bf16's.
mlir::Value exactly(const Elementwise &m, mlir::Value single, Number to) {
  switch (to) {
  case Number::F64: return arith::ExtFOp::create(m.b, m.loc, m.type(m.b.getF64Type()), single);
  case Number::F16: return arith::TruncFOp::create(m.b, m.loc, m.type(m.b.getF16Type()), single);
  case Number::BF16: return m.bitcast(m.resize(m.shr(m.bitcast(single, m.b.getI32Type()), 16), 16), m.b.getBF16Type());
  default: return single;
  }
}

// ---------------------------------------------------------------------------------------------------------
// Narrowing

/// f32 from any float such that a later rounding to fewer bits is as if from the original: f64 is rounded to odd.
mlir::Value singleFrom(const Elementwise &m, MachineValue from) {
  auto f32 = m.type(m.b.getF32Type());
  if (from.type.number == Number::F32)
    return from.value;
  if (from.type.number != Number::F64)
    return arith::ExtFOp::create(m.b, m.loc, f32, from.value);
  mlir::Value near = arith::TruncFOp::create(m.b, m.loc, f32, from.value);
  mlir::Value back = arith::ExtFOp::create(m.b, m.loc, from.value.getType(), near);
  auto magnitude = [&](mlir::Value x) { return m.bitAnd(m.bitcast(x, m.b.getI64Type()), ~uint64_t(0) >> 1); };
  mlir::Value want = magnitude(from.value), have = magnitude(back);
  mlir::Value above = arith::CmpIOp::create(m.b, m.loc, Predicate::ugt, have, want);
  mlir::Value inexact = arith::CmpFOp::create(m.b, m.loc, arith::CmpFPredicate::ONE, back, from.value);
  mlir::Value bits = m.bitcast(near, m.b.getI32Type());
  mlir::Value down = m.select(above, m.add(bits, m.integer(32, ~uint64_t(0))), bits);
  return m.bitcast(m.select(inexact, m.bitOr(down, m.integer(32, 1)), bits), m.b.getF32Type());
}

/// The same from an i32 or u32. Beyond 2^24 the number becomes an odd multiple of 2^8, or stays an even one: 24 bits.
mlir::Value singleFrom32(const Elementwise &m, mlir::Value x, bool isSigned) {
  mlir::Value lost = m.compare(Predicate::ne, m.bitAnd(x, 0xff), 0);
  mlir::Value odd = m.bitOr(m.bitAnd(x, 0xffffff00), m.shl(m.resize(lost, 32), 8));
  mlir::Value fits = isSigned ? m.compare(Predicate::ult, m.add(x, m.integer(32, 1 << 24)), 1 << 25)
                              : m.compare(Predicate::ult, x, 1 << 24);
  mlir::Value exact = m.select(fits, x, odd);
  mlir::Type f32 = m.type(m.b.getF32Type());
  return isSigned ? arith::SIToFPOp::create(m.b, m.loc, f32, exact).getResult()
                  : arith::UIToFPOp::create(m.b, m.loc, f32, exact).getResult();
}

/// From an i64 or u64: the highest 24 bits of the magnitude, the last of them set if any bit below is.
mlir::Value singleFrom64(const Elementwise &m, mlir::Value x, bool isSigned) {
  mlir::Value magnitude = x, sign = m.integer(32, 0);
  if (isSigned) {
    mlir::Value negative = m.compare(Predicate::slt, x, 0);
    magnitude = m.select(negative, arith::SubIOp::create(m.b, m.loc, m.integer(64, 0), x), x);
    sign = m.shl(m.resize(negative, 32), 31);
  }
  mlir::Value zeros = mlir::math::CountLeadingZerosOp::create(m.b, m.loc, magnitude);
  zeros = m.bitAnd(zeros, 63); // of zero any
  mlir::Value normal = arith::ShLIOp::create(m.b, m.loc, magnitude, zeros);
  mlir::Value lost = m.compare(Predicate::ne, m.bitAnd(normal, (uint64_t(1) << 40) - 1), 0);
  mlir::Value highest = m.bitOr(m.resize(m.shr(normal, 40), 32), m.resize(lost, 32));
  mlir::Value scaled = m.bitcast(arith::UIToFPOp::create(m.b, m.loc, m.type(m.b.getF32Type()), highest),
                                 m.b.getI32Type()); // times 2^(zeros - 40)
  mlir::Value up = arith::SubIOp::create(m.b, m.loc, m.integer(32, 40), m.resize(zeros, 32));
  mlir::Value bits = m.select(m.compare(Predicate::eq, magnitude, 0), m.integer(32, 0), m.add(scaled, m.shl(up, 23)));
  return m.bitcast(m.bitOr(bits, sign), m.b.getF32Type());
}

/// Bits of a positive float with `drop` fewer of the mantissa: to nearest, ties to even.
mlir::Value roundBits(const Elementwise &m, mlir::Value bits, unsigned drop) {
  mlir::Value odd = m.bitAnd(m.shr(bits, drop), 1);
  return m.shr(m.add(m.add(bits, m.integer(32, (uint64_t(1) << (drop - 1)) - 1)), odd), drop);
}

mlir::Value tensorFloat(const Elementwise &m, mlir::Value single) {
  mlir::Value bits = m.bitcast(single, m.b.getI32Type());
  mlir::Value rounded = m.shl(roundBits(m, bits, 13), 13);
  mlir::Value nan = m.compare(Predicate::ugt, m.bitAnd(bits, 0x7fffffff), 0x7f800000);
  return m.bitcast(m.select(nan, m.integer(32, 0x7fc00000), rounded), m.b.getF32Type());
}

mlir::Value exponentOf(const Elementwise &m, mlir::Value single, bool saturate) {
  mlir::Value bits = m.bitcast(single, m.b.getI32Type());
  mlir::Value code = roundBits(m, bits, 23);
  // Below 2^-126 the exponent field is not a logarithm: halfway up from 2^-127 is 1.5 * 2^-127.
  mlir::Value above = m.resize(m.compare(Predicate::ugt, bits, 0x00600000), 32);
  code = m.select(m.compare(Predicate::ult, bits, 0x00800000), above, code);
  if (saturate)
    code = arith::MinUIOp::create(m.b, m.loc, code, m.integer(32, 254));
  code = m.select(m.compare(Predicate::ugt, bits, 0x7f800000), m.integer(32, 255), code); // NaN and what is negative
  return m.resize(m.select(m.compare(Predicate::eq, bits, 0x80000000), m.integer(32, 0), code), 8);
}

/// One number a byte.
mlir::Value bytesFrom(const Elementwise &m, mlir::Value single, const host::NumberFormat &f, bool saturate) {
  if (f.specials == Specials::Exponent)
    return exponentOf(m, single, saturate);
  auto f32 = m.b.getF32Type();
  auto i32 = m.b.getI32Type();
  uint64_t largest = host::encode(f.number, host::largest(f.number));
  mlir::Value bits = m.bitcast(single, i32), magnitude = m.bitAnd(bits, 0x7fffffff);
  mlir::Value normal =
      m.add(roundBits(m, magnitude, 23 - f.mantissaBits), m.integer(32, -(uint64_t(127 - f.bias) << f.mantissaBits)));
  double align = std::ldexp(1.0, 1 - f.bias - int(f.mantissaBits) + 23);
  mlir::Value sum = arith::AddFOp::create(m.b, m.loc, m.bitcast(magnitude, f32), m.number(f32, align));
  mlir::Value denormal = m.add(m.bitcast(sum, i32), m.integer(32, -uint64_t(std::bit_cast<uint32_t>(float(align)))));
  mlir::Value code = m.select(m.compare(Predicate::ult, magnitude, uint64_t(128 - f.bias) << 23), denormal, normal);
  uint64_t nan = magnitudeMask(f); // of the magnitude; Ieee has several, of which this is a quiet one
  if (f.specials == Specials::Fnuz)
    nan = signBit(f);
  bool limits = saturate || f.specials == Specials::Finite;
  if (limits)
    code = arith::MinUIOp::create(m.b, m.loc, code, m.integer(32, largest));
  else
    code = m.select(m.compare(Predicate::ugt, code, largest), m.integer(32, f.hasInfinity() ? largest + 1 : nan), code);
  if (f.hasNan() && (limits || f.hasInfinity()))
    code = m.select(m.compare(Predicate::ugt, magnitude, 0x7f800000), m.integer(32, nan), code);
  mlir::Value sign = m.bitAnd(m.shr(bits, 32 - f.bits), signBit(f));
  mlir::Value whole = m.bitOr(code, sign);
  if (f.specials == Specials::Fnuz) // there is no negative zero
    whole = m.select(m.compare(Predicate::eq, code, 0), m.integer(32, 0), whole);
  return m.resize(whole, 8);
}

} // namespace

mlir::Value singleToOdd(Elaborator &e, MachineValue from, SourceRange range) {
  const auto &f = from.type.format();
  if (f.bits <= 24)
    return convert(e, Value(from), from.type.withNumber(Number::F32), range).as<MachineValue>()->value;
  Elementwise m{e.ir(range, "a conversion"), e.location(range), int64_t(from.type.lanes)};
  return f.bits == 32 ? singleFrom32(m, from.value, f.isSigned) : singleFrom64(m, from.value, f.isSigned);
}

MachineValue clampToRange(Elaborator &e, MachineValue value, Number bounds, SourceRange range) {
  Strict strict(e);
  Elementwise m{*e.kernel.builder, e.location(range), int64_t(value.type.lanes)};
  mlir::Type element = mlir::getElementTypeOrSelf(value.value.getType());
  mlir::Value low = m.number(element, host::lowest(bounds)), high = m.number(element, host::largest(bounds));
  if (e.target.has("v_maximum3_f32") && element.isF32()) // minima and maxima that keep NaN
    return {arith::MinimumFOp::create(m.b, m.loc, arith::MaximumFOp::create(m.b, m.loc, value.value, low), high),
            value.type};
  mlir::Value inside =
      arith::MinNumFOp::create(m.b, m.loc, arith::MaxNumFOp::create(m.b, m.loc, value.value, low), high);
  mlir::Value nan = arith::CmpFOp::create(m.b, m.loc, arith::CmpFPredicate::UNO, value.value, value.value);
  return {m.select(nan, value.value, inside), value.type};
}

// ---------------------------------------------------------------------------------------------------------
// Packed vectors

mlir::Value unpackElements(Elaborator &e, MachineValue vector, SourceRange range) {
  auto &b = e.ir(range, "an element of a vector");
  auto loc = e.location(range);
  unsigned bits = vector.type.format().bits;
  int64_t lanes = vector.type.lanes, bytes = lanes * bits / 8;
  auto byteOf = [&](int64_t at) {
    return mlir::vector::ExtractOp::create(b, loc, vector.value, llvm::ArrayRef<int64_t>{at}).getResult();
  };
  Elementwise m{b, loc, 0};
  llvm::SmallVector<mlir::Value> elements, parts(size_t(bytes), nullptr);
  for (int64_t i = 0; i < bytes; ++i)
    parts[size_t(i)] = byteOf(i);
  for (int64_t i = 0; i < lanes; ++i) {
    int64_t at = i * bits / 8;
    unsigned shift = unsigned(i * bits % 8);
    mlir::Value element = m.shr(parts[size_t(at)], shift);
    if (shift + bits > 8)
      element = m.bitOr(element, m.shl(parts[size_t(at) + 1], 8 - shift));
    elements.push_back(m.bitAnd(element, (uint64_t(1) << bits) - 1));
  }
  return mlir::vector::FromElementsOp::create(b, loc, mlir::VectorType::get({lanes}, b.getI8Type()), elements);
}

mlir::Value packElements(Elaborator &e, mlir::Value bytes, Type type, SourceRange range) {
  auto &b = e.ir(range, type.text());
  auto loc = e.location(range);
  unsigned bits = type.format().bits;
  int64_t lanes = type.lanes, count = lanes * bits / 8;
  Elementwise m{b, loc, 0};
  llvm::SmallVector<mlir::Value> parts(size_t(count), nullptr);
  auto put = [&](size_t at, mlir::Value part) { parts[at] = parts[at] ? m.bitOr(parts[at], part) : part; };
  for (int64_t i = 0; i < lanes; ++i) {
    mlir::Value element = mlir::vector::ExtractOp::create(b, loc, bytes, llvm::ArrayRef<int64_t>{i});
    size_t at = size_t(i * bits / 8);
    unsigned shift = unsigned(i * bits % 8);
    put(at, m.shl(element, shift));
    if (shift + bits > 8)
      put(at + 1, m.shr(element, 8 - shift));
  }
  return mlir::vector::FromElementsOp::create(b, loc, mlir::VectorType::get({count}, b.getI8Type()), parts);
}

// ---------------------------------------------------------------------------------------------------------

MachineValue fromSmall(Elaborator &e, MachineValue from, Type to, SourceRange range) {
  Strict strict(e);
  auto &b = e.ir(range, "a conversion");
  Elementwise m{b, e.location(range), int64_t(from.type.lanes)};
  const auto &f = from.type.format();
  if (f.number == Number::TF32) {
    mlir::Value bits = m.bitAnd(m.bitcast(from.value, b.getI32Type()), 0xffffe000);
    MachineValue single{m.bitcast(bits, b.getF32Type()), from.type.withNumber(Number::F32)};
    return *convert(e, Value(single), to, range).as<MachineValue>();
  }
  if (mlir::Value done = widenByInstructions(e, from, to, range))
    return {done, to};
  mlir::Value bytes = isPacked(from.type) ? unpackElements(e, from, range) : from.value;
  if (f.specials == Specials::Exponent)
    return {exactly(m, exponentToSingle(m, bytes), to.number), to};
  bool inPairs = m.lanes && m.lanes % 2 == 0 && f.bias <= 15;
  mlir::Value half = inPairs ? halvesFrom(m, bytes, f) : halfFrom(m, bytes, f);
  if (to.number == Number::F16)
    return {half, to};
  return {exactly(m, arith::ExtFOp::create(b, m.loc, m.type(b.getF32Type()), half), to.number), to};
}

MachineValue toSmall(Elaborator &e, MachineValue from, Type to, bool saturate, SourceRange range) {
  Strict strict(e);
  auto &b = e.ir(range, "a conversion");
  Elementwise m{b, e.location(range), int64_t(from.type.lanes)};
  if (mlir::Value done = narrowByInstructions(e, from, to, saturate, range))
    return {done, to};
  mlir::Value single = singleFrom(m, from);
  if (to.number == Number::TF32) {
    MachineValue value{single, to.withNumber(Number::F32)};
    return {tensorFloat(m, saturate ? clampToRange(e, value, Number::TF32, range).value : single), to};
  }
  mlir::Value bytes = bytesFrom(m, single, to.format(), saturate);
  return {isPacked(to) ? packElements(e, bytes, to, range) : bytes, to};
}

} // namespace fly::sema
