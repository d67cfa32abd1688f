// See Float.h.
#include "tests/emulator/pseudocode/Float.h"

#include <cmath>
#include <mpfr.h>

namespace fly::pseudocode {

namespace {

constexpr mpfr_rnd_t roundings[4] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};

/// Scratch numbers, made once a thread.
struct Scratch {
  mpfr_t a, b, c, r, t;
  Scratch() { mpfr_inits2(2400, a, b, c, r, t, nullptr); }
  ~Scratch() { mpfr_clears(a, b, c, r, t, nullptr); }
};
Scratch &scratch() {
  thread_local Scratch s;
  return s;
}
void wideRange() {
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
}

Wide mantissaBits(const Value &v, const Format &f) { return v.v & maskOf(f.mantissa); }

/// Exact; v must be no NaN.
void decode(mpfr_t to, const Value &v, const FloatMode &mode) {
  Format f = formatOf(v.type, mode);
  bool negative = signOf(v);
  unsigned e = biasedExponent(v, mode);
  mpfr_set_prec(to, 64);
  if (isInfinite(v, mode)) {
    mpfr_set_inf(to, negative ? -1 : 1);
    return;
  }
  uint64_t m = static_cast<uint64_t>(mantissaBits(v, f));
  if (e) m |= 1ull << f.mantissa;
  else e = 1;
  mpfr_set_ui_2exp(to, m, static_cast<int>(e) - f.bias - static_cast<int>(f.mantissa), MPFR_RNDN);
  mpfr_setsign(to, to, negative, MPFR_RNDN);
}

/// Encodes a number that has the format's precision and range already.
Value encodeExact(mpfr_t from, Type type, const FloatMode &mode) {
  Format f = formatOf(type, mode);
  Value r(type, 0);
  bool negative = mpfr_signbit(from);
  if (mpfr_nan_p(from)) return someNan(type, mode);
  if (mpfr_inf_p(from)) return infinity(type, negative, mode);
  Wide sign = Wide(negative) << (type.bits - 1);
  if (mpfr_zero_p(from)) {
    r.v = mode.fnuz && type.bits == 8 ? 0 : sign;
    return r;
  }
  mpfr_exp_t e = mpfr_get_exp(from) - 1; // |from| = m * 2^e, 1 <= m < 2
  int least = 1 - f.bias;
  int64_t field = e < least ? 0 : e + f.bias;
  int64_t shift = static_cast<int64_t>(f.mantissa) - (e < least ? least : e);
  Scratch &s = scratch();
  wideRange(); // the mantissa as an integer may lie beyond a small format
  mpfr_set_prec(s.t, 64);
  mpfr_mul_2si(s.t, from, shift, MPFR_RNDN);
  uint64_t m = mpfr_get_ui(s.t, MPFR_RNDN); // sign ignored below
  if (negative) {
    mpfr_neg(s.t, s.t, MPFR_RNDN);
    m = mpfr_get_ui(s.t, MPFR_RNDN);
  }
  r.v = sign | Wide(static_cast<uint64_t>(field)) << f.mantissa | (m & ((1ull << f.mantissa) - 1));
  return r;
}

/// From a number rounded to the format's precision with any exponent (and MPFR's ternary value) to its bits.
Value finish(mpfr_t r, int ternary, mpfr_rnd_t rnd, Type type, const FloatMode &mode) {
  Format f = formatOf(type, mode);
  mpfr_set_emin(2 - f.bias - static_cast<int>(f.mantissa));
  mpfr_set_emax((1 << f.exponent) - (f.infinities ? 2 : 1) - f.bias + 1);
  ternary = mpfr_check_range(r, ternary, rnd);
  mpfr_subnormalize(r, ternary, rnd);
  Value v = encodeExact(r, type, mode);
  wideRange();
  return v;
}

/// Rounds an exact number (or one that MPFR computed with much more precision) into the format.
Value encode(mpfr_t from, Type type, const FloatMode &mode, int rounding = -1) {
  Format f = formatOf(type, mode);
  Scratch &s = scratch();
  mpfr_rnd_t rnd = roundings[rounding >= 0 ? static_cast<unsigned>(rounding) : mode.round(type)];
  mpfr_set_prec(s.r, f.mantissa + 1);
  int ternary = mpfr_set(s.r, from, rnd);
  Value r = finish(s.r, ternary, rnd, type, mode);
  return mode.keepOut(type) ? r : flushed(r, mode);
}

} // namespace

