// Products, tile_to_shape, thread/value layouts: small cases to read, and what is refused.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

InferringArithmetic arithmetic;

TEST(Product, BlockedAndRaked) {
  EXPECT_EQ(valueOf(blockedProduct(L("(2,5):(5,1)"), L("(3,4):(1,3)"), arithmetic)).text(),
            "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(valueOf(rakedProduct(L("(2,5):(5,1)"), L("(3,4):(1,3)"), arithmetic)).text(),
            "((3,2),(4,5)):((10,5),(30,1))");
  EXPECT_EQ(valueOf(blockedProduct(L("8:1"), L("(2,2):(1,2)"), arithmetic)).text(), "((8,2),(1,2)):((1,8),(0,16))");
}

TEST(Product, ByModes) {
  Tile tile({Tile::extent(Leaf::known(3)), Tile::keep()});
  EXPECT_EQ(valueOf(logicalProduct(L("(4,2):(1,4)"), tile, arithmetic)).text(), "((4,3),(2,1)):((1,4),(4,0))");
}

TEST(Product, CopiesThatMayOverlapAreFound) {
  EXPECT_TRUE(checkProduct(L("(2,2):(4,1)"), L("6:1"), arithmetic));
  EXPECT_EQ(errorOf(checkProduct(L("(12,5):(15,1)"), L("(2,8):(1,2)"), arithmetic)),
            "composition of `(3,6):(5,180)` with `(2,8):(1,2)`: the stride 2 and 3, the extent of mode 0 of "
            "`(3,6):(5,180)`, do not divide each other");
}

TEST(Product, OfABlockThatOverlapsItself) {
  EXPECT_EQ(errorOf(logicalProduct(L("(4,4):(1,2)"), L("2:1"), arithmetic)),
            "`(4,4):(1,2)` has no complement: `4:2`, leaf 1, overlaps the 4 elements that the smaller strides reach");
}

TEST(TileToShape, TheBlockMustDivide) {
  EXPECT_EQ(valueOf(tileToShape(L("(8,8):(8,1)"), T("(32,64)"), T("(1,0)"), arithmetic)).text(),
            "((8,4),(8,8)):((8,512),(1,64))");
  EXPECT_EQ(valueOf(tileToShape(L("(8,8):(8,1)"), T("(32,64,3)"), T("(2,1,0)"), arithmetic)).text(),
            "((8,4),(8,8),(1,3)):((8,1536),(1,192),(0,64))");
  EXPECT_EQ(errorOf(tileToShape(L("(8,8):(8,1)"), T("(32,60)"), T("(0,1)"), arithmetic)),
            "mode 1 of the block `(8,8):(8,1)` has 8 elements, which do not divide the 60 of `(32,60)`");
  EXPECT_EQ(errorOf(tileToShape(L("(8,8):(8,1)"), T("32"), T("0"), arithmetic)),
            "the block `(8,8):(8,1)` has 2 modes, the shape `32` only 1");
}

TEST(ThreadValue, PlacesInATile) {
  ThreadValueLayout tv = valueOf(layoutTV(L("(8,16):(16,1)"), L("(1,4):(4,1)"), arithmetic));
  EXPECT_EQ(tv.tile.text() + " " + tv.layout.text(), "(8,64) ((16,8),4):((32,1),8)");
  EXPECT_EQ(
      errorOf(layoutTV(L("(4,8):(1,4)"), L("2:0"), arithmetic)),
      "threads `(4,8):(1,4)` and values `2:0` do not cover a tile once: 64 positions are expected, but only the first "
      "32 are "
      "reached");
}

} // namespace
} // namespace fly::layout
