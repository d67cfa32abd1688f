// How an MFMA of gfx942 adds a group of products to C: one element of D, one group, any inputs.
//
// Microsoft Research found this by probing an MI300X and held it against the machine on about a million random inputs
// per instruction (MMA-Sim 2.0.2, arXiv 2511.10909). Neither is it a chain of f32 additions, nor exact: products are
// brought to a common grid, cut off, and added as integers. The *place* of a number is the exponent of its leading bit,
// of a denormal that of the least normal number; the place of a product is the sum of its factors' places.
//
//     top    the greatest place of a product that is not zero
//     T      the products, each cut off towards zero at 2^(top - 24), added exactly
//     E      the greater of top and C's place
//     S      T floored at 2^(E - 32) plus C floored at 2^(E - 24)
//     D      S floored at 32 significant bits (at 2^-157 at the lowest), then rounded to nearest even
//
//     1 * 1 + 2^-30 with C = 0:   top = 0, so that the second product is below 2^-24 and lost
//     1 * 1 with C = -2^-30:      C floored at 2^-24 is -2^-24, so that D is below 1
//
// 8-bit floats form groups of sixteen in two halves, even and odd k. Each half has its own top; both sums are floored
// at the greater one's grid, and C counts as zero if its place is below E - 25.
//
// AlignedProducts.cpp computes the same for whole panels, and comes here with what is out of its range.
#pragma once

#include "runtime/emulator/formats/SmallFloat.h"
#include "runtime/emulator/formats/TinyFloat.h"

namespace fly::emulator {

/// The place of a finite number that is not zero, whose type has 2^least as its least normal number.
inline int placeOf(float x, int least) {
  const int field = static_cast<int>(bitsOf(x) >> 23 & 255);
  return std::max(field ? field - 127 : -126, least);
}

/// Products of `count` factors, `strideA` and `strideB` apart, and C. NaN results are the positive quiet one.
struct GroupedDot {
  int leastA, leastB; ///< exponents of the least normal numbers of A's and B's types
  bool halves;        ///< even and odd products are summed apart

  float operator()(const float *a, unsigned strideA, const float *b, unsigned strideB, unsigned count, float c) const {
    constexpr int none = -100000;
    bool plus = c == HUGE_VALF, minus = c == -HUGE_VALF, nan = c != c;
    double product[32];
    int tops[2] = {none, none};
    for (unsigned k = 0; k < count; ++k) {
      const float x = a[k * strideA], y = b[k * strideB];
      const double p = product[k] = static_cast<double>(x) * static_cast<double>(y);
      nan |= p != p;
      plus |= p >= 0x1p128;
      minus |= p <= -0x1p128;
      if (p != 0)
        tops[halves ? k % 2 : 0] = std::max(tops[halves ? k % 2 : 0], placeOf(x, leastA) + placeOf(y, leastB));
    }
    if (nan || (plus && minus)) return defaultNan<float>();
    if (plus || minus) return plus ? HUGE_VALF : -HUGE_VALF;

    const int top = std::max(tops[0], tops[1]);
    const int place = placeOf(c, -126), grid = std::max(top, place);
    double sum = 0; // in units of 2^(grid - 32), like all that follows
    if (top != none) {
      double total = 0; // in units of 2^(top - 24)
      for (unsigned half = 0; half < (halves ? 2u : 1u); ++half) {
        if (tops[half] == none) continue;
        double part = 0;
        for (unsigned k = half; k < count; k += halves ? 2 : 1)
          part += std::trunc(product[k] * powerOfTwo(24 - tops[half]));
        total += std::floor(std::ldexp(part, tops[half] - top));
      }
      sum = std::floor(std::ldexp(total, top - grid + 8));
    }
    if (c != 0 && !(halves && place < grid - 25))
      sum += 256 * std::floor(std::ldexp(static_cast<double>(c), 24 - grid));
    if (sum == 0) return 0;
    int excess = std::max(std::ilogb(sum) - 31, grid == -126 ? 1 : 0);
    if (excess > 0) sum = std::ldexp(std::floor(std::ldexp(sum, -excess)), excess);
    return static_cast<float>(std::ldexp(sum, grid - 32)) + 0.0f;
  }
};

} // namespace fly::emulator