Format formatOf(Type type, const FloatMode &mode) {
  switch (type.kind) {
  case Type::Float:
    if (type.bits == 16) return {5, 10, 15, true};
    if (type.bits == 32) return {8, 23, 127, true};
    if (type.bits == 64) return {11, 52, 1023, true};
    break;
  case Type::BFloat: return {8, 7, 127, true};
  case Type::Fp8: return {4, 3, mode.fnuz ? 8 : 7, false};
  case Type::Bf8: return {5, 2, mode.fnuz ? 16 : 15, !mode.fnuz};
  case Type::Fp6: return {2, 3, 1, false};
  case Type::Bf6: return {3, 2, 3, false};
  case Type::Fp4: return {2, 1, 1, false};
  default: break;
  }
  throw Unsupported("no float format of " + std::to_string(type.bits) + " bits");
}

unsigned biasedExponent(const Value &v, const FloatMode &mode) {
  Format f = formatOf(v.type, mode);
  return static_cast<unsigned>(v.v >> f.mantissa & maskOf(f.exponent));
}
bool isNan(const Value &v, const FloatMode &mode) {
  Format f = formatOf(v.type, mode);
  if (v.type.bits < 8) return false;
  if (v.type.bits == 8 && mode.fnuz) return v.v == 0x80;
  if (v.type.kind == Type::Fp8) return (v.v & 0x7f) == 0x7f;
  return biasedExponent(v, mode) == maskOf(f.exponent) && mantissaBits(v, f) != 0;
}
bool isSignalling(const Value &v, const FloatMode &mode) {
  Format f = formatOf(v.type, mode);
  return v.type.bits >= 16 && isNan(v, mode) && !(v.v >> (f.mantissa - 1) & 1);
}
bool isInfinite(const Value &v, const FloatMode &mode) {
  Format f = formatOf(v.type, mode);
  return f.infinities && biasedExponent(v, mode) == maskOf(f.exponent) && mantissaBits(v, f) == 0;
}
bool isZero(const Value &v, const FloatMode &mode) { return !isNan(v, mode) && (v.v & maskOf(v.type.bits - 1)) == 0; }
bool isDenormal(const Value &v, const FloatMode &mode) {
  return biasedExponent(v, mode) == 0 && mantissaBits(v, formatOf(v.type, mode)) != 0;
}
Value flushed(const Value &v, const FloatMode &mode) {
  if (!isDenormal(v, mode)) return v;
  Value r = v;
  r.v = Wide(signOf(v)) << (v.type.bits - 1);
  r.open = 0;
  return r;
}
Value someNan(Type type, const FloatMode &mode) {
  Value r(type, 0);
  if (type.bits < 8) throw Unsupported("a NaN in a format without NaN");
  if (type.bits == 8 && (mode.fnuz || type.kind == Type::Fp8)) { // a single one, or one of either sign
    r.v = mode.fnuz ? 0x80 : 0x7f;
    r.open = mode.fnuz ? 0 : 0x80;
    return r;
  }
  Format f = formatOf(type, mode);
  Wide quiet = Wide(1) << (f.mantissa - 1);
  r.v = maskOf(f.exponent) << f.mantissa | quiet;
  r.open = Wide(1) << (type.bits - 1) | (quiet - 1);
  return r;
}
Value quieted(const Value &v, const FloatMode &mode) {
  Value r = v;
  r.v |= Wide(1) << (formatOf(v.type, mode).mantissa - 1);
  return r;
}
Value infinity(Type type, bool negative, const FloatMode &mode) {
  Format f = formatOf(type, mode);
  if (!f.infinities) {
    if (type.bits == 8) return {type, mode.fnuz ? Wide(0x80) : Wide(0x7f) | Wide(negative) << 7};
    return {type, maskOf(type.bits - 1) | Wide(negative) << (type.bits - 1)};
  }
  return {type, maskOf(f.exponent) << f.mantissa | Wide(negative) << (type.bits - 1)};
}

int compare(const Value &a, const Value &b, const FloatMode &mode) {
  if (isNan(a, mode) || isNan(b, mode)) return 2;
  Scratch &s = scratch();
  decode(s.a, a, mode);
  decode(s.b, b, mode);
  int c = mpfr_cmp(s.a, s.b);
  return c < 0 ? -1 : c > 0;
}

