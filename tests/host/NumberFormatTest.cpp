// Number formats against independent implementations: the compiler's own _Float16, __bf16 and float, and
// exhaustive search where the format is small.
#include "compiler/host/NumberFormat.h"

#include "runtime/emulator/formats/TinyFloat.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace fly::host;

static const double inf = std::numeric_limits<double>::infinity();
static const double nan_ = std::numeric_limits<double>::quiet_NaN();

TEST(NumberFormat, EachFormatIsFoundByItsNameAndStandsInItsRow) {
  for (const NumberFormat &row : allFormats()) {
    EXPECT_EQ(numberByName(row.name), row.number);
    EXPECT_EQ(&format(row.number), &row);
    EXPECT_EQ(row.isFloat() ? row.isSigned + row.exponentBits + row.mantissaBits + row.unused : row.bits, row.bits);
  }
  EXPECT_EQ(numberByName("i1"), Number::Bool);
  EXPECT_EQ(numberByName("f8"), std::nullopt);
}

// Every value of the 16-bit formats survives decode and encode; NaNs all become the quiet one.
static void roundTripsAll(Number number) {
  for (uint64_t bits = 0; bits < 0x10000; ++bits) {
    double value = decode(number, bits);
    uint64_t again = encode(number, value);
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(decode(number, again)));
    else
      ASSERT_EQ(again, bits) << format(number).name;
  }
}
TEST(NumberFormat, AllF16ValuesRoundTrip) { roundTripsAll(Number::F16); }
TEST(NumberFormat, AllBF16ValuesRoundTrip) { roundTripsAll(Number::BF16); }

TEST(NumberFormat, F16DecodesAsTheCompilersFloat16) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double expected = double(std::bit_cast<_Float16>(uint16_t(bits)));
    double got = decode(Number::F16, bits);
    ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << bits;
  }
}
TEST(NumberFormat, BF16IsTheUpperHalfOfF32) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double expected = std::bit_cast<float>(bits << 16), got = decode(Number::BF16, bits);
    ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << bits;
  }
}

// Between each two neighbours: the middle goes to the even one, one double beside the middle to the nearer.
static void roundsToTheNearest(Number number) {
  uint64_t infinity = encode(number, inf);
  for (uint64_t low = 0; low + 1 < infinity; ++low) {
    double a = decode(number, low), b = decode(number, low + 1), middle = (a + b) / 2;
    uint64_t even = low & 1 ? low + 1 : low;
    ASSERT_EQ(encode(number, middle), even) << low;
    ASSERT_EQ(encode(number, std::nextafter(middle, 0.0)), low) << low;
    ASSERT_EQ(encode(number, std::nextafter(middle, inf)), low + 1) << low;
    ASSERT_EQ(encode(number, -middle), even | 0x8000) << low;
  }
}
TEST(NumberFormat, F16RoundsToTheNearestEven) { roundsToTheNearest(Number::F16); }
TEST(NumberFormat, BF16RoundsToTheNearestEven) { roundsToTheNearest(Number::BF16); }

TEST(NumberFormat, OverflowStartsHalfAStepAboveTheLargest) {
  EXPECT_EQ(encode(Number::F16, 65519.999), 0x7bffu);
  EXPECT_EQ(encode(Number::F16, 65520), 0x7c00u);
  EXPECT_EQ(encode(Number::F16, -1e300), 0xfc00u);
  EXPECT_EQ(encode(Number::F32, 3.5e38), 0x7f800000u);
}

TEST(NumberFormat, RandomDoublesEncodeAsTheCompilerConverts) {
  std::mt19937_64 generator(7);
  for (int i = 0; i < 300000; ++i) {
    uint64_t bits = generator();
    double value = std::bit_cast<double>(bits);
    if (i % 2) // in the range of the narrow formats, denormals too
      value = std::ldexp(double(int64_t(bits)) * 0x1p-63, int(bits % 60) - 35);
    if (std::isnan(value))
      continue;
    ASSERT_EQ(encode(Number::F16, value), std::bit_cast<uint16_t>(_Float16(value))) << value;
    ASSERT_EQ(encode(Number::F32, value), std::bit_cast<uint32_t>(float(value))) << value;
    ASSERT_EQ(encode(Number::F64, value), std::bit_cast<uint64_t>(value));
  }
}

TEST(NumberFormat, SmallFloatsKeepNanWhereTheyHaveOne) {
  for (const NumberFormat &f : allFormats())
    if (f.isFloat() && f.bits <= 8)
      EXPECT_EQ(std::isnan(decode(f.number, encode(f.number, nan_))), f.hasNan()) << f.name;
}

