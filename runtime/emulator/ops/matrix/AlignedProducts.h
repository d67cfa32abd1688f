// Products of panels whose terms are aligned before they are added, bit for bit as the machines do it: MFMA of gfx942
// (formats/GroupedDot.h has the rule) and WMMA of gfx1201 (formats/AlignedDot.h).
//
// Plain functions in a separate file, compiled for AVX2 too (Rows.h); both builds give the same bits.
#pragma once

#include <cstdint>

namespace fly::emulator {

/// How a matrix instruction adds its products to C.
enum class Summation : uint8_t {
  Chain,  ///< one fused multiply-add after the other (integers: exactly)
  Groups, ///< gfx942: groups of products
  Halves, ///< gfx942, 8-bit floats: groups of sixteen in two halves
  Pairs   ///< gfx1201: steps of two pairs; each step's sum is narrowed to D's type
};
/// The type of D with Summation::Pairs. HalfLargest: overflow gives the largest number.
enum class Narrow : uint8_t { Single, BFloat, Half, HalfLargest };

namespace panel {

/// The places of the numbers in a panel; the engine adds those of factors instead of looking at each product.
struct Places {
  int16_t *of;    ///< as many as the panel has numbers; null: not wanted
  int32_t *twice; ///< each in both halves of a word (A's are broadcast in words); null: not wanted
  int least;      ///< exponent of the type's least normal number
  int low, high;  ///< bounds of the places of nonzero numbers; outside of any range if not all are finite
};
/// Fills `places`; `count` is a multiple of 16.
void findPlaces(const float *panel, unsigned count, Places &places);

/// D += A * B with Summation::Groups or Halves, all of them `size` x `size` (4, 16, 32) but for the k's. Panels as in
/// MatrixKernels.h; the places of A (`twice`) and B (`of`) lie as their panels do. A NaN in D is the positive quiet
/// one.
void multiplyGroups(float *d, const float *a, const Places &placesA, const float *b, const Places &placesB,
                    unsigned size, unsigned k, unsigned group, bool halves);
/// D += A * B with Summation::Pairs, 16 x 16; A and B of f16 (Narrow::Half: D too) or bf16.
void multiplyPairs(float *d, const float *a, const Places &placesA, const float *b, const Places &placesB, unsigned k,
                   bool bfloat, Narrow narrow);

} // namespace panel

} // namespace fly::emulator
