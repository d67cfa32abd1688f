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

#include <algorithm>
#include <type_traits>

namespace fly::emulator {

namespace {

template <class To, class From> To as(From v) { return __builtin_bit_cast(To, v); }

constexpr int lowest = -100, highest = 46;
/// Places of zeros and of infinities and NaNs: any product with one is far out of range, a zero times an infinity on
/// the side of the infinities.
constexpr int16_t zeroPlace = -8000, specialPlace = 12000;
constexpr int noProduct = -4000;                                              ///< below it: some factor was zero
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
  /// Of masks that are all ones or zero in each element.
  static bool any(I mask) {
#ifdef __AVX2__
    if constexpr (W == 8) return __builtin_ia32_movmskps256(as<F>(mask)) != 0;
    else
#endif
      return __builtin_reduce_or(mask) != 0;
  }

  /// Lanes whose product or C is out of the range of this file.
  static I outside(I top, F c) {
    U size = as<U>(c) << 1;
    return (top > highest) | ((top < lowest) & (top > noProduct)) |
           ((size != 0u) & (size - leastC >= U(beyondC - leastC)));
  }

  /// The sum of T, in units of 2^(top - 24), and C, where |C| is 2^(top + 6) or more.
  [[gnu::noinline]] static F far(I t, I top, F c) {
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
    const F near = toFloat(t + toInt(floored)) * inverse(scale);
    const I isFar = size >= (Halves ? 0x1p30f : 0x1.8p30f);
    return any(isFar) ? isFar ? far(t, top, c) : near : near;
  }

