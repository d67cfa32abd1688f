// From a function of one lane to a handler of a whole wave.
//
// A row of an instruction table only has what one lane computes, with its types:
//
//     {"V_ADD_F32", lanes<[](float a, float b) { return settle(a + b, a, b); }>}
//
// `lanes` fetches the sources (each parameter takes the next of Src0, Src1, Src2), loops, applies omod and clamp as the
// result type requires, and writes under EXEC. Parameter and result types determine how a register is read:
//
//     uint32_t int32_t float        one register           uint64_t int64_t double   a pair
//     uint16_t int16_t              bits 15:0              bool                      a bit of a lane mask
//     Half, BFloat                  bits 15:0 as a float (exact)
//     HalfOf<float|double>          result still to be rounded to f16; BFloatOf alike
//     Carry<T>                      a value and a bit of the mask in Sdst
//     Arithmetic<float|double>      an IEEE result whose NaN rule is applied only where it matters
//
// A function may take `const Mode &` first. The loop body must be free of branches that depend on lanes where speed
// matters: it is vectorised because all arrays are indexed alike (see Wave.h), whatever overlaps.
//
// MODE: denormals and rounding other than the default take a slow path: sources are copied with denormals flushed, the
// host's rounding mode is set around the loop, results are flushed.
#pragma once

#include "runtime/emulator/wave/Program.h"
#include "runtime/emulator/formats/SmallFloat.h"

#include <array>
#include <cfenv>
#include <tuple>
#include <type_traits>

