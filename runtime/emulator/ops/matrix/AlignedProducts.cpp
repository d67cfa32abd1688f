// See AlignedProducts.h. Eight elements of a row of D at a time, as integers of 32 bits.
//
// Products of two numbers of at most 11 bits are exact in f32. With q = a * b * 2^(24 - top) as a float, cutting off at
// 2^(top - 24) is a conversion to an integer, and the integers are added. So a group costs two passes over its factors:
//
//     1  top     = max(placeA + placeB)               16-bit integers, sixteen at a time
//     2  T      += int((a * b) * 2^(24 - top))        |q| < 2^26; sixteen of them < 2^30
//
// then C joins in one of two ways (`near`, `far`), which is where Groups differ from Pairs:
//
//     near  |C| < 2^(top + 6): C * 2^(24 - top), floored, is an integer too; S = T + C fits 32 bits, so that nothing is
//           below its 32nd significant bit, and the conversion to float is the one rounding
//     far   C is too large for that: T is shifted instead, to C's grid of 2^(E - 32), where S would need 36 bits. S is
//           held as H * 2^9 + low; what is below its 32nd bit is dropped, and the bits that the float has no room for
//           are gathered into one that is set if any was, which rounds alike
//
// The rules do not depend on the range, but f32 does: places of products must be between `lowest` and `highest`, and C
// zero or between 2^-100 and 2^126. If the bounds of all places say so, nothing is checked; else each vector is, and
// elements outside (infinities and NaNs too) are computed one by one by the functions of formats/.
#include "runtime/emulator/ops/matrix/AlignedProducts.h"

#include "runtime/emulator/formats/AlignedDot.h"
#include "runtime/emulator/formats/GroupedDot.h"
#include "runtime/emulator/ops/matrix/Vectors.h"


