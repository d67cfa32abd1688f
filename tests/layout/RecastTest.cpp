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
  EXPECT_EQ(recast("(8,4):(1@0,1@1)", 8, 32),
            "`1@0` is a step along a mode of a coordinate, which has no size in memory");
}

// The parts of an element follow each other: along a mode of stride 1, of which there is one, or along one of extent 1.
TEST(Recast, PartsNeedAMode) {
  EXPECT_EQ(recast("(1,4):(0,2)", 16, 8), "(2,4):(1,4)");
  EXPECT_EQ(recast("1:0", 32, 8), "4:1");
  EXPECT_EQ(recast("(1,8):(1,1)", 16, 8), "(1,16):(2,1)");
  EXPECT_EQ(recast("3:6", 16, 8), "`3:6` has no mode of stride 1 for the parts of its elements");
  EXPECT_EQ(recast("(4,2):(?,?)", 16, 8), "`(4,2):(?,?)` has no mode of stride 1 for the parts of its elements");
  EXPECT_EQ(recast("(2,2):(1,1)", 16, 8),
            "`(2,2):(1,1)` has two modes of stride 1, leaves 0 and 1: the parts of its elements can be along one");
}

TEST(Recast, NegativeStrides) {
  EXPECT_EQ(recast("(4,8):(-8,1)", 8, 32), "(4,2):(-2,1)");
  EXPECT_EQ(recast("(4,8):(-8,1)", 16, 8), "(4,16):(-16,1)");
  EXPECT_EQ(recast("8:-1", 8, 32), "`8:-1` runs backwards inside one element; recast first, then reverse the mode");
  EXPECT_EQ(recast("8:-1", 16, 8), "`8:-1` runs backwards inside one element; recast first, then reverse the mode");
}

// Upcast counts in units, also in those with a gap; as memory a unit with a gap is not an element.
TEST(Recast, UnitsAreFull) {
  EXPECT_EQ(valueOf(upcast(L("4:2"), 2, arithmetic)).text(), "4:1");
  EXPECT_EQ(recast("4:2", 8, 16), "`4:2` does not fill units of 2 elements, each of which would be one element");
  EXPECT_EQ(recast("(2,3):(1,8)", 8, 32),
            "`(2,3):(1,8)` does not fill units of 4 elements, each of which would be one element");
  EXPECT_EQ(recast("(2,3,2):(1,8,2)", 8, 32), "(1,3,1):(1,2,1)");
  EXPECT_EQ(recast("(?{div=4},?):(1,?{div=4})", 8, 32), "(?,?):(1,?)");
}

TEST(Recast, ModesThatOverlapInAUnit) {
  EXPECT_EQ(recast("(4,2,2):(4,1,2)", 8, 32), "(4,1,1):(1,1,1)");
  EXPECT_EQ(recast("(4,4):(4,2)", 8, 64), "the modes of `(4,4):(4,2)` overlap inside of a unit of 8");
}

TEST(Recast, DynamicLeavesNeedTheirDivisors) {
  EXPECT_EQ(recast("(?{div=4},8):(1,?{div=8})", 8, 32), "(?,8):(1,?{div=2})");
  EXPECT_EQ(recast("(?,8):(1,16)", 8, 32), "`?:1` cannot be taken in units of 4");
  EXPECT_EQ(recast("(8,8):(1,?)", 8, 32),
            "`8:?` is in units of 4 only if the stride is a multiple of it; give its divisibility");
}

} // namespace
} // namespace fly::layout
