// What the functions are: the C library's in wider formats for all inputs, MPFR's for the worst one.
#include "tools/math-ulp/MathUlp.h"

#include <cmath>
#include <mpfr.h>

namespace fly::ulp {

namespace {
template <int (*F)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)> int one(void *r, const void *x, const void *) {
  return F(static_cast<mpfr_ptr>(r), static_cast<mpfr_srcptr>(x), MPFR_RNDN);
}
template <int (*F)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)> int two(void *r, const void *x, const void *y) {
  return F(static_cast<mpfr_ptr>(r), static_cast<mpfr_srcptr>(x), static_cast<mpfr_srcptr>(y), MPFR_RNDN);
}
int rounding(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_roundeven(r, x); }
int down(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_floor(r, x); }
int up(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_ceil(r, x); }
int cut(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_trunc(r, x); }

#define ONE(NAME, EXPRESSION, MPFR, LOW, HIGH)                                                                         \
  {NAME, [](double x, double) -> double { return EXPRESSION; },                                                        \
   [](long double x, long double) -> long double { return EXPRESSION; }, one<MPFR>, false, LOW, HIGH}
#define TWO(NAME, EXPRESSION, MPFR, LOW, HIGH)                                                                         \
  {NAME, [](double x, double y) -> double { return EXPRESSION; },                                                      \
   [](long double x, long double y) -> long double { return EXPRESSION; }, two<MPFR>, true, LOW, HIGH}
} // namespace

const std::vector<Function> &functions() {
  using namespace std;
  static const std::vector<Function> table = {
      ONE("sqrt", sqrt(x), mpfr_sqrt, 0, 16),
      ONE("rsqrt", 1 / sqrt(x), mpfr_rec_sqrt, 0, 16),
      ONE("cbrt", cbrt(x), mpfr_cbrt, -16, 16),
      ONE("exp", exp(x), mpfr_exp, -104, 90),
      ONE("exp2", exp2(x), mpfr_exp2, -150, 129),
      ONE("exp10", pow(decltype(x)(10), x), mpfr_exp10, -46, 39),
      ONE("expm1", expm1(x), mpfr_expm1, -4, 4),
      ONE("log", log(x), mpfr_log, 0, 4),
      ONE("log2", log2(x), mpfr_log2, 0, 4),
      ONE("log10", log10(x), mpfr_log10, 0, 4),
      ONE("log1p", log1p(x), mpfr_log1p, -1, 4),
      ONE("sin", sin(x), mpfr_sin, -100, 100),
      ONE("cos", cos(x), mpfr_cos, -100, 100),
      ONE("tan", tan(x), mpfr_tan, -100, 100),
      ONE("asin", asin(x), mpfr_asin, -1, 1),
      ONE("acos", acos(x), mpfr_acos, -1, 1),
      ONE("atan", atan(x), mpfr_atan, -4, 4),
      ONE("sinh", sinh(x), mpfr_sinh, -4, 4),
      ONE("cosh", cosh(x), mpfr_cosh, -90, 90),
      ONE("tanh", tanh(x), mpfr_tanh, -4, 4),
      ONE("asinh", asinh(x), mpfr_asinh, -8, 8),
      ONE("acosh", acosh(x), mpfr_acosh, 1, 8),
      ONE("atanh", atanh(x), mpfr_atanh, -1, 1),
      ONE("erf", erf(x), mpfr_erf, -4, 4),
      ONE("erfc", erfc(x), mpfr_erfc, -4, 10.1),
      ONE("floor", floor(x), down, -100, 100),
      ONE("ceil", ceil(x), up, -100, 100),
      ONE("trunc", trunc(x), cut, -100, 100),
      ONE("rint", nearbyint(x), rounding, -100, 100),
      TWO("pow", pow(x, y), mpfr_pow, -30, 30),
      TWO("atan2", atan2(x, y), mpfr_atan2, -4, 4),
      TWO("hypot", hypot(x, y), mpfr_hypot, -4, 4),
      TWO("fmod", fmod(x, y), mpfr_fmod, -1000, 1000),
      TWO("copysign", copysign(x, y), mpfr_copysign, -4, 4),
  };
  return table;
}

double errorOf(host::Number number, uint64_t got, long double exact) {
  const auto &format = host::format(number);
  double value = host::decode(number, got);
  if (std::isnan(exact) || std::isnan(value))
    return std::isnan(exact) == std::isnan(value) ? 0 : INFINITY;
  int largest = format.bias, least = 1 - format.bias, mantissa = int(format.mantissaBits);
  long double overflow = std::ldexp(1.0L, largest + 1), limit = overflow - std::ldexp(1.0L, largest - mantissa - 1);
  if (std::isinf(exact) || std::fabs(exact) >= limit) { // rounds to infinity
    if (std::isinf(value))
      return std::signbit(value) == std::signbit(exact) ? 0 : INFINITY;
    if (std::isinf(exact))
      return INFINITY;
  }
  if (std::isinf(value))
    value = 0, exact -= std::copysign(overflow, static_cast<long double>(host::decode(number, got)));
  else if (value == 0 && exact == 0)
    return std::signbit(value) == std::signbit(exact) ? 0 : INFINITY;
  int exponent =
      exact == 0 ? least : std::max(std::ilogb(std::isinf(host::decode(number, got)) ? overflow / 2 : exact), least);
  return double(std::fabs(value - exact) / std::ldexp(1.0L, std::min(exponent, largest) - mantissa));
}

double settledError(const Function &function, host::Number number, uint64_t x, uint64_t y, uint64_t got) {
  mpfr_t a, b, r;
  mpfr_inits2(300, a, b, r, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(a, host::decode(number, x), MPFR_RNDN);
  mpfr_set_d(b, host::decode(number, y), MPFR_RNDN);
  function.exact(r, a, b);
  double error;
  if (!mpfr_number_p(r) || mpfr_zero_p(r) || !std::isfinite(host::decode(number, got)))
    error = errorOf(number, got, mpfr_get_ld(r, MPFR_RNDN));
  else { // the difference itself, so that no wider format is needed
    const auto &format = host::format(number);
    long exponent = std::clamp<long>(mpfr_get_exp(r) - 1, 1 - format.bias, format.bias);
    mpfr_set_d(a, host::decode(number, got), MPFR_RNDN);
    mpfr_sub(r, r, a, MPFR_RNDN);
    mpfr_mul_2si(r, r, long(format.mantissaBits) - exponent, MPFR_RNDN);
    error = std::fabs(mpfr_get_d(r, MPFR_RNDN));
  }
  mpfr_clears(a, b, r, static_cast<mpfr_ptr>(nullptr));
  return error;
}

} // namespace fly::ulp
