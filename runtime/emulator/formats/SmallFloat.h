// Conversions between float, double and the 16-bit formats, written so that clang vectorises them in lane loops.
//
// The host may have no f16 instructions, and rounding twice is wrong. So a double is converted to f16 through a float
// that is rounded *to odd*: its last bit records that something was lost, so the second rounding decides as if it saw
// the exact value:
//
//     1 + 2^-11 + 2^-40  --nearest float-->  1 + 2^-11  --nearest f16-->  1          (wrong: a tie that is none)
//                        --odd float-->      1 + 2^-11 + 2^-23 --nearest f16-->  1 + 2^-10
//
// Everything here rounds to nearest, ties to even; the `...Mode` functions take the MODE register's two rounding
// bits (0 nearest even, 1 towards +infinity, 2 towards -infinity, 3 towards zero).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace fly::emulator {

inline uint32_t bitsOf(float f) { return std::bit_cast<uint32_t>(f); }
inline float floatOf(uint32_t u) { return std::bit_cast<float>(u); }
inline uint64_t bitsOf(double f) { return std::bit_cast<uint64_t>(f); }
inline double doubleOf(uint64_t u) { return std::bit_cast<double>(u); }

/// Exact; a signalling NaN stays signalling (its payload moves up).
inline float halfToFloat(uint32_t h) {
  uint32_t magnitude = (h & 0x7fffu) << 13;
  uint32_t sign = (h & 0x8000u) << 16;
  // Denormals: the mantissa as an integer times 2^-24. Normals: rebias the exponent by 112.
  uint32_t denormal = bitsOf(static_cast<float>(static_cast<int32_t>(h & 0x3ffu)) * 0x1p-24f);
  uint32_t normal = magnitude + (112u << 23);
  uint32_t special = magnitude | 0x7f800000u;
  uint32_t exponent = h & 0x7c00u;
  uint32_t r = exponent == 0 ? denormal : exponent == 0x7c00u ? special : normal;
  return floatOf(r | sign);
}

/// float to f16, nearest even; NaN becomes quiet and keeps the high payload bits.
inline uint32_t floatToHalf(float f) {
  uint32_t u = bitsOf(f);
  uint32_t sign = (u >> 16) & 0x8000u;
  uint32_t a = u & 0x7fffffffu;
  // Denormal results: adding 0.5 aligns the mantissa so that the host rounds at the f16 denormal's last bit.
  uint32_t denormal = bitsOf(floatOf(a) + 0.5f) - 0x3f000000u;
  uint32_t odd = (a >> 13) & 1u;
  uint32_t normal = (a - (112u << 23) + 0xfffu + odd) >> 13;
  uint32_t nan = 0x7e00u | ((a >> 13) & 0x3ffu);
  uint32_t r = a < 0x38800000u ? denormal : normal;
  r = a >= 0x477ff000u ? 0x7c00u : r;
  r = a > 0x7f800000u ? nan : r;
  return r | sign;
}

/// double to float, to odd: exact results stay, others get the neighbour whose last bit is 1.
inline float doubleToFloatOdd(double d) {
  float f = static_cast<float>(d);
  double back = static_cast<double>(f);
  uint32_t u = bitsOf(f);
  bool inexact = back != d && d == d && std::fabs(d) != HUGE_VAL;
  bool tooLarge = std::fabs(back) > std::fabs(d);
  uint32_t truncated = u - (tooLarge ? 1u : 0u);
  return inexact ? floatOf(truncated | 1u) : f;
}
inline uint32_t doubleToHalf(double d) { return floatToHalf(doubleToFloatOdd(d)); }

inline float bfloatToFloat(uint32_t b) { return floatOf(b << 16); }
inline uint32_t floatToBfloat(float f) {
  uint32_t u = bitsOf(f);
  uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  uint32_t nan = (u >> 16) | 0x40u;
  return (u & 0x7fffffffu) > 0x7f800000u ? nan : rounded;
}
inline uint32_t doubleToBfloat(double d) { return floatToBfloat(doubleToFloatOdd(d)); }

/// a*b+c for factors whose product is exact in double (f16, bf16), the sum rounded to odd.
inline double fusedOdd(double a, double b, double c) {
  double p = a * b;
  double s = p + c;
  double bb = s - p;
  double error = (p - (s - bb)) + (c - bb); // two-sum: s + error == p + c exactly
  uint64_t u = bitsOf(s);
  bool inexact = error != 0.0 && s - s == 0.0;
  bool awayFromZero = (error < 0.0) != (s < 0.0); // the exact sum is nearer to zero than s
  uint64_t truncated = u - ((inexact && awayFromZero) ? 1u : 0u);
  return inexact ? doubleOf(truncated | 1u) : s;
}

