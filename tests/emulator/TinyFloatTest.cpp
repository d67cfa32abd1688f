// The formats below 16 bits. Each format's values are listed here from its definition (sign, exponent, mantissa, what
// the top codes mean), as exact long doubles; encoding is checked against a search through that list: nearest value,
// even code on a tie, and for stochastic rounding the share of random numbers that round up.
#include "runtime/emulator/formats/TinyFloat.h"
#include "tests/emulator/TinyReference.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

template <TinyFormat F> void decodes(const Expectation &x) {
  SCOPED_TRACE(x.name);
  for (unsigned code = 0; code < 1u << F.bits(); ++code) {
    float got = decodeTiny<F>(code);
    unsigned magnitude = code & F.allOnes();
    bool negative = code & F.signBit();
    if (!x.negativeZero && negative && magnitude == 0) {
      EXPECT_TRUE(std::isnan(got)) << code;
      continue;
    }
    if (magnitude >= x.finiteCodes) {
      bool infinite = F.infinity && magnitude == x.finiteCodes;
      EXPECT_EQ(std::isinf(got), infinite) << code;
      EXPECT_EQ(std::isnan(got), !infinite) << code;
      if (infinite) EXPECT_EQ(std::signbit(got), negative);
      continue;
    }
    long double want = valueOf(magnitude, x.mantissaBits, x.bias);
    EXPECT_EQ((long double)got, negative ? -want : want) << code;
    EXPECT_EQ(std::signbit(got), negative) << code;
  }
  EXPECT_EQ(valueOf(x.finiteCodes - 1, x.mantissaBits, x.bias), x.largest);
  EXPECT_EQ(valueOf(1, x.mantissaBits, x.bias), x.smallest);
}

template <TinyFormat F> void encodes(const Expectation &x) {
  SCOPED_TRACE(x.name);
  auto check = [&](double v) {
    bool negative = std::signbit(v) && F.hasSign;
    unsigned sign = negative ? F.signBit() : 0, want = nearest(x, std::fabs((long double)v));
    if (!F.hasSign && v < 0) want = 0;
    unsigned saturated = std::min(want, x.finiteCodes - 1);
    bool overflows = want >= x.finiteCodes;
    if (want == 0 && !x.negativeZero) sign = 0;
    unsigned plain =
        overflows ? (x.negativeZero || F.nan == TinyFormat::Nan::None ? sign | x.overflow : x.overflow) : sign | want;
    ASSERT_EQ(encodeTiny<F>(v, false), plain) << v;
    ASSERT_EQ(encodeTiny<F>(v, true), sign | saturated) << v;
  };
  // Every code's value, the middle to the next one, and the doubles beside both.
  for (unsigned code = 0; code <= x.finiteCodes; ++code) {
    double v = double(valueOf(code, x.mantissaBits, x.bias)), next = double(valueOf(code + 1, x.mantissaBits, x.bias));
    for (double at : {v, (v + next) / 2})
      for (double near : {at, std::nextafter(at, 1e300), at == 0 ? 0 : std::nextafter(at, 0.0)})
        for (double s : {near, -near}) check(s);
  }
  std::mt19937_64 random(7);
  for (int k = 0; k < 20000; ++k) {
    double v = std::ldexp(double(random() >> 11) * 0x1p-53 + 0.5, int(random() % 40) - 22);
    check(random() & 1 ? v : -v);
  }
  for (double v : {1e-300, -1e-300, 1e300, -1e300, 0x1p-1030}) check(v);
  const double infinity = HUGE_VAL;
  unsigned infinite = F.nan == TinyFormat::Nan::None ? x.finiteCodes - 1 : x.overflow;
  EXPECT_EQ(encodeTiny<F>(infinity, false), infinite);
  EXPECT_EQ(encodeTiny<F>(infinity, true), infinite) << "an infinity is not an overflow";
  EXPECT_EQ(encodeTiny<F>(NAN, false), x.nan);
  EXPECT_EQ(encodeTiny<F>(NAN, true), x.nan);
}

template <TinyFormat F> void roundsInProportion(const Expectation &x) {
  SCOPED_TRACE(x.name);
  std::mt19937_64 random(11);
  for (int k = 0; k < 60; ++k) {
    unsigned code = unsigned(random() % (x.finiteCodes - 1));
    long double low = valueOf(code, x.mantissaBits, x.bias), high = valueOf(code + 1, x.mantissaBits, x.bias);
    float v = float(low + (high - low) * (long double)(random() % 1024) / 1024);
    long double share = (v - low) / (high - low);
    const unsigned steps = 4096;
    unsigned up = 0;
    for (unsigned r = 0; r < steps; ++r) {
      unsigned got = encodeTinyStochastic<F>(v, 23, r << 20, false);
      ASSERT_TRUE(got == code || got == code + 1) << v << " " << got;
      up += got == code + 1;
    }
    EXPECT_NEAR(double(up) / steps, double(share), 1.5 / steps) << v;
  }
  // Truncation without random bits; the largest random number rounds up whatever is left.
  for (unsigned code = 0; code + 1 < x.finiteCodes; ++code) {
    float low = float(valueOf(code, x.mantissaBits, x.bias)),
          middle = float((valueOf(code, x.mantissaBits, x.bias) + valueOf(code + 1, x.mantissaBits, x.bias)) / 2);
    EXPECT_EQ(encodeTinyStochastic<F>(low, 23, 0xffffffff, false), code) << low;
    EXPECT_EQ(encodeTinyStochastic<F>(middle, 23, 0, false), code) << low;
    EXPECT_EQ(encodeTinyStochastic<F>(middle, 23, 0xffffffff, false), code + 1) << low;
  }
}

#define EACH(CHECK)                                                                                                    \
  CHECK<tiny::fp8>(fp8Is); CHECK<tiny::bf8>(bf8Is); CHECK<tiny::fp8Fnuz>(fp8FnuzIs); CHECK<tiny::bf8Fnuz>(bf8FnuzIs);  \
  CHECK<tiny::fp6>(fp6Is); CHECK<tiny::bf6>(bf6Is); CHECK<tiny::fp4>(fp4Is); CHECK<tiny::ufp8>(ufp8Is)

TEST(TinyFloat, EveryCodeHasItsValue) { EACH(decodes); }
TEST(TinyFloat, EncodingIsNearestEvenAndOverflowsAsTheFormatSays) { EACH(encodes); }
TEST(TinyFloat, StochasticRoundingGoesUpInProportion) { EACH(roundsInProportion); }

TEST(TinyFloat, ScalesArePowersOfTwo) {
  for (unsigned code = 0; code < 255; ++code) EXPECT_EQ(decodeScale(code), std::ldexp(1.0, int(code) - 127));
  EXPECT_TRUE(std::isnan(decodeScale(255)));
}

/// Values of half precision have fewer bits to drop, so the random number's top bits reach as far.
TEST(TinyFloat, StochasticRoundingAlignsTheRandomNumberToTheSourcesMantissa) {
  // 1 + 2^-10 in f16: 7 bits are dropped for fp8, so one random number in 128 rounds it up.
  unsigned up = 0;
  for (unsigned r = 0; r < 128; ++r) up += encodeTinyStochastic<tiny::fp8>(1 + 0x1p-10, 10, r << 25, false) == 0x39;
  EXPECT_EQ(up, 1u);
  // 1 + 2^-7 in bf16: 4 bits are dropped.
  up = 0;
  for (unsigned r = 0; r < 16; ++r) up += encodeTinyStochastic<tiny::fp8>(1 + 0x1p-7, 7, r << 28, false) == 0x39;
  EXPECT_EQ(up, 1u);
}

} // namespace
