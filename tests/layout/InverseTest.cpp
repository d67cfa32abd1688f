// Inverses and common parts: small cases to read, and what has none. PropertyTest.cpp has the laws.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

InferringArithmetic arithmetic;

TEST(Inverse, RightInverseStopsAtTheFirstGap) {
  EXPECT_EQ(valueOf(rightInverse(L("(4,8):(8,1)"), arithmetic)).text(), "(8,4):(4,1)");
  EXPECT_EQ(valueOf(rightInverse(L("(4,8):(1,5)"), arithmetic)).text(), "4:1");
  EXPECT_EQ(valueOf(rightInverse(L("(4,8):(2,8)"), arithmetic)).text(), "1:0");
  EXPECT_EQ(valueOf(rightInverse(L("(4,?):(1,?)"), arithmetic)).text(), "4:1");
}

TEST(Inverse, LeftInverseSkipsGaps) {
  EXPECT_EQ(valueOf(leftInverse(L("(2,4):(4,16)"), arithmetic)).text(), "(4,4,4):(0,1,2)");
  EXPECT_EQ(valueOf(leftInverse(L("(4,8):(1,5)"), arithmetic)).text(), "(5,8):(1,4)");
  EXPECT_EQ(errorOf(leftInverse(L("(4,4):(1,2)"), arithmetic)),
            "`(4,4):(1,2)` has no left inverse: its modes overlap at the stride 2");
  EXPECT_EQ(errorOf(leftInverse(L("(4,4):(1,?)"), arithmetic)),
            "the left inverse of `(4,4):(1,?)` depends on a stride that is known only at run time");
}

TEST(Inverse, NegativeStridesAndCoordinatesHaveNone) {
  EXPECT_EQ(errorOf(rightInverse(L("4:-1"), arithmetic)),
            "the inverse of `4:-1` needs non-negative strides; found `-1`");
  EXPECT_EQ(errorOf(leftInverse(L("(4,4):(1@0,1@1)"), arithmetic)),
            "`(4,4):(1@0,1@1)` gives coordinates; an inverse needs offsets");
}

TEST(Inverse, NullspaceIsWhatIsRepeated) {
  EXPECT_EQ(valueOf(nullspace(L("(4,(8,3)):(0,(1,0))"), arithmetic)).text(), "(4,3):(1,32)");
  EXPECT_EQ(valueOf(nullspace(L("(4,8):(1,4)"), arithmetic)).text(), "1:0");
}

TEST(Inverse, MaxCommonVectorIsHowWideACopyMayBe) {
  auto vector = [](const char *a, const char *b) { return valueOf(maxCommonVector(L(a), L(b), arithmetic)).value; };
  EXPECT_EQ(vector("(8,16):(16,1)", "(8,16):(16,1)"), 128);
  EXPECT_EQ(vector("(8,16):(16,1)", "(8,16):(20,1)"), 16);
  EXPECT_EQ(vector("(8,16):(16,1)", "(8,16):(1,8)"), 1);
  // The right inverse of the second is (6,4), of which only the first mode goes with the first layout.
  EXPECT_EQ(vector("(4,6):(1,4)", "(4,6):(1,4)"), 24);
}

} // namespace
} // namespace fly::layout