namespace fly::emulator {

struct Half {
  float value;
};
struct BFloat {
  float value;
};
template <class F> struct HalfOf {
  F value;
};
template <class F> struct BFloatOf {
  F value;
};
template <class T> struct Carry {
  T value;
  bool carry;
};
/// The result of an IEEE operation before the kind of a NaN result is determined (see settle): the loops check blocks
/// of lanes and call `settled` only if there is a NaN.
template <class F> struct Arithmetic {
  F value, a, b, c;
  F settled() const { return settle(value, a, b, c); }
};
template <class F> inline Arithmetic<F> arithmetic(F value, F a) { return {value, a, a, a}; }
template <class F> inline Arithmetic<F> arithmetic(F value, F a, F b) { return {value, a, b, b}; }
template <class F> inline Arithmetic<F> arithmetic(F value, F a, F b, F c) { return {value, a, b, c}; }

enum class Precision : uint8_t { None, Single, Double, Half, BFloat };

/// How a type is stored in registers.
template <class T> struct LaneType {
  static constexpr unsigned words = sizeof(T) == 8 ? 2 : 1, bits = sizeof(T) * 8;
  static constexpr Precision precision = std::is_same_v<T, float>    ? Precision::Single
                                         : std::is_same_v<T, double> ? Precision::Double
                                                                     : Precision::None;
  static T load(const uint32_t *p, unsigned l) {
    if constexpr (sizeof(T) == 8) return std::bit_cast<T>(p[l] | static_cast<uint64_t>(p[l + laneStride]) << 32);
    else if constexpr (sizeof(T) == 4) return std::bit_cast<T>(p[l]);
    else return static_cast<T>(p[l]);
  }
  static void store(uint32_t *p, unsigned l, T v) {
    if constexpr (sizeof(T) == 8) {
      uint64_t u = std::bit_cast<uint64_t>(v);
      p[l] = static_cast<uint32_t>(u);
      p[l + laneStride] = static_cast<uint32_t>(u >> 32);
    } else if constexpr (sizeof(T) == 4) p[l] = std::bit_cast<uint32_t>(v);
    else p[l] = static_cast<std::make_unsigned_t<T>>(v);
  }
};
template <> struct LaneType<bool> {
  static constexpr unsigned words = 1, bits = 1;
  static constexpr Precision precision = Precision::None;
  static bool load(const uint32_t *p, unsigned l) { return p[l] != 0; }
  static void store(uint32_t *p, unsigned l, bool v) { p[l] = v; }
};
template <> struct LaneType<Half> {
  static constexpr unsigned words = 1, bits = 16;
  static constexpr Precision precision = Precision::Half;
  static Half load(const uint32_t *p, unsigned l) { return {halfToFloat(p[l])}; }
};
template <> struct LaneType<BFloat> {
  static constexpr unsigned words = 1, bits = 16;
  static constexpr Precision precision = Precision::BFloat;
  static BFloat load(const uint32_t *p, unsigned l) { return {bfloatToFloat(p[l])}; }
};
inline uint32_t roundHalf(float f) { return floatToHalf(f); }
inline uint32_t roundHalf(double f) { return doubleToHalf(f); }
template <class F> struct LaneType<HalfOf<F>> {
  static constexpr unsigned words = 1, bits = 16;
  static constexpr Precision precision = Precision::Half;
  static void store(uint32_t *p, unsigned l, HalfOf<F> v) { p[l] = roundHalf(v.value); }
};
template <class F> struct LaneType<BFloatOf<F>> {
  static constexpr unsigned words = 1, bits = 16;
  static constexpr Precision precision = Precision::BFloat;
  static void store(uint32_t *p, unsigned l, BFloatOf<F> v) {
    p[l] = std::is_same_v<F, float> ? floatToBfloat(static_cast<float>(v.value)) : doubleToBfloat(v.value);
  }
};
template <class T> struct LaneType<Carry<T>> : LaneType<T> {};
template <class F> struct LaneType<Arithmetic<F>> : LaneType<F> {};

template <class T> struct IsSmallResult : std::false_type {};
template <class F> struct IsSmallResult<HalfOf<F>> : std::true_type {};
template <class F> struct IsSmallResult<BFloatOf<F>> : std::true_type {};
template <class T> struct IsArithmetic : std::false_type {};
template <class F> struct IsArithmetic<Arithmetic<F>> : std::true_type {};
template <class T> struct IsCarry : std::false_type {};
template <class T> struct IsCarry<Carry<T>> : std::true_type {};

template <class F> struct FunctionTraits : FunctionTraits<decltype(&F::operator())> {};
template <class C, class R, class... A> struct FunctionTraits<R (C::*)(A...) const> {
  using Result = R;
  using Arguments = std::tuple<A...>;
  static constexpr bool takesMode = false;
};
template <class C, class R, class... A> struct FunctionTraits<R (C::*)(const Mode &, A...) const> {
  using Result = R;
  using Arguments = std::tuple<A...>;
  static constexpr bool takesMode = true;
};
template <class R, class... A> struct FunctionTraits<R (*)(A...)> {
  using Result = R;
  using Arguments = std::tuple<A...>;
  static constexpr bool takesMode = false;
};

//===--------------------------------------------------------------------------------------------------------===//
// Operands; Operands.cpp
//===--------------------------------------------------------------------------------------------------------===//

/// The lanes of a source as they are, before anything that the encoding does to them.
const uint32_t *sourceLanes(Wave &w, const Source &s, unsigned n, unsigned words);
/// The lanes of a source that is not a plain VGPR: broadcasts, DPP, SDWA, half selection, neg and abs.
const uint32_t *fetchSlow(Wave &w, const Inst &i, unsigned n, unsigned words, unsigned bits);
/// A lane mask as lanes of 0 and ~0.
const uint32_t *fetchMask(Wave &w, const Inst &i, unsigned n);
/// The lanes of a packed source with DPP, op_sel, op_sel_hi, neg_lo, neg_hi applied: low result's half in 15:0.
const uint32_t *fetchPacked(Wave &w, const Inst &i, unsigned n);
/// A copy of source n's lanes, with denormals flushed if MODE requires it.
const uint32_t *flushSource(Wave &w, const uint32_t *p, unsigned n, Precision precision);
/// Denormals of a result; omod and clamp. `p` holds results in their final bits.
void flushResult(Wave &w, uint32_t *p, Precision precision);
void modifyResult(Wave &w, const Inst &i, uint32_t *p, Precision precision);
/// MODE.FP16_OVFL: f16 (or bf16: `result`) results that are infinite though no source is become the largest number.
/// `kinds` are the sources' precisions.
void clampOverflow(const Wave &w, uint32_t *p, Precision result, const uint32_t *const *sources, const Precision *kinds,
                   unsigned count);
/// Writes `words` registers of result lanes to the destination where `active`; 16-bit and SDWA merges.
void commit(Wave &w, const Inst &i, const uint32_t *p, unsigned words, unsigned bits, uint64_t active);
/// Bits of the lanes of p that are not zero.
uint64_t packMask(const uint32_t *p, unsigned lanes);
/// The lanes that the current instruction writes; known once its sources have been fetched, for DPP disables lanes.
inline uint64_t activeOf(const Wave &w) { return w.exec() & w.laneMask & w.dppActive; }

template <class T> inline const uint32_t *fetch(Wave &w, const Inst &i, unsigned n) {
  if constexpr (std::is_same_v<T, bool>) return fetchMask(w, i, n);
  else {
    const Source &s = i.source[n];
    if (!i.slowSource && s.change == 0) [[likely]] {
      if (s.kind == Source::Vector) [[likely]]
        return w.reg(s.index);
      if (s.kind == Source::Constant) return s.lanes;
      if (s.kind == Source::Scalar) {
        uint32_t *buffer = w.sourceBuffer[n];
        for (unsigned k = 0; k < LaneType<T>::words; ++k)
          for (unsigned l = 0; l < laneStride; ++l) buffer[k * laneStride + l] = w.scalar[s.index + k];
        return buffer;
      }
    }
    return fetchSlow(w, i, n, LaneType<T>::words, LaneType<T>::bits);
  }
}

/// Sets the host's rounding while it lives.
struct RoundingScope {
  int saved = 0;
  bool active = false;
  RoundingScope(unsigned mode) {
    if (mode == 0) return;
    static constexpr int host[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    saved = std::fegetround();
    std::fesetround(host[mode & 3]);
    active = true;
  }
  ~RoundingScope() {
    if (active) std::fesetround(saved);
  }
};
/// MODE's rounding is to nearest while it lives: of instructions that do not follow it.
struct NearestScope {
  Mode &mode;
  const uint8_t saved32 = mode.round32, saved16_64 = mode.round16_64;
  explicit NearestScope(Mode &m) : mode(m) { mode.round32 = mode.round16_64 = 0; }
  ~NearestScope() {
    mode.round32 = saved32;
    mode.round16_64 = saved16_64;
  }
};
inline unsigned roundingOf(const Mode &mode, Precision p) {
  return p == Precision::Single ? mode.round32 : p == Precision::None ? 0 : mode.round16_64;
}

template <auto Function, class Tr, size_t... N>
inline auto callLane(const Mode &mode, const uint32_t *const *p, unsigned l, std::index_sequence<N...>) {
  if constexpr (Tr::takesMode)
    return Function(mode, LaneType<std::tuple_element_t<N, typename Tr::Arguments>>::load(p[N], l)...);
  else return Function(LaneType<std::tuple_element_t<N, typename Tr::Arguments>>::load(p[N], l)...);
}

#ifdef __AVX2__
inline constexpr unsigned simdBytes = 32;
#else
inline constexpr unsigned simdBytes = 16;
#endif

/// d[l] = Function(sources[l]) for all lanes.
template <auto Function, class Tr>
inline void computeLanes(const Mode &mode, const uint32_t *const *p, uint32_t *d, unsigned count) {
  using R = typename Tr::Result;
  constexpr auto sequence = std::make_index_sequence<std::tuple_size_v<typename Tr::Arguments>>();
  if constexpr (IsArithmetic<R>::value) {
    using F = decltype(R::value);
    constexpr unsigned block = 16; // wave sizes are multiples
    // Not unrolled, or the vectoriser never sees a loop; interleaved, so that nothing of a loop is left.
    constexpr unsigned width = simdBytes / sizeof(F), interleave = block / width;
    for (unsigned begin = 0; begin < count; begin += block) {
      F r[block];
      uint32_t nan = 0;
#pragma clang loop vectorize(assume_safety) vectorize_width(width) interleave_count(interleave) unroll(disable)
      for (unsigned l = 0; l < block; ++l) {
        r[l] = callLane<Function, Tr>(mode, p, begin + l, sequence).value;
        nan |= r[l] != r[l] ? 1u : 0u;
      }
      if (nan) [[unlikely]] {
        for (unsigned l = 0; l < block; ++l) r[l] = callLane<Function, Tr>(mode, p, begin + l, sequence).settled();
      }
#pragma clang loop vectorize(assume_safety) vectorize_width(width) interleave_count(interleave) unroll(disable)
      for (unsigned l = 0; l < block; ++l) LaneType<F>::store(d, begin + l, r[l]);
    }
  } else {
#pragma clang loop vectorize(assume_safety)
    for (unsigned l = 0; l < count; ++l) LaneType<R>::store(d, l, callLane<Function, Tr>(mode, p, l, sequence));
  }
}

template <class Arguments> inline constexpr auto precisionsOf = [] {
  std::array<Precision, std::tuple_size_v<Arguments> + 1> kinds{};
  [&]<size_t... N>(std::index_sequence<N...>) {
    ((kinds[N] = LaneType<std::tuple_element_t<N, Arguments>>::precision), ...);
  }(std::make_index_sequence<std::tuple_size_v<Arguments>>());
  return kinds;
}();

/// The handler of a lane function; see the top of the file. `Compare` adds EXEC to the destinations (v_cmpx).
template <auto Function, bool WritesExec = false> void lanes(Wave &w, const Inst &i) {
  using Tr = FunctionTraits<std::remove_const_t<decltype(Function)>>;
  using R = typename Tr::Result;
  using Arguments = typename Tr::Arguments;
  constexpr size_t arity = std::tuple_size_v<Arguments>;
  constexpr bool isMask = std::is_same_v<R, bool>;
  w.dppActive = ~0ull;
  const uint32_t *p[arity ? arity : 1];
  auto each = [&]<size_t... N>(std::index_sequence<N...> s) {
    ((p[N] = fetch<std::tuple_element_t<N, Arguments>>(w, i, N)), ...);
    if (!w.mode.plain) [[unlikely]]
      ((p[N] = LaneType<std::tuple_element_t<N, Arguments>>::precision == Precision::None
                   ? p[N]
                   : flushSource(w, p[N], N, LaneType<std::tuple_element_t<N, Arguments>>::precision)),
       ...);
  };
  each(std::make_index_sequence<arity>());
  const uint64_t active = activeOf(w);
  const unsigned count = w.lanes;
  constexpr Precision result = LaneType<R>::precision;
  constexpr Precision first = []() {
    if constexpr (arity == 0) return Precision::None;
    else return LaneType<std::tuple_element_t<0, Arguments>>::precision;
  }();
  RoundingScope rounding(w.mode.plain ? 0 : roundingOf(w.mode, result != Precision::None ? result : first));
  constexpr auto sequence = std::make_index_sequence<arity>();

  if constexpr (isMask) {
    uint32_t *d = w.resultBuffer;
#pragma clang loop vectorize(assume_safety)
    for (unsigned l = 0; l < count; ++l) d[l] = callLane<Function, Tr>(w.mode, p, l, sequence);
    uint64_t mask = packMask(d, count) & active;
    w.setMask(i.sdst, mask);
    if constexpr (WritesExec) w.setMask(slot::exec, mask);
  } else {
    constexpr unsigned words = LaneType<R>::words, bits = LaneType<R>::bits;
    const bool direct =
        active == w.laneMask && !i.slowResult && w.mode.plain && (bits != 16 || i.half == Half16::ZeroHigh);
    uint32_t *d = direct ? w.reg(i.dst) : w.resultBuffer;
    bool done = false;
    if constexpr (IsSmallResult<R>::value)
      if (w.mode.round16_64 != 0) [[unlikely]] {
        for (unsigned l = 0; l < count; ++l) {
          auto v = callLane<Function, Tr>(w.mode, p, l, sequence);
          d[l] = result == Precision::Half ? doubleToHalfMode(v.value, w.mode.round16_64)
                                           : doubleToBfloatMode(v.value, w.mode.round16_64);
        }
        done = true;
      }
    if constexpr (IsCarry<R>::value) {
      uint32_t *c = w.carryBuffer;
#pragma clang loop vectorize(assume_safety)
      for (unsigned l = 0; l < count; ++l) {
        auto v = callLane<Function, Tr>(w.mode, p, l, sequence);
        LaneType<R>::store(d, l, v.value);
        c[l] = v.carry;
      }
      w.setMask(i.sdst, packMask(c, count) & active);
    } else if (!done) {
      computeLanes<Function, Tr>(w.mode, p, d, count);
    }
    if (direct) return;
    if constexpr (result == Precision::Half)
      if (w.mode.clampsHalf) [[unlikely]]
        clampOverflow(w, d, result, p, precisionsOf<Arguments>.data(), arity);
    if constexpr (result != Precision::None) {
      if (!w.mode.plain) flushResult(w, d, result);
      if (i.omod || i.clamp) modifyResult(w, i, d, result);
    }
    commit(w, i, d, words, bits, active);
  }
}

/// `lanes` for an approximation, which rounds to nearest regardless of MODE.
template <auto Function> void lanesToNearest(Wave &w, const Inst &i) {
  NearestScope nearest(w.mode);
  lanes<Function>(w, i);
}

/// Two independent 16-bit operations: VOP3P. The function computes one half.
template <auto Function> void packed(Wave &w, const Inst &i) {
  using Tr = FunctionTraits<std::remove_const_t<decltype(Function)>>;
  using R = typename Tr::Result;
  using Arguments = typename Tr::Arguments;
  constexpr size_t arity = std::tuple_size_v<Arguments>;
  constexpr auto sequence = std::make_index_sequence<arity>();
  const uint32_t *p[arity];
  for (unsigned n = 0; n < arity; ++n) p[n] = fetchPacked(w, i, n);
  const uint64_t active = w.exec() & w.laneMask;
  const unsigned count = w.lanes;
  constexpr Precision result = LaneType<R>::precision;
  alignas(64) uint32_t high[3][laneStride], lowResult[laneStride], highResult[laneStride];
  const uint32_t *h[arity];
  for (unsigned n = 0; n < arity; ++n) {
    for (unsigned l = 0; l < count; ++l) high[n][l] = p[n][l] >> 16;
    h[n] = high[n];
  }
  if (!w.mode.plain && result != Precision::None) [[unlikely]]
    for (unsigned n = 0; n < arity; ++n) {
      // flushSource copies into source buffer n; the high halves already have their own copy.
      const uint32_t *f = flushSource(w, h[n], n, result);
      std::memcpy(high[n], f, sizeof high[n]);
    }
  if (!w.mode.plain && result != Precision::None) [[unlikely]]
    for (unsigned n = 0; n < arity; ++n) p[n] = flushSource(w, fetchPacked(w, i, n), n, result);
  bool done = false;
  if constexpr (IsSmallResult<R>::value)
    if (w.mode.round16_64 != 0) [[unlikely]] {
      RoundingScope rounding(w.mode.round16_64);
      for (unsigned l = 0; l < count; ++l) {
        auto a = callLane<Function, Tr>(w.mode, p, l, sequence), b = callLane<Function, Tr>(w.mode, h, l, sequence);
        auto round = result == Precision::Half ? doubleToHalfMode : doubleToBfloatMode;
        lowResult[l] = round(a.value, w.mode.round16_64);
        highResult[l] = round(b.value, w.mode.round16_64);
      }
      done = true;
    }
  if (!done) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned l = 0; l < count; ++l)
      LaneType<R>::store(lowResult, l, callLane<Function, Tr>(w.mode, p, l, sequence));
#pragma clang loop vectorize(assume_safety)
    for (unsigned l = 0; l < count; ++l)
      LaneType<R>::store(highResult, l, callLane<Function, Tr>(w.mode, h, l, sequence));
  }
  if constexpr (result == Precision::Half || result == Precision::BFloat)
    if (w.mode.clampsHalf) [[unlikely]] {
      clampOverflow(w, lowResult, result, p, precisionsOf<Arguments>.data(), arity);
      clampOverflow(w, highResult, result, h, precisionsOf<Arguments>.data(), arity);
    }
  if constexpr (result != Precision::None) {
    if (!w.mode.plain) {
      flushResult(w, lowResult, result);
      flushResult(w, highResult, result);
    }
    if (i.clamp) {
      modifyResult(w, i, lowResult, result);
      modifyResult(w, i, highResult, result);
    }
  }
  const uint32_t *mask = w.activeLanes(active);
  uint32_t *d = w.reg(i.dst);
#pragma clang loop vectorize(assume_safety)
  for (unsigned l = 0; l < count; ++l) {
    uint32_t v = (lowResult[l] & 0xffffu) | highResult[l] << 16;
    d[l] = mask[l] ? v : d[l];
  }
}

} // namespace fly::emulator
