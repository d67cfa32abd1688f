// VOP3P instructions that are not two equal 16-bit halves: packed f32, v_fma_mix, v_pk_mov.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/FloatMath.h"

namespace fly::emulator {

namespace {

/// The two words of a packed f32 source: op_sel and op_sel_hi pick which word feeds the low and high result.
void fetchPair(Wave &w, const Inst &i, unsigned n, const uint32_t *&low, const uint32_t *&high) {
  const Source &s = i.source[n];
  const uint32_t *p = fetch<uint64_t>(w, i, n);
  low = p + (s.lowFromHigh ? laneStride : 0);
  high = p + (s.highFromHigh ? laneStride : 0);
  if (!s.negateLow && !s.negateHigh) return;
  alignas(64) uint32_t copy[2 * laneStride];
  for (unsigned l = 0; l < w.lanes; ++l) {
    copy[l] = low[l] ^ (s.negateLow ? 0x80000000u : 0);
    copy[l + laneStride] = high[l] ^ (s.negateHigh ? 0x80000000u : 0);
  }
  std::memcpy(w.sourceBuffer[n], copy, sizeof copy);
  low = w.sourceBuffer[n];
  high = low + laneStride;
}

/// Whether a source pair begins one register beside the destination, so that writing the low result would change the
/// high one's source.
bool overlaps(const Inst &i, size_t arity) {
  for (size_t n = 0; n < arity; ++n)
    if (i.source[n].kind == Source::Vector && i.source[n].index + 1 == i.dst) return true;
  return false;
}

template <auto Function> void packedSingle(Wave &w, const Inst &i) {
  using Tr = FunctionTraits<std::remove_const_t<decltype(Function)>>;
  constexpr size_t arity = std::tuple_size_v<typename Tr::Arguments>;
  const uint32_t *low[arity], *high[arity];
  w.dppActive = ~0ull;
  for (unsigned n = 0; n < arity; ++n) fetchPair(w, i, n, low[n], high[n]);
  alignas(64) uint32_t flushedLanes[3][2][laneStride];
  if (!w.mode.plain && w.mode.flushIn32) [[unlikely]]
    for (unsigned n = 0; n < arity; ++n) {
      for (unsigned l = 0; l < w.lanes; ++l) {
        flushedLanes[n][0][l] = bitsOf(flushed(floatOf(low[n][l])));
        flushedLanes[n][1][l] = bitsOf(flushed(floatOf(high[n][l])));
      }
      low[n] = flushedLanes[n][0];
      high[n] = flushedLanes[n][1];
    }
  const uint64_t active = w.exec() & w.laneMask;
  // Crossed halves read the other half's register: then the first result must not be written before the second.
  bool crossed = false;
  for (unsigned n = 0; n < arity; ++n) crossed |= i.source[n].lowFromHigh || !i.source[n].highFromHigh;
  const bool direct = active == w.laneMask && w.mode.plain && !i.clamp && !crossed && !overlaps(i, arity);
  uint32_t *d = direct ? w.reg(i.dst) : w.resultBuffer;
  const unsigned count = w.lanes;
  RoundingScope rounding(w.mode.plain ? 0 : w.mode.round32);
  computeLanes<Function, Tr>(w.mode, low, d, count);
  computeLanes<Function, Tr>(w.mode, high, d + laneStride, count);
  if (direct) return;
  for (uint32_t *half : {d, d + laneStride}) {
    if (!w.mode.plain) flushResult(w, half, Precision::Single);
    if (i.clamp) modifyResult(w, i, half, Precision::Single);
  }
  commit(w, i, d, 2, 64, active);
}

/// v_pk_mov_b32: low from Src0, high from Src1.
void packedMove(Wave &w, const Inst &i) {
  const uint32_t *low, *high, *unused;
  fetchPair(w, i, 0, low, unused);
  fetchPair(w, i, 1, high, unused); // op_sel of Src1 chooses its word, not op_sel_hi
  std::memcpy(w.resultBuffer, low, laneStride * 4);
  std::memcpy(w.resultBuffer + laneStride, high, laneStride * 4);
  commit(w, i, w.resultBuffer, 2, 64, w.exec() & w.laneMask);
}

enum class Mixed { Single, LowHalf, HighHalf };
/// v_fma_mix: each source is f32, or (op_sel_hi) an f16 half chosen by op_sel. `BF`: bf16 instead of f16.
template <Mixed Result, bool BF> void fmaMix(Wave &w, const Inst &i) {
  alignas(64) float value[3][laneStride];
  w.dppActive = ~0ull;
  for (unsigned n = 0; n < 3; ++n) {
    const Source &s = i.source[n];
    const uint32_t *p;
    if (i.dpp && n == 0) { // abs acts on the value, not on the register
      Inst plain = i;
      plain.source[0].change = 0;
      p = fetch<uint32_t>(w, plain, 0);
    } else p = sourceLanes(w, s, n, 1);
    for (unsigned l = 0; l < w.lanes; ++l) {
      uint32_t half = s.lowFromHigh ? p[l] >> 16 : p[l] & 0xffff;
      if (!BF && w.mode.flushIn16_64 && !(half & 0x7c00)) half &= 0x8000;
      float v = !s.highFromHigh ? floatOf(p[l]) : BF ? bfloatToFloat(half) : halfToFloat(half);
      if (s.change & Source::Absolute) v = std::fabs(v);
      if (s.negateLow) v = floatOf(bitsOf(v) ^ 0x80000000u);
      value[n][l] = !w.mode.plain && w.mode.flushIn32 && !s.highFromHigh ? flushed(v) : v;
    }
  }
  uint32_t *d = w.resultBuffer;
  constexpr Precision narrow = BF ? Precision::BFloat : Precision::Half;
  auto rounded = [&](double v) {
    return BF ? doubleToBfloatMode(v, w.mode.round16_64) : doubleToHalfMode(v, w.mode.round16_64);
  };
  auto commitHalf = [&] {
    Inst to = i;
    to.half = Result == Mixed::HighHalf ? Half16::WriteHigh : Half16::KeepHigh;
    commit(w, to, d, 1, 16, activeOf(w));
  };
  if (Result != Mixed::Single && w.program->arch.cdna5Arithmetic) {
    // One rounding, to the 16-bit type (ROCm/rocm-systems#10806, after AMD's model).
    for (unsigned l = 0; l < w.lanes; ++l) {
      const float a = value[0][l], b = value[1][l], c = value[2][l];
      const double sum = fusedOdd(a, b, c), product = static_cast<double>(a) * b;
      double r = sum == sum ? sum : settle(float(sum), a, b, c);
      const bool down = w.mode.round16_64 == 2;
      const bool bothPositive = product == 0 && !std::signbit(product) && !std::signbit(c);
      if (down && r == 0 && !bothPositive) r = -0.0; // a sum of zero, rounded to minus infinity
      d[l] = rounded(r);
    }
    if (!w.mode.plain) flushResult(w, d, narrow);
    if (i.clamp) modifyResult(w, i, d, narrow);
    return commitHalf();
  }
  {
    RoundingScope rounding(w.mode.plain ? 0 : w.mode.round32);
    for (unsigned l = 0; l < w.lanes; ++l) {
      float a = value[0][l], b = value[1][l], c = value[2][l];
      d[l] = bitsOf(settle(std::fma(a, b, c), a, b, c));
    }
  }
  if (!w.mode.plain) flushResult(w, d, Precision::Single);
  if (i.clamp) modifyResult(w, i, d, Precision::Single);
  if constexpr (Result == Mixed::Single) return commit(w, i, d, 1, 32, activeOf(w));
  for (unsigned l = 0; l < w.lanes; ++l) d[l] = rounded(floatOf(d[l]));
  if (!w.mode.plain) flushResult(w, d, narrow);
  commitHalf();
}

constexpr auto fused = [](float a, float b, float c) { return arithmetic(std::fma(a, b, c), a, b, c); };

// clang-format off
constexpr Row rows[] = {
    {"V_PK_ADD_F32", packedSingle<[](float a, float b) { return arithmetic(a + b, a, b); }>},
    {"V_PK_MUL_F32", packedSingle<[](float a, float b) { return arithmetic(a * b, a, b); }>},
    {"V_PK_FMA_F32", packedSingle<fused>},
    {"V_PK_MOV_B32", packedMove},
    {"V_FMA_MIX_F32", fmaMix<Mixed::Single, false>}, {"V_FMA_MIXLO_F16", fmaMix<Mixed::LowHalf, false>},
    {"V_FMA_MIXHI_F16", fmaMix<Mixed::HighHalf, false>}, {"V_FMA_MIX_F32_BF16", fmaMix<Mixed::Single, true>},
    {"V_FMA_MIXLO_BF16", fmaMix<Mixed::LowHalf, true>}, {"V_FMA_MIXHI_BF16", fmaMix<Mixed::HighHalf, true>},
};
// clang-format on

} // namespace

std::span<const Row> packedRows() { return rows; }

} // namespace fly::emulator
