// Float arithmetic against MPFR: what IEEE 754 defines must be its result, in all rounding modes; approximations must
// be within the documented error of one unit in the last place; the division sequences that compilers emit must give
// the correctly rounded quotient.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"

#include "runtime/emulator/formats/SmallFloat.h"

#include <cmath>
#include <functional>
#include <map>
#include <gtest/gtest.h>
#include <mpfr.h>
#include <optional>
#include <random>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

const char *const all[] = {"gfx942", "gfx950", "gfx1201", "gfx1250"};

/// A binary format: precision with the leading bit, exponent range in MPFR's convention (0.1xxx * 2^e).
struct Format {
  const char *suffix;
  int precision, emin, emax;
  unsigned bits;
};
constexpr Format f16{"f16", 11, -23, 16, 16}, bf16{"bf16", 8, -132, 128, 16}, f32{"f32", 24, -148, 128, 32},
    f64{"f64", 53, -1073, 1024, 64};

double valueOf(const Format &f, uint64_t bits) {
  if (f.bits == 64) return std::bit_cast<double>(bits);
  if (f.bits == 32) return std::bit_cast<float>(uint32_t(bits));
  if (f.precision == 8) return std::bit_cast<float>(uint32_t(bits) << 16);
  _Float16 h;
  uint16_t b = uint16_t(bits);
  std::memcpy(&h, &b, 2);
  return double(h);
}
uint64_t bitsOfValue(const Format &f, double v) { // exact values only
  if (f.bits == 64) return std::bit_cast<uint64_t>(v);
  if (f.bits == 32) return std::bit_cast<uint32_t>(float(v));
  if (f.precision == 8) return std::bit_cast<uint32_t>(float(v)) >> 16;
  _Float16 h = _Float16(v);
  uint16_t b;
  std::memcpy(&b, &h, 2);
  return b;
}

struct Number {
  mpfr_t v;
  explicit Number(int precision = 300) { mpfr_init2(v, precision); }
  ~Number() { mpfr_clear(v); }
  Number(const Number &) = delete;
  operator mpfr_ptr() { return v; }
};
constexpr mpfr_rnd_t rounding[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};

/// Runs `operation(result, rounding)` on a result of the format's precision and range: the correctly rounded value.
double rounded(const Format &f, unsigned mode, const std::function<int(mpfr_ptr, mpfr_rnd_t)> &operation) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  Number r(f.precision);
  mpfr_set_emin(f.emin);
  mpfr_set_emax(f.emax);
  int inexact = operation(r, rounding[mode]);
  inexact = mpfr_check_range(r, inexact, rounding[mode]);
  mpfr_subnormalize(r, inexact, rounding[mode]);
  double result = mpfr_get_d(r, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return result;
}

struct Operands {
  std::mt19937_64 random{5};
  uint64_t operator()(const Format &f) {
    static const double special[] = {0.0, -0.0, 1, -1, 2, 0.5, 3, HUGE_VAL, -HUGE_VAL, NAN, 1.5};
    unsigned kind = unsigned(random() % 12);
    if (kind == 0) return bitsOfValue(f, special[random() % std::size(special)]);
    uint64_t bits = random();
    if (f.bits < 64) bits &= (1ull << f.bits) - 1;
    if (kind < 8) { // exponents near one, so that sums and fused products interact
      const int mantissa = f.precision - 1;
      const uint64_t field = (1ull << (f.bits - 1 - mantissa)) - 1, bias = field / 2;
      bits = (bits & ~(field << mantissa)) | (bias + random() % 12 - 6) << mantissa;
    }
    return bits;
  }
};

void put(StepBench &b, const Format &f, unsigned r, unsigned lane, uint64_t bits) {
  if (f.bits == 64) b.setVgpr64(r, lane, bits);
  else b.vgpr(r, lane) = uint32_t(bits);
}
uint64_t get(StepBench &b, const Format &f, unsigned r, unsigned lane) {
  return f.bits == 64 ? b.vgpr64(r, lane) : f.bits == 32 ? b.vgpr(r, lane) : b.vgpr(r, lane) & 0xffff;
}
std::string reg(const Format &f, unsigned r) {
  return f.bits == 64 ? "v[" + std::to_string(r) + ":" + std::to_string(r + 1) + "]" : "v" + std::to_string(r);
}
/// MODE with a rounding for both precisions and all denormals kept.
uint32_t modeWith(unsigned round) { return 0x3f0 | round | round << 2; }

