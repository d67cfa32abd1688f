// gfx12's dot products of small floats, which do not round after every addition.
//
// The terms are brought to a common grid, bits below it being cut off (towards -infinity), and added as integers; the
// sum rounds once. AMD has measured this on a Radeon AI Pro R9700 (gfx1201): rocjitsu's gfx12_dot.h in ROCm's
// rocm-systems, and the captures in its tests/fixtures/float_dot, against which AlignedDotTest.cpp holds this; the
// pseudocode writes the sum down as if it were one of f32 numbers. What the grids are:
//
//     a product x * y     2^(ex + ey - 24) of the largest product of its group, ex and ey the factors' exponents (of a
//                         denormal that of the least normal): products add up on it. 16-bit factors form groups of two,
//                         bytes one of four
//     the sum             the coarsest of the groups' grids and the addend's, 2^(e - 26), where e is the exponent of
//                         the addend's leading bit, but not below the result's least normal (-126; -14 for f16)
//
// An addend that is entirely below the sum's grid is lost, even if negative, unless the grid is as low as that limit.
// f32 and f16 results round to nearest even; a bf16 result is the f32 one cut off. A sum of zero is +0. MODE is
// ignored: the measurements were made with denormals enabled and rounding to nearest, and nothing was flushed in them.
//
// NaNs and infinities: a NaN factor, then an invalid product or infinite products of both signs, then a NaN addend
// decides; the first two give NaNs of a fixed payload.
#pragma once

#include "runtime/emulator/formats/SmallFloat.h"
#include "runtime/emulator/formats/TinyFloat.h"

