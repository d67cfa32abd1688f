// See MatrixKernels.h.
//
// Vectors are clang's, 8 floats or 4 doubles wide; without AVX2 clang splits them. Fused multiply-add exists on every
// host that has AVX2; elsewhere it is a library call, which products that are exact in f32 (f16 and narrower) avoid:
// for them multiplying and adding gives the same bits.
#include "runtime/emulator/ops/matrix/MatrixKernels.h"

#include "runtime/emulator/ops/matrix/Vectors.h"

#include <cstring>

namespace fly::emulator {

namespace {

constexpr unsigned lanesOfRegister = 64;
#if defined(__FMA__) || defined(__aarch64__)
constexpr bool fastFma = true;
#else
constexpr bool fastFma = false;
#endif

template <bool Exact, class V> V fused(V a, V b, V c) {
  if constexpr (Exact && !fastFma) return a * b + c;
  else return __builtin_elementwise_fma(a, b, c);
}

//===--------------------------------------------------------------------------------------------------------===//
// Elements
//===--------------------------------------------------------------------------------------------------------===//

inline float floatFrom(uint32_t u) { return __builtin_bit_cast(float, u); }
inline uint32_t bitsFrom(float f) { return __builtin_bit_cast(uint32_t, f); }

enum class Specials { None, Ieee, Ocp /* all ones: NaN */, Fnuz /* minus zero: NaN */ };

/// A small float in the low bits of x, exactly. A denormal has its implicit one put in and taken off as a number.
template <unsigned Exponent, unsigned Mantissa, unsigned Bias, Specials S> inline float smallFloat(uint32_t x) {
  constexpr unsigned width = Exponent + Mantissa;
  constexpr uint32_t mask = (1u << width) - 1, rebias = (127u - Bias) << 23;
  uint32_t magnitude = x & mask, sign = (x >> width & 1) << 31;
  uint32_t aligned = magnitude << (23 - Mantissa);
  uint32_t normal = aligned + rebias;
  uint32_t denormal = bitsFrom(floatFrom(normal + (1u << 23)) - floatFrom(rebias + (1u << 23)));
  uint32_t r = magnitude < (1u << Mantissa) ? denormal : normal;
  if constexpr (S == Specials::Ieee) r = magnitude >= (((1u << Exponent) - 1) << Mantissa) ? aligned | 0x7f800000u : r;
  if constexpr (S == Specials::Ocp) r = magnitude == mask ? 0x7fc00000u : r;
  if constexpr (S == Specials::Fnuz) {
    r = (x & (2 * mask + 1)) == mask + 1 ? 0x7fc00000u : r;
  }
  return floatFrom(r | sign);
}

template <Element E> struct Format;
#define FLY_FORMAT(E, BITS, EXPRESSION)                                                                                \
  template <> struct Format<Element::E> {                                                                              \
    static constexpr unsigned bits = BITS;                                                                             \
    static float value(uint32_t x) { return EXPRESSION; }                                                              \
  }
FLY_FORMAT(F32, 32, floatFrom(x));
// xf32 has 10 bits of mantissa; the others are cut off, not rounded (GroupedDot.h names the source).
FLY_FORMAT(Xf32, 32, floatFrom(x & 0xffffe000u));
#ifdef __F16C__
FLY_FORMAT(F16, 16, static_cast<float>(__builtin_bit_cast(_Float16, static_cast<uint16_t>(x))));
#else
FLY_FORMAT(F16, 16, (smallFloat<5, 10, 15, Specials::Ieee>(x)));
#endif
FLY_FORMAT(Bf16, 16, floatFrom(x << 16));
FLY_FORMAT(Fp8, 8, (smallFloat<4, 3, 7, Specials::Ocp>(x)));
FLY_FORMAT(Bf8, 8, (smallFloat<5, 2, 15, Specials::Ieee>(x)));
FLY_FORMAT(Fp8Fnuz, 8, (smallFloat<4, 3, 8, Specials::Fnuz>(x)));
FLY_FORMAT(Bf8Fnuz, 8, (smallFloat<5, 2, 16, Specials::Fnuz>(x)));
FLY_FORMAT(Fp6, 6, (smallFloat<2, 3, 1, Specials::None>(x)));
FLY_FORMAT(Bf6, 6, (smallFloat<3, 2, 3, Specials::None>(x)));
FLY_FORMAT(Fp4, 4, (smallFloat<2, 1, 1, Specials::None>(x)));
FLY_FORMAT(I8, 8, static_cast<float>(static_cast<int32_t>(x << 24) >> 24));
FLY_FORMAT(U8, 8, static_cast<float>(static_cast<int32_t>(x & 0xff)));
FLY_FORMAT(I4, 4, static_cast<float>(static_cast<int32_t>(x << 28) >> 28));
FLY_FORMAT(U4, 4, static_cast<float>(static_cast<int32_t>(x & 0xf)));
#undef FLY_FORMAT

template <Element E, unsigned Run> void unpackRuns(const uint32_t *registers, const Runs &runs, float *panel) {
  constexpr unsigned bits = Format<E>::bits;
  for (unsigned v = 0; v < runs.elements; ++v) {
    const unsigned shift = v * bits % 32;
    const uint32_t *word = registers + v * bits / 32 * lanesOfRegister;
    const uint16_t *place = runs.place + v * runs.runs;
    if (32 % bits != 0 && shift + bits > 32) { // a 6-bit element that spans two registers
      for (unsigned r = 0; r < runs.runs; ++r, word += Run) {
        float *to = panel + place[r];
#pragma clang loop vectorize(assume_safety)
        for (unsigned l = 0; l < Run; ++l)
          to[l] = Format<E>::value(word[l] >> shift | word[l + lanesOfRegister] << (32 - shift));
      }
      continue;
    }
    for (unsigned r = 0; r < runs.runs; ++r, word += Run) {
      float *to = panel + place[r];
#pragma clang loop vectorize(assume_safety)
      for (unsigned l = 0; l < Run; ++l) to[l] = Format<E>::value(word[l] >> shift);
    }
  }
}

template <Element E> void unpackElement(const uint32_t *registers, const Runs &runs, float *panel) {
  switch (runs.run) {
  case 1: return unpackRuns<E, 1>(registers, runs, panel);
  case 2: return unpackRuns<E, 2>(registers, runs, panel);
  case 4: return unpackRuns<E, 4>(registers, runs, panel);
  case 8: return unpackRuns<E, 8>(registers, runs, panel);
  case 16: return unpackRuns<E, 16>(registers, runs, panel);
  case 32: return unpackRuns<E, 32>(registers, runs, panel);
  default: return unpackRuns<E, 64>(registers, runs, panel);
  }
}

} // namespace

namespace panel {

void unpack(Element type, const uint32_t *registers, const Runs &runs, float *panel) {
  switch (type) {
#define FLY_CASE(E) case Element::E: return unpackElement<Element::E>(registers, runs, panel)
    // clang-format off
    FLY_CASE(F32); FLY_CASE(Xf32); FLY_CASE(F16); FLY_CASE(Bf16); FLY_CASE(Fp8); FLY_CASE(Bf8); FLY_CASE(Fp8Fnuz);
    FLY_CASE(Bf8Fnuz);
    FLY_CASE(Fp6);
    FLY_CASE(Bf6);
    FLY_CASE(Fp4);
    FLY_CASE(I8);
    FLY_CASE(U8);
    FLY_CASE(I4);
    FLY_CASE(U4);
    // clang-format on
#undef FLY_CASE
  case Element::F64:
  case Element::I32:
  case Element::Count: break; // never float: gather64, gather32
  }
}

template <class F> static void eachRun(const Runs &runs, F f) {
  for (unsigned v = 0; v < runs.elements; ++v)
    for (unsigned r = 0; r < runs.runs; ++r) f(v, r * runs.run, runs.place[v * runs.runs + r]);
}
/// Copies words between registers and a panel; runs of a fixed size are a few vector moves instead of a call.
template <class Copy> static void copyRuns(const Runs &runs, Copy copy) {
  eachRun(runs, [&](unsigned v, unsigned lane, unsigned place) {
    unsigned word = v * lanesOfRegister + lane;
    switch (runs.run) {
    case 4: return copy(word, place, 16);
    case 16: return copy(word, place, 64);
    case 32: return copy(word, place, 128);
    default: return copy(word, place, runs.run * 4);
    }
  });
}
void gather32(const uint32_t *registers, const Runs &runs, uint32_t *panel) {
  copyRuns(runs,
           [&](unsigned word, unsigned place, unsigned bytes) { std::memcpy(panel + place, registers + word, bytes); });
}
void scatter32(uint32_t *registers, const Runs &runs, const uint32_t *panel) {
  copyRuns(runs,
           [&](unsigned word, unsigned place, unsigned bytes) { std::memcpy(registers + word, panel + place, bytes); });
}
void gather64(const uint32_t *registers, const Runs &runs, double *panel) {
  eachRun(runs, [&](unsigned v, unsigned lane, unsigned to) {
    const uint32_t *low = registers + 2 * v * lanesOfRegister + lane, *high = low + lanesOfRegister;
    for (unsigned l = 0; l < runs.run; ++l)
      panel[to + l] = __builtin_bit_cast(double, low[l] | static_cast<uint64_t>(high[l]) << 32);
  });
}
void scatter64(uint32_t *registers, const Runs &runs, const double *panel) {
  eachRun(runs, [&](unsigned v, unsigned lane, unsigned from) {
    uint32_t *low = registers + 2 * v * lanesOfRegister + lane, *high = low + lanesOfRegister;
    for (unsigned l = 0; l < runs.run; ++l) {
      uint64_t u = __builtin_bit_cast(uint64_t, panel[from + l]);
      low[l] = static_cast<uint32_t>(u);
      high[l] = static_cast<uint32_t>(u >> 32);
    }
  });
}

//===--------------------------------------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------------------------------------===//

} // namespace panel

namespace {

/// `Rows` x `Vectors` accumulators stay in registers while k runs; eight are enough to hide the latency of an addition.
template <class T, unsigned W, unsigned Rows, unsigned Vectors, bool Exact>
void multiplyTile(T *d, const T *a, const T *b, unsigned m, unsigned n, unsigned k) {
  using V = Vector<T, W>;
  V sum[Rows][Vectors];
  for (unsigned r = 0; r < Rows; ++r)
    for (unsigned c = 0; c < Vectors; ++c) sum[r][c] = load<V>(d + r * n + c * W);
  for (unsigned s = 0; s < k; ++s, a += m, b += n) {
    V row[Vectors];
    for (unsigned c = 0; c < Vectors; ++c) row[c] = load<V>(b + c * W);
    for (unsigned r = 0; r < Rows; ++r) {
      V x = a[r];
      for (unsigned c = 0; c < Vectors; ++c) sum[r][c] = fused<Exact>(x, row[c], sum[r][c]);
    }
  }
  for (unsigned r = 0; r < Rows; ++r)
    for (unsigned c = 0; c < Vectors; ++c) store(d + r * n + c * W, sum[r][c]);
}

template <class T, bool Exact> void multiplyAny(T *d, const T *a, const T *b, unsigned m, unsigned n, unsigned k) {
  constexpr unsigned wide = 32 / sizeof(T);
  for (unsigned i = 0; i < m; i += 4)
    for (unsigned j = 0; j < n;) {
      if (n - j >= 2 * wide) {
        multiplyTile<T, wide, 4, 2, Exact>(d + i * n + j, a + i, b + j, m, n, k);
        j += 2 * wide;
      } else {
        multiplyTile<T, 4, 4, 1, Exact>(d + i * n + j, a + i, b + j, m, n, k);
        j += 4;
      }
    }
}

} // namespace

namespace panel {

void multiply(float *d, const float *a, const float *b, unsigned m, unsigned n, unsigned k, bool exact) {
  if (exact) multiplyAny<float, true>(d, a, b, m, n, k);
  else multiplyAny<float, false>(d, a, b, m, n, k);
}
void multiply64(double *d, const double *a, const double *b, unsigned m, unsigned n, unsigned k) {
  multiplyAny<double, false>(d, a, b, m, n, k);
}

} // namespace panel

namespace {

/// Each row of A picks its own rows of B, so four rows of D with 16 columns go at once.
template <bool Exact>
void multiplySparseAny(float *d, const float *a, const uint8_t *select, const float *b, unsigned m, unsigned n,
                       unsigned stored) {
  using V = Vector<float, 8>;
  for (unsigned i = 0; i < m; i += 4)
    for (unsigned j = 0; j < n; j += 16) {
      V sum[4][2];
      for (unsigned r = 0; r < 4; ++r)
        for (unsigned c = 0; c < 2; ++c) sum[r][c] = load<V>(d + (i + r) * n + j + 8 * c);
      for (unsigned s = 0; s < stored; ++s)
        for (unsigned r = 0; r < 4; ++r) {
          V x = a[s * m + i + r];
          const float *row = b + select[s * m + i + r] * n + j;
          for (unsigned c = 0; c < 2; ++c) sum[r][c] = fused<Exact>(x, load<V>(row + 8 * c), sum[r][c]);
        }
      for (unsigned r = 0; r < 4; ++r)
        for (unsigned c = 0; c < 2; ++c) store(d + (i + r) * n + j + 8 * c, sum[r][c]);
    }
}
} // namespace

namespace panel {

void multiplySparse(float *d, const float *a, const uint8_t *select, const float *b, unsigned m, unsigned n,
                    unsigned stored, bool exact) {
  if (exact) multiplySparseAny<true>(d, a, select, b, m, n, stored);
  else multiplySparseAny<false>(d, a, select, b, m, n, stored);
}

void addScaled(double *d, const float *part, const double *scaleA, const double *scaleB, unsigned m, unsigned n) {
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j) d[i * n + j] += static_cast<double>(part[i * n + j]) * (scaleA[i] * scaleB[j]);
}

void select(const uint32_t *index, const Runs &a, unsigned m, unsigned shift, uint8_t *select) {
  for (unsigned v = 0; v < a.elements; ++v)
    for (unsigned r = 0; r < a.runs; ++r) {
      const unsigned place = a.place[v * a.runs + r], first = place / m / 2 * 4, bit = shift + 2 * v;
      const uint32_t *from = index + bit / 32 * lanesOfRegister + r * a.run;
      for (unsigned l = 0; l < a.run; ++l) select[place + l] = static_cast<uint8_t>(first + (from[l] >> bit % 32 & 3));
    }
}

void settle(float *d, unsigned count) {
  int32_t any = 0; // looked for first: clang's choice for one loop is masked stores, which are microcode on AMD's CPUs
  for (unsigned n = 0; n < count; ++n) any |= d[n] != d[n];
  for (unsigned n = 0; any && n < count; ++n)
    if (d[n] != d[n]) d[n] = floatFrom(0x7fc00000u);
}

} // namespace panel

} // namespace fly::emulator
