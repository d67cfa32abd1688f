// f32 arithmetic of the vector unit.
//
// Approximations (rcp, rsq, sqrt, exp, log, sin, cos) are computed in double and rounded once, so they are better than
// the hardware's one ulp unless the launch requests a neighbouring result. They round to nearest and flush f32
// denormals regardless of MODE, as the hardware does.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/formats/AlignedDot.h"
#include "runtime/emulator/formats/Approximations.h"
#include "runtime/emulator/lanes/FloatMath.h"

#include <limits>

namespace fly::emulator {

namespace {

using namespace approximations;

using U32 = uint32_t;
using I32 = int32_t;

template <auto F> constexpr auto approximate = [](const Mode &m, float a) {
  float in = flushed(a);
  double exact = F(static_cast<double>(in));
  float r = flushed(m.approximation == 0 ? static_cast<float>(exact) : neighbour<float>(exact, m.approximation));
  return settle(r, a);
};

constexpr auto fused = [](float a, float b, float c) { return arithmetic(std::fma(a, b, c), a, b, c); };
float legacy(float a, float b) { return a == 0 || b == 0 ? 0.0f : settle(a * b, a, b); }

/// v_dot2c of gfx9, which LLVM takes for v_dot2acc of gfx12 too.
template <TinyFormat F> constexpr auto accumulatedDot = [](const Mode &m, U32 a, U32 b, float c) {
  if (m.alignedDots) return floatOf(alignedDot<F, F, aligned::Result::Single>(a, b, bitsOf(c)));
  auto value = [](U32 v) { return F.mantissaBits == 7 ? bfloatToFloat(v) : halfToFloat(v); };
  float r = c;
  r += value(a & 0xffff) * value(b & 0xffff);
  return r + value(a >> 16) * value(b >> 16);
};

#define MIN3(F) F(m, F(m, a, b), c)
// clang-format off
constexpr Row rows[] = {
    {"V_ADD_F32", lanes<[](float a, float b) { return arithmetic(a + b, a, b); }>},
    {"V_SUB_F32", lanes<[](float a, float b) { return arithmetic(a - b, a, b); }>},
    {"V_SUBREV_F32", lanes<[](float a, float b) { return arithmetic(b - a, a, b); }>},
    {"V_MUL_F32", lanes<[](float a, float b) { return arithmetic(a * b, a, b); }>},
    {"V_MUL_LEGACY_F32", lanes<[](float a, float b) { return legacy(a, b); }>},
    {"V_FMA_F32", lanes<fused>}, {"V_FMAC_F32", lanes<fused>}, {"V_FMAAK_F32", lanes<fused>},
    Row{"V_FMAMK_F32", lanes<fused>}.with(Row::ConstantSecond),
    {"V_FMA_LEGACY_F32",
     lanes<[](float a, float b, float c) { return a == 0 || b == 0 ? c : fused(a, b, c).settled(); }>},
    {"V_MAC_F32", lanes<[](float a, float b, float c) { float p = a * b; return arithmetic(p + c, a, b, c); }>},
    {"V_MAD_F32", lanes<[](float a, float b, float c) { float p = a * b; return arithmetic(p + c, a, b, c); }>},
    {"V_MIN_F32", lanes<[](const Mode &m, float a, float b) { return minimumNumber(m, a, b); }>},
    {"V_MAX_F32", lanes<[](const Mode &m, float a, float b) { return maximumNumber(m, a, b); }>},
    {"V_MIN3_F32", lanes<[](const Mode &m, float a, float b, float c) { return MIN3(minimumNumber); }>},
    {"V_MAX3_F32", lanes<[](const Mode &m, float a, float b, float c) { return MIN3(maximumNumber); }>},
    {"V_MED3_F32", lanes<[](const Mode &m, float a, float b, float c) { return medianNumber(m, a, b, c); }>},
    {"V_MINMAX_F32", lanes<[](const Mode &m, float a, float b, float c) {
       return maximumNumber(m, minimumNumber(m, a, b), c); }>},
    {"V_MAXMIN_F32", lanes<[](const Mode &m, float a, float b, float c) {
       return minimumNumber(m, maximumNumber(m, a, b), c); }>},
    {"V_MINIMUM_F32", lanes<[](float a, float b) { return minimumNan(a, b); }>},
    {"V_MAXIMUM_F32", lanes<[](float a, float b) { return maximumNan(a, b); }>},
    {"V_MINIMUM3_F32", lanes<[](float a, float b, float c) { return minimumNan(minimumNan(a, b), c); }>},
    {"V_MAXIMUM3_F32", lanes<[](float a, float b, float c) { return maximumNan(maximumNan(a, b), c); }>},
    {"V_MINIMUMMAXIMUM_F32", lanes<[](float a, float b, float c) { return maximumNan(minimumNan(a, b), c); }>},
    {"V_MAXIMUMMINIMUM_F32", lanes<[](float a, float b, float c) { return minimumNan(maximumNan(a, b), c); }>},
    // rounding and parts
    {"V_FLOOR_F32", lanes<[](float a) { return settle(std::floor(a), a); }>},
    {"V_CEIL_F32", lanes<[](float a) { return settle(std::ceil(a), a); }>},
    {"V_TRUNC_F32", lanes<[](float a) { return settle(std::trunc(a), a); }>},
    {"V_RNDNE_F32", lanes<[](float a) { return settle(__builtin_roundevenf(a), a); }>},
    {"V_FRACT_F32", lanes<[](float a) { return fraction(a); }>},
    {"V_FREXP_MANT_F32", lanes<[](float a) { return mantissaOf(a); }>},
    {"V_FREXP_EXP_I32_F32", lanes<[](float a) { return exponentOf(a); }>},
    {"V_LDEXP_F32", lanes<[](float a, I32 b) { return settle(std::ldexp(a, b), a); }>},
    // approximations
    {"V_RCP_F32", lanesToNearest<approximate<reciprocal>>},
    {"V_RCP_IFLAG_F32", lanesToNearest<approximate<reciprocal>>},
    {"V_RSQ_F32", lanesToNearest<approximate<inverseRoot>>}, {"V_SQRT_F32", lanesToNearest<approximate<root>>},
    {"V_EXP_F32", lanesToNearest<approximate<exponential>>}, {"V_LOG_F32", lanesToNearest<approximate<logarithm>>},
    {"V_EXP_LEGACY_F32", lanesToNearest<approximate<exponential>>},
    {"V_LOG_LEGACY_F32", lanesToNearest<approximate<logarithm>>},
    {"V_SIN_F32", lanesToNearest<approximate<sine>>}, {"V_COS_F32", lanesToNearest<approximate<cosine>>},
    {"V_TANH_F32", lanesToNearest<approximate<hyperbolic>>},
    // division
    {"V_DIV_SCALE_F32", lanes<[](float a, float b, float c) { return divisionScale(a, b, c); }>},
    Row{"V_DIV_FMAS_F32", lanes<[](float a, float b, float c, bool s) { return divisionFmas(a, b, c, s); }>}
        .with(Row::ReadsVcc),
    {"V_DIV_FIXUP_F32", lanes<[](float a, float b, float c) { return divisionFixup(a, b, c); }>},
    // dot products of pairs, in order, each product and sum rounded
    {"V_DOT2C_F32_F16", lanes<accumulatedDot<tiny::half>>}, {"V_DOT2ACC_F32_F16", lanes<accumulatedDot<tiny::half>>},
    {"V_DOT2C_F32_BF16", lanes<accumulatedDot<tiny::bfloat>>},
    {"V_DOT2ACC_F32_BF16", lanes<accumulatedDot<tiny::bfloat>>},
};
// clang-format on

} // namespace

std::span<const Row> floatRows() { return rows; }

} // namespace fly::emulator
