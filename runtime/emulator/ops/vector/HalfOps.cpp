// f16 and bf16 arithmetic of the vector unit, one value to a register. Operands arrive as exact floats; sums and
// products of two are rounded from float (harmless: 24 >= 2*11+2 bits), fused ones from a sum rounded to odd.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/formats/Approximations.h"
#include "runtime/emulator/lanes/FloatMath.h"

#include <limits>

namespace fly::emulator {

namespace {

using namespace approximations;

using U32 = uint32_t;
using U16 = uint16_t;
using I16 = int16_t;
using H = HalfOf<float>;
using HD = HalfOf<double>;
using B = BFloatOf<float>;
using BD = BFloatOf<double>;

double settled(double r, float a, float b, float c) { return settle<double>(r, a, b, c); }
constexpr auto fusedH = [](Half a, Half b, Half c) {
  return HD{settled(fusedOdd(a.value, b.value, c.value), a.value, b.value, c.value)};
};
/// The product rounds, and its denormals are flushed, before the sum: LLVM uses the instruction for fmad, which has the
/// result of a multiplication followed by an addition.
constexpr auto madH = [](const Mode &m, Half a, Half b, Half c) {
  float product = a.value * b.value; // exact
  uint32_t half = m.round16_64 == 0 ? floatToHalf(product) : doubleToHalfMode(product, m.round16_64);
  if ((m.flushIn16_64 || m.flushOut16_64) && !(half & 0x7c00)) half &= 0x8000;
  product = halfToFloat(half);
  return H{settle(product + c.value, a.value, b.value, c.value)};
};
constexpr auto fixupH = [](Half a, Half b, Half c) { return H{divisionFixup(a.value, b.value, c.value)}; };
constexpr auto addH = [](Half a, Half b) { return H{settle(a.value + b.value, a.value, b.value)}; };
constexpr auto subH = [](Half a, Half b) { return H{settle(a.value - b.value, a.value, b.value)}; };
constexpr auto subrevH = [](Half a, Half b) { return H{settle(b.value - a.value, a.value, b.value)}; };
constexpr auto mulH = [](Half a, Half b) { return H{settle(a.value * b.value, a.value, b.value)}; };
/// The quiet bit of f16 maps to the quiet bit of float, so the rules of float hold.
constexpr auto minH = [](const Mode &m, Half a, Half b) { return H{minimumNumber(m, a.value, b.value)}; };
constexpr auto maxH = [](const Mode &m, Half a, Half b) { return H{maximumNumber(m, a.value, b.value)}; };
template <auto F> constexpr auto approximate = [](const Mode &m, Half a) {
  double exact = F(static_cast<double>(a.value));
  if (m.approximation != 0 && std::fabs(exact) < 65504)
    exact = halfToFloat(doubleToHalfMode(exact, m.approximation > 0 ? 1 : 2));
  return HD{settle<double>(exact, a.value)};
};
template <auto F> constexpr auto approximateB = [](const Mode &m, BFloat a) {
  double exact = F(static_cast<double>(a.value));
  if (m.approximation != 0 && std::fabs(exact) < 0x1.fep127)
    exact = bfloatToFloat(doubleToBfloatMode(exact, m.approximation > 0 ? 1 : 2));
  return BD{settle<double>(exact, a.value)};
};

/// CDNA5 ISA, 7.7: to nearest even and with denormals, whatever MODE says; of MODE only FP16_OVFL counts.
template <auto Function> void packedBfloat(Wave &w, const Inst &i) {
  const Mode mode = w.mode;
  Mode own;
  own.useRulesOf(mode);
  own.clampsHalf = mode.clampsHalf;
  own.plain = !own.clampsHalf;
  w.mode = own;
  packed<Function>(w, i);
  w.mode = mode;
}

// clang-format off
constexpr Row rows[] = {
    {"V_ADD_F16", lanes<addH>}, {"V_SUB_F16", lanes<subH>}, {"V_SUBREV_F16", lanes<subrevH>},
    {"V_MUL_F16", lanes<mulH>},
    {"V_FMA_F16", lanes<fusedH>}, {"V_FMAC_F16", lanes<fusedH>}, {"V_FMAAK_F16", lanes<fusedH>},
    Row{"V_FMAMK_F16", lanes<fusedH>}.with(Row::ConstantSecond),
    {"V_MAD_F16", lanes<madH>}, Row{"V_MAC_F16", lanes<madH>}.with(Row::ClearsHigh), {"V_MADAK_F16", lanes<madH>},
    Row{"V_MADMK_F16", lanes<madH>}.with(Row::ConstantSecond),
    Row{"V_MAD_LEGACY_F16", lanes<madH>}.with(Row::ClearsHigh),
    Row{"V_FMA_LEGACY_F16", lanes<fusedH>}.with(Row::ClearsHigh),
    Row{"V_DIV_FIXUP_LEGACY_F16", lanes<fixupH>}.with(Row::ClearsHigh),
    {"V_MIN_F16", lanes<minH>}, {"V_MAX_F16", lanes<maxH>},
    {"V_MIN3_F16", lanes<[](const Mode &m, Half a, Half b, Half c) {
       return H{minimumNumber(m, minimumNumber(m, a.value, b.value), c.value)}; }>},
    {"V_MAX3_F16", lanes<[](const Mode &m, Half a, Half b, Half c) {
       return H{maximumNumber(m, maximumNumber(m, a.value, b.value), c.value)}; }>},
    {"V_MED3_F16", lanes<[](const Mode &m, Half a, Half b, Half c) {
       return H{medianNumber(m, a.value, b.value, c.value)}; }>},
    {"V_MINMAX_F16", lanes<[](const Mode &m, Half a, Half b, Half c) {
       return H{maximumNumber(m, minimumNumber(m, a.value, b.value), c.value)}; }>},
    {"V_MAXMIN_F16", lanes<[](const Mode &m, Half a, Half b, Half c) {
       return H{minimumNumber(m, maximumNumber(m, a.value, b.value), c.value)}; }>},
    {"V_MINIMUM_F16", lanes<[](Half a, Half b) { return H{minimumNan(a.value, b.value)}; }>},
    {"V_MAXIMUM_F16", lanes<[](Half a, Half b) { return H{maximumNan(a.value, b.value)}; }>},
    {"V_MINIMUM3_F16", lanes<[](Half a, Half b, Half c) {
       return H{minimumNan(minimumNan(a.value, b.value), c.value)}; }>},
    {"V_MAXIMUM3_F16", lanes<[](Half a, Half b, Half c) {
       return H{maximumNan(maximumNan(a.value, b.value), c.value)}; }>},
    {"V_MINIMUMMAXIMUM_F16",
     lanes<[](Half a, Half b, Half c) { return H{maximumNan(minimumNan(a.value, b.value), c.value)}; }>},
    {"V_MAXIMUMMINIMUM_F16",
     lanes<[](Half a, Half b, Half c) { return H{minimumNan(maximumNan(a.value, b.value), c.value)}; }>},
    {"V_FLOOR_F16", lanes<[](Half a) { return H{settle(std::floor(a.value), a.value)}; }>},
    {"V_CEIL_F16", lanes<[](Half a) { return H{settle(std::ceil(a.value), a.value)}; }>},
    {"V_TRUNC_F16", lanes<[](Half a) { return H{settle(std::trunc(a.value), a.value)}; }>},
    {"V_RNDNE_F16", lanes<[](Half a) { return H{settle(__builtin_roundevenf(a.value), a.value)}; }>},
    {"V_FRACT_F16", lanes<[](Half a) {
       float r = a.value - std::floor(a.value);
       return H{settle(r < 0x1.ffcp-1f || r != r ? r : 0x1.ffcp-1f, a.value)}; }>},
    {"V_FREXP_MANT_F16", lanes<[](Half a) { return H{mantissaOf(a.value)}; }>},
    {"V_FREXP_EXP_I16_F16", lanes<[](Half a) { return I16(exponentOf(a.value)); }>},
    {"V_LDEXP_F16", lanes<[](Half a, I16 b) {
       return HD{settle<double>(std::ldexp(static_cast<double>(a.value), b), a.value)}; }>},
    {"V_RCP_F16", lanesToNearest<approximate<reciprocal>>}, {"V_RSQ_F16", lanesToNearest<approximate<inverseRoot>>},
    {"V_SQRT_F16", lanesToNearest<approximate<root>>}, {"V_EXP_F16", lanesToNearest<approximate<exponential>>},
    {"V_LOG_F16", lanesToNearest<approximate<logarithm>>}, {"V_SIN_F16", lanesToNearest<approximate<sine>>},
    {"V_COS_F16", lanesToNearest<approximate<cosine>>}, {"V_TANH_F16", lanesToNearest<approximate<hyperbolic>>},
    {"V_DIV_FIXUP_F16", lanes<fixupH>},
    // bf16, gfx1250
    {"V_RCP_BF16", lanesToNearest<approximateB<reciprocal>>}, {"V_RSQ_BF16", lanesToNearest<approximateB<inverseRoot>>},
    {"V_SQRT_BF16", lanesToNearest<approximateB<root>>}, {"V_EXP_BF16", lanesToNearest<approximateB<exponential>>},
    {"V_LOG_BF16", lanesToNearest<approximateB<logarithm>>}, {"V_SIN_BF16", lanesToNearest<approximateB<sine>>},
    {"V_COS_BF16", lanesToNearest<approximateB<cosine>>}, {"V_TANH_BF16", lanesToNearest<approximateB<hyperbolic>>},
    // packed
    {"V_PK_ADD_F16", packed<addH>}, {"V_PK_MUL_F16", packed<mulH>}, {"V_PK_FMA_F16", packed<fusedH>},
    {"V_PK_FMAC_F16", packed<fusedH>},
    {"V_PK_MIN_F16", packed<minH>}, {"V_PK_MAX_F16", packed<maxH>},
    {"V_PK_MINIMUM_F16", packed<[](Half a, Half b) { return H{minimumNan(a.value, b.value)}; }>},
    {"V_PK_MAXIMUM_F16", packed<[](Half a, Half b) { return H{maximumNan(a.value, b.value)}; }>},
    {"V_PK_MIN3_NUM_F16", packed<[](const Mode &m, Half a, Half b, Half c) {
       return H{minimumNumber(m, minimumNumber(m, a.value, b.value), c.value)}; }>},
    {"V_PK_MAX3_NUM_F16", packed<[](const Mode &m, Half a, Half b, Half c) {
       return H{maximumNumber(m, maximumNumber(m, a.value, b.value), c.value)}; }>},
    {"V_PK_MINIMUM3_F16",
     packed<[](Half a, Half b, Half c) { return H{minimumNan(minimumNan(a.value, b.value), c.value)}; }>},
    {"V_PK_MAXIMUM3_F16",
     packed<[](Half a, Half b, Half c) { return H{maximumNan(maximumNan(a.value, b.value), c.value)}; }>},
    {"V_PK_ADD_BF16", packedBfloat<[](BFloat a, BFloat b) {
       return BD{settle<double>(double(a.value) + b.value, a.value, b.value)}; }>},
    {"V_PK_MUL_BF16", packedBfloat<[](BFloat a, BFloat b) {
       return BD{settle<double>(double(a.value) * b.value, a.value, b.value)}; }>},
    {"V_PK_FMA_BF16", packedBfloat<[](BFloat a, BFloat b, BFloat c) {
       return BD{settled(fusedOdd(a.value, b.value, c.value), a.value, b.value, c.value)}; }>},
    {"V_PK_MIN_NUM_BF16",
     packedBfloat<[](const Mode &m, BFloat a, BFloat b) { return B{minimumNumber(m, a.value, b.value)}; }>},
    {"V_PK_MAX_NUM_BF16",
     packedBfloat<[](const Mode &m, BFloat a, BFloat b) { return B{maximumNumber(m, a.value, b.value)}; }>},
};
// clang-format on

} // namespace

std::span<const Row> halfRows() { return rows; }

} // namespace fly::emulator
