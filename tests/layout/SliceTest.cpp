// slice: the kept layout and the offset together are the layout.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

std::string sliced(const std::string &coordinate, const std::string &layout) {
  InferringArithmetic arithmetic;
  Slice part = valueOf(slice(T(coordinate), L(layout), arithmetic));
  return part.layout.text() + " + " + leafText(part.offset);
}

TEST(Slice, KeepsMarkedModesSideBySide) {
  EXPECT_EQ(sliced("(_,(3,_))", "(4,(5,6)):(1,(4,20))"), "(4,6):(1,20) + 12");
  EXPECT_EQ(sliced("(_,2)", "((2,3),4):((1,2),6)"), "((2,3)):((1,2)) + 12");
  EXPECT_EQ(sliced("_", "(2,3):(3,1)"), "(2,3):(3,1) + 0");
  EXPECT_EQ(sliced("(1,2)", "(2,3):(3,1)"), "():() + 5");
}

TEST(Slice, DynamicCoordinatesGiveDynamicOffsets) {
  EXPECT_EQ(sliced("(_,?)", "((4),?):((1),4)"), "((4)):((1)) + ?{div=4}");
  EXPECT_EQ(sliced("(?{i64},_)", "(?,?):(?,1)"), "(?):(1) + ?{i64}");
}

TEST(Slice, KeptAndFixedTogetherAreTheWhole) {
  InferringArithmetic arithmetic;
  Layout layout = L("((2,3),4):((1,20),5)");
  for (int j = 0; j < 3; ++j) {
    Slice part = valueOf(slice(IntTuple({IntTuple({Leaf::keep(), j}), Leaf::keep()}), layout, arithmetic));
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(part.offset.value + valueOf(crd2idx(IntTuple({i, k}), part.layout, arithmetic)).value,
                  i + 20 * j + 5 * k);
  }
}

TEST(Slice, WhatDoesNotFitIsRefused) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(errorOf(slice(T("(_,1,2)"), L("(2,3):(3,1)"), arithmetic)),
            "coordinate `(_,1,2)` does not fit shape `(2,3)`");
}

} // namespace
} // namespace fly::layout
