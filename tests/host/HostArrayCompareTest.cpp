// Comparing results: tolerances, specials, and the report.
#include "compiler/host/HostArray.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace fly::host;

static HostArray f32(const std::vector<double> &values) {
  HostArray x = zeros({int64_t(values.size())}, Number::F32).value;
  for (size_t i = 0; i < values.size(); ++i)
    x.set(int64_t(i), Scalar::ofFloat(values[i]));
  return x;
}

TEST(HostArrayCompare, ToleranceIsAbsolutePlusRelative) {
  EXPECT_TRUE(compareClose(f32({101}), f32({100}), 0.01, 0).ok());
  EXPECT_FALSE(compareClose(f32({101.5}), f32({100}), 0.01, 0).ok());
  EXPECT_TRUE(compareClose(f32({101.5}), f32({100}), 0.01, 0.5).ok());
  EXPECT_TRUE(compareClose(f32({-100.5}), f32({-100}), 0.01, 0).ok());
}

TEST(HostArrayCompare, SpecialsMatchOnlyThemselves) {
  EXPECT_TRUE(compareClose(f32({NAN, INFINITY, -INFINITY}), f32({NAN, INFINITY, -INFINITY}), 0, 0).ok());
  EXPECT_FALSE(compareClose(f32({INFINITY}), f32({-INFINITY}), 1e9, 1e9).ok());
  EXPECT_FALSE(compareClose(f32({1}), f32({INFINITY}), 1, 1).ok());
  EXPECT_FALSE(compareClose(f32({NAN}), f32({1}), 1, 1).ok());
  EXPECT_FALSE(compareEqual(f32({1}), f32({NAN})).ok());
}

TEST(HostArrayCompare, ReportsCountIndexAndUlps) {
  HostArray expected = zeros({3, 4}, Number::F32).value, got = expected;
  for (int64_t i = 0; i < 10; ++i)
    got.set(i, Scalar::ofFloat(1));
  Comparison c = compareEqual(got, expected);
  EXPECT_EQ(c.differing, 10);
  EXPECT_EQ(c.total, 12);
  ASSERT_EQ(c.first.size(), 8u);
  EXPECT_EQ(c.first[5].index, (Shape{1, 1}));
  std::string close = describe(compareEqual(f32({1 + 0x1p-22, 2}), f32({1, 2})));
  EXPECT_EQ(close, "  1 of 2 elements differ, largest error 2 ulp\n"
                   "    [0]  expected 1.0, got 1.0000002, 2 ulp\n");
}

TEST(HostArrayCompare, LargestErrorCountsPassingElementsToo) {
  Comparison c = compareClose(f32({1 + 0x1p-23, 1}), f32({1, 1}), 1e-3, 0);
  EXPECT_TRUE(c.ok());
  EXPECT_EQ(c.maxUlps, 1);
}

TEST(HostArrayCompare, UnwrittenFloatsDifferEvenFromNan) {
  Comparison c = compareEqual(empty({1}, Number::F16).value, f32({NAN}));
  EXPECT_FALSE(c.ok());
  EXPECT_NE(describe(c).find("got nothing: never written"), std::string::npos);
}

TEST(HostArrayCompare, AnIntegerThatLooksUnwrittenIsRightIfItIsRight) {
  HostArray pattern = full({1}, Scalar::ofInt(0xA5), Number::U8).value;
  HostArray got = fromBytes(toBytes(pattern, Number::U8, {1}).value, Number::U8, {1}, {1}).value;
  EXPECT_TRUE(compareEqual(got, pattern).ok());
  Comparison c = compareEqual(got, zeros({1}, Number::U8).value);
  EXPECT_NE(describe(c).find("expected 0, got 165 (the pattern of unwritten memory)"), std::string::npos);
}

TEST(HostArrayCompare, IntegersCompareExactly) {
  HostArray a = full({1}, Scalar::ofInt((Int(1) << 62) + 1), Number::I64).value;
  HostArray b = full({1}, Scalar::ofInt(Int(1) << 62), Number::I64).value;
  EXPECT_FALSE(compareEqual(a, b).ok());
  EXPECT_FALSE(compareClose(a, b, 0, 0.5).ok());
  EXPECT_TRUE(compareClose(a, b, 0, 1).ok());
}

TEST(HostArrayCompare, ShapesMustFit) {
  EXPECT_EQ(compareEqual(f32({1, 2}), f32({1, 2, 3})).error, "cannot compare shape (2,) with expected shape (3,)");
  EXPECT_TRUE(compareEqual(f32({1, 1}), f32({1})).ok());
  EXPECT_FALSE(compareEqual(f32({1}), f32({1, 1})).error.empty());
}

TEST(HostArrayCompare, ToleranceInUnitsOfTheLastPlace) {
  double above = 1024 + 0x1p-13; // one unit of an f32 between 1024 and 2048
  EXPECT_TRUE(compareClose(f32({float(above)}), f32({1024}), 0, 0, {}, 1).ok());
  EXPECT_FALSE(compareClose(f32({float(above)}), f32({1024}), 0, 0, {}, 0.5).ok());
  EXPECT_TRUE(compareClose(f32({1e-6f}), f32({0}), 0, 1e-5, {}, 1).ok()); // or the absolute one
  EXPECT_FALSE(compareClose(f32({INFINITY}), f32({1}), 0, 0, {}, 1e9).ok());
}
