// size and cosize, against every offset of the layout.
#include "LayoutTesting.h"

#include <algorithm>

namespace fly::layout {
namespace {

TEST(Measure, CosizeIsOneMoreThanTheLargestOffset) {
  InferringArithmetic arithmetic;
  for (const char *text : {"4:1", "(3,5):(7,2)", "((2,3),4):((1,20),5)", "():()", "(4,1):(0,9)"}) {
    std::vector<std::int64_t> offsets = offsetsOf(L(text));
    EXPECT_EQ(valueOf(cosize(L(text), arithmetic)).value, *std::max_element(offsets.begin(), offsets.end()) + 1)
        << text;
    EXPECT_EQ(valueOf(size(L(text), arithmetic)).value, std::int64_t(offsets.size())) << text;
  }
}

TEST(Measure, AnEmptyLayoutSpansNothing) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(valueOf(cosize(L("(0,4):(1,1)"), arithmetic)).value, 0);
}

TEST(Measure, DynamicSizesKeepWhatIsKnown) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(leafText(valueOf(size(L("(?{div=4},8):(1,?)"), arithmetic))), "?{div=32}");
}

TEST(Measure, NegativeStridesSpanFromTheSmallestToTheLargest) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(valueOf(cosize(L("(4,3):(-1,8)"), arithmetic)).value, 3 + 16 + 1);
}

TEST(Measure, CoordinateLayoutsSpanAShape) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(valueOf(coshape(L("(4,8):(1@1,2@0)"), arithmetic)).text(), "(15,4)");
  EXPECT_EQ(valueOf(coshape(L("(4,(2,3)):(1@0,(1@0@1,1@1@1))"), arithmetic)).text(), "(4,(2,3))");
  EXPECT_EQ(valueOf(coshape(L("(1,8):(1@0,1@1)"), arithmetic)).text(), "(1,8)");
}

TEST(Measure, DynamicCosizeIsTheStaticOne) {
  EvaluatingArithmetic arithmetic;
  Layout layout = L("(3,(5,2)):(7,(2,40))");
  Leaf dynamic = valueOf(cosize(arithmetic.withUnknownShape(layout), arithmetic));
  EXPECT_EQ(arithmetic.number(dynamic), valueOf(cosize(layout, arithmetic)).value);
}

} // namespace
} // namespace fly::layout