TEST(NumberFormat, NanEncodesQuietAndPoisonIsSignalling) {
  for (const NumberFormat &f : allFormats()) {
    if (!f.isFloat() || f.bits < 16) // formats of 8 bits and fewer have other NaNs or none
      continue;
    uint64_t quiet = uint64_t(1) << (f.mantissaBits - 1 + f.unused);
    EXPECT_TRUE(encode(f.number, nan_) & quiet);
    EXPECT_FALSE(f.poison & quiet) << f.name;
    EXPECT_TRUE(std::isnan(decode(f.number, f.poison))) << f.name;
  }
}

TEST(NumberFormat, IntegersWrap) {
  EXPECT_EQ(wrap(Number::I8, 200), -56);
  EXPECT_EQ(wrap(Number::U8, -1), 255);
  EXPECT_EQ(wrap(Number::I32, Int(1) << 31), -(Int(1) << 31));
  EXPECT_EQ(wrap(Number::U64, -1), (Int(1) << 64) - 1);
  EXPECT_EQ(wrap(Number::I64, (Int(1) << 64) + 5), 5);
  EXPECT_EQ(wrap(Number::Bool, 2), 1);
  EXPECT_EQ(encodeInteger(Number::I16, -1), 0xffffu);
  EXPECT_EQ(decodeInteger(Number::U64, ~uint64_t(0)), (Int(1) << 64) - 1);
}

TEST(NumberFormat, FloatsTruncateAndSaturateToIntegers) {
  EXPECT_EQ(truncate(Number::I8, -1.9), -1);
  EXPECT_EQ(truncate(Number::I8, 1e9), 127);
  EXPECT_EQ(truncate(Number::U8, -5), 0);
  EXPECT_EQ(truncate(Number::I64, 0x1p63), (Int(1) << 63) - 1);
  EXPECT_EQ(truncate(Number::U64, inf), (Int(1) << 64) - 1);
  EXPECT_EQ(truncate(Number::I32, nan_), 0);
  EXPECT_EQ(truncate(Number::I32, 2147483647.5), 2147483647);
}

// 2^24 + 1 + 2^-40 as an integer scaled up: a detour over double would round to the tie first.
TEST(NumberFormat, IntegersRoundOnceToFloats) {
  Int justAboveTie = (Int(1) << 60) + (Int(1) << 36) + 1; // f32 spacing here is 2^37
  EXPECT_EQ(decode(Number::F32, encodeInteger(Number::F32, justAboveTie)), 0x1p60 + 0x1p37);
  EXPECT_EQ(decode(Number::F32, encodeInteger(Number::F32, justAboveTie - 1)), 0x1p60);
  std::mt19937_64 generator(3);
  for (int i = 0; i < 100000; ++i) {
    int64_t value = int64_t(generator()) >> (generator() % 64);
    ASSERT_EQ(encodeInteger(Number::F32, value), std::bit_cast<uint32_t>(float(value))) << value;
    ASSERT_EQ(encodeInteger(Number::F64, value), std::bit_cast<uint64_t>(double(value))) << value;
  }
}

