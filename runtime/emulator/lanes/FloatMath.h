// Float semantics shared by the f32, f64 and f16 tables: minimum and maximum, division helpers, approximations.
#pragma once

#include "runtime/emulator/lanes/Lanes.h"

namespace fly::emulator {

template <class F> struct FloatBits;
template <> struct FloatBits<float> {
  using U = uint32_t;
  static constexpr unsigned mantissa = 23, exponentMask = 255, bias = 127;
  static constexpr U quietBit = 0x00400000u, sign = 0x80000000u;
};
template <> struct FloatBits<double> {
  using U = uint64_t;
  static constexpr unsigned mantissa = 52, exponentMask = 2047, bias = 1023;
  static constexpr U quietBit = 1ull << 51, sign = 1ull << 63;
};
template <class F> inline bool isNan(F v) { return v != v; }
template <class F> inline bool isSignalling(F v) { return v != v && !(bitsOf(v) & FloatBits<F>::quietBit); }
template <class F> inline bool isNegative(F v) { return bitsOf(v) & FloatBits<F>::sign; }
template <class F> inline int exponentField(F v) {
  return static_cast<int>(bitsOf(v) >> FloatBits<F>::mantissa & FloatBits<F>::exponentMask);
}

/// minNum: a NaN loses against a number. With MODE.ieee a signalling NaN makes the result that NaN, quieted. Of two
/// NaNs gfx12 gives the first, quieted, gfx9 the second (AMD's pseudocode of v_min_num_f32, v_min_f32). -0 is less than
/// +0.
template <class F> inline F minimumNumber(const Mode &mode, F a, F b) {
  F r = a < b ? a : b < a ? b : isNegative(a) ? a : b;
  r = b != b ? a : r;
  r = a != a ? b : r;
  r = mode.firstNan && a != a && b != b ? quiet(a) : r;
  r = mode.ieee && isSignalling(b) ? quiet(b) : r;
  return mode.ieee && isSignalling(a) ? quiet(a) : r;
}
template <class F> inline F maximumNumber(const Mode &mode, F a, F b) {
  F r = a > b ? a : b > a ? b : isNegative(a) ? b : a;
  r = b != b ? a : r;
  r = a != a ? b : r;
  r = mode.firstNan && a != a && b != b ? quiet(a) : r;
  r = mode.ieee && isSignalling(b) ? quiet(b) : r;
  return mode.ieee && isSignalling(a) ? quiet(a) : r;
}
/// IEEE 754-2019 minimum, maximum: NaN wins.
template <class F> inline F minimumNan(F a, F b) {
  F r = a < b ? a : b < a ? b : isNegative(a) ? a : b;
  r = b != b ? quiet(b) : r;
  return a != a && (isSignalling(a) || !isSignalling(b)) ? quiet(a) : r;
}
template <class F> inline F maximumNan(F a, F b) {
  F r = a > b ? a : b > a ? b : isNegative(a) ? b : a;
  r = b != b ? quiet(b) : r;
  return a != a && (isSignalling(a) || !isSignalling(b)) ? quiet(a) : r;
}
template <class F> inline F medianNumber(const Mode &mode, F a, F b, F c) {
  if (isNan(a) || isNan(b) || isNan(c)) return minimumNumber(mode, minimumNumber(mode, a, b), c);
  F top = maximumNumber(mode, maximumNumber(mode, a, b), c);
  return top == a ? maximumNumber(mode, b, c) : top == b ? maximumNumber(mode, a, c) : maximumNumber(mode, a, b);
}

/// v_div_scale: brings numerator and denominator into a range where the Newton iteration neither overflows nor
/// loses denormals. The bit says that v_div_fmas must undo the scale of the quotient. By encoded exponents, as in AMD's
/// own simulator (rocjitsu, checked on gfx1100 and gfx1201); the conditions in the ISA documents cannot be right.
template <class F> inline Carry<F> divisionScale(F s0, F s1, F s2) {
  constexpr int up = sizeof(F) == 4 ? 64 : 128, far = sizeof(F) == 4 ? 96 : 768, tiny = sizeof(F) == 4 ? 24 : 53;
  constexpr int largest = 2 * static_cast<int>(FloatBits<F>::bias); // of finite numbers
  const int denominator = exponentField(s1), numerator = exponentField(s2), distance = numerator - denominator;
  const bool isDenominator = s0 == s1;
  int scale = 0;
  bool undo = false;
  if (distance >= far) {
    scale = isDenominator ? up : 0;
    undo = true;
  } else if (denominator == 0) scale = up;
  else if (denominator >= largest - 1) {
    undo = distance <= -far;
    scale = undo && !isDenominator ? 0 : -up;
  } else if (distance <= -far) {
    scale = isDenominator ? 0 : up;
    undo = true;
  } else if (numerator <= tiny) scale = up;
  if (s2 == 0 || s1 == 0) return {std::copysign(defaultNan<F>(), F(-1)), undo};
  return {scale ? std::ldexp(s0, scale) : s0, undo};
}
/// (a * b + c) * 2^e, rounded once: a quotient that is denormal after scaling must not round twice.
inline float scaledFma(float a, float b, float c, int e) {
  return static_cast<float>(std::ldexp(fusedOdd(a, b, c), e));
}
inline double scaledFma(double a, double b, double c, int e) {
  __extension__ typedef __float128 Quad; // 113 bits: the product is exact, the sum is rounded to odd as in fusedOdd
  __extension__ typedef unsigned __int128 Bits;
  Quad p = static_cast<Quad>(a) * b, s = p + c, bb = s - p, error = (p - (s - bb)) + (c - bb);
  if (error != 0 && s - s == 0) {
    Bits u = std::bit_cast<Bits>(s);
    if ((error < 0) != (s < 0)) --u;
    s = std::bit_cast<Quad>(u | 1);
  }
  return static_cast<double>(s * std::ldexp(1.0, e));
}
template <class F> inline F divisionFmas(F a, F b, F c, bool scaled) {
  constexpr int up = sizeof(F) == 4 ? 64 : 128;
  F r = scaled ? scaledFma(a, b, c, exponentField(c) > static_cast<int>(FloatBits<F>::bias) ? up : -up)
               : std::fma(a, b, c);
  return settle(r, a, b, c);
}
/// v_div_fixup: the special cases of S2 / S1, else S0 with the right sign.
template <class F> inline F divisionFixup(F s0, F s1, F s2) {
  const F infinity = std::numeric_limits<F>::infinity();
  F sign = isNegative(s1) != isNegative(s2) ? F(-1) : F(1);
  if (isNan(s2)) return quiet(s2);
  if (isNan(s1)) return quiet(s1);
  if ((s1 == 0 && s2 == 0) || (std::isinf(s1) && std::isinf(s2))) return std::copysign(defaultNan<F>(), F(-1));
  if (s1 == 0 || std::isinf(s2)) return sign * infinity;
  if (std::isinf(s1) || s2 == 0) return sign * F(0);
  // Quotients so large that even the scaled iteration overflowed.
  if (exponentField(s2) - exponentField(s1) > static_cast<int>(FloatBits<F>::bias) + 1) return sign * infinity;
  // Quotients so small that the scaled iteration has lost them: below half the least denormal.
  if (exponentField(s2) - exponentField(s1) < (sizeof(F) == 4 ? -150 : -1075)) return sign * F(0);
  return std::copysign(s0, sign);
}

template <class F> inline F fraction(F v) { // v - floor(v), below 1
  F r = v - std::floor(v);
  F below = sizeof(F) == 4 ? static_cast<F>(0x1.fffffep-1) : static_cast<F>(0x1.fffffffffffffp-1);
  return std::isinf(v) ? defaultNan<F>() : settle(r < below || r != r ? r : below, v);
}
template <class F> inline F mantissaOf(F v) {
  if (isNan(v)) return quiet(v);
  if (std::isinf(v)) return v;
  int e;
  return std::frexp(v, &e);
}
template <class F> inline int32_t exponentOf(F v) {
  if (!std::isfinite(v)) return 0;
  int e;
  std::frexp(v, &e);
  return v == 0 ? 0 : e;
}

} // namespace fly::emulator
