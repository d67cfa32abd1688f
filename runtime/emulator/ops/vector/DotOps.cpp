// Dot products whose elements are bytes of a choice of formats or signs, and those with a 16-bit result.
//
// v_dot4_i32_iu8, v_dot8_i32_iu4: neg_lo of a source means that its elements are signed. With clamp the sum, exact in
// 64 bits, saturates. The float ones of gfx12 are AlignedDot.h's; those of gfx9 sum in f32, one product after the
// other, each sum rounded. v_dot2_f16_f16 and v_dot2_bf16_bf16 are VOP3, so that neg and abs hold for both halves of a
// source.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/formats/AlignedDot.h"
#include "runtime/emulator/lanes/FloatMath.h"

namespace fly::emulator {

namespace {

using U32 = uint32_t;
using I64 = int64_t;

template <unsigned Bits> I64 integerElement(U32 v, unsigned k, bool isSigned) {
  U32 e = v >> Bits * k & ((1u << Bits) - 1);
  return isSigned && (e >> (Bits - 1)) ? static_cast<I64>(e) - (1 << Bits) : static_cast<I64>(e);
}
template <unsigned Bits> void mixedSignDot(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<U32>(w, i, 0), *b = fetch<U32>(w, i, 1), *c = fetch<U32>(w, i, 2);
  const bool signedA = i.source[0].negateLow, signedB = i.source[1].negateLow;
  U32 *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l) {
    I64 sum = static_cast<int32_t>(c[l]);
    for (unsigned k = 0; k < 32 / Bits; ++k)
      sum += integerElement<Bits>(a[l], k, signedA) * integerElement<Bits>(b[l], k, signedB);
    if (i.clamp) sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
    d[l] = static_cast<U32>(sum);
  }
  commit(w, i, d, 1, 32, activeOf(w));
}

/// The addend with its sign (neg_lo) and absolute value (neg_hi).
U32 addendOf(const Inst &i, U32 c) {
  if (i.source[2].negateHigh) c &= 0x7fffffffu;
  return i.source[2].negateLow ? c ^ 0x80000000u : c;
}
template <TinyFormat A, TinyFormat B> void byteDot(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<U32>(w, i, 0), *b = fetch<U32>(w, i, 1), *c = fetch<U32>(w, i, 2);
  U32 *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l)
    d[l] = alignedDot<A, B, aligned::Result::Single>(a[l], b[l], addendOf(i, c[l]));
  commit(w, i, d, 1, 32, activeOf(w));
}

/// v_dot2_f16_f16, v_dot2_bf16_bf16.
template <bool BF> void dot2(Wave &w, const Inst &i) {
  constexpr TinyFormat format = BF ? tiny::bfloat : tiny::half;
  w.dppActive = ~0ull;
  Inst plain = i; // neg and abs of a 32-bit operand would change its high half only
  plain.source[0].change &= static_cast<uint8_t>(~(Source::Absolute | Source::Negate));
  plain.source[1].change &= static_cast<uint8_t>(~(Source::Absolute | Source::Negate));
  const U32 *a = fetch<U32>(w, plain, 0), *b = fetch<U32>(w, plain, 1), *c = fetch<uint16_t>(w, i, 2);
  auto halves = [](const Source &s, U32 v) {
    if (s.change & Source::Absolute) v &= 0x7fff7fffu;
    return s.change & Source::Negate ? v ^ 0x80008000u : v;
  };
  U32 *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l) {
    const U32 addend = bitsOf(BF ? bfloatToFloat(c[l] & 0xffff) : halfToFloat(c[l] & 0xffff));
    d[l] = alignedDot<format, format, BF ? aligned::Result::BFloat : aligned::Result::Half>(
        halves(i.source[0], a[l]), halves(i.source[1], b[l]), addend, w.mode.clampsHalf);
  }
  if (i.clamp) modifyResult(w, i, d, BF ? Precision::BFloat : Precision::Half);
  commit(w, i, d, 1, 16, activeOf(w));
}

