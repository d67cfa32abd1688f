// The sums of matrix instructions in integers of 128 bits, written from what is published about the machines and not
// from the emulator: tests/facts/README.md names the sources.
//
// A number is significand * 2^exponent. Its place is the exponent of its leading bit if it is normal, of the least
// normal number if it is denormal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace fly::emulator::test::reference {

using Wide = __int128;

struct Format {
  int exponentBits, fractionBits, bias;
  bool fnuz = false;
};
inline Format formatOf(const std::string &type) {
  if (type == "f32" || type == "xf32") return {8, 23, 127};
  if (type == "bf16") return {8, 7, 127};
  if (type == "f16") return {5, 10, 15};
  if (type == "fp8z") return {4, 3, 8, true};
  return {5, 2, 16, true}; // bf8z
}

struct Number {
  Wide significand = 0; ///< with its sign
  int exponent = 0, place = 0;
  bool negative = false, nan = false, infinite = false;
};
inline Number numberOf(const std::string &type, uint32_t code) {
  if (type == "xf32") code &= ~0x1fffu;
  const Format f = formatOf(type);
  Number r;
  const uint32_t fraction = code & ((1u << f.fractionBits) - 1),
                 field = code >> f.fractionBits & ((1u << f.exponentBits) - 1);
  r.negative = code >> (f.fractionBits + f.exponentBits) & 1;
  if (f.fnuz) r.nan = r.negative && !field && !fraction;
  else if (field == (1u << f.exponentBits) - 1) (fraction ? r.nan : r.infinite) = true;
  r.place = static_cast<int>(std::max(field, 1u)) - f.bias;
  r.exponent = r.place - f.fractionBits;
  r.significand = fraction + (field ? 1u << f.fractionBits : 0);
  if (r.negative) r.significand = -r.significand;
  return r;
}

/// In units of 2^unit, towards minus infinity. Only zero is ever too far up.
inline Wide floored(Wide v, int exponent, int unit) {
  const int up = exponent - unit;
  if (up >= 127) return 0;
  return up >= 0 ? v << up : v >> std::min(-up, 126);
}
inline Wide truncated(Wide v, int exponent, int unit) {
  return v < 0 ? -floored(-v, exponent, unit) : floored(v, exponent, unit);
}

inline int bitsOf(Wide v) {
  int n = 0;
  for (unsigned __int128 size = static_cast<unsigned __int128>(v < 0 ? -v : v); size; size >>= 1) ++n;
  return n;
}
/// v * 2^exponent to the nearest number of a format, ties to even; a zero is positive.
inline uint32_t rounded(Wide v, int exponent, Format f) {
  if (v == 0) return 0;
  const uint32_t sign = v < 0 ? 1u << (f.exponentBits + f.fractionBits) : 0;
  if (v < 0) v = -v;
  const int place = std::max(bitsOf(v) - 1 + exponent, 1 - f.bias), unit = place - f.fractionBits;
  const int drop = unit - exponent;
  Wide q = drop <= 0 ? v << -drop : drop > 120 ? 0 : v >> drop;
  if (drop > 0 && drop <= 120) {
    const Wide rest = v - (q << drop), half = Wide(1) << (drop - 1);
    if (rest > half || (rest == half && (q & 1))) ++q;
  }
  // q counts units; the leading bit adds one to the field by itself.
  const Wide code = q + (Wide(place - 1 + f.bias) << f.fractionBits);
  const Wide infinity = Wide((1u << f.exponentBits) - 1) << f.fractionBits;
  if (code >= infinity) return sign | static_cast<uint32_t>(infinity);
  return code == 0 ? 0 : sign | static_cast<uint32_t>(code);
}

struct Products {
  std::vector<Wide> value;
  std::vector<int> exponent, place; ///< places of zeros are `none`
  bool nan = false, invalid = false, plus = false, minus = false;
  static constexpr int none = -100000;
  int top(size_t first, size_t count, size_t step = 1) const {
    int t = none;
    for (size_t k = first; k < first + count; k += step) t = std::max(t, place[k]);
    return t;
  }
};
inline Products productsOf(const std::string &typeA, const std::vector<uint32_t> &a, const std::string &typeB,
                           const std::vector<uint32_t> &b, size_t first, size_t count) {
  Products r;
  for (size_t k = first; k < first + count; ++k) {
    const Number x = numberOf(typeA, a[k]), y = numberOf(typeB, b[k]);
    r.nan |= x.nan || y.nan;
    const bool infinite = x.infinite || y.infinite;
    const bool zero = (!x.infinite && !x.significand) || (!y.infinite && !y.significand);
    r.invalid |= infinite && zero;
    if (infinite && !zero) (x.negative != y.negative ? r.minus : r.plus) = true;
    r.value.push_back(x.significand * y.significand);
    r.exponent.push_back(x.exponent + y.exponent);
    r.place.push_back(zero ? Products::none : x.place + y.place);
  }
  return r;
}