struct Exact {
  const char *op;
  const Format &format;
  unsigned operands;
  int (*operation)(mpfr_ptr, mpfr_ptr, mpfr_ptr, mpfr_ptr, mpfr_rnd_t);
};
int addM(mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr, mpfr_rnd_t m) { return mpfr_add(r, a, b, m); }
int subM(mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr, mpfr_rnd_t m) { return mpfr_sub(r, a, b, m); }
int mulM(mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr, mpfr_rnd_t m) { return mpfr_mul(r, a, b, m); }
int fmaM(mpfr_ptr r, mpfr_ptr a, mpfr_ptr b, mpfr_ptr c, mpfr_rnd_t m) { return mpfr_fma(r, a, b, c, m); }

const Exact exact[] = {
    {"v_add_f32", f32, 2, addM}, {"v_sub_f32", f32, 2, subM}, {"v_mul_f32", f32, 2, mulM}, {"v_fma_f32", f32, 3, fmaM},
    {"v_add_f64", f64, 2, addM}, {"v_mul_f64", f64, 2, mulM}, {"v_fma_f64", f64, 3, fmaM}, {"v_add_f16", f16, 2, addM},
    {"v_sub_f16", f16, 2, subM}, {"v_mul_f16", f16, 2, mulM}, {"v_fma_f16", f16, 3, fmaM},
};