/// Rounding in any mode to a format of `mantissaBits` explicit mantissa bits and `exponentBits`; for the paths that
/// are not nearest-even. Overflow obeys the mode (towards zero saturates).
inline uint32_t doubleToSmallMode(double d, unsigned mantissaBits, unsigned exponentBits, unsigned mode) {
  uint64_t u = bitsOf(d);
  uint32_t sign = static_cast<uint32_t>(u >> 63) << (mantissaBits + exponentBits);
  uint32_t infinity = ((1u << exponentBits) - 1u) << mantissaBits;
  if (d != d)
    return sign | infinity | (1u << (mantissaBits - 1)) |
           static_cast<uint32_t>((u & 0xfffffffffffffull) >> (52 - mantissaBits));
  double magnitude = std::fabs(d);
  if (magnitude == HUGE_VAL) return sign | infinity;
  if (magnitude == 0) return sign;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent;
  std::frexp(magnitude, &exponent); // magnitude = m * 2^exponent, 0.5 <= m < 1
  int unit = std::max(exponent - 1, 1 - bias) - static_cast<int>(mantissaBits); // weight of the last bit
  double scaled = std::ldexp(magnitude, -unit);                                 // exact, below 2^53
  double down = std::floor(scaled);
  double rest = scaled - down;
  bool up = false;
  switch (mode) {
  case 0: up = rest > 0.5 || (rest == 0.5 && std::fmod(down, 2.0) != 0); break;
  case 1: up = rest > 0 && !sign; break;
  case 2: up = rest > 0 && sign; break;
  default: break;
  }
  double q = down + (up ? 1 : 0);
  uint64_t whole = static_cast<uint64_t>(q);
  int biased = unit + static_cast<int>(mantissaBits) + bias; // exponent field if the leading bit is set
  uint64_t bits = whole < (1ull << mantissaBits) ? whole : whole + (static_cast<uint64_t>(biased - 1) << mantissaBits);
  if (bits >= infinity) {
    bool saturate = mode == 3 || (mode == 1 && sign) || (mode == 2 && !sign);
    return sign | (saturate ? infinity - 1 : infinity);
  }
  return sign | static_cast<uint32_t>(bits);
}
inline uint32_t doubleToHalfMode(double d, unsigned mode) { return doubleToSmallMode(d, 10, 5, mode); }
inline uint32_t doubleToBfloatMode(double d, unsigned mode) { return doubleToSmallMode(d, 7, 8, mode); }

inline bool isDenormal(float f) {
  uint32_t a = bitsOf(f) & 0x7fffffffu;
  return a != 0 && a < 0x00800000u;
}
inline bool isDenormal(double f) {
  uint64_t a = bitsOf(f) & ~(1ull << 63);
  return a != 0 && a < (1ull << 52);
}
inline float flushed(float f) { return (bitsOf(f) & 0x7f800000u) == 0 ? floatOf(bitsOf(f) & 0x80000000u) : f; }
inline double flushed(double f) {
  return (bitsOf(f) & 0x7ff0000000000000ull) == 0 ? doubleOf(bitsOf(f) & (1ull << 63)) : f;
}
inline float quiet(float f) { return floatOf(bitsOf(f) | 0x00400000u); }
inline double quiet(double f) { return doubleOf(bitsOf(f) | (1ull << 51)); }

/// The NaN rule of the vector unit: the first NaN operand, quieted; a NaN made from numbers is positive and quiet.
template <class F> inline F defaultNan();
template <> inline float defaultNan<float>() { return floatOf(0x7fc00000u); }
template <> inline double defaultNan<double>() { return doubleOf(0x7ff8000000000000ull); }
template <class F> inline F settle(F r, F a) { return r == r ? r : a != a ? quiet(a) : defaultNan<F>(); }
template <class F> inline F settle(F r, F a, F b) {
  return r == r ? r : a != a ? quiet(a) : b != b ? quiet(b) : defaultNan<F>();
}
template <class F> inline F settle(F r, F a, F b, F c) {
  return r == r ? r : a != a ? quiet(a) : b != b ? quiet(b) : c != c ? quiet(c) : defaultNan<F>();
}

} // namespace fly::emulator
