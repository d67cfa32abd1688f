// Conversions between fp8 or bf8 and f32 or f16 without a scale, and stochastic rounding to f16 and bf16.
//
// Results smaller than a register go to one of its halves or bytes and preserve the rest; sources are one of its halves
// or bytes. All round to nearest even regardless of MODE.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/TinyConvert.h"

#include <cmath>
#include <limits>

namespace fly::emulator {

namespace {

using U32 = uint32_t;

constexpr TinyFormat half16{5, 10, 15, TinyFormat::Nan::Ieee, true};
constexpr TinyFormat bfloat16{8, 7, 127, TinyFormat::Nan::Ieee, true};

/// v_cvt_f32_fp8, v_cvt_f16_fp8, ...: a byte of the source.
template <bool Bf, Wide To> void fromByte(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *p = fetch<U32>(w, i, 0);
  U32 *d = w.resultBuffer;
  const unsigned shift = 8 * (i.flags & cvt::sourceBits);
  withByteFormat<Bf>(i, [&]<TinyFormat F>() {
    for (unsigned l = 0; l < w.lanes; ++l) d[l] = narrowTo<To>(decodeTiny<F>(p[l] >> shift), w.mode);
  });
  if (i.omod || i.clamp) modifyResult(w, i, d, To == Wide::Single ? Precision::Single : Precision::Half);
  commit(w, i, d, 1, To == Wide::Single ? 32 : 16, activeOf(w));
}

/// v_cvt_pk_f32_fp8, v_cvt_pk_f16_fp8, ...: the low two bytes of the source's selected half.
template <bool Bf, Wide To> void fromPair(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *p = fetch<uint16_t>(w, i, 0);
  U32 *d = w.resultBuffer;
  withByteFormat<Bf>(i, [&]<TinyFormat F>() {
    for (unsigned l = 0; l < w.lanes; ++l) {
      U32 low = narrowTo<To>(decodeTiny<F>(p[l]), w.mode), high = narrowTo<To>(decodeTiny<F>(p[l] >> 8), w.mode);
      if constexpr (To == Wide::Single) {
        d[l] = low;
        d[l + laneStride] = high;
      } else d[l] = low | high << 16;
    }
  });
  if constexpr (To == Wide::Single)
    if (i.omod || i.clamp) {
      modifyResult(w, i, d, Precision::Single);
      modifyResult(w, i, d + laneStride, Precision::Single);
    }
  commit(w, i, d, To == Wide::Single ? 2 : 1, To == Wide::Single ? 64 : 32, activeOf(w));
}

/// What CDNA5 converts: with FP16_OVFL infinities become the largest number, too (CDNA5 ISA, 7.6.2).
double clamped(const Wave &w, double v) {
  constexpr double largest = std::numeric_limits<double>::max();
  return w.mode.clampsHalf && w.program->arch.cdna5Arithmetic && v - v != 0 && v == v ? std::copysign(largest, v) : v;
}

/// v_cvt_pk_fp8_f32: two sources to one half of the destination.
template <bool Bf> void pairFromSingles(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<float>(w, i, 0), *b = fetch<float>(w, i, 1);
  U32 *d = w.resultBuffer;
  withByteFormat<Bf>(i, [&]<TinyFormat F>() {
    for (unsigned l = 0; l < w.lanes; ++l)
      d[l] = encodeElement<F>(w, i, clamped(w, floatOf(a[l]))) | encodeElement<F>(w, i, clamped(w, floatOf(b[l]))) << 8;
  });
  commit(w, i, d, 1, 16, activeOf(w));
}
/// v_cvt_pk_fp8_f16: both halves of one source.
template <bool Bf> void pairFromHalves(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<U32>(w, i, 0);
  U32 *d = w.resultBuffer;
  withByteFormat<Bf>(i, [&]<TinyFormat F>() {
    for (unsigned l = 0; l < w.lanes; ++l)
      d[l] = encodeElement<F>(w, i, clamped(w, widen<Wide::Half>(a[l], w.mode))) |
             encodeElement<F>(w, i, clamped(w, widen<Wide::Half>(a[l] >> 16, w.mode))) << 8;
  });
  commit(w, i, d, 1, 16, activeOf(w));
}
/// v_cvt_sr_fp8_f32, v_cvt_sr_fp8_f16: to one byte.
template <bool Bf, Wide From> void stochasticByte(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = From == Wide::Single ? fetch<float>(w, i, 0) : fetch<uint16_t>(w, i, 0);
  const U32 *random = fetch<U32>(w, i, 1);
  U32 *d = w.resultBuffer;
  withByteFormat<Bf>(i, [&]<TinyFormat F>() {
    for (unsigned l = 0; l < w.lanes; ++l)
      d[l] = encodeElementStochastic<F>(w, i, clamped(w, widen<From>(a[l], w.mode)), From, random[l]);
  });
  insertField(w, i, d, 8 * (i.flags >> cvt::destinationShift & 3), 0xff, activeOf(w));
}
/// v_cvt_sr_f16_f32, v_cvt_sr_bf16_f32.
template <TinyFormat F> void stochasticHalf(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<float>(w, i, 0), *random = fetch<U32>(w, i, 1);
  U32 *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l)
    d[l] = encodeTinyStochastic<F>(widen<Wide::Single>(a[l], w.mode), 23, random[l], w.mode.clampsHalf);
  commit(w, i, d, 1, 16, activeOf(w));
}
/// v_cvt_sr_pk_f16_f32: the first element takes the low half of the random number, the second the high one (CDNA5 ISA,
/// 15.14). The formula there adds all 16 bits below f16's last bit, which drops 13 of f32; here the uppermost 13 are
/// added.
template <TinyFormat F> void stochasticPair(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<float>(w, i, 0), *b = fetch<float>(w, i, 1), *random = fetch<U32>(w, i, 2);
  U32 *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l)
    d[l] = encodeTinyStochastic<F>(widen<Wide::Single>(a[l], w.mode), 23, random[l] << 16, w.mode.clampsHalf) |
           encodeTinyStochastic<F>(widen<Wide::Single>(b[l], w.mode), 23, random[l], w.mode.clampsHalf) << 16;
  commit(w, i, d, 1, 32, activeOf(w));
}