namespace fly::emulator {

namespace tiny {
inline constexpr TinyFormat half{5, 10, 15, TinyFormat::Nan::Ieee, true};
inline constexpr TinyFormat bfloat{8, 7, 127, TinyFormat::Nan::Ieee, true};
} // namespace tiny

namespace aligned {

struct Factor {
  uint32_t significand;
  int exponent; ///< of the significand's place before the point
  bool negative, nan, infinite;
};
template <TinyFormat F> inline Factor factor(uint32_t bits) {
  const uint32_t magnitude = bits & F.allOnes(), fraction = magnitude & ((1u << F.mantissaBits) - 1),
                 field = magnitude >> F.mantissaBits;
  return {field ? fraction | 1u << F.mantissaBits : fraction, static_cast<int>(field ? field : 1) - F.bias,
          (bits & F.signBit()) != 0, F.isNan(bits), F.infinity && magnitude == F.infinityCode()};
}

/// v * 2^shift, cut off towards -infinity. Only of zero is the shift ever too large: it has the exponents of its factors.
inline int64_t shifted(int64_t v, int shift) {
  if (shift >= 63) return 0;
  return shift >= 0 ? v << shift : v >> (-shift < 63 ? -shift : 63);
}

enum class Result : uint8_t { Single, Half, BFloat };
inline constexpr uint32_t factorNan = 0xffc00a3du;

template <Result R> inline uint32_t narrowed(uint32_t single) { // an infinity or NaN
  if constexpr (R == Result::Single) return single;
  else if constexpr (R == Result::BFloat) return single == factorNan ? 0xfffdu : single >> 16;
  else return (single >> 16 & 0x8000u) | 0x7c00u | (single >> 13 & 0x3ffu) | (single == factorNan ? 0x3du : 0u);
}

/// A product: value * 2^place; `exponent` is the sum of the factors' exponents, `none` if the value is zero.
struct Product {
  int64_t value;
  int place, exponent;
};
/// What infinities and NaNs among the factors make.
struct Specials {
  bool nan = false, invalid = false, plus = false, minus = false;
};
inline constexpr int none = -1024;

inline Product product(const Factor &x, const Factor &y, unsigned fractionBits, Specials &specials) {
  const bool infinite = x.infinite || y.infinite, negative = x.negative != y.negative;
  specials.nan |= x.nan || y.nan;
  specials.invalid |= (x.infinite && !y.significand) || (y.infinite && !x.significand);
  specials.plus |= infinite && !negative;
  specials.minus |= infinite && negative;
  const int64_t magnitude = static_cast<int64_t>(x.significand) * y.significand;
  return {negative ? -magnitude : magnitude, x.exponent + y.exponent - static_cast<int>(fractionBits),
          magnitude ? x.exponent + y.exponent : none};
}

/// The sum of products, in groups of `group`, and the addend, an f32. `largest`: an overflow to f16 gives the largest
/// number (MODE.FP16_OVFL).
template <Result R, size_t N>
inline uint32_t sum(const Product (&products)[N], unsigned group, Specials specials, uint32_t addend,
                    uint32_t invalidNan, bool largest) {
  constexpr int leastNormal = R == Result::Half ? -14 : -126;
  const uint32_t size = addend & 0x7fffffffu;
  if (specials.nan) return narrowed<R>(factorNan);
  if (specials.invalid || (specials.plus && specials.minus)) return narrowed<R>(invalidNan);
  if (size > 0x7f800000u) return narrowed<R>(addend | 0x00400000u);
  if (size == 0x7f800000u) (addend >> 31 ? specials.minus : specials.plus) = true;
  if (specials.plus && specials.minus) return narrowed<R>(invalidNan);
  if (specials.plus || specials.minus) return narrowed<R>(specials.minus ? 0xff800000u : 0x7f800000u);

  const unsigned field = size >> 23;
  const int64_t rest = field ? (size & 0x7fffffu) | 0x800000u : size;
  const int restPlace = static_cast<int>(field ? field : 1) - 150;
  const int leading = rest ? restPlace + std::bit_width(static_cast<uint64_t>(rest)) - 1 : none;
  int grid = std::max(leading, leastNormal) - 26;
  for (const Product &p : products) grid = std::max(grid, p.exponent - 24);
  const bool lost = grid > leastNormal && shifted(rest, restPlace - grid) == 0;
  int64_t total = lost ? 0 : shifted(addend >> 31 ? -rest : rest, restPlace - grid);
  for (unsigned first = 0; first < N; first += group) {
    int top = none;
    for (unsigned k = first; k < first + group; ++k) top = std::max(top, products[k].exponent);
    if (top == none) continue;
    int64_t together = 0;
    for (unsigned k = first; k < first + group; ++k)
      together += shifted(products[k].value, products[k].place - (top - 24));
    total += shifted(together, top - 24 - grid);
  }
  const double exact = static_cast<double>(total) * powerOfTwo(grid); // 31 bits
  if constexpr (R == Result::Half) {
    const uint32_t h = doubleToHalf(exact);
    return (h & 0x7fff) == 0 ? 0 : (h & 0x7fff) == 0x7c00 && largest ? h - 1 : h;
  } else {
    uint32_t single = bitsOf(static_cast<float>(exact));
    if ((single << 1) == 0) single = 0;
    return R == Result::BFloat ? single >> 16 : single;
  }
}

} // namespace aligned

/// The sum of N products and the addend, an f32; the factors are consecutive in the words. `largest`: an overflow to
/// f16 gives the largest number (MODE.FP16_OVFL).
template <TinyFormat A, TinyFormat B, aligned::Result R>
inline uint32_t alignedDot(uint32_t a, uint32_t b, uint32_t addend, bool largest = false) {
  using namespace aligned;
  constexpr unsigned bits = A.bits(), count = 32 / bits, group = bits == 8 ? 4 : 2;
  Product products[count];
  Specials specials;
  for (unsigned k = 0; k < count; ++k)
    products[k] =
        product(factor<A>(a >> bits * k), factor<B>(b >> bits * k), A.mantissaBits + B.mantissaBits, specials);
  return sum<R>(products, group, specials, addend, bits == 8 ? factorNan : 0xffc00000u, largest);
}

/// One step of a WMMA: four products in pairs. The factors are numbers of format F, `strideA` and `strideB` apart.
template <TinyFormat F, aligned::Result R>
inline uint32_t alignedStep(const float *a, unsigned strideA, const float *b, unsigned strideB, float addend,
                            bool largest) {
  using namespace aligned;
  auto code = [](float x) { return F == tiny::half ? floatToHalf(x) : floatToBfloat(x); };
  Product products[4];
  Specials specials;
  for (unsigned k = 0; k < 4; ++k)
    products[k] =
        product(factor<F>(code(a[k * strideA])), factor<F>(code(b[k * strideB])), 2 * F.mantissaBits, specials);
  return sum<R>(products, 2, specials, bitsOf(addend), 0xffc00000u, largest);
}

} // namespace fly::emulator
