// LeafArithmetic: what folds, what is known about what does not, and what is refused.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

using Operation = Result<Leaf> (LeafArithmetic::*)(const Leaf &, const Leaf &);

std::string result(Operation operation, const std::string &left, const std::string &right) {
  InferringArithmetic arithmetic;
  Result<Leaf> leaf = (arithmetic.*operation)(T(left).leaf(), T(right).leaf());
  return leaf ? leafText(*leaf) : leaf.text();
}

TEST(Arithmetic, KnownLeavesFold) {
  EXPECT_EQ(result(&LeafArithmetic::add, "3", "4"), "7");
  EXPECT_EQ(result(&LeafArithmetic::multiply, "3", "-4"), "-12");
  EXPECT_EQ(result(&LeafArithmetic::floorDivide, "7", "2"), "3");
  EXPECT_EQ(result(&LeafArithmetic::ceilDivide, "7", "2"), "4");
  EXPECT_EQ(result(&LeafArithmetic::remainder, "7", "4"), "3");
  EXPECT_EQ(result(&LeafArithmetic::minimum, "7", "4"), "4");
}

TEST(Arithmetic, NeutralElementsKeepTheLeaf) {
  EXPECT_EQ(result(&LeafArithmetic::add, "?{div=4}", "0"), "?{div=4}");
  EXPECT_EQ(result(&LeafArithmetic::multiply, "1", "?{i64}"), "?{i64}");
  EXPECT_EQ(result(&LeafArithmetic::multiply, "?", "0"), "0");
  EXPECT_EQ(result(&LeafArithmetic::ceilDivide, "?{div=4}", "1"), "?{div=4}");
}

TEST(Arithmetic, DivisibilityIsDerived) {
  EXPECT_EQ(result(&LeafArithmetic::add, "?{div=12}", "?{div=8}"), "?{div=4}");
  EXPECT_EQ(result(&LeafArithmetic::add, "?{div=12}", "18"), "?{div=6}");
  EXPECT_EQ(result(&LeafArithmetic::multiply, "?{div=4}", "6"), "?{div=24}");
  EXPECT_EQ(result(&LeafArithmetic::floorDivide, "?{div=24}", "4"), "?{div=6}");
  EXPECT_EQ(result(&LeafArithmetic::ceilDivide, "?{div=24}", "5"), "?");
  EXPECT_EQ(result(&LeafArithmetic::remainder, "?{div=24}", "8"), "0");
  EXPECT_EQ(result(&LeafArithmetic::remainder, "?{div=4}", "6"), "?{div=2}");
}

TEST(Arithmetic, TheWiderLeafGivesTheWidth) {
  EXPECT_EQ(result(&LeafArithmetic::add, "?", "?{i64}"), "?{i64}");
  EXPECT_EQ(result(&LeafArithmetic::multiply, "?", "5000000000"), "?{i64,div=5000000000}");
}

TEST(Arithmetic, OverflowIsRefused) {
  EXPECT_EQ(result(&LeafArithmetic::add, "9223372036854775807", "1"),
            "`9223372036854775807 + 1` does not fit in 64 bits");
  EXPECT_EQ(result(&LeafArithmetic::multiply, "9223372036854775807", "2"),
            "`9223372036854775807 * 2` does not fit in 64 bits");
}

TEST(Arithmetic, MeaninglessOperandsAreRefused) {
  EXPECT_EQ(result(&LeafArithmetic::floorDivide, "4", "0"), "division by `0`; a divisor must be positive");
  EXPECT_EQ(result(&LeafArithmetic::remainder, "-4", "2"), "division of the negative `-4`");
  EXPECT_EQ(result(&LeafArithmetic::add, "_", "2"), "`_` marks a mode that is kept and has no value");
}

} // namespace
} // namespace fly::layout