Value compute(FloatOp op, Type type, const Value &a0, const Value &b0, const Value &c0, const FloatMode &mode) {
  unsigned operands = op == FloatOp::Fma ? 3 : op <= FloatOp::Divide ? 2 : 1;
  const Value *in[3] = {&a0, &b0, &c0};
  Value copies[3];
  for (unsigned k = 0; k < operands; ++k) {
    if (isNan(*in[k], mode)) return someNan(type);
    copies[k] = mode.keepIn(in[k]->type) ? *in[k] : flushed(*in[k], mode);
  }
  Scratch &s = scratch();
  wideRange();
  decode(s.a, copies[0], mode);
  if (operands > 1) decode(s.b, copies[1], mode);
  if (operands > 2) decode(s.c, copies[2], mode);
  Format f = formatOf(type, mode);
  mpfr_rnd_t rnd = roundings[mode.round(type)];
  mpfr_set_prec(s.r, f.mantissa + 1);
  float ulps = 0;
  int ternary = 0;
  switch (op) {
  case FloatOp::Add: ternary = mpfr_add(s.r, s.a, s.b, rnd); break;
  case FloatOp::Subtract: ternary = mpfr_sub(s.r, s.a, s.b, rnd); break;
  case FloatOp::Multiply: ternary = mpfr_mul(s.r, s.a, s.b, rnd); break;
  case FloatOp::Divide:
    ternary = mpfr_div(s.r, s.a, s.b, rnd);
    ulps = 1;
    break;
  case FloatOp::Fma: ternary = mpfr_fma(s.r, s.a, s.b, s.c, rnd); break;
  case FloatOp::Sqrt:
    ternary = mpfr_sqrt(s.r, s.a, rnd);
    ulps = 1;
    break;
  case FloatOp::ReciprocalRoot:
    if (mpfr_zero_p(s.a)) mpfr_set_inf(s.r, mpfr_signbit(s.a) ? -1 : 1);
    else ternary = mpfr_rec_sqrt(s.r, s.a, rnd);
    ulps = 1;
    break;
  case FloatOp::Exp2:
    ternary = mpfr_exp2(s.r, s.a, rnd);
    ulps = 1;
    break;
  case FloatOp::Log2:
    ternary = mpfr_log2(s.r, s.a, rnd);
    ulps = 1;
    break;
  case FloatOp::Sin:
  case FloatOp::Cos: { // of a turn
    if (mpfr_inf_p(s.a)) return someNan(type);
    mpfr_set_prec(s.t, 200);
    mpfr_const_pi(s.t, MPFR_RNDN);
    mpfr_mul_2ui(s.t, s.t, 1, MPFR_RNDN);
    mpfr_set_prec(s.b, 64);
    mpfr_frac(s.b, s.a, MPFR_RNDN);
    mpfr_mul(s.t, s.t, s.b, MPFR_RNDN);
    mpfr_set_prec(s.c, 160);
    if (op == FloatOp::Sin) mpfr_sin(s.c, s.t, MPFR_RNDN);
    else mpfr_cos(s.c, s.t, MPFR_RNDN);
    Value r = encode(s.c, type, mode);
    r.absolute = type.bits == 16 ? 0x1p-10f : 0x1p-22f;
    return r;
  }
  case FloatOp::Floor: ternary = mpfr_rint_floor(s.r, s.a, rnd); break;
  case FloatOp::RoundEven: ternary = mpfr_rint_roundeven(s.r, s.a, rnd); break;
  case FloatOp::RoundHalfUp:
    mpfr_set_prec(s.c, 2400);
    mpfr_set_d(s.t, 0.5, MPFR_RNDN);
    mpfr_add(s.c, s.a, s.t, MPFR_RNDN);
    ternary = mpfr_rint_floor(s.r, s.c, rnd);
    break;
  case FloatOp::Trunc: ternary = mpfr_rint_trunc(s.r, s.a, rnd); break;
  case FloatOp::Fract:
    if (mpfr_inf_p(s.a)) return someNan(type);
    mpfr_set_prec(s.t, 64);
    mpfr_floor(s.t, s.a);
    mpfr_set_prec(s.c, 2400);
    mpfr_sub(s.c, s.a, s.t, rnd); // exact, and a zero has the sign that the mode gives it
    return encode(s.c, type, mode);
  case FloatOp::Mantissa:
    if (!mpfr_zero_p(s.a) && !mpfr_inf_p(s.a)) mpfr_set_exp(s.a, 0);
    ternary = mpfr_set(s.r, s.a, rnd);
    break;
  default: throw Unsupported("operation");
  }
  Value r = finish(s.r, ternary, rnd, type, mode);
  r.ulps = ulps;
  return mode.keepOut(type) ? r : flushed(r, mode);
}

