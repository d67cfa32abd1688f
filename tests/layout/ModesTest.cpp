// Rearranging modes, and arithmetic on tuples.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

InferringArithmetic arithmetic;

TEST(Modes, OfLayouts) {
  Layout a = L("(4,(2,8),3):(1,(4,8),64)");
  EXPECT_EQ(valueOf(modeAt(a, {1, 1})).text(), "8:8");
  EXPECT_EQ(valueOf(select(a, {2, 0})).text(), "(3,4):(64,1)");
  EXPECT_EQ(valueOf(take(a, 1, 3)).text(), "((2,8),3):((4,8),64)");
  EXPECT_EQ(valueOf(take(a, 1, 2)).text(), "(2,8):(4,8)");
  EXPECT_EQ(valueOf(group(a, 0, 2)).text(), "((4,(2,8)),3):((1,(4,8)),64)");
  EXPECT_EQ(flatten(a).text(), "(4,2,8,3):(1,4,8,64)");
  EXPECT_EQ(valueOf(appendTo(L("(4,8):(1,4)"), L("1:0"), 3)).text(), "(4,8,1):(1,4,0)");
  EXPECT_EQ(valueOf(prependTo(L("(4,8):(1,4)"), L("1:0"), 3)).text(), "(1,4,8):(0,1,4)");
  EXPECT_EQ(valueOf(zip(L("(4,8):(1,4)"), L("(2,3):(0,5)"))).text(), "((4,2),(8,3)):((1,0),(4,5))");
  EXPECT_EQ(valueOf(zip(L("((4,8),(2,3)):((1,4),(0,5))"))).text(), "((4,2),(8,3)):((1,0),(4,5))");
}

TEST(Modes, ThatDoNotExist) {
  EXPECT_EQ(errorOf(modeAt(L("(4,8):(1,4)"), {1, 1})), "there is no mode 1 in `8`, which has 1");
  EXPECT_EQ(errorOf(take(L("(4,8):(1,4)"), 1, 3)), "modes 1 to 3 are not a range of the 2 modes of `(4,8)`");
  EXPECT_EQ(errorOf(zip(L("(4,8):(1,4)"), L("4:1"))),
            "`(4,8):(1,4)` and `4:1` have 2 and 1 modes; only as many can be paired");
}

TEST(Tuples, Arithmetic) {
  auto each = [](LeafFunction f, const char *a, const char *b) {
    return valueOf(eachLeaf(T(a), T(b), f, "f", arithmetic)).text();
  };
  EXPECT_EQ(each(&LeafArithmetic::add, "(4,(8,1))", "(2,(2,3))"), "(6,(10,4))");
  EXPECT_EQ(each(&LeafArithmetic::ceilDivide, "(5,7)", "2"), "(3,4)");
  EXPECT_EQ(valueOf(productEach(T("((2,3),(4,5),6)"), arithmetic)).text(), "(6,20,6)");
  EXPECT_EQ(valueOf(productLike(T("((2,3),(4,(5,6)))"), T("(1,(1,1))"), arithmetic)).text(), "(6,(4,30))");
  EXPECT_EQ(valueOf(shapeDivide(T("(4,8)"), T("8"), arithmetic)).text(), "(1,4)");
  EXPECT_EQ(errorOf(shapeDivide(T("(4,8)"), T("6"), arithmetic)), "`4` and `6` do not divide each other");
  EXPECT_TRUE(valueOf(elementsLess(T("(3,7)"), T("(4,8)"))));
  EXPECT_FALSE(valueOf(elementsLess(T("(3,8)"), T("(4,8)"))));
  EXPECT_EQ(valueOf(unflatten(T("(1,2,3)"), T("(0,(0,0))"))).text(), "(1,(2,3))");
  EXPECT_EQ(valueOf(diceTuple(T("(1,(_,2))"), T("(3,(4,8))"))).text(), "(3,8)");
  EXPECT_EQ(valueOf(sliceTuple(T("(1,(_,2))"), T("(3,(4,8))"))).text(), "(4)");
}

TEST(Tuples, SumsOfSteps) {
  auto sum = [](const char *a, const char *b) {
    Result<IntTuple> result = addCoordinates(T(a), T(b), arithmetic);
    return result ? result->text() : result.text();
  };
  EXPECT_EQ(sum("3@0", "4@1"), "(3,4)");
  EXPECT_EQ(sum("3@1@0", "(1,5)"), "the sum of the number `1` and the coordinate `(0,3)`");
  EXPECT_EQ(sum("3@1@0", "((1,1),5)"), "((1,4),5)");
  EXPECT_EQ(sum("0", "2@1"), "(0,2)");
}

TEST(Coordinates, OfPaddedLayouts) {
  EXPECT_EQ(valueOf(idx2crd(Leaf::known(17), L("(4,8):(8,1)"), arithmetic)).text(), "(2,1)");
  EXPECT_EQ(valueOf(idx2crd(Leaf::known(7), L("(4,8):(1,5)"), arithmetic)).text(), "(2,1)");
  EXPECT_EQ(errorOf(idx2crd(Leaf::known(7), L("(4,2):(1,16)"), arithmetic)),
            "`7` is not an index of the layout `(4,2):(1,16)`");
  EXPECT_EQ(errorOf(idx2crd(Leaf::known(4), L("(4,8):(1,5)"), arithmetic)),
            "`4` is not an index of the layout `(4,8):(1,5)`");
}

} // namespace
} // namespace fly::layout