TEST(NumberFormat, LimitsAreTheOnesOfTheStandardLibrary) {
  EXPECT_EQ(largest(Number::F32), std::numeric_limits<float>::max());
  EXPECT_EQ(smallestNormal(Number::F32), std::numeric_limits<float>::min());
  EXPECT_EQ(smallestDenormal(Number::F64), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(ulp(Number::F32), std::numeric_limits<float>::epsilon());
  EXPECT_EQ(largest(Number::F16), 65504);
  EXPECT_EQ(lowest(Number::BF16), -0x1.FEp127);
  EXPECT_EQ(largestInteger(Number::U64), (Int(1) << 64) - 1);
  EXPECT_EQ(lowestInteger(Number::I16), -32768);
}

TEST(NumberFormat, NextBelowIsTheNeighbour) {
  for (uint64_t bits = 1; bits <= 0x7c00; ++bits)
    ASSERT_EQ(nextBelow(Number::F16, decode(Number::F16, bits)), decode(Number::F16, bits - 1));
  EXPECT_EQ(nextBelow(Number::F16, 0), -0x1p-24);
  EXPECT_EQ(nextBelow(Number::F32, -largest(Number::F32)), -inf);
  EXPECT_EQ(nextBelow(Number::F32, -inf), -inf);
}

TEST(NumberFormat, UlpDistanceCountsSteps) {
  EXPECT_EQ(ulpDistance(Number::F16, 1 + 0x1p-9, 1), 2);
  EXPECT_EQ(ulpDistance(Number::F16, 3 * 0x1p-24, 0), 3);
  EXPECT_EQ(ulpDistance(Number::F32, inf, inf), 0);
  EXPECT_EQ(ulpDistance(Number::F32, nan_, nan_), 0);
  EXPECT_EQ(ulpDistance(Number::F32, nan_, 1), inf);
  EXPECT_EQ(ulpDistance(Number::F16, 65504, 70000), 4496 / 32.0);
  EXPECT_EQ(ulpDistance(Number::I32, 5, 9), 4);
}

TEST(NumberFormat, RepresentableIntegers) {
  EXPECT_TRUE(representable(Number::F16, 2048));
  EXPECT_FALSE(representable(Number::F16, 2049));
  EXPECT_FALSE(representable(Number::F16, 70000));
  EXPECT_TRUE(representable(Number::I8, -128));
  EXPECT_FALSE(representable(Number::I8, 128));
  EXPECT_FALSE(representable(Number::Bool, 2));
}

// ---------------------------------------------------------------------------------------------------------
// Formats of 8 bits and fewer, against the emulator's, which are written apart from these.

template <fly::emulator::TinyFormat F> static void agreesWithTheEmulator(Number number) {
  const NumberFormat &f = format(number);
  ASSERT_EQ(f.bits, F.bits());
  auto same = [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  };
  for (uint32_t code = 0; code < 1u << f.bits; ++code)
    ASSERT_TRUE(same(decode(number, code), fly::emulator::decodeTiny<F>(code))) << f.name << " " << code;
  // Every f32 of which the lower half is nothing, little, half of the last place of bf16, or beside that.
  for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u})
    for (uint32_t high = 0; high < 0x10000; ++high) {
      double x = std::bit_cast<float>(high << 16 | low);
      if (std::isnan(x))
        continue;
      ASSERT_EQ(encode(number, x, false), fly::emulator::encodeTiny<F>(x, false)) << f.name << " " << x;
      if (std::isfinite(x)) // the emulator keeps infinities: MODE.FP16_OVFL does
        ASSERT_EQ(encode(number, x, true), fly::emulator::encodeTiny<F>(x, true)) << f.name << " " << x;
    }
}
namespace tiny = fly::emulator::tiny;
TEST(NumberFormat, F8E4M3FNAgreesWithTheEmulator) { agreesWithTheEmulator<tiny::fp8>(Number::F8E4M3FN); }
TEST(NumberFormat, F8E5M2AgreesWithTheEmulator) { agreesWithTheEmulator<tiny::bf8>(Number::F8E5M2); }
TEST(NumberFormat, F8E4M3FNUZAgreesWithTheEmulator) { agreesWithTheEmulator<tiny::fp8Fnuz>(Number::F8E4M3FNUZ); }
TEST(NumberFormat, F8E5M2FNUZAgreesWithTheEmulator) { agreesWithTheEmulator<tiny::bf8Fnuz>(Number::F8E5M2FNUZ); }
TEST(NumberFormat, F6E2M3AgreesWithTheEmulator) { agreesWithTheEmulator<tiny::fp6>(Number::F6E2M3); }
TEST(NumberFormat, F6E3M2AgreesWithTheEmulator) { agreesWithTheEmulator<tiny::bf6>(Number::F6E3M2); }
TEST(NumberFormat, F4E2M1AgreesWithTheEmulator) { agreesWithTheEmulator<tiny::fp4>(Number::F4E2M1); }

TEST(NumberFormat, TooLargeSaturatesOrIsInfinityOrNan) {
  EXPECT_EQ(encode(Number::F8E4M3FN, 1000), 0x7eu);
  EXPECT_EQ(encode(Number::F8E4M3FN, -inf), 0xfeu);
  EXPECT_EQ(encode(Number::F8E4M3FN, 1000, false), 0x7fu);
  EXPECT_EQ(encode(Number::F8E5M2, inf), 0x7bu);
  EXPECT_EQ(encode(Number::F8E5M2, inf, false), 0x7cu);
  EXPECT_EQ(encode(Number::F8E4M3FNUZ, 1000, false), 0x80u);
  EXPECT_EQ(encode(Number::F8E4M3FNUZ, -0.0), 0u);
  EXPECT_EQ(encode(Number::F8E4M3FNUZ, -1e-9), 0u);
  EXPECT_EQ(encode(Number::F4E2M1, inf, false), 7u);
  EXPECT_EQ(largest(Number::F8E4M3FN), 448);
  EXPECT_EQ(largest(Number::F8E4M3FNUZ), 240);
  EXPECT_EQ(largest(Number::F8E5M2FNUZ), 57344);
  EXPECT_EQ(largest(Number::F6E2M3), 7.5);
  EXPECT_EQ(largest(Number::F6E3M2), 28);
  EXPECT_EQ(largest(Number::F4E2M1), 6);
}