  /// The end of a step of gfx1201: sums of pairs, in units of 2^(top - 24) each, and C.
  template <Narrow N> static F finishPairs(const I (&t)[2], const I (&top)[2], F c) {
    constexpr bool half = N == Narrow::Half || N == Narrow::HalfLargest;
    constexpr int low = -14;
    I leading = as<I>(as<U>(c) << 1 >> 24) - 129;
    if constexpr (half) leading = atLeast(leading, low - 2); // without: `lowest` is larger
    const I grid = __builtin_elementwise_max(__builtin_elementwise_max(top[0], top[1]), leading); // + 24
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
/// `a` has one place twice.
template <unsigned W, unsigned V> Vector<int16_t, W * V> sumPlaces(int32_t a, const int16_t *b) {
  using P = Vector<int16_t, W * V>;
  return as<P>(Vector<int32_t, W * V / 2>(a)) + load<P>(b);
}

/// Operands of a tile: one row of A, W * V columns of B, from the first k of a group. The matrices are Size x Size,
/// which is a constant so that addresses are.
struct Tile {
  const float *a, *b;
  const int32_t *placeA;
  const int16_t *placeB;
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
  P places[parts];
  for (unsigned p = 0; p < parts; ++p) places[p] = sumPlaces<W, V>(x.placeA[p * Size], x.placeB + p * Size);
#pragma clang loop unroll(full)
  for (unsigned s = parts; s < Group; ++s)
    places[s % parts] =
        __builtin_elementwise_max(places[s % parts], sumPlaces<W, V>(x.placeA[s * Size], x.placeB + s * Size));
  if constexpr (!Checked)
    for (P &p : places) p = __builtin_elementwise_max(p, P(lowest));
#pragma clang loop unroll(full)
  for (unsigned v = 0; v < V; ++v) {
    const F c = load<F>(d + v * W);
    I top[parts], t[parts];
    F scale[parts];
    I bad = 0;
    for (unsigned p = 0; p < parts; ++p) {
      top[p] = widen<W, V>(places[p], v);
      if constexpr (Checked) {
        bad |= L::outside(top[p], c);
        top[p] = L::atLeast(top[p], lowest);
      }
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
                                   L::power(24 - both), c);
    } else r = L::template finish<false>(t[0], top[0], scale[0], c);
    if constexpr (Checked)
      if (L::any(bad)) {
        const GroupedDot one{x.leastA, x.leastB, Halves};
        for (unsigned l = 0; l < W; ++l)
          if (bad[l]) r[l] = one(x.a, Size, x.b + v * W + l, Size, Group, c[l]);
      }
    store(d + v * W, r);
  }
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
  P places[2], tiny = 0; // a negative product that f32 has no room for would still count when floored
  for (unsigned p = 0; p < 2; ++p) {
    P one = sumPlaces<W, V>(x.placeA[2 * p * Size], x.placeB + 2 * p * Size),
      two = sumPlaces<W, V>(x.placeA[(2 * p + 1) * Size], x.placeB + (2 * p + 1) * Size);
    places[p] = __builtin_elementwise_max(one, two);
    if constexpr (Checked)
      tiny |= ((one < P(lowest)) & (one > P(noProduct))) | ((two < P(lowest)) & (two > P(noProduct)));
    else places[p] = __builtin_elementwise_max(places[p], P(lowest));
  }
#pragma clang loop unroll(full)
  for (unsigned v = 0; v < V; ++v) {
    const F c = load<F>(d + v * W);
    I top[2], t[2];
    I bad = Checked ? widen<W, V>(tiny, v) : I(0);
    for (unsigned p = 0; p < 2; ++p) {
      top[p] = widen<W, V>(places[p], v);
      if constexpr (Checked) {
        bad |= L::outside(top[p], c);
        top[p] = L::atLeast(top[p], lowest);
      }
      const F scale = L::power(24 - top[p]);
      auto term = [&](unsigned s) {
        return L::toInt(__builtin_elementwise_floor(F(x.a[s * Size]) * load<F>(x.b + s * Size + v * W) * scale));
      };
      t[p] = term(2 * p) + term(2 * p + 1);
    }
    F r = L::template finishPairs<N>(t, top, c);
    if constexpr (Checked)
      if (L::any(bad))
        for (unsigned l = 0; l < W; ++l)
          if (bad[l]) r[l] = oneStep<Size, Bf, N>(x, v * W + l, c[l]);
    store(d + v * W, r);
  }
}

/// Runs `run` on every tile, `group` k's at a time. Rows come within a group: tiles of different rows do not wait for
/// one another, those of consecutive groups do.
template <unsigned Size, class F> void eachTile(float *d, const Tile &whole, unsigned group, F run) {
  for (unsigned k = 0; k < whole.k; k += group)
    for (unsigned i = 0; i < Size; ++i)
#pragma clang loop unroll(disable)
      for (unsigned j = 0; j < Size; j += widthFor(Size) * vectorsFor(Size)) {
        Tile x = whole;
        x.a += k * Size + i;
        x.placeA += k * Size + i;
        x.b += k * Size + j;
        x.placeB += k * Size + j;
        run(d + i * Size + j, x);
      }
}

/// Whether no vector of this product can be out of range.
bool inRange(const float *d, unsigned count, const panel::Places &a, const panel::Places &b) {
  if (a.high + b.high > highest || a.low + b.low < lowest) return false;
  uint32_t most = 0, least = ~0u; // of the bits without the sign, times 2; `least` less 1, so that zeros do not count
  for (unsigned n = 0; n < count; ++n) {
    const uint32_t size = bitsOf(d[n]) << 1;
    most = std::max(most, size);
    least = std::min(least, size - 1);
  }
  return most < beyondC && least >= leastC - 1;
}

template <unsigned Size, unsigned Group, bool Halves> void multiplySize(float *d, const Tile &x, bool checked) {
  if (checked) eachTile<Size>(d, x, Group, groupTile<Size, Group, Halves, true>);
  else eachTile<Size>(d, x, Group, groupTile<Size, Group, Halves, false>);
}
template <unsigned Group, bool Halves> void multiplyGroup(float *d, const Tile &x, unsigned size, bool checked) {
  if (size == 16) multiplySize<16, Group, Halves>(d, x, checked);
  else if (size == 32) multiplySize<32, Group, Halves>(d, x, checked);
  else multiplySize<4, Group, Halves>(d, x, checked);
}
template <bool Bf, Narrow N> void multiplySteps(float *d, const Tile &x, bool checked) {
  if (checked) eachTile<16>(d, x, 4, pairTile<Bf, N, true>);
  else eachTile<16>(d, x, 4, pairTile<Bf, N, false>);
}

/// Denormals: the type has the exponents of f32, so that its denormals are denormals of f32.
template <bool Denormals> void findPlacesOf(const float *panel, unsigned count, panel::Places &places) {
  using I = Vector<int32_t, 16>;
  using U = Vector<uint32_t, 16>;
  using P = Vector<int16_t, 16>;
  using UP = Vector<uint16_t, 16>;
  UP least = 0xffff; // of exponents less 1, so that zeros do not count
  P most = 0;
  auto each = [&](auto special) {
    for (unsigned n = 0; n < count; n += 16) {
      const U size = load<U>(panel + n) << 1;
      U field = size >> 24;
      if constexpr (Denormals) // they have the exponent of the least normal number
        field = __builtin_elementwise_max(field, __builtin_elementwise_min(size, U(1)));
      const P exponent = __builtin_convertvector(as<I>(field), P);
      least = __builtin_elementwise_min(least, as<UP>(exponent) - static_cast<uint16_t>(1));
      most = __builtin_elementwise_max(most, exponent);
      P place = __builtin_elementwise_max(exponent - static_cast<int16_t>(127), P(static_cast<int16_t>(places.least)));
      place = exponent == 0 ? P(zeroPlace) : place;
      if constexpr (special) place = exponent == 255 ? P(specialPlace) : place;
      if (places.of) store(places.of + n, place);
      if (places.twice) {
        const I word = __builtin_convertvector(place, I);
        store(places.twice + n, (word << 16) | (word & 0xffff));
      }
    }
  };
  each(std::false_type());
  const int high = __builtin_reduce_max(most), low = __builtin_reduce_min(least) + 1;
  if (high == 255) each(std::true_type());
  places.low = low > 255 ? static_cast<int>(specialPlace) : std::max(low - 127, places.least);
  places.high = high == 255 ? static_cast<int>(specialPlace)
                : high == 0 ? static_cast<int>(zeroPlace)
                            : std::max(high - 127, places.least);
}

} // namespace

namespace panel {

void findPlaces(const float *panel, unsigned count, Places &places) {
  if (places.least == -126) findPlacesOf<true>(panel, count, places);
  else findPlacesOf<false>(panel, count, places);
}

void multiplyGroups(float *d, const float *a, const Places &placesA, const float *b, const Places &placesB,
                    unsigned size, unsigned k, unsigned group, bool halves) {
  const Tile x{a, b, placesA.twice, placesB.of, k, placesA.least, placesB.least};
  const bool checked = !inRange(d, size * size, placesA, placesB);
  if (halves) multiplyGroup<16, true>(d, x, size, checked);
  else if (group == 8) multiplyGroup<8, false>(d, x, size, checked);
  else multiplyGroup<4, false>(d, x, size, checked);
}

void multiplyPairs(float *d, const float *a, const Places &placesA, const float *b, const Places &placesB, unsigned k,
                   bool bfloat, Narrow narrow) {
  const Tile x{a, b, placesA.twice, placesB.of, k, placesA.least, placesB.least};
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