/// v_dot2_f32_f16, v_dot2_f32_bf16. gfx9 starts with the addend, except in gfx950's bf16 instruction, which adds it
/// last (AMD's pseudocode).
template <bool BF> void dot2Single(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetchPacked(w, i, 0), *b = fetchPacked(w, i, 1), *c = fetch<U32>(w, i, 2);
  U32 *d = w.resultBuffer;
  auto value = [](U32 v) { return BF ? bfloatToFloat(v) : halfToFloat(v); };
  constexpr bool addendLast = BF;
  if (w.mode.alignedDots) {
    constexpr TinyFormat format = BF ? tiny::bfloat : tiny::half;
    for (unsigned l = 0; l < w.lanes; ++l)
      d[l] = alignedDot<format, format, aligned::Result::Single>(a[l], b[l], addendOf(i, c[l]));
  } else {
    RoundingScope rounding(w.mode.plain ? 0 : w.mode.round32);
    for (unsigned l = 0; l < w.lanes; ++l) {
      const float addend = floatOf(addendOf(i, c[l]));
      float x[2], y[2];
      for (unsigned k = 0; k < 2; ++k) {
        x[k] = value(a[l] >> 16 * k & 0xffff);
        y[k] = value(b[l] >> 16 * k & 0xffff);
      }
      float sum;
      if (addendLast) {
        float first = settle(x[0] * y[0], x[0], y[0]);
        sum = settle(first + x[1] * y[1], first, x[1], y[1]);
        sum = settle(sum + addend, sum, addend);
      } else {
        sum = settle(addend + x[0] * y[0], addend, x[0], y[0]);
        sum = settle(sum + x[1] * y[1], sum, x[1], y[1]);
      }
      d[l] = bitsOf(sum);
    }
  }
  if (!w.mode.plain && !w.mode.alignedDots) flushResult(w, d, Precision::Single);
  if (i.clamp) modifyResult(w, i, d, Precision::Single);
  commit(w, i, d, 1, 32, activeOf(w));
}
/// v_dot2_i32_i16, v_dot2_u32_u16.
template <bool Signed> void dot2Integer(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetchPacked(w, i, 0), *b = fetchPacked(w, i, 1), *c = fetch<U32>(w, i, 2);
  U32 *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l) {
    I64 sum = Signed ? static_cast<I64>(static_cast<int32_t>(c[l])) : static_cast<I64>(c[l]);
    for (unsigned k = 0; k < 2; ++k) sum += integerElement<16>(a[l], k, Signed) * integerElement<16>(b[l], k, Signed);
    const I64 low = Signed ? INT32_MIN : 0, high = Signed ? INT32_MAX : UINT32_MAX;
    if (i.clamp) sum = sum < low ? low : sum > high ? high : sum;
    d[l] = static_cast<U32>(sum);
  }
  commit(w, i, d, 1, 32, activeOf(w));
}

// clang-format off
constexpr Row rows[] = {
    {"V_DOT2_F32_F16", dot2Single<false>}, {"V_DOT2_F32_BF16", dot2Single<true>},
    {"V_DOT2_I32_I16", dot2Integer<true>, Row::Other}, {"V_DOT2_U32_U16", dot2Integer<false>, Row::Other},
    {"V_DOT4_I32_IU8", mixedSignDot<8>, Row::Other}, {"V_DOT8_I32_IU4", mixedSignDot<4>, Row::Other},
    {"V_DOT4_F32_FP8_FP8", byteDot<tiny::fp8, tiny::fp8>}, {"V_DOT4_F32_FP8_BF8", byteDot<tiny::fp8, tiny::bf8>},
    {"V_DOT4_F32_BF8_FP8", byteDot<tiny::bf8, tiny::fp8>}, {"V_DOT4_F32_BF8_BF8", byteDot<tiny::bf8, tiny::bf8>},
    {"V_DOT2_F16_F16", dot2<false>}, {"V_DOT2_BF16_BF16", dot2<true>},
};
// clang-format on

} // namespace

std::span<const Row> dotRows() { return rows; }

} // namespace fly::emulator
