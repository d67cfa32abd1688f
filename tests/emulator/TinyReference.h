// What the formats below 16 bits mean, written down from their definitions and used by the tests as the other opinion:
// values as exact long doubles, rounding by search and by integer division.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace fly::emulator::test {

/// The value of a magnitude code by the textbook: m * 2^(e - bias - mantissa bits), without regard to special codes.
inline long double valueOf(unsigned code, unsigned mantissaBits, int bias) {
  int e = int(code >> mantissaBits);
  long double m = code & ((1u << mantissaBits) - 1);
  if (e) m += 1u << mantissaBits;
  else e = 1;
  return std::ldexp(m, e - bias - int(mantissaBits));
}

struct Expectation {
  const char *name;
  unsigned mantissaBits;
  int bias;
  unsigned finiteCodes; ///< magnitudes 0 .. finiteCodes - 1 are numbers
  long double largest, smallest;
  unsigned overflow; ///< code of a positive value too large, not saturating
  unsigned nan;      ///< code of a positive NaN
  bool negativeZero;
  unsigned signBit; ///< 0: unsigned
};

/// Magnitude code of the nearest value of the unbounded grid; codes beyond the finite ones mean overflow.
inline unsigned nearest(const Expectation &x, long double v) {
  unsigned low = 0, high = x.finiteCodes + 1;
  while (high - low > 1) {
    unsigned middle = (low + high) / 2;
    (valueOf(middle, x.mantissaBits, x.bias) <= v ? low : high) = middle;
  }
  long double below = v - valueOf(low, x.mantissaBits, x.bias), above = valueOf(low + 1, x.mantissaBits, x.bias) - v;
  return below < above ? low : above < below ? low + 1 : low + (low & 1);
}

// name, mantissa, bias, finite codes, largest, smallest, overflow, NaN, has a negative zero
inline constexpr Expectation fp8Is{"fp8", 3, 7, 0x7f, 448, 0x1p-9L, 0x7f, 0x7f, true, 0x80};
inline constexpr Expectation bf8Is{"bf8", 2, 15, 0x7c, 57344, 0x1p-16L, 0x7c, 0x7e, true, 0x80};
inline constexpr Expectation fp8FnuzIs{"fp8 fnuz", 3, 8, 0x80, 240, 0x1p-10L, 0x80, 0x80, false, 0x80};
inline constexpr Expectation bf8FnuzIs{"bf8 fnuz", 2, 16, 0x80, 57344, 0x1p-17L, 0x80, 0x80, false, 0x80};
inline constexpr Expectation fp6Is{"fp6", 3, 1, 0x20, 7.5L, 0.125L, 0x1f, 0x1f, true, 0x20};
inline constexpr Expectation bf6Is{"bf6", 2, 3, 0x20, 28, 0.0625L, 0x1f, 0x1f, true, 0x20};
inline constexpr Expectation fp4Is{"fp4", 1, 1, 8, 6, 0.5L, 7, 7, true, 8};
inline constexpr Expectation ufp8Is{"ufp8", 3, 15, 0xff, 114688, 0x1p-17L, 0xfe, 0xff, true, 0};
inline constexpr Expectation halfIs{"f16", 10, 15, 0x7c00, 65504, 0x1p-24L, 0x7c00, 0x7e00, true, 0x8000};
inline constexpr Expectation bfloatIs{"bf16", 7, 127, 0x7f80, 0x1.fep127L, 0x1p-133L, 0x7f80, 0x7fc0, true, 0x8000};

/// The code of a value in nearest-even rounding; `nan` codes get the sign too where the format has one.
inline unsigned encodeReference(const Expectation &x, long double v, bool saturate) {
  const bool fnuz = !x.negativeZero, negative = std::signbit(v) && x.signBit;
  const unsigned sign = negative ? x.signBit : 0;
  if (std::isnan(v)) return fnuz ? x.nan : sign | x.nan;
  if (!x.signBit && v < 0) return 0;
  const bool hasNan = x.nan >= x.finiteCodes;
  unsigned code = std::isinf(v) ? x.finiteCodes : nearest(x, std::fabs(v));
  if (code < x.finiteCodes) return code == 0 && fnuz ? 0 : sign | code;
  if (!hasNan || (saturate && !std::isinf(v))) return sign | (x.finiteCodes - 1);
  return fnuz ? x.overflow : sign | x.overflow;
}
/// Stochastic: `sourceBits` mantissa bits are visible below the leading one (or below where the smallest normal number
/// has its leading one), the top of `random` is added to those that are dropped.
inline unsigned encodeStochasticReference(const Expectation &x, long double v, unsigned sourceBits, uint32_t random,
                                          bool saturate) {
  if (!std::isfinite(v) || v == 0 || (!x.signBit && v < 0)) return encodeReference(x, v, saturate);
  const unsigned dropped = sourceBits - x.mantissaBits;
  int exponent = std::max(std::ilogb(v), 1 - x.bias);
  long double lastVisible = std::ldexp(1.0L, exponent - int(sourceBits));
  long double units = std::floor(std::fabs(v) / lastVisible) + (random >> (32 - dropped));
  long double kept = std::floor(std::ldexp(units, -int(dropped))) * std::ldexp(1.0L, exponent - int(x.mantissaBits));
  return encodeReference(x, std::copysign(kept, v), saturate); // exact: kept is on the grid, or beyond it
}
/// The value of a code, NaN with the code's sign.
inline long double decodeReference(const Expectation &x, unsigned code) {
  const unsigned magnitude = x.signBit ? code & (x.signBit - 1) : code;
  const bool negative = code & x.signBit;
  long double v;
  if (!x.negativeZero && negative && magnitude == 0) return NAN;
  if (magnitude < x.finiteCodes) v = valueOf(magnitude, x.mantissaBits, x.bias);
  else
    v = x.overflow == x.finiteCodes && x.overflow != x.nan && magnitude == x.finiteCodes ? (long double)HUGE_VAL
                                                                                         : (long double)NAN;
  return negative ? -v : v;
}

} // namespace fly::emulator::test
