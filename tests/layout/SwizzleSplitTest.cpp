// What of an offset's constant may be added where: against brute force.
#include "compiler/layout/SwizzleSplit.h"

#include <gtest/gtest.h>

#include <random>

namespace fly::layout {
namespace {

TEST(SwizzleSplitTest, EachPartIsAddedWhereItMay) {
  std::mt19937_64 random(20261122);
  unsigned immediate = 0, flipped = 0;
  for (int round = 0; round < 40000; ++round) {
    int bits = int(random() % 5), base = int(random() % 6), shift = (random() % 2 ? 1 : -1) * int(bits + random() % 4);
    Result<Swizzle> swizzle = makeSwizzle(bits, base, shift);
    ASSERT_TRUE(bool(swizzle)) << swizzle.text();
    const std::int64_t constant = std::int64_t(random() % (1 << 15));
    const std::int64_t ones = std::int64_t(random() & random() & ((1 << 16) - 1)); // a few places
    const SwizzleSplit parts = split(*swizzle, constant, ones);
    EXPECT_EQ(parts.before & ~constant, 0);
    immediate += parts.after != 0, flipped += parts.flipped != 0;
    for (int i = 0; i < 16; ++i) {
      std::int64_t x = i == 0 ? 0 : i == 1 ? ones : std::int64_t(random()) & ones;
      std::int64_t after = swizzle->apply(x + parts.before) ^ parts.flipped;
      ASSERT_EQ(swizzle->apply(x + constant), after + parts.after)
          << swizzle->text() << " x=" << x << " constant=" << constant << " ones=" << ones;
    }
  }
  EXPECT_GT(immediate, 20000u); // it is not an excuse to add all before
  EXPECT_GT(flipped, 4000u);
}

TEST(SwizzleSplitTest, EveryPlaceOfASmallSwizzle) {
  const Swizzle swizzle{2, 1, 2}; // bits 3 and 4 onto bits 1 and 2
  for (std::int64_t ones = 0; ones < 64; ++ones)
    for (std::int64_t constant = 0; constant < 64; ++constant) {
      const SwizzleSplit parts = split(swizzle, constant, ones);
      for (std::int64_t x = 0; x < 64; ++x)
        if ((x & ~ones) == 0)
          ASSERT_EQ(swizzle.apply(x + constant), (swizzle.apply(x + parts.before) ^ parts.flipped) + parts.after)
              << ones << ' ' << constant << ' ' << x;
    }
}

TEST(SwizzleSplitTest, AsLittleAsMayBeIsLeftBefore) {
  const Swizzle swizzle{3, 2, 3};                                           // bits 5 to 7 onto bits 2 to 4
  const std::int64_t rows = 63 << 5;                                        // 32 * lane, of 64 lanes
  EXPECT_EQ(split(swizzle, 4, rows), (SwizzleSplit{0, 4, 0}));              // where the swizzle writes
  EXPECT_EQ(split(swizzle, 3, rows), (SwizzleSplit{0, 0, 3}));              // below
  EXPECT_EQ(split(swizzle, 2052, rows), (SwizzleSplit{0, 4, 2048}));        // above, too
  EXPECT_EQ(split(swizzle, 256 * 3, ~0ll >> 1), (SwizzleSplit{0, 0, 768})); // above all its bits, whatever is there
  EXPECT_EQ(split(swizzle, 32, rows), (SwizzleSplit{32, 0, 0}));            // another row
  EXPECT_EQ(split(swizzle, 32, 31), (SwizzleSplit{0, 4, 32}));              // a row, of lanes inside of one
  EXPECT_EQ(split(swizzle, 36, 3), (SwizzleSplit{0, 0, 32}));               // S(36) == 32: nothing else is there
  EXPECT_EQ(split(swizzle, -8, 0), (SwizzleSplit{-8, 0, 0}));
  EXPECT_EQ(split(Swizzle{}, 100, 7), (SwizzleSplit{0, 0, 100}));
}

} // namespace
} // namespace fly::layout