TEST(NumberFormat, IntegersOfFourBitsWrapAndFloatsSaturate) {
  for (uint64_t code = 0; code < 16; ++code) {
    EXPECT_EQ(decodeInteger(Number::U4, code), Int(code));
    EXPECT_EQ(decodeInteger(Number::I4, code), Int(code) - (code < 8 ? 0 : 16));
    for (Number number : {Number::I4, Number::U4}) {
      EXPECT_EQ(encodeInteger(number, decodeInteger(number, code)), code);
      EXPECT_EQ(encodeInteger(number, Int(code) + 16 * 5), code);
      EXPECT_EQ(encodeInteger(number, Int(code) - 16 * 5), code);
      EXPECT_EQ(encode(number, decode(number, code)), code);
    }
  }
  EXPECT_EQ(encode(Number::I4, 7.99), 7u);
  EXPECT_EQ(encode(Number::I4, inf), 7u);
  EXPECT_EQ(encode(Number::I4, -8.5), 8u);
  EXPECT_EQ(encode(Number::I4, nan_), 0u);
  EXPECT_EQ(encode(Number::U4, -1), 0u);
  EXPECT_EQ(encode(Number::U4, 1e9), 15u);
  EXPECT_TRUE(format(Number::I4).isStorage());
  EXPECT_FALSE(format(Number::I4).saturates()); // only what comes from floats
}

TEST(NumberFormat, PowersOfTwoRoundToTheNearerExponent) {
  for (uint32_t code = 0; code < 255; ++code) {
    double x = decode(Number::E8M0, code);
    EXPECT_EQ(x, std::ldexp(1.0, int(code) - 127));
    EXPECT_EQ(encode(Number::E8M0, x), code);
    EXPECT_EQ(encode(Number::E8M0, x * 1.49), code);
    if (code < 254) {
      EXPECT_EQ(encode(Number::E8M0, x * 1.5), code + (code & 1));
      EXPECT_EQ(encode(Number::E8M0, x * 1.51), code + 1);
    }
  }
  EXPECT_TRUE(std::isnan(decode(Number::E8M0, 255)));
  EXPECT_EQ(encode(Number::E8M0, 0), 0u);
  EXPECT_EQ(encode(Number::E8M0, -1), 255u);
  EXPECT_EQ(encode(Number::E8M0, inf), 254u);
  EXPECT_EQ(encode(Number::E8M0, inf, false), 255u);
  EXPECT_EQ(encode(Number::E8M0, nan_), 255u);
}

TEST(NumberFormat, WiderFormatsHoldAllValues) {
  EXPECT_TRUE(holds(Number::F32, Number::F16));
  EXPECT_TRUE(holds(Number::TF32, Number::BF16));
  EXPECT_TRUE(holds(Number::F16, Number::F8E5M2));
  EXPECT_TRUE(holds(Number::F16, Number::F16));
  EXPECT_FALSE(holds(Number::BF16, Number::F16)); // of fewer digits
  EXPECT_FALSE(holds(Number::F16, Number::BF16));
  EXPECT_FALSE(holds(Number::F32, Number::F64));
  EXPECT_FALSE(holds(Number::F8E5M2FNUZ, Number::F8E5M2)); // has no infinity
  EXPECT_FALSE(holds(Number::F16, Number::E8M0));
}

TEST(NumberFormat, Tf32IsAnF32OfTenBits) {
  EXPECT_EQ(encode(Number::TF32, 1 + 0x1p-11), 0x3f800000u);
  EXPECT_EQ(encode(Number::TF32, 1 + 0x1p-11 + 0x1p-20), 0x3f802000u);
  EXPECT_EQ(decode(Number::TF32, 0x3f803fff), 1 + 0x1p-10);
  EXPECT_EQ(decode(Number::TF32, encode(Number::TF32, 0x1p-136)), 0x1p-136);
  EXPECT_EQ(encode(Number::TF32, 0x1p-137), 0u);
  EXPECT_EQ(encode(Number::TF32, 3.5e38), 0x7f800000u);
}
