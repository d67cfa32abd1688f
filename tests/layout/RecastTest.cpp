// Recasts: the same memory as elements of another size.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

InferringArithmetic arithmetic;

std::string recast(const std::string &text, std::int64_t from, std::int64_t to) {
  Result<Layout> result = recastLayout(L(text), from, to, arithmetic);
  return result ? result->text() : result.text();
}

TEST(Recast, ToSmallerAndLargerElements) {
  EXPECT_EQ(recast("(8,32):(32,1)", 16, 8), "(8,64):(64,1)");
  EXPECT_EQ(recast("(8,32):(32,1)", 8, 16), "(8,16):(16,1)");
  EXPECT_EQ(recast("(8,32):(32,1)", 16, 16), "(8,32):(32,1)");
  EXPECT_EQ(recast("12:1", 8, 24), "4:1");
  EXPECT_EQ(recast("(4,12):(12,1)", 16, 24), "(4,8):(8,1)");
}

TEST(Recast, WhatWouldBeTornApartIsRefused) {
  EXPECT_EQ(recast("(6,8):(1,6)", 8, 32), "`6:1` cannot be taken in units of 4");
  EXPECT_EQ(recast("(8,4):(1,6)", 8, 32), "`4:6` cannot be taken in units of 4");
  EXPECT_EQ(recast("(8,4):(1@0,1@1)", 8, 32), "`1@0` is a step along a mode of a coordinate, which has no size in memory");
}

TEST(Recast, DynamicLeavesNeedTheirDivisors) {
  EXPECT_EQ(recast("(?{div=4},8):(1,?{div=8})", 8, 32), "(?,8):(1,?{div=2})");
  EXPECT_EQ(recast("(?,8):(1,16)", 8, 32), "`?:1` cannot be taken in units of 4");
  EXPECT_EQ(recast("(8,8):(1,?)", 8, 32),
            "`8:?` is in units of 4 only if the stride is a multiple of it; give its divisibility");
}

} // namespace
} // namespace fly::layout