TEST(Math, ArithmeticIsCorrectlyRoundedInAllModes) {
  for (const char *arch : all) {
    StepBench bench(arch);
    Operands operands;
    Number a, b, c;
    for (const Exact &e : exact) {
      std::string text = std::string(e.op) + " " + reg(e.format, 10) + ", " + reg(e.format, 0) + ", " +
                         reg(e.format, 2) + (e.operands == 3 ? ", " + reg(e.format, 4) : "");
      SCOPED_TRACE(std::string(arch) + ": " + text);
      int number = bench.add(text);
      ASSERT_GE(number, 0) << bench.error();
      for (unsigned round = 0; round < 24; ++round) {
        const unsigned mode = round % 4;
        bench.setMode(modeWith(mode));
        for (unsigned l = 0; l < bench.lanes(); ++l)
          for (unsigned r : {0u, 2u, 4u}) put(bench, e.format, r, l, operands(e.format));
        ASSERT_TRUE(bench.step(number)) << bench.error();
        for (unsigned l = 0; l < bench.lanes(); ++l) {
          double x = valueOf(e.format, get(bench, e.format, 0, l)), y = valueOf(e.format, get(bench, e.format, 2, l)),
                 z = valueOf(e.format, get(bench, e.format, 4, l));
          mpfr_set_d(a, x, MPFR_RNDN);
          mpfr_set_d(b, y, MPFR_RNDN);
          mpfr_set_d(c, z, MPFR_RNDN);
          double want = rounded(e.format, mode, [&](mpfr_ptr r, mpfr_rnd_t m) { return e.operation(r, a, b, c, m); });
          uint64_t got = get(bench, e.format, 10, l);
          if (want != want) ASSERT_NE(valueOf(e.format, got), valueOf(e.format, got)) << x << " " << y << " " << z;
          else
            ASSERT_EQ(got, bitsOfValue(e.format, want))
                << "mode " << mode << ": " << x << " " << y << " " << z << " want " << want;
        }
      }
      recordSource(arch, fly::isa::name(bench.instruction(number).op), "mpfr");
    }
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Approximations
//===--------------------------------------------------------------------------------------------------------===//

using Function = void (*)(mpfr_ptr, mpfr_ptr);
void rcpM(mpfr_ptr r, mpfr_ptr a) { mpfr_ui_div(r, 1, a, MPFR_RNDN); }
void rsqM(mpfr_ptr r, mpfr_ptr a) { // of -0: -infinity, unlike mpfr_rec_sqrt
  if (mpfr_zero_p(a)) mpfr_ui_div(r, 1, a, MPFR_RNDN);
  else mpfr_rec_sqrt(r, a, MPFR_RNDN);
}
void sqrtM(mpfr_ptr r, mpfr_ptr a) { mpfr_sqrt(r, a, MPFR_RNDN); }
void expM(mpfr_ptr r, mpfr_ptr a) { mpfr_exp2(r, a, MPFR_RNDN); }
void logM(mpfr_ptr r, mpfr_ptr a) { mpfr_log2(r, a, MPFR_RNDN); }
void tanhM(mpfr_ptr r, mpfr_ptr a) { mpfr_tanh(r, a, MPFR_RNDN); }
void turn(mpfr_ptr r, mpfr_ptr a) { // of angles in turns
  Number twoPi;
  mpfr_const_pi(twoPi, MPFR_RNDN);
  mpfr_mul_ui(twoPi, twoPi, 2, MPFR_RNDN);
  mpfr_frac(r, a, MPFR_RNDN);
  mpfr_mul(r, r, twoPi, MPFR_RNDN);
}
void sinM(mpfr_ptr r, mpfr_ptr a) {
  turn(r, a);
  mpfr_sin(r, r, MPFR_RNDN);
}
void cosM(mpfr_ptr r, mpfr_ptr a) {
  turn(r, a);
  mpfr_cos(r, r, MPFR_RNDN);
}

struct Approximation {
  const char *op;
  const Format &format;
  Function function;
  bool angle = false; ///< sine, cosine: the error is absolute, in units of 1
};
const Approximation approximations[] = {
    {"v_rcp", f32, rcpM},       {"v_rsq", f32, rsqM},       {"v_sqrt", f32, sqrtM},     {"v_exp", f32, expM},
    {"v_log", f32, logM},       {"v_sin", f32, sinM, true}, {"v_cos", f32, cosM, true}, {"v_rcp", f64, rcpM},
    {"v_rsq", f64, rsqM},       {"v_sqrt", f64, sqrtM},     {"v_rcp", f16, rcpM},       {"v_rsq", f16, rsqM},
    {"v_sqrt", f16, sqrtM},     {"v_exp", f16, expM},       {"v_log", f16, logM},       {"v_sin", f16, sinM, true},
    {"v_cos", f16, cosM, true},
};
const Approximation gfx1250Only[] = {
    {"v_tanh", f32, tanhM},      {"v_tanh", f16, tanhM},      {"v_tanh", bf16, tanhM}, {"v_rcp", bf16, rcpM},
    {"v_rsq", bf16, rsqM},       {"v_sqrt", bf16, sqrtM},     {"v_exp", bf16, expM},   {"v_log", bf16, logM},
    {"v_sin", bf16, sinM, true}, {"v_cos", bf16, cosM, true},
};

/// One unit in the last place of a value of the format.
double unit(const Format &f, double v) {
  int e = v == 0 ? f.emin : std::ilogb(v) + 1;
  return std::ldexp(1.0, std::max(e - f.precision, f.emin - 1));
}
bool denormal(const Format &f, double v) {
  return v != 0 && std::isfinite(v) && std::ilogb(v) + 1 < f.emin + f.precision - 1;
}

/// The correctly rounded result; of 16-bit formats it is kept, since every architecture asks for all of them.
double correctResult(const Approximation &p, double in, uint64_t bits, bool keep) {
  static std::map<std::pair<Function, const Format *>, std::vector<std::optional<double>>> kept;
  std::vector<std::optional<double>> *results = keep ? &kept[{p.function, &p.format}] : nullptr;
  if (results) results->resize(65536);
  if (results && (*results)[bits]) return *(*results)[bits];
  Number x, y;
  mpfr_set_d(x, in, MPFR_RNDN);
  p.function(y, x);
  double r =
      mpfr_nan_p(y.v) ? NAN : rounded(p.format, 0, [&](mpfr_ptr to, mpfr_rnd_t m) { return mpfr_set(to, y, m); });
  if (results) (*results)[bits] = r;
  return r;
}

void checkApproximation(StepBench &bench, const Approximation &p) {
  const Format &f = p.format;
  std::string text = std::string(p.op) + "_" + f.suffix + " " + reg(f, 10) + ", " + reg(f, 0);
  SCOPED_TRACE(bench.arch + ": " + text);
  int number = bench.add(text);
  ASSERT_GE(number, 0) << bench.error();
  bench.setMode(modeWith(0));
  const bool exhaustive = f.bits == 16;
  const unsigned rounds = exhaustive ? 65536 / bench.lanes() : 100;
  Operands operands;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned l = 0; l < bench.lanes(); ++l)
      put(bench, f, 0, l, exhaustive ? round * bench.lanes() + l : operands(f));
    ASSERT_TRUE(bench.step(number)) << bench.error();
    for (unsigned l = 0; l < bench.lanes(); ++l) {
      double in = valueOf(f, get(bench, f, 0, l)), got = valueOf(f, get(bench, f, 10, l));
      const bool flushes = f.bits == 32; // f32 denormals are zero to these, whatever MODE says
      if (flushes && denormal(f, in)) in = std::copysign(0.0, in);
      if (p.angle && std::fabs(in) > 256) continue; // outside the documented range
      const double want = correctResult(p, in, get(bench, f, 0, l), exhaustive);
      if (want != want) {
        ASSERT_NE(got, got) << in;
        continue;
      }
      if (got == want) continue;
      if (flushes && denormal(f, want)) {
        ASSERT_LE(std::fabs(got), 0x1p-126) << in;
        continue;
      }
      ASSERT_FALSE(std::isinf(want) || std::isinf(got)) << "of " << in << ": got " << got << " want " << want;
      Number x, y, error;
      mpfr_set_d(x, in, MPFR_RNDN);
      p.function(y, x);
      mpfr_set_d(error, got, MPFR_RNDN);
      mpfr_sub(error, error, y, MPFR_RNDN);
      double allowed = p.angle ? std::ldexp(1.0, 1 - f.precision) : unit(f, want);
      ASSERT_LE(std::fabs(mpfr_get_d(error, MPFR_RNDN)), allowed) << "of " << in << ": got " << got << " want " << want;
    }
  }
  recordSource(bench.arch, fly::isa::name(bench.instruction(number).op), "mpfr");
}

