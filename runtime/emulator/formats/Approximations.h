// 2^x and log2 x for results of at most 24 bits: in double, without branches or calls, so that a wave's loop over them
// is vectorised. Relative error below 2^-45 over all of f32's range, so rounding to f32, f16 or bf16 is the nearest
// value but for one case in a million; the hardware promises one ulp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fly::emulator {

/// 2^x. If x is beyond the range of f32's exponents, the result is 0 or infinity after rounding; NaN stays NaN.
inline double exp2ForSingle(double x) {
  double clamped = x > 300 ? 300 : x < -300 ? -300 : x; // NaN compares false and passes through
  // Adding and taking away 1.5 * 2^52 rounds to an integer, which is left in the sum's low bits.
  const double magic = 0x1.8p52;
  double shifted = clamped + magic, n = shifted - magic, f = (clamped - n) * 0.69314718055994530942;
  double p = 1.0 / 39916800; // e^f, |f| <= 0.35: Taylor's terms to f^11
  p = p * f + 1.0 / 3628800;
  p = p * f + 1.0 / 362880;
  p = p * f + 1.0 / 40320;
  p = p * f + 1.0 / 5040;
  p = p * f + 1.0 / 720;
  p = p * f + 1.0 / 120;
  p = p * f + 1.0 / 24;
  p = p * f + 1.0 / 6;
  p = p * f + 0.5;
  p = p * f + 1.0;
  p = p * f + 1.0;
  uint64_t exponent = std::bit_cast<uint64_t>(shifted) << 52; // n modulo 2^12, in the exponent's place
  return std::bit_cast<double>(std::bit_cast<uint64_t>(p) + exponent);
}

/// log2 x of a double that holds a value of f32's range. 0 gives -infinity, negative values NaN.
inline double log2ForSingle(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  // Mantissa into [sqrt(1/2), sqrt(2)), so that the quotient below stays small around 1.
  uint64_t offset = bits - 0x3fe6a09e667f3bcdull;
  int64_t n = static_cast<int64_t>(offset) >> 52;
  double m = std::bit_cast<double>(bits - (static_cast<uint64_t>(n) << 52));
  double s = (m - 1) / (m + 1), t = s * s; // ln m = 2 artanh s, |s| < 0.172
  double p = 1.0 / 21;
  p = p * t + 1.0 / 19;
  p = p * t + 1.0 / 17;
  p = p * t + 1.0 / 15;
  p = p * t + 1.0 / 13;
  p = p * t + 1.0 / 11;
  p = p * t + 1.0 / 9;
  p = p * t + 1.0 / 7;
  p = p * t + 1.0 / 5;
  p = p * t + 1.0 / 3;
  p = p * t + 1.0;
  const double magic = 0x1.8p52; // n as a double, without a conversion from 64 bits
  double whole = std::bit_cast<double>(static_cast<uint64_t>(n) + std::bit_cast<uint64_t>(magic)) - magic;
  double r = whole + p * s * 2.8853900817779268147; // 2 / ln 2
  r = x == 0 ? -std::numeric_limits<double>::infinity() : r;
  r = x == std::numeric_limits<double>::infinity() ? x : r;
  return x < 0 || x != x ? std::numeric_limits<double>::quiet_NaN() : r;
}

/// An angle in turns, reduced to within half a turn of zero.
inline double withinHalfTurn(double v) {
  double r = v - std::trunc(v);
  return std::fabs(r) > 0.5 ? r - std::copysign(1.0, r) : r;
}
/// Sine and cosine of angles in turns: exact at multiples of a quarter. NaN for infinities.
inline double sineOfTurns(double v) {
  double r = withinHalfTurn(v), folded = std::fabs(r) > 0.25 ? std::copysign(0.5, r) - r : r;
  return std::sin(folded * 6.283185307179586476925286766559);
}
inline double cosineOfTurns(double v) {
  return std::sin((0.25 - std::fabs(withinHalfTurn(v))) * 6.283185307179586476925286766559);
}

/// `exact` in the format F as an approximation that may be either neighbour: the nearest, or the one below or above.
/// A result that F holds stays.
template <class F> inline F neighbour(double exact, int side) {
  F r = static_cast<F>(exact);
  if (side == 0 || static_cast<double>(r) == exact || !std::isfinite(r)) return r;
  if (side < 0) return static_cast<double>(r) > exact ? std::nextafter(r, -std::numeric_limits<F>::infinity()) : r;
  return static_cast<double>(r) < exact ? std::nextafter(r, std::numeric_limits<F>::infinity()) : r;
}
/// f64's, which are accurate to 2^29 ulp: that far away. `isExact` says that r is the mathematical result.
inline double farNeighbour(double r, int side, bool isExact) {
  if (side == 0 || isExact || r == 0 || !std::isfinite(r)) return r;
  uint64_t bits = std::bit_cast<uint64_t>(r);
  bool away = (side > 0) == (r > 0);
  return std::bit_cast<double>(away ? bits + (1ull << 29) : bits - (1ull << 29));
}

/// What the transcendental instructions compute, as functions of a double that the instruction's type then rounds.
namespace approximations {
inline constexpr auto reciprocal = [](double v) { return 1.0 / v; };
inline constexpr auto inverseRoot = [](double v) { return 1.0 / std::sqrt(v); };
inline constexpr auto root = [](double v) { return std::sqrt(v); };
inline constexpr auto exponential = [](double v) { return exp2ForSingle(v); };
inline constexpr auto logarithm = [](double v) { return log2ForSingle(v); };
inline constexpr auto sine = [](double v) { return sineOfTurns(v); };
inline constexpr auto cosine = [](double v) { return cosineOfTurns(v); };
inline constexpr auto hyperbolic = [](double v) { return std::tanh(v); };
} // namespace approximations

} // namespace fly::emulator
