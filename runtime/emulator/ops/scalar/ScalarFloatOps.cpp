// The float instructions of gfx12's scalar unit, and the transcendentals with a scalar result (v_s_*).
#include "runtime/emulator/ops/scalar/Rows.h"
#include "runtime/emulator/formats/Approximations.h"
#include "runtime/emulator/lanes/FloatMath.h"
#include "runtime/emulator/lanes/Scalars.h"

#include <algorithm>
#include <limits>

namespace fly::emulator {

namespace {

using namespace approximations;

using U32 = uint32_t;
using I32 = int32_t;
using U16 = uint16_t;

float half(U16 h) { return halfToFloat(h); }

template <class I> I toInteger(float v) {
  double t = std::trunc(static_cast<double>(v));
  t = t != t ? 0
             : std::clamp(t, static_cast<double>(std::numeric_limits<I>::min()),
                          static_cast<double>(std::numeric_limits<I>::max()));
  return static_cast<I>(static_cast<int64_t>(t));
}

/// A two-operand function of floats on the scalar unit: sources have neg and abs in v_s_*, flushes follow MODE.
float in32(const Wave &w, float v) { return w.mode.flushIn32 ? flushed(v) : v; }
template <auto F> void single(Wave &w, const Inst &i) {
  float a = in32(w, readScalar<float>(w, i.source[0])), b = in32(w, readScalar<float>(w, i.source[1]));
  RoundingScope rounding(w.mode.plain ? 0 : w.mode.round32);
  float r = F(w.mode, a, b);
  w.scalar[i.dst] = bitsOf(w.mode.flushOut32 ? flushed(r) : r);
}
float in16(const Wave &w, uint32_t h) {
  return half(static_cast<U16>(w.mode.flushIn16_64 && !(h & 0x7c00) ? h & 0x8000 : h));
}
void out16(Wave &w, const Inst &i, double v) {
  U32 h = doubleToHalfMode(v, w.mode.round16_64);
  w.scalar[i.dst] = w.mode.flushOut16_64 && !(h & 0x7c00) ? h & 0x8000 : h;
}
template <auto F> void halves(Wave &w, const Inst &i) {
  float a = in16(w, readScalar<U16>(w, i.source[0])), b = in16(w, readScalar<U16>(w, i.source[1]));
  RoundingScope rounding(w.mode.plain ? 0 : w.mode.round16_64);
  out16(w, i, F(w.mode, a, b));
}
template <auto F> void oneHalf(Wave &w, const Inst &i) { out16(w, i, F(in16(w, readScalar<U16>(w, i.source[0])))); }
template <auto F> void compareHalves(Wave &w, const Inst &i) {
  w.setScc(F(in16(w, readScalar<U16>(w, i.source[0])), in16(w, readScalar<U16>(w, i.source[1]))));
}
/// v_s_exp_f32 and similar instructions: one source with modifiers; a single lane of the vector unit's result path.
template <auto F, bool IsHalf> void transcendental(Wave &w, const Inst &i) {
  NearestScope nearest(w.mode);
  U32 bits = readScalar<U32>(w, i.source[0]);
  U32 sign = IsHalf ? 0x8000u : 0x80000000u;
  if (IsHalf && (i.source[0].change & Source::HighHalf)) bits >>= 16;
  if (i.source[0].change & Source::Absolute) bits &= ~sign;
  if (i.source[0].change & Source::Negate) bits ^= sign;
  if constexpr (IsHalf) {
    float a = in16(w, bits & 0xffff);
    out16(w, i, settle<double>(F(static_cast<double>(a)), a));
  } else {
    float a = floatOf(bits);
    float r = flushed(static_cast<float>(F(static_cast<double>(flushed(a)))));
    w.scalar[i.dst] = bitsOf(settle(r, a));
  }
  if (!i.omod && !i.clamp) return;
  std::fill_n(w.resultBuffer, laneStride, w.scalar[i.dst]);
  modifyResult(w, i, w.resultBuffer, IsHalf ? Precision::Half : Precision::Single);
  w.scalar[i.dst] = w.resultBuffer[0];
}

constexpr auto add = [](const Mode &, float a, float b) { return settle(a + b, a, b); };
constexpr auto sub = [](const Mode &, float a, float b) { return settle(a - b, a, b); };
constexpr auto mul = [](const Mode &, float a, float b) { return settle(a * b, a, b); };
constexpr auto minimum = [](const Mode &m, float a, float b) { return minimumNumber(m, a, b); };
constexpr auto maximum = [](const Mode &m, float a, float b) { return maximumNumber(m, a, b); };
constexpr auto minimumOrNan = [](const Mode &, float a, float b) { return minimumNan(a, b); };
constexpr auto maximumOrNan = [](const Mode &, float a, float b) { return maximumNan(a, b); };

/// s_fmac: Dst is the addend; s_fmaak, s_fmamk: Src2 or the immediate.
void fusedAccumulate(Wave &w, const Inst &i) {
  float a = in32(w, readScalar<float>(w, i.source[0])), b = in32(w, readScalar<float>(w, i.source[1]));
  float c = in32(w, floatOf(w.scalar[i.dst]));
  RoundingScope rounding(w.mode.plain ? 0 : w.mode.round32);
  float r = settle(std::fma(a, b, c), a, b, c);
  w.scalar[i.dst] = bitsOf(w.mode.flushOut32 ? flushed(r) : r);
}
void fusedConstant(Wave &w, const Inst &i) {
  float a = in32(w, readScalar<float>(w, i.source[0])), b = in32(w, readScalar<float>(w, i.source[1]));
  float c = in32(w, readScalar<float>(w, i.source[2]));
  RoundingScope rounding(w.mode.plain ? 0 : w.mode.round32);
  float r = settle(std::fma(a, b, c), a, b, c);
  w.scalar[i.dst] = bitsOf(w.mode.flushOut32 ? flushed(r) : r);
}
void fusedHalf(Wave &w, const Inst &i) {
  float a = in16(w, readScalar<U16>(w, i.source[0])), b = in16(w, readScalar<U16>(w, i.source[1])),
        c = in16(w, w.scalar[i.dst]);
  RoundingScope rounding(w.mode.plain ? 0 : w.mode.round16_64);
  out16(w, i, settle<double>(fusedOdd(a, b, c), a, b, c));
}

#define BOTH(NAME, F) {"S_" NAME "_F32", single<F>, Row::Other}, {"S_" NAME "_F16", halves<F>, Row::Other}
#define ROUND(NAME, CALL)                                                                                              \
  {"S_" NAME "_F32", scalar<[](float a) { return settle(CALL(a), a); }>, Row::Other},                                  \
  {"S_" NAME "_F16", oneHalf<[](float a) { return CALL(a); }>, Row::Other}
#define COMPARE(NAME, EXPRESSION)                                                                                      \
  {"S_CMP_" NAME "_F32", scalar<[](float a, float b) -> bool { return EXPRESSION; }>, Row::Other},                     \
  {"S_CMP_" NAME "_F16", compareHalves<[](float a, float b) -> bool { return EXPRESSION; }>, Row::Other}
#define TRANSCENDENTAL(NAME, F)                                                                                        \
  {"V_S_" NAME "_F32", transcendental<F, false>, Row::Other}, {"V_S_" NAME "_F16", transcendental<F, true>, Row::Other}

// clang-format off
constexpr Row rows[] = {
    BOTH("ADD", add), BOTH("SUB", sub), BOTH("MUL", mul), BOTH("MIN", minimum), BOTH("MAX", maximum),
    BOTH("MINIMUM", minimumOrNan), BOTH("MAXIMUM", maximumOrNan),
    {"S_FMAC_F32", fusedAccumulate, Row::Other}, {"S_FMAC_F16", fusedHalf, Row::Other},
    {"S_FMAAK_F32", fusedConstant, Row::Other},
    Row{"S_FMAMK_F32", fusedConstant, Row::Other}.with(Row::ConstantSecond),
    ROUND("FLOOR", std::floor), ROUND("CEIL", std::ceil), ROUND("TRUNC", std::trunc),
    ROUND("RNDNE", __builtin_roundevenf),
    {"S_CVT_F32_I32", scalar<[](I32 a) { return static_cast<float>(a); }>, Row::Other},
    {"S_CVT_F32_U32", scalar<[](U32 a) { return std::fabs(static_cast<float>(a)); }>, Row::Other},
    {"S_CVT_I32_F32", scalar<[](float a) { return toInteger<I32>(a); }>, Row::Other},
    {"S_CVT_U32_F32", scalar<[](float a) { return toInteger<U32>(a); }>, Row::Other},
    {"S_CVT_F32_F16", [](Wave &w, const Inst &i) {
       float a = in16(w, readScalar<U16>(w, i.source[0]));
       writeScalar(w, i.dst, settle(a, a)); }, Row::Other},
    {"S_CVT_HI_F32_F16", [](Wave &w, const Inst &i) {
       float a = in16(w, readScalar<U32>(w, i.source[0]) >> 16);
       writeScalar(w, i.dst, settle(a, a)); }, Row::Other},
    {"S_CVT_F16_F32", [](Wave &w, const Inst &i) {
       out16(w, i, in32(w, readScalar<float>(w, i.source[0]))); }, Row::Other},
    {"S_CVT_PK_RTZ_F16_F32", [](Wave &w, const Inst &i) {
       auto half = [&](unsigned n) {
         U32 h = doubleToHalfMode(in32(w, readScalar<float>(w, i.source[n])), 3);
         return w.mode.flushOut16_64 && !(h & 0x7c00) ? h & 0x8000 : h;
       };
       w.scalar[i.dst] = half(0) | half(1) << 16; }, Row::Other},
    COMPARE("LT", a < b), COMPARE("EQ", a == b), COMPARE("LE", a <= b), COMPARE("GT", a > b),
    COMPARE("LG", a < b || a > b),
    COMPARE("GE", a >= b), COMPARE("O", a == a && b == b), COMPARE("U", a != a || b != b), COMPARE("NGE", !(a >= b)),
    COMPARE("NLG", !(a < b || a > b)), COMPARE("NGT", !(a > b)), COMPARE("NLE", !(a <= b)), COMPARE("NEQ", !(a == b)),
    COMPARE("NLT", !(a < b)),
    TRANSCENDENTAL("RCP", reciprocal), TRANSCENDENTAL("RSQ", inverseRoot), TRANSCENDENTAL("SQRT", root),
    TRANSCENDENTAL("EXP", exponential), TRANSCENDENTAL("LOG", logarithm),
};
// clang-format on

} // namespace

std::span<const Row> scalarFloatRows() { return rows; }

} // namespace fly::emulator
