// crd2idx: flat, nested and mixed coordinates name the same elements.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

TEST(Coordinate, FlatAndNestedAgree) {
  InferringArithmetic arithmetic;
  Layout layout = L("((2,3),4):((1,20),5)");
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) {
        std::int64_t offset = i + 20 * j + 5 * k;
        auto at = [&](IntTuple coordinate) { return valueOf(crd2idx(coordinate, layout, arithmetic)).value; };
        EXPECT_EQ(at(IntTuple({IntTuple({i, j}), k})), offset);
        EXPECT_EQ(at(IntTuple({i + 2 * j, k})), offset);
        EXPECT_EQ(at(i + 2 * j + 6 * k), offset);
      }
}

TEST(Coordinate, DynamicIsTheSameFunction) {
  Layout layout = L("((2,3),4):((1,20),5)");
  for (std::int64_t i = 0; i < 24; ++i) {
    EvaluatingArithmetic arithmetic;
    Leaf offset = valueOf(crd2idx(arithmetic.unknown(i), arithmetic.withUnknownShape(layout), arithmetic));
    EXPECT_EQ(arithmetic.number(offset), offsetAt(layout, i));
  }
}

TEST(Coordinate, PastTheEndContinuesInTheLastMode) { EXPECT_EQ(offsetAt(L("(2,3):(3,1)"), 7), 1 * 3 + 3 * 1); }

TEST(Coordinate, WhatDoesNotFitIsRefused) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(errorOf(crd2idx(T("(1,2,3)"), L("(4,4):(1,4)"), arithmetic)),
            "coordinate `(1,2,3)` does not fit shape `(4,4)`");
  EXPECT_EQ(errorOf(crd2idx(T("((1,2),3)"), L("(4,4):(1,4)"), arithmetic)),
            "coordinate `(1,2)` does not fit shape `4`");
  EXPECT_EQ(errorOf(crd2idx(T("(1,_)"), L("(4,4):(1,4)"), arithmetic)),
            "coordinate `(1,_)` leaves modes open; an offset needs all of them");
}

} // namespace
} // namespace fly::layout
