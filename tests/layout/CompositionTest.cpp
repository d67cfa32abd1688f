// composition and complement, against their definitions.
#include "LayoutTesting.h"

#include <algorithm>

namespace fly::layout {
namespace {

TEST(Composition, IsOneFunctionAfterTheOther) {
  InferringArithmetic arithmetic;
  int checked = 0;
  for (const char *outer : {"24:1", "(4,6):(6,1)", "((2,2),6):((12,6),1)", "(6,2,2):(1,12,6)", "(8,3):(3,1)"})
    for (int extent : {1, 2, 3, 4, 6, 12})
      for (int stride : {1, 2, 3, 4, 6, 8, 12}) {
        if (extent * stride > 24)
          continue;
        Result<Layout> result = composition(L(outer), Layout(extent, stride), arithmetic);
        if (!result)
          continue;
        ++checked;
        for (std::int64_t i = 0; i < extent; ++i)
          EXPECT_EQ(offsetAt(*result, i), offsetAt(L(outer), i * stride)) << outer << " o " << extent << ":" << stride;
      }
  EXPECT_GT(checked, 80);
}

TEST(Composition, WhatIsNoLayoutIsRefused) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(
      errorOf(composition(L("(4,6):(6,1)"), L("3:3"), arithmetic)),
      "composition of `(4,6):(6,1)` with `3:3`: the stride 3 and 4, the extent of mode 0 of `(4,6):(6,1)`, do not "
      "divide each other");
  EXPECT_EQ(errorOf(composition(L("(4,6):(6,1)"), L("6:1"), arithmetic)),
            "composition of `(4,6):(6,1)` with `6:1`: the extent 6 at stride 1 and 4, the extent of mode 0 of "
            "`(4,6):(6,1)`, do not divide each other");
  EXPECT_EQ(errorOf(composition(L("(4,6):(6,1)"), L("2:1@2"), arithmetic)),
            "composition of `(4,6):(6,1)` with `2:1@2`: there is no mode for the step `1@2`");
  EXPECT_NE(errorOf(composition(L("(?,6):(6,1)"), L("8:1"), arithmetic)).find("known only at run time"),
            std::string::npos);
}

TEST(Composition, KnownDivisibilityDecides) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(valueOf(composition(L("(?{div=8},6):(6,1)"), L("8:1"), arithmetic)).text(), "8:6");
}

TEST(Complement, FillsTheGapsOnce) {
  InferringArithmetic arithmetic;
  for (const char *text : {"4:1", "4:2", "(2,4):(1,6)", "(2,2):(8,2)", "3:8"}) {
    Layout layout = L(text), rest = valueOf(complement(layout, Leaf::known(48), arithmetic));
    std::vector<std::int64_t> sums;
    for (std::int64_t a : offsetsOf(layout))
      for (std::int64_t b : offsetsOf(rest))
        sums.push_back(a + b);
    std::sort(sums.begin(), sums.end());
    for (std::size_t i = 0; i < sums.size(); ++i)
      EXPECT_EQ(sums[i], std::int64_t(i)) << text;
    EXPECT_GE(sums.size(), 48u) << text;
  }
}

TEST(Complement, WhatOverlapsIsRefused) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(errorOf(complement(L("(4,4):(1,2)"), Leaf::known(16), arithmetic)),
            "`(4,4):(1,2)` has no complement: `4:2`, leaf 1, overlaps the 4 elements that the smaller strides reach");
  EXPECT_NE(errorOf(complement(L("(4,2):(1,?)"), Leaf::known(16), arithmetic)).find("known only at run time"),
            std::string::npos);
}

TEST(Complement, WhatAStrideSkipsStaysOut) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(valueOf(complement(L("(6,2):(1,7)"), Leaf::known(28), arithmetic)).text(), "2:14");
}

TEST(Complement, OneDynamicModeIsDecided) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(valueOf(complement(L("?:1"), Leaf::known(16), arithmetic)).text(), "?:?");
  EXPECT_EQ(valueOf(complement(L("4:?{div=8}"), Leaf::dynamic(32, 64), arithmetic)).text(),
            "(?{div=8},?):(1,?{div=32})");
}

} // namespace
} // namespace fly::layout
