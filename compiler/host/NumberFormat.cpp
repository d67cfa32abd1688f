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
    {Number::TF32, "tf32", NumberClass::Float, true, 32, 8, 10, 127, Specials::Ieee, 0x7FA5A5A5, 13},
    // OCP 8-bit Floating Point Specification 1.0, tables 1 and 2; FNUZ: CDNA 3 ISA, "FP8 and BF8".
    {Number::F8E4M3FN, "f8E4M3FN", NumberClass::Float, true, 8, 4, 3, 7, Specials::Fn, 0xA5},
    {Number::F8E4M3FNUZ, "f8E4M3FNUZ", NumberClass::Float, true, 8, 4, 3, 8, Specials::Fnuz, 0xA5},
    {Number::F8E5M2, "f8E5M2", NumberClass::Float, true, 8, 5, 2, 15, Specials::Ieee, 0xA5},
    {Number::F8E5M2FNUZ, "f8E5M2FNUZ", NumberClass::Float, true, 8, 5, 2, 16, Specials::Fnuz, 0xA5},
    // OCP Microscaling Formats Specification 1.0, section 5.
    {Number::F6E2M3, "f6E2M3", NumberClass::Float, true, 6, 2, 3, 1, Specials::Finite, 0x25},
    {Number::F6E3M2, "f6E3M2", NumberClass::Float, true, 6, 3, 2, 3, Specials::Finite, 0x25},
    {Number::F4E2M1, "f4E2M1", NumberClass::Float, true, 4, 2, 1, 1, Specials::Finite, 0x5},
    {Number::E8M0, "e8m0", NumberClass::Float, false, 8, 8, 0, 127, Specials::Exponent, 0xA5},
    {Number::I4, "i4", NumberClass::Int, true, 4, 0, 0, 0, Specials::None, 0x5},
    {Number::U4, "u4", NumberClass::Int, false, 4, 0, 0, 0, Specials::None, 0x5},
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
/// Bits that hold the value; a format with unused ones has them below.
static unsigned width(const NumberFormat &f) { return f.bits - f.unused; }
static uint64_t signBit(const NumberFormat &f) { return f.isSigned ? uint64_t(1) << (width(f) - 1) : 0; }
static uint64_t exponentMask(const NumberFormat &f) { return lowMask(f.exponentBits) << f.mantissaBits; }
static uint64_t magnitudeMask(const NumberFormat &f) { return lowMask(f.exponentBits + f.mantissaBits); }
/// The largest finite magnitude.
static uint64_t largestCode(const NumberFormat &f) {
  switch (f.specials) {
  case Specials::Ieee: return exponentMask(f) - 1;
  case Specials::Fn:
  case Specials::Exponent: return magnitudeMask(f) - 1;
  default: return magnitudeMask(f);
  }
}
static uint64_t quietNan(const NumberFormat &f) {
  switch (f.specials) {
  case Specials::Ieee: return exponentMask(f) | (uint64_t(1) << (f.mantissaBits - 1));
  case Specials::Fnuz: return signBit(f);
  default: return magnitudeMask(f); // Finite: its largest number
  }
}
static bool isNan(const NumberFormat &f, uint64_t bits) {
  uint64_t magnitude = bits & magnitudeMask(f);
  switch (f.specials) {
  case Specials::Ieee: return magnitude > exponentMask(f);
  case Specials::Fnuz: return bits == signBit(f);
  case Specials::Finite: return false;
  default: return magnitude == magnitudeMask(f);
  }
}
/// The exponent of the smallest normal number; for e8m0, which has only normal numbers, the smallest.
static int leastExponent(const NumberFormat &f) { return (f.specials == Specials::Exponent ? 0 : 1) - f.bias; }
static int largestExponent(const NumberFormat &f) { return int(largestCode(f) >> f.mantissaBits) - f.bias; }

/// 2^(code - bias): rounds to the nearest power, ties to the even code.
static uint64_t encodeExponent(const NumberFormat &f, double value, bool saturate) {
  if (std::isnan(value) || value < 0)
    return quietNan(f);
  int most = largestExponent(f), exponent = std::isinf(value) ? most + 1 : value == 0 ? -f.bias : std::ilogb(value);
  if (exponent < -f.bias)
    return 0;
  double rest = std::isinf(value) ? 1 : value == 0 ? 0 : std::ldexp(value, -exponent); // from 1 to 2
  exponent += rest > 1.5 || (rest == 1.5 && ((exponent + f.bias) & 1));
  if (exponent > most)
    return saturate ? largestCode(f) : quietNan(f);
  return uint64_t(exponent + f.bias);
}