TEST(Math, ApproximationsDoNotFollowModesRounding) {
  for (const char *arch : all) {
    StepBench bench(arch);
    std::vector<std::pair<std::string, const Format *>> texts; // into v10, s10
    auto vector = [&](const Approximation &p) {
      texts.emplace_back(std::string(p.op) + "_" + p.format.suffix + " " + reg(p.format, 10) + ", " + reg(p.format, 0),
                         &p.format);
    };
    for (const Approximation &p : approximations) vector(p);
    if (std::string(arch) == "gfx1250")
      for (const Approximation &p : gfx1250Only) vector(p);
    if (isGfx12(bench.row))
      for (const char *op : {"exp", "log", "rcp", "rsq", "sqrt"})
        for (const Format *f : {&f32, &f16})
          texts.emplace_back(std::string("v_s_") + op + "_" + f->suffix + " s10, s0", f);
    Operands operands;
    for (const auto &[text, format] : texts) {
      SCOPED_TRACE(std::string(arch) + ": " + text);
      for (unsigned l = 0; l < bench.lanes(); ++l) put(bench, *format, 0, l, operands(*format));
      put(bench, *format, 0, 0,
          format == &f64   ? bitsOf(3.0)
          : format == &f32 ? bitsOf(3.0f)
          : format == &f16 ? 0x4200
                           : 0x4040);
      bench.sgpr(0) = bench.vgpr(0, 0);
      std::vector<uint64_t> nearest;
      for (unsigned round = 0; round < 4; ++round) {
        bench.setMode(modeWith(round));
        ASSERT_TRUE(bench.run(text)) << bench.error();
        for (unsigned l = 0; l < bench.lanes(); ++l) {
          uint64_t got = text.find(" s10") != text.npos ? bench.sgpr(10) : get(bench, *format, 10, l);
          if (round == 0) nearest.push_back(got);
          else ASSERT_EQ(got, nearest[l]) << "rounding " << round << " lane " << l;
        }
        ASSERT_EQ(bench.mode(), modeWith(round));
        ASSERT_EQ(bench.wave().mode.round32, round);
      }
    }
  }
}

