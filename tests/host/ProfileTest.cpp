#include "compiler/host/Profile.h"

#include "gtest/gtest.h"

using namespace fly::host;

namespace {
/// ((16, n), (8, 4, k)).
const Profiles shuffled = {{{{}, {}}}, {{{}, {}, {}}}};

TEST(Profile, CountsLeaves) {
  EXPECT_EQ(leafCounts(shuffled, 5), (std::vector<size_t>{2, 3}));
  EXPECT_EQ(leafCounts({}, 3), (std::vector<size_t>{1, 1, 1}));
  Profile pair, deep;
  pair.parts.resize(2);
  deep.parts = {pair, Profile()};
  EXPECT_EQ(deep.leafCount(), 3u);
}

TEST(Profile, IsWrittenNested) {
  EXPECT_EQ(nestedText(shuffled, {"16", "n", "8", "4", "k"}), "((16, n), (8, 4, k))");
  EXPECT_EQ(nestedText({}, {"m", "n"}), "(m, n)");
  EXPECT_EQ(nestedText({}, {"n"}), "(n,)");
  EXPECT_EQ(nestedText({}, {}), "()");
}

TEST(Profile, ComparesTheTree) {
  EXPECT_TRUE(isSame({shuffled}, {shuffled}));
  EXPECT_FALSE(isSame({shuffled}, {{{{{}, {}, {}}}, {{{}, {}}}}}));
  EXPECT_FALSE(isSame({shuffled}, {}));
}

// On the host the last axis runs fastest, in a mode the first leaf.
TEST(Profile, LeavesOfAModeAreAxesInReverse) {
  auto axes = hostAxes(shuffled, {16, 3, 8, 4, 2}, {8, 1024, 1, 128, 512});
  EXPECT_EQ(axes.error, "");
  EXPECT_EQ(axes.modes, (Shape{48, 64}));
  EXPECT_EQ(axes.extents, (Shape{3, 16, 2, 4, 8}));
  EXPECT_EQ(axes.strides, (Shape{1024, 8, 512, 128, 1}));
}

TEST(Profile, ExtentsBeyond63BitsAreAnError) {
  EXPECT_NE(hostAxes({{{{}, {}}}}, {int64_t(1) << 40, int64_t(1) << 40}, {1, 1}).error, "");
}
} // namespace
