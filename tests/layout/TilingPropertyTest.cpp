// The laws of divisions, products and tilings on random layouts, compared with brute force.
#include "PropertyTesting.h"

#include "compiler/layout/Rearrangement.h"
#include "compiler/layout/Tiling.h"

namespace fly::layout {
namespace {

/// How often each of the first `count` numbers occurs; numbers from there on, and negative ones, count as `outside`.
std::vector<std::int64_t> occurrences(const Offsets &numbers, std::int64_t count, std::int64_t &outside) {
  std::vector<std::int64_t> result(std::size_t(count), 0);
  outside = 0;
  for (std::int64_t number : numbers)
    number >= 0 && number < count ? ++result[std::size_t(number)] : ++outside;
  return result;
}

/// A tiler as an author may write it: compact or with gaps, strides that divide each other or not, repetitions now and
/// then.
Layout anyTiler(RandomLayouts &random) {
  IntTuple shape = random.shape(16, 1);
  if (random.chance(60))
    return random.injective(shape);
  return {shape, shape.mapLeaves([&](const Leaf &) {
            return Leaf::known(random.oneOf<std::int64_t>({0, 1, 1, 2, 3, 4, 5, 6, 8, 9, 12}));
          })};
}

// Every element is in a tile exactly once (as often as strides of 0 repeat it in the tile), also where the last tiles
// lead outside. Where CuTe leaves elements out, checkDivide says how many; where it leads outside as well there is no
// result.
TEST(Property, DivideMeetsEachElementOnce) {
  int done = 0, ragged = 0, lossy = 0, refused = 0;
  FOR_EACH_RANDOM(16000, 10) {
    Layout a = random.layout(), tiler = anyTiler(random);
    const std::int64_t count = bruteSize(a);
    Layout numbered(IntTuple(count), 1);
    Result<Layout> numbers = logicalDivide(numbered, tiler, arithmetic);
    Result<bool> meetsAll = checkDivide(numbered, Tile::of(tiler), arithmetic);
    Result<Layout> rest = complement(tiler, Leaf::known(count), arithmetic);
    if (!rest) {
      EXPECT_FALSE(numbers) << show(a, tiler);
      continue;
    }
    Offsets sums;
    for (std::int64_t j : bruteOffsets(*rest))
      for (std::int64_t i : bruteOffsets(tiler))
        sums.push_back(i + j);
    std::int64_t outside, repetitions = bruteSize(tiler) / bruteSize(filterZeros(tiler));
    std::vector<std::int64_t> times = occurrences(sums, count, outside);
    const std::int64_t missing = std::count(times.begin(), times.end(), 0);
    if (!numbers) {
      ++refused;
      EXPECT_TRUE(missing > 0 && outside > 0) << show(a, tiler) << numbers.text();
      EXPECT_NE(numbers.text().find("leaf "), std::string::npos) << numbers.text();
      continue;
    }
    EXPECT_EQ(bruteOffsets(*numbers), sums) << show(a, tiler, *numbers);
    EXPECT_EQ(bool(meetsAll), missing == 0) << show(a, tiler);
    for (std::int64_t met : times)
      EXPECT_TRUE(met == repetitions || (!meetsAll && met == 0)) << show(a, tiler) << met;
    if (!meetsAll) {
      ++lossy;
      EXPECT_EQ(outside, 0) << show(a, tiler);
      EXPECT_NE(meetsAll.text().find(std::to_string(missing) + " of the " + std::to_string(count)), std::string::npos)
          << show(a, tiler) << meetsAll.text();
    }
    ragged += outside > 0;

    const layout::Rearrangement step{Rearrangement::Kind::LogicalDivide, Tile::of(tiler), {}};
    EXPECT_EQ(staysInside(step, numbered, *numbers),
              outside == 0 && (meetsAll || count % valueOf(spanOf(tiler, arithmetic)).value == 0))
        << show(a, tiler);
    const layout::Rearrangement pick{Rearrangement::Kind::Composition, Tile::of(tiler), {}};
    EXPECT_EQ(staysInside(pick, numbered, valueOf(composition(numbered, tiler, arithmetic))),
              sorted(bruteOffsets(tiler)).back() < count)
        << show(a, tiler);

    Result<Layout> divided = logicalDivide(a, tiler, arithmetic);
    if (!divided)
      continue;
    ++done;
    Offsets expected;
    for (std::int64_t number : sums)
      expected.push_back(bruteOffset(a, number));
    EXPECT_EQ(bruteOffsets(*divided), expected) << show(a, tiler, *divided);
    EXPECT_EQ(bruteOffsets(divided->mode(0)).size(), std::size_t(bruteSize(tiler)));
    for (const Layout &other :
         {valueOf(zippedDivide(a, Tile::of(tiler), arithmetic)), valueOf(tiledDivide(a, Tile::of(tiler), arithmetic)),
          valueOf(flatDivide(a, Tile::of(tiler), arithmetic))})
      EXPECT_EQ(bruteOffsets(other), expected) << show(a, tiler, other);
  }
  EXPECT_GT(done, 3000);
  EXPECT_GT(ragged, 1000);
  EXPECT_GT(lossy, 25);
  EXPECT_GT(refused, 100);
}

TEST(Property, DivideByModesIsDivideOfEachMode) {
  int done = 0;
  FOR_EACH_RANDOM(6000, 11) {
    Layout a = random.layout();
    if (a.shape().isLeaf())
      continue;
    std::vector<Tile> entries;
    for (std::size_t i = 0; i < a.rank() && !random.chance(20); ++i)
      entries.push_back(random.chance(15)   ? Tile::keep()
                        : random.chance(70) ? Tile::extent(Leaf::known(random.oneOf<std::int64_t>({1, 2, 3, 4, 8})))
                                            : Tile::of(random.injective(random.shape(8, 1))));
    Tile tile(entries);
    Result<Layout> logical = logicalDivide(a, tile, arithmetic), zipped = zippedDivide(a, tile, arithmetic);
    EXPECT_EQ(bool(logical), bool(zipped));
    if (!logical)
      continue;
    ++done;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(zipped->mode(0).mode(i), logical->mode(i).mode(0)) << show(a, tile);
      EXPECT_EQ(zipped->mode(1).mode(i), logical->mode(i).mode(1)) << show(a, tile);
      if (entries[i].kind() != Tile::Kind::Keep)
        EXPECT_EQ(bruteOffsets(logical->mode(i)),
                  bruteOffsets(valueOf(logicalDivide(a.mode(i), entries[i].layout(), arithmetic))));
    }
    if (Result<Layout> part = composition(a, tile, arithmetic))
      for (std::size_t i = 0; i < a.rank(); ++i)
        EXPECT_EQ(bruteOffsets(part->mode(i)), bruteOffsets(i < entries.size() ? zipped->mode(0).mode(i) : a.mode(i)))
            << show(a, tile, *part);
    EXPECT_EQ(bruteOffsets(valueOf(tiledDivide(a, tile, arithmetic))), bruteOffsets(*zipped)) << show(a, tile);
    EXPECT_EQ(bruteOffsets(valueOf(flatDivide(a, tile, arithmetic))), bruteOffsets(*zipped)) << show(a, tile);
  }
  EXPECT_GT(done, 2000);
}

TEST(Property, ProductRepeatsTheBlock) {
  int done = 0;
  FOR_EACH_RANDOM(4000, 12) {
    Layout a = random.injective(random.shape(16, 1)), b = random.injective(random.shape(12, 1));
    Result<Layout> product = logicalProduct(a, b, arithmetic);
    if (!product || !checkProduct(a, b, arithmetic))
      continue;
    ++done;
    EXPECT_EQ(product->mode(0), a);
    EXPECT_TRUE(distinct(bruteOffsets(*product))) << show(a, b, *product);
    EXPECT_EQ(bruteSize(product->mode(1)), bruteSize(b)) << show(a, b);
    // Copy c starts at the b(c)-th free place.
    Leaf room = Leaf::known(bruteSize(a) * valueOf(cosize(b, arithmetic)).value);
    Layout places = valueOf(complement(a, room, arithmetic));
    for (std::int64_t c = 0; c < bruteSize(b); ++c)
      ASSERT_EQ(bruteOffset(product->mode(1), c), bruteOffset(places, bruteOffset(b, c))) << show(a, b, *product);

    for (const Layout &other :
         {valueOf(zippedProduct(a, Tile::of(b), arithmetic)), valueOf(tiledProduct(a, Tile::of(b), arithmetic)),
          valueOf(flatProduct(a, Tile::of(b), arithmetic))})
      EXPECT_EQ(bruteOffsets(other), bruteOffsets(*product)) << show(a, b, other);

    Layout blocked = valueOf(blockedProduct(a, b, arithmetic)), raked = valueOf(rakedProduct(a, b, arithmetic));
    EXPECT_EQ(sorted(bruteOffsets(blocked)), sorted(bruteOffsets(*product))) << show(a, b, blocked);
    EXPECT_EQ(sorted(bruteOffsets(raked)), sorted(bruteOffsets(*product))) << show(a, b, raked);
    // Mode by mode: ((a0,b0),(a1,b1),...) of the blocked one is ((a0,a1,...),(b0,b1,...)) of the logical one.
    if (a.rank() == b.rank() && a.shape().isTuple() && b.shape().isTuple())
      for (std::int64_t i = 0; i < bruteSize(a); ++i)
        for (std::int64_t c = 0; c < bruteSize(b); ++c) {
          IntTuple inside = valueOf(idx2crd(Leaf::known(i), a.shape(), arithmetic));
          IntTuple copy = valueOf(idx2crd(Leaf::known(c), b.shape(), arithmetic));
          std::vector<IntTuple> pairs, swapped;
          for (std::size_t m = 0; m < a.rank(); ++m) {
            pairs.push_back(IntTuple(std::vector<IntTuple>{inside.mode(m), copy.mode(m)}));
            swapped.push_back(IntTuple(std::vector<IntTuple>{copy.mode(m), inside.mode(m)}));
          }
          std::int64_t expected = bruteOffset(a, i) + bruteOffset(product->mode(1), c);
          ASSERT_EQ(valueOf(crd2idx(IntTuple(pairs), blocked, arithmetic)).value, expected) << show(a, b, blocked);
          ASSERT_EQ(valueOf(crd2idx(IntTuple(swapped), raked, arithmetic)).value, expected) << show(a, b, raked);
        }
  }
  EXPECT_GT(done, 1500);
}

TEST(Property, TileToShapeRepeatsTheBlock) {
  FOR_EACH_RANDOM(3000, 13) {
    std::vector<std::int64_t> extents = {random.number(1, 4), random.number(1, 4)};
    IntTuple shape(std::vector<IntTuple>{extents[0], extents[1]});
    Layout block = random.chance(60) ? random.bijective(shape) : random.injective(shape);
    std::int64_t r0 = random.number(1, 4), r1 = random.number(1, 4);
    IntTuple target(std::vector<IntTuple>{extents[0] * r0, extents[1] * r1});
    IntTuple order = random.chance(50) ? T("(0,1)") : T("(1,0)");
    Result<Layout> made = tileToShape(block, target, order, arithmetic);
    if (!made) { // copies between the elements of a block with gaps, in steps that do not fit into them
      EXPECT_NE(valueOf(cosize(block, arithmetic)).value, bruteSize(block)) << show(block, target);
      continue;
    }
    Layout tiled = *made;
    EXPECT_TRUE(distinct(bruteOffsets(tiled))) << show(block, target, tiled);
    if (valueOf(cosize(block, arithmetic)).value != bruteSize(block))
      continue;
    std::int64_t size = extents[0] * extents[1];
    for (std::int64_t i = 0; i < extents[0] * r0; ++i)
      for (std::int64_t j = 0; j < extents[1] * r1; ++j) {
        std::int64_t copyI = i / extents[0], copyJ = j / extents[1];
        std::int64_t copy = order == T("(0,1)") ? copyI + r0 * copyJ : copyI * r1 + copyJ;
        IntTuple inside(std::vector<IntTuple>{i % extents[0], j % extents[1]});
        IntTuple place(std::vector<IntTuple>{i, j});
        ASSERT_EQ(valueOf(crd2idx(place, tiled, arithmetic)).value,
                  valueOf(crd2idx(inside, block, arithmetic)).value + copy * size)
            << show(block, target, tiled);
      }
  }
}

TEST(Property, ThreadValueLayoutsCoverTheTile) {
  int done = 0;
  FOR_EACH_RANDOM(4000, 14) {
    Layout threads = random.bijective(random.shape(16, 1)), values = random.bijective(random.shape(8, 1));
    Result<ThreadValueLayout> tv = layoutTV(threads, values, arithmetic);
    if (!tv)
      continue;
    ++done;
    Offsets places = sorted(bruteOffsets(tv->layout));
    for (std::size_t i = 0; i < places.size(); ++i)
      ASSERT_EQ(places[i], std::int64_t(i)) << show(threads, values, tv->layout);
    EXPECT_EQ(valueOf(size(tv->tile, arithmetic)).value, std::int64_t(places.size()));
  }
  EXPECT_GT(done, 2000);
}

} // namespace
} // namespace fly::layout