TEST(Math, ApproximationsAreWithinOneUnitInTheLastPlace) {
  for (const char *arch : all) {
    StepBench bench(arch);
    for (const Approximation &p : approximations) checkApproximation(bench, p);
    if (std::string(arch) == "gfx1250")
      for (const Approximation &p : gfx1250Only) checkApproximation(bench, p);
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Division
//===--------------------------------------------------------------------------------------------------------===//

/// The sequence LLVM emits for numerator r0, denominator r2: quotient in r10. f32's denormals must be on.
std::vector<std::string> divisionSequence(const Format &f, bool wave64) {
  auto r = [&](unsigned n) { return reg(f, n); };
  const std::string s = f.suffix, vcc = wave64 ? "vcc" : "vcc_lo", other = wave64 ? "s[10:11]" : "s10";
  const std::string n = r(0), d = r(2), den = r(12), num = r(14), rcp = r(16), q = r(18), e = r(20), out = r(10);
  std::vector<std::string> code = {"v_div_scale_" + s + " " + den + ", " + other + ", " + d + ", " + d + ", " + n,
                                   "v_rcp_" + s + " " + rcp + ", " + den};
  auto fma = [&](const std::string &to, const std::string &a, const std::string &b, const std::string &c) {
    code.push_back("v_fma_" + s + " " + to + ", " + a + ", " + b + ", " + c);
  };
  for (int step = 0; step < (f.bits == 64 ? 2 : 1); ++step) {
    fma(e, "-" + den, rcp, "1.0");
    fma(rcp, rcp, e, rcp);
  }
  code.push_back("v_div_scale_" + s + " " + num + ", " + vcc + ", " + n + ", " + d + ", " + n);
  code.push_back((f.bits == 64 ? "v_mul_f64 " : "v_mul_f32 ") + q + ", " + num + ", " + rcp);
  if (f.bits == 32) {
    fma(e, "-" + den, q, num);
    fma(q, e, rcp, q);
  }
  fma(e, "-" + den, q, num);
  code.push_back("v_div_fmas_" + s + " " + q + ", " + e + ", " + rcp + ", " + q);
  code.push_back("v_div_fixup_" + s + " " + out + ", " + q + ", " + d + ", " + n);
  return code;
}

TEST(Math, DivisionSequencesGiveTheCorrectlyRoundedQuotient) {
  for (const char *arch : all)
    for (const Format *f : {&f32, &f64}) {
      StepBench bench(arch);
      std::vector<int> numbers;
      for (const std::string &text : divisionSequence(*f, bench.lanes() == 64)) {
        numbers.push_back(bench.add(text));
        ASSERT_GE(numbers.back(), 0) << text << ": " << bench.error();
      }
      Operands operands;
      Number a, b;
      bench.setMode(modeWith(0));
      for (unsigned round = 0; round < 400; ++round) {
        for (unsigned l = 0; l < bench.lanes(); ++l)
          for (unsigned r : {0u, 2u}) put(bench, *f, r, l, operands(*f));
        for (int number : numbers) ASSERT_TRUE(bench.step(number)) << bench.error();
        for (unsigned l = 0; l < bench.lanes(); ++l) {
          double x = valueOf(*f, get(bench, *f, 0, l)), y = valueOf(*f, get(bench, *f, 2, l));
          mpfr_set_d(a, x, MPFR_RNDN);
          mpfr_set_d(b, y, MPFR_RNDN);
          double want = rounded(*f, 0, [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_div(r, a, b, m); });
          double got = valueOf(*f, get(bench, *f, 10, l));
          if (want != want) ASSERT_NE(got, got) << x << " / " << y;
          else
            ASSERT_EQ(bitsOfValue(*f, got), bitsOfValue(*f, want))
                << arch << " " << f->suffix << ": " << x << " / " << y << " got " << got << " want " << want;
        }
      }
      for (int number : numbers)
        if (bench.print(number).find("v_div_") == 0)
          recordSource(arch, fly::isa::name(bench.instruction(number).op), "mpfr");
    }
}

//===--------------------------------------------------------------------------------------------------------===//
// 2/pi
//===--------------------------------------------------------------------------------------------------------===//

TEST(Math, TrigPreopGivesTheBitsOfTwoOverPi) {
  Number twoOverPi(1400), shifted(1400);
  mpfr_const_pi(twoOverPi, MPFR_RNDN);
  mpfr_ui_div(twoOverPi, 2, twoOverPi, MPFR_RNDN);
  mpfr_mul_2si(twoOverPi, twoOverPi, 1201, MPFR_RNDN); // 1201 bits count
  mpfr_trunc(twoOverPi, twoOverPi);
  for (const char *arch : all) {
    StepBench bench(arch);
    Operands operands;
    for (unsigned segment = 0; segment < 32; ++segment) {
      for (unsigned l = 0; l < bench.lanes(); ++l) {
        double v = std::ldexp(1.25, int(operands.random() % 2040) - 1020);
        put(bench, f64, 0, l, l == 0 ? 0 : bitsOfValue(f64, v));
        bench.vgpr(2, l) = segment;
      }
      ASSERT_TRUE(bench.run("v_trig_preop_f64 v[10:11], v[0:1], v2")) << bench.error();
      for (unsigned l = 0; l < bench.lanes(); ++l) {
        int exponent = int(bench.vgpr64(0, l) >> 52 & 2047);
        int shift = int(segment) * 53 + std::max(exponent - 1077, 0);
        // Bits [shift, shift + 53) after the point.
        mpfr_mul_2si(shifted, twoOverPi, shift + 53 - 1201, MPFR_RNDN);
        mpfr_trunc(shifted, shifted);
        Number whole(1400);
        mpfr_mul_2si(whole, twoOverPi, shift - 1201, MPFR_RNDN);
        mpfr_trunc(whole, whole);
        mpfr_mul_2si(whole, whole, 53, MPFR_RNDN);
        mpfr_sub(shifted, shifted, whole, MPFR_RNDN);
        mpfr_mul_2si(shifted, shifted, -53 - shift + (exponent >= 1968 ? 128 : 0), MPFR_RNDN);
        ASSERT_EQ(valueOf(f64, get(bench, f64, 10, l)), mpfr_get_d(shifted, MPFR_RNDN))
            << arch << " segment " << segment << " exponent " << exponent;
      }
    }
    recordSource(arch, "V_TRIG_PREOP_F64", "mpfr");
  }
}

// Against the host's fma, which rounds once.
TEST(Math, FusedWithALiteralOf64Bits) {
  StepBench bench("gfx1250");
  std::mt19937_64 random(17);
  const double addend = std::bit_cast<double>(0xc0123456789abcdeull);
  int n = bench.add("v_fmaak_f64 v[4:5], v[0:1], v[2:3], 0xc0123456789abcde");
  ASSERT_GE(n, 0) << bench.error();
  for (unsigned round = 0; round < 64; ++round) {
    std::vector<double> a(32), b(32);
    for (unsigned l = 0; l < 32; ++l) {
      a[l] = std::ldexp(double(int64_t(random())), int(random() % 100) - 110);
      b[l] = l % 4 ? std::ldexp(double(int64_t(random())), int(random() % 20) - 70) : -addend / a[l]; // cancels
      bench.setVgpr64(0, l, std::bit_cast<uint64_t>(a[l]));
      bench.setVgpr64(2, l, std::bit_cast<uint64_t>(b[l]));
    }
    ASSERT_TRUE(bench.step(n)) << bench.error();
    for (unsigned l = 0; l < 32; ++l)
      ASSERT_EQ(bench.vgpr64(4, l), std::bit_cast<uint64_t>(std::fma(a[l], b[l], addend))) << l;
  }
  recordSource("gfx1250", "V_FMAAK_F64", "host");
}

} // namespace