namespace fly::emulator {

namespace {

template <class To, class From> To as(From v) { return __builtin_bit_cast(To, v); }

constexpr int lowest = -100, highest = 46;
/// Places of zeros and of infinities and NaNs: any product with one is far out of range, a zero times an infinity on the
/// side of the infinities.
constexpr int16_t zeroPlace = -8000, specialPlace = 12000;
constexpr int noProduct = -4000;                       ///< below it: some factor was zero
constexpr uint32_t leastC = (127u - 100) << 24, beyondC = (127u + 126) << 24; ///< of C's bits without the sign, times 2

/// What eight (four in the smallest shapes) elements of D need.
template <unsigned W> struct Lanes {
  using F = Vector<float, W>;
  using I = Vector<int32_t, W>;
  using U = Vector<uint32_t, W>;

  static F power(I exponent) { return as<F>((exponent + 127) << 23); }
  static I toInt(F v) { return __builtin_convertvector(v, I); }
  static F toFloat(I v) { return __builtin_convertvector(v, F); }
  static I atMost(I v, int limit) { return __builtin_elementwise_min(v, I(limit)); }
  static I atLeast(I v, int limit) { return __builtin_elementwise_max(v, I(limit)); }
  /// The inverse of a power of two.
  static F inverse(F power) { return as<F>((254 << 23) - as<I>(power)); }
  static I down(I v, I shift) {
#ifdef __AVX2__
    if constexpr (W == 8) return as<I>(__builtin_ia32_psrav8si(v, shift)); // knows shifts of 32 and more
    else
#endif
      return v >> atMost(shift, 31);
  }
  static bool any(I mask) { return __builtin_reduce_or(mask) != 0; }

  /// Lanes whose product or C is out of the range of this file.
  static I outside(I top, F c) {
    U size = as<U>(c) << 1;
    return (top > highest) | ((top < lowest) & (top > noProduct)) |
           ((size != 0u) & (size - leastC >= U(beyondC - leastC)));
  }

  /// The sum of T, in units of 2^(top - 24), and C, where |C| is 2^(top + 6) or more.
  static F far(I t, I top, F c) {
    const I bits = as<I>(c), place = ((bits >> 23) & 255) - 127, above = place - top;
    const I sign = bits >> 31, significand = (((bits & 0x7fffff) | 0x800000) ^ sign) - sign;
    const I shift = atLeast(above, 0);
    const I high = significand + down(t, shift + 1);
    I low = (down(t, atLeast(shift - 8, 0)) << atMost(atLeast(8 - shift, 0), 2)) & 511;
    const I magnitude = (high ^ (high >> 31)) >> 23; // 0, 1, 2 or 3: S has up to 32, 33, 34 bits
    low &= ~(magnitude | (magnitude >> 1));
    const I all = (high << 6) | (low >> 3) | (((low & 7) + 7) >> 3);
    return toFloat(all) * power(place - 29);
  }
  /// The end of a group of gfx942.
  template <bool Halves> static F finish(I t, I top, F scale, F c) {
    const F scaled = c * scale, size = __builtin_elementwise_abs(scaled);
    F floored = __builtin_elementwise_floor(scaled);
    if constexpr (Halves) floored = size < 0.5f ? F(0) : floored;
    const I isNear = size < 0x1p30f;
    const F near = toFloat(t + toInt(floored)) * inverse(scale);
    if (__builtin_reduce_and(isNear) != 0) return near;
    return isNear ? near : far(t, top, c);
  }

  /// The end of a step of gfx1201: sums of pairs, in units of 2^(top - 24) each, and C.
  template <Narrow N> static F finishPairs(const I (&t)[2], const I (&top)[2], F c) {
    constexpr bool half = N == Narrow::Half || N == Narrow::HalfLargest;
    constexpr int low = half ? -14 : -126;
    const I leading = atLeast(as<I>(as<U>(c) << 1 >> 24) - 127, low);
    const I grid = __builtin_elementwise_max(__builtin_elementwise_max(top[0], top[1]), leading - 2); // + 24
    const F scale = power(24 - grid), scaled = c * scale;
    I lost = __builtin_elementwise_abs(scaled) < 1.0f;
    if constexpr (half) lost &= grid > low + 24;
    const F floored = lost ? F(0) : __builtin_elementwise_floor(scaled);
    const I sum = down(t[0], grid - top[0]) + down(t[1], grid - top[1]) + toInt(floored);
    const F unit = inverse(scale);
    if constexpr (half) return narrowHalf<N>(sum, unit, c);
    const F r = toFloat(sum) * unit;
    if constexpr (N == Narrow::BFloat) return as<F>(as<I>(r) & static_cast<int>(0xffff0000u));
    return r;
  }
  /// To f16 and back. A float that has no room for the sum gets its last bit set instead of being rounded.
  template <Narrow N> static F narrowHalf(I sum, F unit, F c) {
    const F nearest = toFloat(sum);
    const I size = __builtin_elementwise_abs(sum), rounded = __builtin_elementwise_abs(toInt(nearest));
    const I odd = (as<I>(nearest) + (rounded > size)) | 1; // a comparison is -1 where it holds
    const F exact = as<F>(rounded != size ? odd : as<I>(nearest)) * unit;
#ifdef __F16C__
    using H = Vector<_Float16, W>;
    F r = __builtin_convertvector(__builtin_convertvector(exact, H), F);
#else
    F r;
    for (unsigned l = 0; l < W; ++l) r[l] = halfToFloat(floatToHalf(exact[l]));
#endif
    if constexpr (N == Narrow::HalfLargest)
      r = __builtin_elementwise_min(__builtin_elementwise_max(r, F(-65504.0f)), F(65504.0f));
    r += 0.0f; // no negative zero
    return __builtin_elementwise_abs(c) == __builtin_inff() ? c : r;
  }
};

/// Four columns are the narrowest; others go sixteen at a time.
constexpr unsigned widthFor(unsigned size) { return size == 4 ? 4 : 8; }
constexpr unsigned vectorsFor(unsigned size) { return size == 4 ? 1 : 2; }

/// Half of the places of a row of V vectors, as integers of 32 bits.
template <unsigned W, unsigned V> typename Lanes<W>::I widen(Vector<int16_t, W * V> places, unsigned v) {
  using I = typename Lanes<W>::I;
  if constexpr (V == 1) return __builtin_convertvector(places, I);
  else if (v == 0) return __builtin_convertvector(places.lo, I);
  else return __builtin_convertvector(places.hi, I);
}
template <unsigned W, unsigned V> Vector<int16_t, W * V> sumPlaces(int16_t a, const int16_t *b) {
  using P = Vector<int16_t, W * V>;
  return P(a) + load<P>(b);
}

/// Operands of a row's tile: one row of A, W * V columns of B. The matrices are Size x Size, which is a constant so that
/// addresses are.
struct Tile {
  const float *a, *b;
  const int16_t *placeA, *placeB;
  unsigned k;
  int leastA, leastB;
};

template <unsigned Size, unsigned Group, bool Halves, bool Checked> void groupTile(float *d, Tile x) {
  constexpr unsigned W = widthFor(Size), V = vectorsFor(Size);
  using L = Lanes<W>;
  using F = typename L::F;
  using I = typename L::I;
  using P = Vector<int16_t, W * V>;
  constexpr unsigned parts = Halves ? 2 : 1;
  F c[V];
  for (unsigned v = 0; v < V; ++v) c[v] = load<F>(d + v * W);
  for (unsigned k = 0; k < x.k; k += Group) {
    P places[parts];
    for (unsigned p = 0; p < parts; ++p) places[p] = sumPlaces<W, V>(x.placeA[p * Size], x.placeB + p * Size);
#pragma clang loop unroll(full)
    for (unsigned s = parts; s < Group; ++s)
      places[s % parts] = __builtin_elementwise_max(places[s % parts],
                                                    sumPlaces<W, V>(x.placeA[s * Size], x.placeB + s * Size));
#pragma clang loop unroll(full)
    for (unsigned v = 0; v < V; ++v) {
      I top[parts], t[parts];
      F scale[parts];
      I bad = 0;
      for (unsigned p = 0; p < parts; ++p) {
        top[p] = widen<W, V>(places[p], v);
        if constexpr (Checked) bad |= L::outside(top[p], c[v]);
        top[p] = L::atLeast(top[p], lowest);
        scale[p] = L::power(24 - top[p]);
        t[p] = 0;
      }
#pragma clang loop unroll(full)
      for (unsigned s = 0; s < Group; ++s)
        t[s % parts] += L::toInt(F(x.a[s * Size]) * load<F>(x.b + s * Size + v * W) * scale[s % parts]);
      F r;
      if constexpr (Halves) {
        const I both = __builtin_elementwise_max(top[0], top[1]);
        r = L::template finish<true>(L::down(t[0], both - top[0]) + L::down(t[1], both - top[1]), both,
                                     L::power(24 - both), c[v]);
      } else r = L::template finish<false>(t[0], top[0], scale[0], c[v]);
      if constexpr (Checked)
        if (L::any(bad)) {
          const GroupedDot one{x.leastA, x.leastB, Halves};
          for (unsigned l = 0; l < W; ++l)
            if (bad[l]) r[l] = one(x.a, Size, x.b + v * W + l, Size, Group, c[v][l]);
        }
      c[v] = r;
    }
    x.a += Group * Size;
    x.placeA += Group * Size;
    x.b += Group * Size;
    x.placeB += Group * Size;
  }
  for (unsigned v = 0; v < V; ++v) store(d + v * W, c[v]);
}

/// The same, number by number, of a step.
template <unsigned Size, bool Bf, Narrow N> float oneStep(const Tile &x, unsigned column, float c) {
  constexpr TinyFormat format = Bf ? tiny::bfloat : tiny::half;
  const float *b = x.b + column;
  if constexpr (N == Narrow::Single)
    return floatOf(alignedStep<format, aligned::Result::Single>(x.a, Size, b, Size, c, false));
  else if constexpr (N == Narrow::BFloat)
    return bfloatToFloat(alignedStep<format, aligned::Result::BFloat>(x.a, Size, b, Size, c, false));
  else return halfToFloat(alignedStep<format, aligned::Result::Half>(x.a, Size, b, Size, c, N == Narrow::HalfLargest));
}

template <bool Bf, Narrow N, bool Checked> void pairTile(float *d, Tile x) {
  constexpr unsigned Size = 16, W = widthFor(Size), V = vectorsFor(Size);
  using L = Lanes<W>;
  using F = typename L::F;
  using I = typename L::I;
  using P = Vector<int16_t, W * V>;
  F c[V];
  for (unsigned v = 0; v < V; ++v) c[v] = load<F>(d + v * W);
  for (unsigned k = 0; k < x.k; k += 4) {
    P places[2], tiny = 0; // a negative product that f32 has no room for would still count when floored
    for (unsigned p = 0; p < 2; ++p) {
      P one = sumPlaces<W, V>(x.placeA[2 * p * Size], x.placeB + 2 * p * Size),
        two = sumPlaces<W, V>(x.placeA[(2 * p + 1) * Size], x.placeB + (2 * p + 1) * Size);
      places[p] = __builtin_elementwise_max(one, two);
      if constexpr (Checked)
        tiny |= ((one < P(lowest)) & (one > P(noProduct))) | ((two < P(lowest)) & (two > P(noProduct)));
    }
#pragma clang loop unroll(full)
    for (unsigned v = 0; v < V; ++v) {
      I top[2], t[2];
      I bad = Checked ? widen<W, V>(tiny, v) : I(0);
      for (unsigned p = 0; p < 2; ++p) {
        top[p] = widen<W, V>(places[p], v);
        if constexpr (Checked) bad |= L::outside(top[p], c[v]);
        top[p] = L::atLeast(top[p], lowest);
        const F scale = L::power(24 - top[p]);
        auto term = [&](unsigned s) {
          return L::toInt(__builtin_elementwise_floor(F(x.a[s * Size]) * load<F>(x.b + s * Size + v * W) * scale));
        };
        t[p] = term(2 * p) + term(2 * p + 1);
      }
      F r = L::template finishPairs<N>(t, top, c[v]);
      if constexpr (Checked)
        if (L::any(bad))
          for (unsigned l = 0; l < W; ++l)
            if (bad[l]) r[l] = oneStep<Size, Bf, N>(x, v * W + l, c[v][l]);
      c[v] = r;
    }
    x.a += 4 * Size;
    x.placeA += 4 * Size;
    x.b += 4 * Size;
    x.placeB += 4 * Size;
  }
  for (unsigned v = 0; v < V; ++v) store(d + v * W, c[v]);
}

template <unsigned Size, class F> void eachTile(float *d, const Tile &whole, F run) {
  for (unsigned i = 0; i < Size; ++i)
#pragma clang loop unroll(disable)
    for (unsigned j = 0; j < Size; j += widthFor(Size) * vectorsFor(Size)) {
      Tile x = whole;
      x.a += i;
      x.placeA += i;
      x.b += j;
      x.placeB += j;
      run(d + i * Size + j, x);
    }
}

/// Whether no vector of this product can be out of range.
bool inRange(const float *d, unsigned count, const panel::Places &a, const panel::Places &b) {
  if (a.high + b.high > highest || a.low + b.low < lowest) return false;
  uint32_t outside = 0;
  for (unsigned n = 0; n < count; ++n) {
    const uint32_t size = bitsOf(d[n]) << 1;
    outside |= static_cast<uint32_t>((size != 0) & (size - leastC >= beyondC - leastC));
  }
  return !outside;
}

template <unsigned Size, unsigned Group, bool Halves> void multiplySize(float *d, const Tile &x, bool checked) {
  if (checked) eachTile<Size>(d, x, groupTile<Size, Group, Halves, true>);
  else eachTile<Size>(d, x, groupTile<Size, Group, Halves, false>);
}
template <unsigned Group, bool Halves> void multiplyGroup(float *d, const Tile &x, unsigned size, bool checked) {
  if (size == 16) multiplySize<16, Group, Halves>(d, x, checked);
  else if (size == 32) multiplySize<32, Group, Halves>(d, x, checked);
  else multiplySize<4, Group, Halves>(d, x, checked);
}
template <bool Bf, Narrow N> void multiplySteps(float *d, const Tile &x, bool checked) {
  if (checked) eachTile<16>(d, x, pairTile<Bf, N, true>);
  else eachTile<16>(d, x, pairTile<Bf, N, false>);
}

} // namespace

namespace panel {

void findPlaces(const float *panel, unsigned count, Places &places) {
  int low = specialPlace, high = zeroPlace;
  for (unsigned n = 0; n < count; ++n) {
    const uint32_t size = bitsOf(panel[n]) & 0x7fffffffu;
    const int exponent = std::max(static_cast<int>(size >> 23) - 127, places.least);
    const int place = size == 0 ? zeroPlace : exponent == 128 ? specialPlace : exponent;
    places.of[n] = static_cast<int16_t>(place);
    high = std::max(high, place);
    low = std::min(low, size == 0 ? static_cast<int>(specialPlace) : place);
  }
  places.low = low;
  places.high = high;
}

void multiplyGroups(float *d, const float *a, const Places &placesA, const float *b, const Places &placesB,
                    unsigned size, unsigned k, unsigned group, bool halves) {
  const Tile x{a, b, placesA.of, placesB.of, k, placesA.least, placesB.least};
  const bool checked = !inRange(d, size * size, placesA, placesB);
  if (halves) multiplyGroup<16, true>(d, x, size, checked);
  else if (group == 8) multiplyGroup<8, false>(d, x, size, checked);
  else multiplyGroup<4, false>(d, x, size, checked);
}

void multiplyPairs(float *d, const float *a, const Places &placesA, const float *b, const Places &placesB, unsigned k,
                   bool bfloat, Narrow narrow) {
  const Tile x{a, b, placesA.of, placesB.of, k, placesA.least, placesB.least};
  const bool checked = !inRange(d, 16 * 16, placesA, placesB);
  switch (narrow) {
  case Narrow::Single:
    return bfloat ? multiplySteps<true, Narrow::Single>(d, x, checked)
                  : multiplySteps<false, Narrow::Single>(d, x, checked);
  case Narrow::BFloat: return multiplySteps<true, Narrow::BFloat>(d, x, checked);
  case Narrow::Half: return multiplySteps<false, Narrow::Half>(d, x, checked);
  case Narrow::HalfLargest: return multiplySteps<false, Narrow::HalfLargest>(d, x, checked);
  }
}

} // namespace panel

} // namespace fly::emulator