Value convertFloat(const Value &v, Type to, const FloatMode &mode, bool keepNan) {
  if (v.type == to) return v;
  if (isNan(v, mode)) {
    if (!keepNan || to.bits < 16 || v.type.bits < 16) return someNan(to, mode);
    Format from = formatOf(v.type, mode), f = formatOf(to, mode);
    Wide m = mantissaBits(v, from);
    m = f.mantissa >= from.mantissa ? m << (f.mantissa - from.mantissa) : m >> (from.mantissa - f.mantissa);
    if (!m) m = 1;
    return {to, Wide(signOf(v)) << (to.bits - 1) | maskOf(f.exponent) << f.mantissa | m};
  }
  Scratch &s = scratch();
  wideRange();
  decode(s.a, v, mode);
  Value r = encode(s.a, to, mode);
  r.ulps = v.ulps;
  return r;
}

Value fromInteger(SignedWide v, Type to, const FloatMode &mode) {
  Scratch &s = scratch();
  wideRange();
  bool negative = v < 0;
  Wide m = negative ? -static_cast<Wide>(v) : static_cast<Wide>(v);
  mpfr_set_prec(s.a, 128);
  mpfr_set_ui_2exp(s.a, static_cast<uint64_t>(m >> 64), 64, MPFR_RNDN);
  mpfr_add_ui(s.a, s.a, static_cast<uint64_t>(m), MPFR_RNDN);
  if (negative) mpfr_neg(s.a, s.a, MPFR_RNDN);
  return encode(s.a, to, mode);
}

namespace {
/// The number in s.a, rounded to an integer and saturated.
Value saturate(mpfr_t x, Type to, unsigned rounding, SignedWide low, SignedWide high) {
  mpfr_set_prec(scratch().t, 2400);
  mpfr_rint(scratch().t, x, roundings[rounding]);
  double d = mpfr_get_d(scratch().t, MPFR_RNDN);
  SignedWide r = d <= static_cast<double>(low) ? low : d >= static_cast<double>(high) ? high : 0;
  if (r == 0) r = mpfr_get_sj(scratch().t, MPFR_RNDN);
  if (r > high) r = high;
  if (r < low) r = low;
  return {to, static_cast<Wide>(r)};
}
} // namespace

Value toInteger(const Value &v, Type to, unsigned rounding, const FloatMode &mode) {
  if (isNan(v, mode)) return {to, 0};
  wideRange();
  decode(scratch().a, mode.keepIn(v.type) ? v : flushed(v, mode), mode);
  bool isSigned = to.kind == Type::Signed;
  SignedWide high = static_cast<SignedWide>(maskOf(isSigned ? to.bits - 1 : to.bits)), low = isSigned ? -high - 1 : 0;
  return saturate(scratch().a, to, rounding, low, high);
}

Value toNormalized(const Value &v, Type to, int low, int high, const FloatMode &mode) {
  if (isNan(v, mode)) return {to, 0};
  wideRange();
  decode(scratch().a, mode.keepIn(v.type) ? v : flushed(v, mode), mode);
  mpfr_set_prec(scratch().b, 128);
  mpfr_mul_si(scratch().b, scratch().a, high, MPFR_RNDN);
  return saturate(scratch().b, to, 0, low, high);
}

Value scaleTo(const Value &v, int power, Type to, const FloatMode &mode) {
  if (isNan(v, mode)) return nanOf(v, to, mode);
  Scratch &s = scratch();
  wideRange();
  decode(s.a, v, mode);
  mpfr_mul_2si(s.a, s.a, power, MPFR_RNDN);
  Value r = encode(s.a, to, mode);
  return to.bits < 8 && isInfinite(v, mode) ? largest(to, signOf(v)) : r;
}

Value largest(Type to, bool negative) { return {to, maskOf(to.bits - 1) | Wide(negative) << (to.bits - 1)}; }
Value nanOf(const Value &v, Type to, const FloatMode &mode) {
  return to.bits < 8 ? largest(to, signOf(v)) : someNan(to, mode);
}

