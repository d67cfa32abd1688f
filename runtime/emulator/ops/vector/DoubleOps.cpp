// f64 arithmetic of the vector unit. v_rcp_f64, v_rsq_f64 and v_sqrt_f64 are exact here unless the launch requests a
// neighbouring result; the hardware's are accurate to 2^29 ulp and refined by the code that uses them.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/formats/Approximations.h"
#include "runtime/emulator/lanes/FloatMath.h"

#include <limits>

namespace fly::emulator {

namespace {

using I32 = int32_t;
constexpr auto fused = [](double a, double b, double c) { return arithmetic(std::fma(a, b, c), a, b, c); };

// clang-format off
constexpr Row rows[] = {
    {"V_ADD_F64", lanes<[](double a, double b) { return arithmetic(a + b, a, b); }>},
    {"V_MUL_F64", lanes<[](double a, double b) { return arithmetic(a * b, a, b); }>},
    {"V_FMA_F64", lanes<fused>}, {"V_FMAC_F64", lanes<fused>}, {"V_FMAAK_F64", lanes<fused>},
    Row{"V_FMAMK_F64", lanes<fused>}.with(Row::ConstantSecond),
    {"V_MIN_F64", lanes<[](const Mode &m, double a, double b) { return minimumNumber(m, a, b); }>},
    {"V_MAX_F64", lanes<[](const Mode &m, double a, double b) { return maximumNumber(m, a, b); }>},
    {"V_MINIMUM_F64", lanes<[](double a, double b) { return minimumNan(a, b); }>},
    {"V_MAXIMUM_F64", lanes<[](double a, double b) { return maximumNan(a, b); }>},
    {"V_FLOOR_F64", lanes<[](double a) { return settle(std::floor(a), a); }>},
    {"V_CEIL_F64", lanes<[](double a) { return settle(std::ceil(a), a); }>},
    {"V_TRUNC_F64", lanes<[](double a) { return settle(std::trunc(a), a); }>},
    {"V_RNDNE_F64", lanes<[](double a) { return settle(__builtin_roundeven(a), a); }>},
    {"V_FRACT_F64", lanes<[](double a) { return fraction(a); }>},
    {"V_FREXP_MANT_F64", lanes<[](double a) { return mantissaOf(a); }>},
    {"V_FREXP_EXP_I32_F64", lanes<[](double a) { return exponentOf(a); }>},
    {"V_LDEXP_F64", lanes<[](double a, I32 b) { return settle(std::ldexp(a, b), a); }>},
    {"V_RCP_F64", lanesToNearest<[](const Mode &m, double a) {
       double r = 1.0 / a; return settle(farNeighbour(r, m.approximation, std::fma(r, a, -1.0) == 0), a); }>},
    {"V_RSQ_F64", lanesToNearest<[](const Mode &m, double a) {
       double r = static_cast<double>(1.0L / std::sqrt(static_cast<long double>(a)));
       return settle(farNeighbour(r, m.approximation, r * r * a == 1), a); }>},
    {"V_SQRT_F64", lanesToNearest<[](const Mode &m, double a) {
       double r = std::sqrt(a); return settle(farNeighbour(r, m.approximation, std::fma(r, r, -a) == 0), a); }>},
    {"V_DIV_SCALE_F64", lanes<[](double a, double b, double c) { return divisionScale(a, b, c); }>},
    Row{"V_DIV_FMAS_F64", lanes<[](double a, double b, double c, bool s) { return divisionFmas(a, b, c, s); }>}
        .with(Row::ReadsVcc),
    {"V_DIV_FIXUP_F64", lanes<[](double a, double b, double c) { return divisionFixup(a, b, c); }>},
};
// clang-format on

} // namespace

std::span<const Row> doubleRows() { return rows; }

} // namespace fly::emulator