inline constexpr uint32_t someNan = 0x7fc00000;

/// A group of gfx942: the bits of the f32, `someNan` for any NaN.
inline uint32_t groupOf942(Products p, bool halves, uint32_t addend) {
  const Number c = numberOf("f32", addend);
  for (size_t k = 0; k < p.value.size(); ++k) // products of 2^128 and more
    if (p.value[k] && bitsOf(p.value[k]) + p.exponent[k] > 128) (p.value[k] < 0 ? p.minus : p.plus) = true;
  if (c.infinite) (c.negative ? p.minus : p.plus) = true;
  if (p.nan || p.invalid || c.nan || (p.plus && p.minus)) return someNan;
  if (p.plus || p.minus) return p.plus ? 0x7f800000u : 0xff800000u;
  const size_t n = p.value.size();
  const int top = p.top(0, n);
  Wide t = 0; // in units of 2^(top - 24)
  if (top != Products::none) {
    const size_t step = halves ? 2 : 1;
    for (size_t half = 0; half < step; ++half) {
      const int own = p.top(half, n - half, step);
      if (own == Products::none) continue;
      Wide sum = 0;
      for (size_t k = half; k < n; k += step) sum += truncated(p.value[k], p.exponent[k], own - 24);
      t += floored(sum, own - 24, top - 24);
    }
  }
  const int e = std::max(top, c.significand ? c.place : -126);
  Wide s = top == Products::none ? 0 : floored(t, top - 24, e - 32);
  if (c.significand && !(halves && c.place < e - 25)) s += floored(c.significand, c.exponent, e - 24) << 8;
  if (s == 0) return 0;
  const int place = std::max(bitsOf(s) - 1 + e - 32, -126);
  const int unit = std::max(place - 31, e - 32);
  return rounded(floored(s, e - 32, unit), unit, {8, 23, 127});
}

/// A step of gfx1201: bits of D's type ("f32", "f16", "bf16"). `addend` is an f32.
inline uint32_t stepOf1201(Products p, uint32_t addend, const std::string &d, bool largest) {
  auto narrowed = [&](uint32_t special) -> uint32_t {
    if (d == "f32") return special;
    if (d == "bf16") return special == 0xffc00a3du ? 0xfffdu : special >> 16;
    return special == 0xffc00a3du ? 0xfe3du : (special >> 16 & 0x8000u) | 0x7c00u | (special >> 13 & 0x3ffu);
  };
  const Number c = numberOf("f32", addend);
  if (p.nan) return narrowed(0xffc00a3du);
  if (p.invalid || (p.plus && p.minus)) return narrowed(0xffc00000u);
  if (c.nan) return narrowed(addend | 0x00400000u);
  if (c.infinite) (c.negative ? p.minus : p.plus) = true;
  if (p.plus && p.minus) return narrowed(0xffc00000u);
  if (p.plus || p.minus) return narrowed(p.minus ? 0xff800000u : 0x7f800000u);
  const int low = d == "f16" ? -14 : -126;
  const int leading = c.significand ? bitsOf(c.significand) - 1 + c.exponent : -1000;
  int grid = std::max(low, leading) - 26;
  if (int top = p.top(0, 4); top != Products::none) grid = std::max(grid, top - 24);
  Wide sum = 0;
  for (size_t k = 0; k < 4; k += 2) {
    const int top = p.top(k, 2);
    if (top == Products::none) continue;
    const Wide pair =
        floored(p.value[k], p.exponent[k], top - 24) + floored(p.value[k + 1], p.exponent[k + 1], top - 24);
    sum += floored(pair, top - 24, grid);
  }
  const bool below = floored(c.significand < 0 ? -c.significand : c.significand, c.exponent, grid) == 0;
  if (!(below && grid > low)) sum += floored(c.significand, c.exponent, grid);
  if (d == "f16") {
    const uint32_t h = rounded(sum, grid, {5, 10, 15});
    if ((h & 0x7fff) == 0) return 0;
    return (h & 0x7fff) == 0x7c00 && largest ? h - 1 : h;
  }
  uint32_t single = rounded(sum, grid, {8, 23, 127});
  if ((single & 0x7fffffff) == 0) single = 0;
  return d == "bf16" ? single >> 16 : single;
}

/// An f16 or bf16 as f32, with a NaN's fraction in the upper bits.
inline uint32_t widened(const std::string &type, uint32_t code) {
  if (type == "f32") return code;
  if (type == "bf16") return code << 16;
  const Number x = numberOf("f16", code);
  const uint32_t sign = (code & 0x8000u) << 16;
  if (x.nan || x.infinite) return sign | 0x7f800000u | (code & 0x3ff) << 13;
  return sign | rounded(x.significand < 0 ? -x.significand : x.significand, x.exponent, {8, 23, 127});
}

} // namespace fly::emulator::test::reference
