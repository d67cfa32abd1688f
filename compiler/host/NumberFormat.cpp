// Number formats: the table, and encode/decode on the format's bits.
//
// Rounding is done once, on the 53-bit significand of the double: the bits below the format's last place are
// dropped, and the kept part goes up by one if what was dropped is more than half, or half and the kept part
// odd. A denormal is the same with more bits dropped. A carry out of the significand runs into the exponent
// and makes the right number by itself, also from the largest denormal to the least normal and from the
// largest finite value to infinity, because the exponent lies directly above the mantissa:
//
//     f16  1.1111111111|1 x 2^15   kept 0x7bff, tie, odd: +1  ->  0x7c00, infinity
//
// From an integer, a detour over double would round twice. `toDoubleOdd` keeps a trace of every lost bit in
// the last place of the double instead, which no format of at most 51 mantissa bits can mistake for a tie.
#include "compiler/host/NumberFormat.h"

#include <bit>
#include <cmath>
#include <limits>

namespace fly::host {

static constexpr NumberFormat table[] = {
    // number        name    class               signed bits exp man bias  specials        poison
    {Number::Bool, "bool", NumberClass::Bool, false, 8, 0, 0, 0, Specials::None, 0xA5},
    {Number::I8, "i8", NumberClass::Int, true, 8, 0, 0, 0, Specials::None, 0xA5},
    {Number::I16, "i16", NumberClass::Int, true, 16, 0, 0, 0, Specials::None, 0xA5A5},
    {Number::I32, "i32", NumberClass::Int, true, 32, 0, 0, 0, Specials::None, 0xA5A5A5A5},
    {Number::I64, "i64", NumberClass::Int, true, 64, 0, 0, 0, Specials::None, 0xA5A5A5A5A5A5A5A5},
    {Number::U8, "u8", NumberClass::Int, false, 8, 0, 0, 0, Specials::None, 0xA5},
    {Number::U16, "u16", NumberClass::Int, false, 16, 0, 0, 0, Specials::None, 0xA5A5},
    {Number::U32, "u32", NumberClass::Int, false, 32, 0, 0, 0, Specials::None, 0xA5A5A5A5},
    {Number::U64, "u64", NumberClass::Int, false, 64, 0, 0, 0, Specials::None, 0xA5A5A5A5A5A5A5A5},
    {Number::F16, "f16", NumberClass::Float, true, 16, 5, 10, 15, Specials::Ieee, 0x7DA5},
    {Number::BF16, "bf16", NumberClass::Float, true, 16, 8, 7, 127, Specials::Ieee, 0x7FA5},
    {Number::F32, "f32", NumberClass::Float, true, 32, 8, 23, 127, Specials::Ieee, 0x7FA5A5A5},
    {Number::F64, "f64", NumberClass::Float, true, 64, 11, 52, 1023, Specials::Ieee, 0x7FF5A5A5A5A5A5A5},
};

const NumberFormat &format(Number number) { return table[size_t(number)]; }
llvm::ArrayRef<NumberFormat> allFormats() { return table; }

std::optional<Number> numberByName(llvm::StringRef name) {
  if (name == "i1")
    return Number::Bool;
  for (const NumberFormat &row : table)
    if (name == row.name)
      return row.number;
  return std::nullopt;
}

// --- Bit fields of a float format ---

static uint64_t lowMask(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
static uint64_t exponentMask(const NumberFormat &f) { return lowMask(f.exponentBits) << f.mantissaBits; }
static uint64_t quietNan(const NumberFormat &f) {
  return exponentMask(f) | (uint64_t(1) << (f.mantissaBits - 1));
}
/// Exponents of the least and the largest normal.
static int leastExponent(const NumberFormat &f) { return 1 - f.bias; }
static int largestExponent(const NumberFormat &f) { return int(lowMask(f.exponentBits)) - 1 - f.bias; }

static uint64_t encodeFloat(const NumberFormat &f, double value) {
  uint64_t sign = std::signbit(value) ? uint64_t(1) << (f.bits - 1) : 0;
  if (std::isnan(value))
    return quietNan(f);
  if (std::isinf(value))
    return sign | exponentMask(f);
  if (value == 0)
    return sign;

  // |value| = significand * 2^(exponent - 52), significand in [2^52, 2^53)
  uint64_t raw = std::bit_cast<uint64_t>(value);
  int exponent = int((raw >> 52) & 0x7ff) - 1023;
  uint64_t significand = (raw & lowMask(52)) | (uint64_t(1) << 52);
  if (exponent == -1023) { // a denormal double has no implicit one
    significand = raw & lowMask(52);
    int shift = std::countl_zero(significand) - 11;
    significand <<= shift;
    exponent = -1022 - shift;
  }

  bool denormal = exponent < leastExponent(f);
  int drop = 52 - int(f.mantissaBits) + (denormal ? leastExponent(f) - exponent : 0);
  if (drop > 54)
    drop = 54; // everything is below half of the least denormal
  uint64_t kept = significand >> drop;
  if (drop > 0) {
    uint64_t rest = significand & lowMask(unsigned(drop)), half = uint64_t(1) << (drop - 1);
    if (rest > half || (rest == half && (kept & 1)))
      ++kept;
  }
  if (denormal)
    return sign | kept;
  if (exponent > largestExponent(f))
    return sign | exponentMask(f);
  uint64_t bits = (uint64_t(exponent + f.bias) << f.mantissaBits) + (kept - (uint64_t(1) << f.mantissaBits));
  return sign | bits; // a carry past the largest finite value is the infinity
}

static double decodeFloat(const NumberFormat &f, uint64_t bits) {
  bool negative = (bits >> (f.bits - 1)) & 1;
  uint64_t exponent = (bits & exponentMask(f)) >> f.mantissaBits;
  uint64_t mantissa = bits & lowMask(f.mantissaBits);
  double magnitude;
  if (exponent == lowMask(f.exponentBits))
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(double(mantissa), leastExponent(f) - int(f.mantissaBits));
  else
    magnitude = std::bit_cast<double>(((exponent + 1023 - uint64_t(f.bias)) << 52) | (mantissa << (52 - f.mantissaBits)));
  return negative ? -magnitude : magnitude;
}

uint64_t encode(Number number, double value) {
  const NumberFormat &f = format(number);
  if (f.isFloat())
    return encodeFloat(f, value);
  return uint64_t(truncate(number, value)) & lowMask(f.bits);
}

double decode(Number number, uint64_t bits) {
  const NumberFormat &f = format(number);
  return f.isFloat() ? decodeFloat(f, bits) : double(decodeInteger(number, bits));
}

uint64_t encodeInteger(Number number, Int value) {
  const NumberFormat &f = format(number);
  if (number == Number::F64)
    return encodeFloat(f, double(value));
  if (f.isFloat())
    return encodeFloat(f, toDoubleOdd(value));
  return uint64_t(wrap(number, value)) & lowMask(f.bits);
}

Int decodeInteger(Number number, uint64_t bits) {
  const NumberFormat &f = format(number);
  if (f.isFloat())
    return truncate(Number::I64, decodeFloat(f, bits));
  return wrap(number, Int(bits & lowMask(f.bits)));
}

Int wrap(Number number, Int value) {
  const NumberFormat &f = format(number);
  if (!f.isInteger())
    return value != 0;
  uint64_t low = uint64_t(value) & lowMask(f.bits);
  if (f.isSigned && (low >> (f.bits - 1)))
    return Int(low) - (Int(1) << f.bits);
  return Int(low);
}

Int truncate(Number number, double value) {
  const NumberFormat &f = format(number);
  if (!f.isInteger())
    return value != 0;
  if (std::isnan(value))
    return 0;
  if (value >= std::ldexp(1.0, int(f.bits) - int(f.isSigned)))
    return largestInteger(number);
  if (value <= double(lowestInteger(number)))
    return lowestInteger(number);
  return Int(std::trunc(value));
}

double roundTo(Number number, double value) { return decode(number, encode(number, value)); }

bool representable(Number number, Int value) {
  const NumberFormat &f = format(number);
  if (f.isFloat()) {
    double rounded = decodeFloat(f, encodeInteger(number, value));
    // Past 2^126 the conversion back to Int could overflow, and no format of ours is exact there by accident.
    return std::fabs(rounded) < 0x1p126 && Int(rounded) == value;
  }
  return value >= lowestInteger(number) && value <= largestInteger(number);
}

double toDoubleOdd(Int value) {
  using Unsigned = unsigned __int128;
  Unsigned magnitude = value < 0 ? -Unsigned(value) : Unsigned(value);
  unsigned width = 0;
  for (Unsigned rest = magnitude; rest; rest >>= 1)
    ++width;
  double result;
  if (width <= 53) {
    result = double(uint64_t(magnitude));
  } else {
    unsigned drop = width - 53;
    uint64_t kept = uint64_t(magnitude >> drop);
    if (magnitude & ((Unsigned(1) << drop) - 1))
      kept |= 1;
    result = std::ldexp(double(kept), int(drop));
  }
  return value < 0 ? -result : result;
}

// --- Limits ---

double ulp(Number number) {
  const NumberFormat &f = format(number);
  return f.isFloat() ? std::ldexp(1.0, -int(f.mantissaBits)) : 0;
}
double largest(Number number) {
  const NumberFormat &f = format(number);
  return f.isFloat() ? decodeFloat(f, exponentMask(f) - 1) : double(largestInteger(number));
}
double lowest(Number number) {
  return format(number).isFloat() ? -largest(number) : double(lowestInteger(number));
}
double smallestNormal(Number number) {
  const NumberFormat &f = format(number);
  return f.isFloat() ? std::ldexp(1.0, leastExponent(f)) : 1;
}
double smallestDenormal(Number number) {
  const NumberFormat &f = format(number);
  return f.isFloat() ? std::ldexp(1.0, leastExponent(f) - int(f.mantissaBits)) : 1;
}
Int largestInteger(Number number) {
  const NumberFormat &f = format(number);
  if (!f.isInteger())
    return 1;
  return (Int(1) << (f.bits - f.isSigned)) - 1;
}
Int lowestInteger(Number number) {
  const NumberFormat &f = format(number);
  return f.isInteger() && f.isSigned ? -(Int(1) << (f.bits - 1)) : 0;
}

double nextBelow(Number number, double value) {
  const NumberFormat &f = format(number);
  if (!f.isFloat() || std::isnan(value))
    return value;
  uint64_t sign = uint64_t(1) << (f.bits - 1);
  uint64_t bits = encodeFloat(f, value);
  if (value == 0)
    return decodeFloat(f, sign | 1);
  if (bits == (sign | exponentMask(f)))
    return value;
  return decodeFloat(f, (bits & sign) ? bits + 1 : bits - 1);
}

double ulpDistance(Number number, double got, double expected) {
  const NumberFormat &f = format(number);
  if (got == expected || (std::isnan(got) && std::isnan(expected)))
    return 0;
  if (!std::isfinite(got) || !std::isfinite(expected))
    return std::numeric_limits<double>::infinity();
  if (!f.isFloat())
    return std::fabs(got - expected);
  int exponent = expected == 0 ? leastExponent(f) : std::ilogb(expected);
  exponent = std::min(std::max(exponent, leastExponent(f)), largestExponent(f));
  return std::ldexp(std::fabs(got - expected), int(f.mantissaBits) - exponent);
}

} // namespace fly::host
