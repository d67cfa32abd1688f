// Divisions by modes: every element once, in tiles; ragged extents round up.
#include "LayoutTesting.h"

#include "compiler/layout/Rearrangement.h"
#include "compiler/layout/Tiling.h"

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

std::string divided(const std::string &layout, const std::string &tiler) {
  InferringArithmetic arithmetic;
  Result<Layout> result = logicalDivide(L(layout), L(tiler), arithmetic);
  return result ? result->text() : result.text();
}
std::string left(const std::string &layout, const std::string &tiler) {
  InferringArithmetic arithmetic;
  Result<bool> result = checkDivide(L(layout), Tile::of(L(tiler)), arithmetic);
  return result ? "" : result.text();
}

TEST(Divide, TilersWithHoles) {
  EXPECT_EQ(divided("24:1", "(2,2):(1,4)"), "((2,2),(2,3)):((1,4),(2,8))");
  EXPECT_EQ(left("24:1", "(2,2):(1,4)"), "");
  // Inside, but 2, 5, 8, ... are left out.
  EXPECT_EQ(divided("24:1", "(2,2):(1,3)"), "((2,2),4):((1,3),6)");
  EXPECT_EQ(left("24:1", "(2,2):(1,3)"),
            "`2:3`, leaf 1 of the tiler `(2,2):(1,3)`, has a stride that is not a multiple of the 2 elements that the "
            "smaller strides reach: "
            "8 of the 24 elements are in no tile");
  EXPECT_EQ(divided("24:1", "(2,2):(1,5)"),
            "`2:5`, leaf 1 of the tiler `(2,2):(1,5)`, has a stride that is not a multiple of the 2 elements that the "
            "smaller strides reach: "
            "elements between them would be left out, and its tiles of 10 lead beyond the 24");
  // The hole lies beyond the end: one tile, which is only too large.
  EXPECT_EQ(divided("2:1", "(4,4):(5,1)"), "((4,4),1):((5,1),0)");
  EXPECT_EQ(left("2:1", "(4,4):(5,1)"), "");
}

TEST(Divide, TilersWithHolesInUnknownExtents) {
  EXPECT_EQ(divided("?{div=6}:1", "(2,2):(1,3)"), "((2,2),?):((1,3),6)");
  EXPECT_EQ(left("?{div=6}:1", "(2,2):(1,3)"),
            "`2:3`, leaf 1 of the tiler `(2,2):(1,3)`, has a stride that is not a multiple of the 2 elements that the "
            "smaller strides reach: "
            "elements are in no tile");
  EXPECT_EQ(
      divided("?:1", "(2,2):(1,3)"),
      "`2:3`, leaf 1 of the tiler `(2,2):(1,3)`, has a stride that is not a multiple of the 2 elements that the "
      "smaller strides reach: "
      "elements between them would be left out, and whether its tiles of 6 end with the ? is known only at run time");
}

TEST(Divide, HolesNameTheirMode) {
  InferringArithmetic arithmetic;
  Tile tiler(std::vector<Tile>{Tile::extent(Leaf::known(2)), Tile::of(L("(2,2):(1,5)"))});
  EXPECT_EQ(errorOf(zippedDivide(L("(8,24):(24,1)"), tiler, arithmetic)).substr(0, 45),
            "mode 1: `2:5`, leaf 1 of the tiler `(2,2):(1,");
}

// 4:2 picks 0, 2, 4, 6; of 20 elements the third and last pair of tiles has 16 to 23, although 4 divides 20.
TEST(Divide, RaggedStridedTilesLeadOutside) {
  auto inside = [](Rearrangement::Kind kind, const std::string &layout, const std::string &tiler) {
    InferringArithmetic arithmetic;
    Rearrangement step{kind, Tile::of(L(tiler)), {}};
    return staysInside(step, L(layout), valueOf(step.apply(L(layout), arithmetic)));
  };
  EXPECT_FALSE(inside(Rearrangement::Kind::LogicalDivide, "20:1", "4:2"));
  EXPECT_TRUE(inside(Rearrangement::Kind::LogicalDivide, "24:1", "4:2"));
  EXPECT_FALSE(inside(Rearrangement::Kind::Composition, "20:1", "4:7"));
  EXPECT_TRUE(inside(Rearrangement::Kind::Composition, "20:1", "4:6"));
}

TEST(Divide, BadTilersAreRefused) {
  EXPECT_EQ(errorOf(zipped("(8):(1)", "(4,4)")), "the tiler has 2 modes, the layout `(8):(1)` only 1");
  EXPECT_EQ(errorOf(zipped("(8):(1)", "(?)")),
            "entry 0 of the tiler `(?)` must be an integer known at compile time or `_`");
  EXPECT_EQ(errorOf(zipped("(8):(1)", "(0)")), "a tile's extent must be positive; found `0` in `(0)`");
}

} // namespace
} // namespace fly::layout