Value stochasticTo(const Value &v, int power, uint32_t random, Type to, const FloatMode &mode) {
  if (isNan(v, mode)) return nanOf(v, to, mode);
  Format from = formatOf(v.type, mode), f = formatOf(to, mode);
  const unsigned dropped = from.mantissa - f.mantissa;
  Wide sign = Wide(signOf(v)) << (to.bits - 1),
       beyond = f.infinities ? maskOf(f.exponent) << f.mantissa : maskOf(to.bits - 1);
  if (isInfinite(v, mode)) return to.bits < 8 ? largest(to, signOf(v)) : infinity(to, signOf(v), mode);
  if (isZero(v, mode)) return {to, mode.fnuz && to.bits == 8 ? 0 : sign};
  int e = static_cast<int>(biasedExponent(v, mode));
  Wide m = mantissaBits(v, from);
  if (e) m |= Wide(1) << from.mantissa;
  else
    for (e = 1; !(m >> from.mantissa & 1); --e) m <<= 1;
  int field = e - from.bias + power + f.bias; // the exponent field in the new format
  if (field < 1) {                            // denormal there: the bits shifted out are lost
    m = 1 - field > 64 ? 0 : m >> (1 - field);
    field = 1;
  }
  m = (m + (random >> (32 - dropped))) >> dropped;
  if (m >> (f.mantissa + 1)) m >>= 1, ++field;
  Wide code = m >> f.mantissa ? Wide(static_cast<unsigned>(field)) << f.mantissa | (m & maskOf(f.mantissa)) : m;
  bool tooLarge = f.infinities || (to.kind == Type::Fp8 && !mode.fnuz) ? code >= beyond : code > beyond;
  if (tooLarge) return to.bits < 8 ? largest(to, signOf(v)) : infinity(to, signOf(v), mode);
  return {to, code == 0 && mode.fnuz && to.bits == 8 ? 0 : sign | code};
}

Value twoOverPiBits(unsigned from) {
  mpfr_t x;
  mpfr_init2(x, 1400);
  wideRange();
  mpfr_const_pi(x, MPFR_RNDN);
  mpfr_ui_div(x, 2, x, MPFR_RNDN);
  mpfr_mul_2ui(x, x, 1201, MPFR_RNDN);
  mpfr_floor(x, x);
  mpfr_mul_2si(x, x, static_cast<long>(from) - 1201, MPFR_RNDN);
  mpfr_frac(x, x, MPFR_RNDN);
  mpfr_mul_2ui(x, x, 53, MPFR_RNDN);
  mpfr_floor(x, x);
  uint64_t whole = mpfr_get_ui(x, MPFR_RNDN);
  mpfr_clear(x);
  return fromInteger(static_cast<SignedWide>(whole), {Type::Float, 64}, FloatMode());
}

Value fusedScaled(const Value &a, const Value &b, const Value &c, int power, const FloatMode &mode) {
  for (const Value *v : {&a, &b, &c})
    if (isNan(*v, mode)) return someNan(a.type, mode);
  Scratch &s = scratch();
  wideRange();
  decode(s.a, a, mode);
  decode(s.b, b, mode);
  decode(s.c, c, mode);
  mpfr_set_prec(s.t, 5000); // exact
  mpfr_fma(s.t, s.a, s.b, s.c, roundings[mode.round(a.type)]);
  if (mpfr_nan_p(s.t)) return someNan(a.type, mode);
  mpfr_mul_2si(s.t, s.t, power, MPFR_RNDN);
  mpfr_set_prec(s.a, 5000);
  mpfr_set(s.a, s.t, MPFR_RNDN);
  Value r = encode(s.a, a.type, mode);
  return mode.keepOut(a.type) ? r : flushed(r, mode);
}

double distance(Wide a, Wide b, Type type) {
  Wide sign = Wide(1) << (type.bits - 1);
  auto line = [&](Wide v) { return v & sign ? -static_cast<SignedWide>(v & (sign - 1)) : static_cast<SignedWide>(v); };
  double d = static_cast<double>(line(a) - line(b));
  return d < 0 ? -d : d;
}

double toDouble(const Value &v, const FloatMode &mode) {
  if (isNan(v, mode)) return NAN;
  wideRange();
  decode(scratch().a, v, mode);
  return mpfr_get_d(scratch().a, MPFR_RNDN);
}

} // namespace fly::pseudocode