static uint64_t encodeFloat(const NumberFormat &f, double value, bool saturate) {
  if (f.specials == Specials::Exponent)
    return encodeExponent(f, value, saturate);
  uint64_t sign = std::signbit(value) ? signBit(f) : 0;
  auto done = [&](uint64_t bits) { return bits << f.unused; };
  auto overflow = [&] {
    if (saturate || f.specials == Specials::Finite)
      return done(sign | largestCode(f));
    return done(f.hasInfinity()                ? sign | exponentMask(f)
                : f.specials == Specials::Fnuz ? quietNan(f)
                                               : sign | quietNan(f));
  };
  if (std::isnan(value))
    return done(f.hasNan() ? quietNan(f) : sign | quietNan(f));
  if (std::isinf(value))
    return overflow();
  auto small = [&](uint64_t kept) { return done(kept || f.specials != Specials::Fnuz ? sign | kept : 0); };
  if (value == 0)
    return small(0);

  // |value| = significand * 2^(exponent - 52), significand in [2^52, 2^53)
  uint64_t raw = std::bit_cast<uint64_t>(value);
  int exponent = int((raw >> 52) & 0x7ff) - 1023;
  uint64_t significand = (raw & lowMask(52)) | (uint64_t(1) << 52);
  if (exponent == -1023) { // a denormal double has no implicit leading 1
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
    return small(kept);
  if (exponent > largestExponent(f))
    return overflow();
  uint64_t bits = (uint64_t(exponent + f.bias) << f.mantissaBits) + (kept - (uint64_t(1) << f.mantissaBits));
  return bits > largestCode(f) ? overflow() : done(sign | bits);
}

static double decodeFloat(const NumberFormat &f, uint64_t bits) {
  bits = (bits & lowMask(f.bits)) >> f.unused;
  bool negative = bits & signBit(f);
  if (isNan(f, bits)) {
    double nan = std::numeric_limits<double>::quiet_NaN();
    return negative && f.specials != Specials::Fnuz ? -nan : nan;
  }
  uint64_t exponent = (bits & exponentMask(f)) >> f.mantissaBits;
  uint64_t mantissa = bits & lowMask(f.mantissaBits);
  double magnitude;
  if (f.hasInfinity() && exponent == lowMask(f.exponentBits))
    magnitude = std::numeric_limits<double>::infinity();
  else if (f.specials == Specials::Exponent)
    magnitude = std::ldexp(1.0, int(exponent) - f.bias);
  else if (exponent == 0)
    magnitude = std::ldexp(double(mantissa), leastExponent(f) - int(f.mantissaBits));
  else
    magnitude =
        std::bit_cast<double>(((exponent + 1023 - uint64_t(f.bias)) << 52) | (mantissa << (52 - f.mantissaBits)));
  return negative ? -magnitude : magnitude;
}

uint64_t encode(Number number, double value, bool saturate) {
  const NumberFormat &f = format(number);
  if (f.isFloat())
    return encodeFloat(f, value, saturate);
  return uint64_t(truncate(number, value)) & lowMask(f.bits);
}

double decode(Number number, uint64_t bits) {
  const NumberFormat &f = format(number);
  return f.isFloat() ? decodeFloat(f, bits) : double(decodeInteger(number, bits));
}

uint64_t encodeInteger(Number number, Int value, bool saturate) {
  const NumberFormat &f = format(number);
  if (number == Number::F64)
    return encodeFloat(f, double(value), saturate);
  if (f.isFloat())
    return encodeFloat(f, toDoubleOdd(value), saturate);
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
    double rounded = decodeFloat(f, encodeInteger(number, value, false));
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
  return f.isFloat() ? decodeFloat(f, largestCode(f) << f.unused) : double(largestInteger(number));
}
double lowest(Number number) {
  const NumberFormat &f = format(number);
  return !f.isFloat() ? double(lowestInteger(number)) : f.isSigned ? -largest(number) : decodeFloat(f, 0);
}
double smallestNormal(Number number) {
  const NumberFormat &f = format(number);
  return f.isFloat() ? std::ldexp(1.0, leastExponent(f)) : 1;
}
double smallestDenormal(Number number) {
  const NumberFormat &f = format(number);
  return f.isFloat() ? std::ldexp(1.0, leastExponent(f) - int(f.mantissaBits)) : 1;
}
bool holds(Number wide, Number narrow) {
  const NumberFormat &to = format(wide), &from = format(narrow);
  return to.hasInfinity() && from.isFloat() && to.mantissaBits >= from.mantissaBits &&
         largest(wide) >= largest(narrow) && smallestDenormal(wide) <= smallestDenormal(narrow);
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
  uint64_t sign = signBit(f);
  uint64_t bits = encodeFloat(f, value, false) >> f.unused;
  auto held = [&](uint64_t code) { return decodeFloat(f, code << f.unused); };
  if (value == 0)
    return held(sign | 1);
  bool negative = bits & sign;
  if (f.specials == Specials::Exponent
          ? bits == 0
          : negative && (bits ^ sign) >= (f.hasInfinity() ? exponentMask(f) : largestCode(f)))
    return value;
  return held(negative ? bits + 1 : bits - 1);
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