constexpr Row convert(std::string_view name, Handler run, unsigned extra = 0) {
  return Row{name, run}.with(Row::Selectors | extra);
}

constexpr Row rows[] = {
    convert("V_CVT_F32_FP8", fromByte<false, Wide::Single>, Row::Fp8),
    convert("V_CVT_F32_BF8", fromByte<true, Wide::Single>),
    convert("V_CVT_F16_FP8", fromByte<false, Wide::Half>, Row::Fp8),
    convert("V_CVT_F16_BF8", fromByte<true, Wide::Half>),
    convert("V_CVT_PK_F32_FP8", fromPair<false, Wide::Single>, Row::Fp8),
    convert("V_CVT_PK_F32_BF8", fromPair<true, Wide::Single>),
    convert("V_CVT_PK_F16_FP8", fromPair<false, Wide::Half>, Row::Fp8),
    convert("V_CVT_PK_F16_BF8", fromPair<true, Wide::Half>),
    convert("V_CVT_PK_FP8_F32", pairFromSingles<false>, Row::Fp8),
    convert("V_CVT_PK_BF8_F32", pairFromSingles<true>),
    convert("V_CVT_PK_FP8_F16", pairFromHalves<false>, Row::Fp8),
    convert("V_CVT_PK_BF8_F16", pairFromHalves<true>),
    convert("V_CVT_SR_FP8_F32", stochasticByte<false, Wide::Single>, Row::Fp8 | Row::DestinationByte),
    convert("V_CVT_SR_BF8_F32", stochasticByte<true, Wide::Single>, Row::DestinationByte),
    convert("V_CVT_SR_FP8_F16", stochasticByte<false, Wide::Half>, Row::Fp8 | Row::DestinationByte),
    convert("V_CVT_SR_BF8_F16", stochasticByte<true, Wide::Half>, Row::DestinationByte),
    convert("V_CVT_SR_F16_F32", stochasticHalf<half16>),
    convert("V_CVT_SR_BF16_F32", stochasticHalf<bfloat16>),
    convert("V_CVT_SR_PK_F16_F32", stochasticPair<half16>),
    convert("V_CVT_SR_PK_BF16_F32", stochasticPair<bfloat16>),
    {"V_PRNG_B32", lanes<[](U32 a) { return nextRandom(a); }>},
};

} // namespace

std::span<const Row> tinyConvertRows() { return rows; }

} // namespace fly::emulator
