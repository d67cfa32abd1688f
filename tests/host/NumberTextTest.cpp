// The text of a number reads back as the same number.
#include "compiler/host/NumberFormat.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace fly::host;

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(toText(Number::F16, roundTo(Number::F16, 0.1)), "0.1");
  EXPECT_EQ(toText(Number::BF16, roundTo(Number::BF16, 0.3)), "0.3");
  EXPECT_EQ(toText(Number::F32, roundTo(Number::F32, 0.7)), "0.7");
  EXPECT_EQ(toText(0.1), "0.1");
  EXPECT_EQ(toText(3.0), "3.0");
  EXPECT_EQ(toText(Number::F32, -0.0), "-0.0");
}

TEST(NumberText, ShowsTheExactNumberWhereTheFormatDoesNotHoldIt) {
  EXPECT_EQ(toText(Number::F16, 0.1), "0.1");
  EXPECT_EQ(toText(Number::F16, 1.0001), "1.0001");
}

TEST(NumberText, SpecialsAndIntegers) {
  EXPECT_EQ(toText(-INFINITY), "-inf");
  EXPECT_EQ(toText(NAN), "nan");
  EXPECT_EQ(toText(Int(0)), "0");
  EXPECT_EQ(toText((Int(1) << 64) - 1), "18446744073709551615");
  EXPECT_EQ(toText(-(Int(1) << 126) * 2), "-170141183460469231731687303715884105728");
}

TEST(NumberText, EveryF16ReadsBack) {
  for (uint64_t bits = 0; bits < 0x7c00; ++bits) {
    double value = decode(Number::F16, bits);
    std::string text = toText(Number::F16, value);
    ASSERT_EQ(encode(Number::F16, std::strtod(text.c_str(), nullptr)), bits) << text;
    ASSERT_LE(text.size(), 12u);
  }
}
