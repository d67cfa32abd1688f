// Divisions by modes: every element once, in tiles; ragged extents round up.
#include "LayoutTesting.h"

#include <algorithm>

namespace fly::layout {
namespace {

Result<Layout> zipped(const std::string &layout, const std::string &tiler) {
  InferringArithmetic arithmetic;
  FLY_TRY(modes, tilerOf(T(tiler)));
  return zippedDivide(L(layout), modes, arithmetic);
}

TEST(Divide, TilesAndRests) {
  EXPECT_EQ(valueOf(zipped("(8,6):(6,1)", "(4,3)")).text(), "((4,3),(2,2)):((6,1),(24,3))");
  EXPECT_EQ(valueOf(zipped("(?{div=4}):(1)", "(4)")).text(), "((4),(?)):((1),(4))");
  EXPECT_EQ(valueOf(zipped("(?,?):(?,1)", "(8)")).text(), "((8),(?,?)):((?),(?{div=8},1))");
}

TEST(Divide, KeptModesAreWholeTiles) {
  EXPECT_EQ(valueOf(zipped("(8,?):(?,1)", "(4,_)")).text(), "((4,?),(2,1)):((?,1),(?{div=4},0))");
}

TEST(Divide, RaggedExtentsRoundUp) {
  EXPECT_EQ(valueOf(zipped("(10):(1)", "(4)")).text(), "((4),(3)):((1),(4))");
  for (std::int64_t n = 1; n <= 20; ++n) {
    EvaluatingArithmetic arithmetic;
    Layout divided = valueOf(zippedDivide(arithmetic.withUnknownShape(L("(" + std::to_string(n) + "):(1)")),
                                          valueOf(tilerOf(T("(4)"))), arithmetic));
    EXPECT_EQ(arithmetic.numbers(divided).text(), "((4),(" + std::to_string((n + 3) / 4) + ")):((1),(4))");
  }
}

TEST(Divide, NestedModesAreComposed) {
  Layout divided = valueOf(zipped("((2,4),3):((12,3),1)", "(4,3)"));
  std::vector<std::int64_t> before = offsetsOf(L("((2,4),3):((12,3),1)")), after = offsetsOf(divided);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(after, before);
}

TEST(Divide, BadTilersAreRefused) {
  EXPECT_EQ(errorOf(zipped("(8):(1)", "(4,4)")), "the tiler has 2 modes, the layout `(8):(1)` only 1");
  EXPECT_EQ(errorOf(zipped("(8):(1)", "(?)")),
            "entry 0 of the tiler `(?)` must be an integer known at compile time or `_`");
  EXPECT_EQ(errorOf(zipped("(8):(1)", "(0)")), "a tile's extent must be positive; found `0` in `(0)`");
}

} // namespace
} // namespace fly::layout
