// The laws of the algebra on thousands of random layouts, each result compared with brute force over all coordinates.
#include "RandomLayouts.h"

#include "compiler/layout/Rearrangement.h"
#include "compiler/layout/Tiling.h"

#include <algorithm>
#include <set>

namespace fly::layout {
namespace {

#define FOR_EACH_RANDOM(count, salt)                                                                                   \
  RandomLayouts random(salt);                                                                                          \
  InferringArithmetic arithmetic;                                                                                      \
  for (int round = 0; round < (count) && !::testing::Test::HasFailure(); ++round)

std::string where(const std::string &what) { return what + " (FLY_LAYOUT_SEED=" + std::to_string(seedOfRun()) + ")"; }

template <typename... Parts> std::string show(const Parts &...parts) {
  std::string text;
  ((text += (text.empty() ? "" : " , ") + parts.text()), ...);
  return where(text);
}

bool distinct(Offsets offsets) {
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
}
Offsets sorted(Offsets offsets) {
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

/// Whether the offsets are those of some flat layout with as many coordinates: runs of equal steps, repeated.
bool areLayout(const Offsets &offsets) {
  std::size_t run = 1, count = offsets.size();
  while (run < count) {
    std::int64_t step = offsets[run];
    std::size_t times = 1;
    auto repeats = [&](std::size_t copy) {
      for (std::size_t i = 0; i < run; ++i)
        if (copy * run + i >= count || offsets[copy * run + i] != offsets[i] + std::int64_t(copy) * step)
          return false;
      return true;
    };
    while (times * run < count && repeats(times))
      ++times;
    if (times == 1 || count % (run * times) != 0)
      return false;
    run *= times;
  }
  return true;
}

/// Every stride is a multiple of what the smaller ones reach: no element between them is left out.
bool hasNoHoles(const Layout &layout) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::vector<std::pair<std::int64_t, std::int64_t>> modes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].value > 1 && stride[i].value > 0)
      modes.push_back({stride[i].value, shape[i].value});
  std::sort(modes.begin(), modes.end());
  std::int64_t reached = 1;
  for (auto [step, extent] : modes) {
    if (step % reached != 0)
      return false;
    reached = step * extent;
  }
  return true;
}

TEST(Property, CoalesceFlattenFilterKeepTheFunction) {
  FOR_EACH_RANDOM(4000, 1) {
    Layout a = random.layout();
    Offsets offsets = bruteOffsets(a);
    Layout simple = valueOf(coalesce(a, arithmetic));
    EXPECT_EQ(bruteOffsets(simple), offsets) << show(a, simple);
    EXPECT_LE(simple.depth(), 1u) << show(a);
    EXPECT_EQ(bruteOffsets(flatten(a)), offsets) << show(a);
    Layout beyond = valueOf(coalesceBeyond(a, arithmetic));
    for (std::int64_t i = 0; i < 2 * bruteSize(a); ++i)
      ASSERT_EQ(bruteOffset(beyond, i), bruteOffset(a, i)) << show(a, beyond) << i;
    Offsets reached = bruteOffsets(valueOf(filter(a, arithmetic)));
    EXPECT_EQ(std::set(reached.begin(), reached.end()), std::set(offsets.begin(), offsets.end())) << show(a);
    for (std::int64_t i : bruteOffsets(valueOf(nullspace(a, arithmetic))))
      EXPECT_EQ(bruteOffset(a, i), 0) << show(a);
    if (a.shape().isTuple()) {
      Layout byMode = valueOf(coalesce(a, IntTuple(std::vector<IntTuple>(a.rank(), IntTuple(1))), arithmetic));
      EXPECT_EQ(byMode.rank(), a.rank());
      for (std::size_t i = 0; i < a.rank(); ++i)
        EXPECT_EQ(bruteOffsets(byMode.mode(i)), bruteOffsets(a.mode(i))) << show(a, byMode);
    }
  }
}

TEST(Property, MeasuresCount) {
  FOR_EACH_RANDOM(4000, 2) {
    Layout a = random.layout();
    Offsets offsets = bruteOffsets(a);
    EXPECT_EQ(valueOf(size(a, arithmetic)).value, std::int64_t(offsets.size())) << show(a);
    EXPECT_EQ(valueOf(cosize(a, arithmetic)).value, *std::max_element(offsets.begin(), offsets.end()) + 1) << show(a);
  }
}

TEST(Property, CoordinatesAndIndicesAgree) {
  FOR_EACH_RANDOM(3000, 3) {
    Layout a = random.layout();
    for (std::int64_t i = 0; i < bruteSize(a); ++i) {
      IntTuple coordinate = valueOf(idx2crd(Leaf::known(i), a.shape(), arithmetic));
      EXPECT_TRUE(coordinate.hasProfileOf(a.shape())) << show(a, coordinate);
      std::int64_t offset = valueOf(crd2idx(coordinate, a, arithmetic)).value;
      ASSERT_EQ(offset, bruteOffset(a, i)) << show(a, coordinate);
      ASSERT_EQ(valueOf(crd2idx(i, a, arithmetic)).value, offset) << show(a);
      IntTuple back = valueOf(idx2crd(Leaf::known(offset), a, arithmetic));
      ASSERT_EQ(valueOf(crd2idx(back, a, arithmetic)).value, offset) << show(a, back);
    }
    Offsets offsets = sorted(bruteOffsets(a));
    for (std::int64_t i = 0; i < offsets.back() + 2; ++i)
      if (!std::binary_search(offsets.begin(), offsets.end(), i))
        ASSERT_FALSE(idx2crd(Leaf::known(i), a, arithmetic)) << show(a) << i;
  }
}

TEST(Property, CompositionIsOneAfterTheOther) {
  int done = 0, refused = 0, accidents = 0;
  FOR_EACH_RANDOM(12000, 4) {
    Layout a = random.layout(), b = random.layout(24);
    Result<Layout> r = composition(a, b, arithmetic);
    Offsets expected;
    for (std::int64_t i : bruteOffsets(b))
      expected.push_back(bruteOffset(a, i));
    if (r) {
      ++done;
      EXPECT_EQ(bruteOffsets(*r), expected) << show(a, b, *r);
      EXPECT_EQ(valueOf(size(*r, arithmetic)), valueOf(size(b, arithmetic)));
    } else if (b.shape().isLeaf()) {
      ++refused; // where the offsets happen to be regular nevertheless, as ((5,8),2):((4,1),4) o 4:6, CuTe refuses, too
      accidents += areLayout(expected);
    }
  }
  EXPECT_GT(done, 6000);
  EXPECT_GT(refused, 100);
  EXPECT_LT(accidents, refused / 4);
}

TEST(Property, CompositionIsAssociative) {
  int done = 0;
  FOR_EACH_RANDOM(6000, 5) {
    Layout a = random.layout(), b = random.bijective(random.shape(32)), c = random.layout(12);
    Result<Layout> ab = composition(a, b, arithmetic), bc = composition(b, c, arithmetic);
    if (!ab || !bc)
      continue;
    Result<Layout> left = composition(*ab, c, arithmetic), right = composition(a, *bc, arithmetic);
    if (!left || !right)
      continue;
    // Inside of b's domain; past it the modes go on elsewhere.
    Offsets inner = bruteOffsets(c);
    if (*std::max_element(inner.begin(), inner.end()) >= bruteSize(b))
      continue;
    ++done;
    EXPECT_EQ(bruteOffsets(*left), bruteOffsets(*right)) << show(a, b, c);
  }
  EXPECT_GT(done, 500);
}

TEST(Property, ComplementIsDisjointAndOrdered) {
  int done = 0, refused = 0;
  FOR_EACH_RANDOM(8000, 6) {
    Layout a = random.layout(48);
    std::int64_t cotarget = random.number(1, 300);
    Result<Layout> c = complement(a, Leaf::known(cotarget), arithmetic);
    Layout once = valueOf(filter(a, arithmetic));
    if (!c) {
      ++refused; // overlapping, or copies of one mode lie between those of another
      EXPECT_EQ(c.text().find("complement") == std::string::npos, false);
      continue;
    }
    ++done;
    Offsets sums, rest = bruteOffsets(*c), own = bruteOffsets(once);
    EXPECT_TRUE(std::is_sorted(rest.begin(), rest.end()) && distinct(rest)) << show(a, *c);
    for (std::int64_t j : rest)
      for (std::int64_t i : own)
        sums.push_back(i + j);
    EXPECT_TRUE(distinct(sums)) << show(a, *c);
    if (!hasNoHoles(a))
      continue;
    EXPECT_GE(std::int64_t(sums.size()), cotarget) << show(a, *c);
    sums = sorted(sums);
    for (std::int64_t i = 0; i < cotarget && i < std::int64_t(sums.size()); ++i)
      ASSERT_EQ(sums[std::size_t(i)], i) << show(a, *c) << " leaves a gap below " << cotarget;
    EXPECT_EQ(valueOf(complement(a, Leaf::known(cotarget), arithmetic)), *c);
  }
  EXPECT_GT(done, 3000);
  EXPECT_GT(refused, 300);
}

TEST(Property, RightInverse) {
  FOR_EACH_RANDOM(6000, 7) {
    Layout a = random.chance(50) ? random.layout() : random.bijective(random.shape());
    Layout r = valueOf(rightInverse(a, arithmetic));
    for (std::int64_t i = 0; i < bruteSize(r); ++i)
      ASSERT_EQ(bruteOffset(a, bruteOffset(r, i)), i) << show(a, r);
    Offsets offsets = sorted(bruteOffsets(a));
    bool isBijective = distinct(offsets) && offsets.back() == std::int64_t(offsets.size()) - 1;
    if (isBijective)
      EXPECT_EQ(bruteSize(r), std::int64_t(offsets.size())) << show(a, r);
  }
}

TEST(Property, LeftInverse) {
  int done = 0;
  FOR_EACH_RANDOM(6000, 8) {
    Layout a = random.layout();
    Result<Layout> l = leftInverse(a, arithmetic);
    if (!l || !distinct(bruteOffsets(a)))
      continue;
    ++done;
    for (std::int64_t i = 0; i < bruteSize(a); ++i)
      ASSERT_EQ(bruteOffset(*l, bruteOffset(a, i)), i) << show(a, *l);
  }
  EXPECT_GT(done, 2000);
}

TEST(Property, MaxCommonLayoutIsContiguousInBoth) {
  FOR_EACH_RANDOM(6000, 9) {
    IntTuple shape = random.shape();
    Layout a = random.injective(shape), b = random.injective(shape);
    Layout common = valueOf(maxCommonLayout(a, b, arithmetic));
    std::int64_t count = valueOf(maxCommonVector(a, b, arithmetic)).value;
    EXPECT_EQ(bruteSize(common), count);
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t coordinate = bruteOffset(common, i);
      ASSERT_EQ(bruteOffset(a, coordinate), i) << show(a, b, common);
      ASSERT_EQ(bruteOffset(b, coordinate), i) << show(a, b, common);
    }
  }
}

/// How often each of the first `count` numbers occurs; numbers from there on, and negative ones, count as `outside`.
std::vector<std::int64_t> occurrences(const Offsets &numbers, std::int64_t count, std::int64_t &outside) {
  std::vector<std::int64_t> result(std::size_t(count), 0);
  outside = 0;
  for (std::int64_t number : numbers)
    number >= 0 && number < count ? ++result[std::size_t(number)] : ++outside;
  return result;
}

/// A tiler as an author may write it: compact or with gaps, strides that divide each other or not, repetitions now and then.
Layout anyTiler(RandomLayouts &random) {
  IntTuple shape = random.shape(16, 1);
  if (random.chance(60))
    return random.injective(shape);
  return {shape, shape.mapLeaves([&](const Leaf &) { return Leaf::known(random.oneOf<std::int64_t>({0, 1, 1, 2, 3, 4, 5, 6, 8, 9, 12})); })};
}

// Every element is in a tile exactly once (as often as strides of 0 repeat it in the tile), also where the last tiles lead
// outside. Where CuTe leaves elements out, checkDivide says how many; where it leads outside as well there is no result.
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
    EXPECT_EQ(staysInside(step, numbered, *numbers), outside == 0 && (meetsAll || count % valueOf(spanOf(tiler, arithmetic)).value == 0))
        << show(a, tiler);
    const layout::Rearrangement pick{Rearrangement::Kind::Composition, Tile::of(tiler), {}};
    EXPECT_EQ(staysInside(pick, numbered, valueOf(composition(numbered, tiler, arithmetic))), sorted(bruteOffsets(tiler)).back() < count)
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
    for (const Layout &other : {valueOf(zippedDivide(a, Tile::of(tiler), arithmetic)),
                                valueOf(tiledDivide(a, Tile::of(tiler), arithmetic)),
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

    for (const Layout &other : {valueOf(zippedProduct(a, Tile::of(b), arithmetic)),
                                valueOf(tiledProduct(a, Tile::of(b), arithmetic)),
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

// In parts: those of each element, all of them and no others. In units: each that an element lies in.
TEST(Property, RecastsCountTheSameMemory) {
  int down = 0, up = 0, both = 0, whole = 0;
  FOR_EACH_RANDOM(8000, 15) {
    Layout a = random.layout(48);
    if (random.chance(25)) // some mode the other way round
      a = {a.shape(), a.stride().mapLeaves([&](const Leaf &leaf) { return Leaf::known(random.chance(30) ? -leaf.value : leaf.value); })};
    std::int64_t n = random.oneOf<std::int64_t>({1, 2, 3, 4, 8});
    std::set<std::int64_t> parts, units;
    for (std::int64_t offset : bruteOffsets(a)) {
      units.insert((offset - (offset % n + n) % n) / n);
      for (std::int64_t part = 0; part < n; ++part)
        parts.insert(offset * n + part);
    }
    auto reached = [](const Layout &layout) {
      Offsets offsets = bruteOffsets(layout);
      return std::set(offsets.begin(), offsets.end());
    };
    if (Result<Layout> fine = downcast(a, n, arithmetic)) {
      ++down;
      EXPECT_EQ(reached(*fine), parts) << show(a, *fine) << " by " << n;
      if (Result<Layout> back = upcast(*fine, n, arithmetic)) {
        ++both;
        EXPECT_EQ(bruteOffsets(*back), bruteOffsets(a)) << show(a, *fine);
      }
    }
    const std::int64_t from = random.oneOf<std::int64_t>({4, 6, 8, 16, 32}), to = random.oneOf<std::int64_t>({4, 6, 8, 16, 32, 64});
    if (Result<Layout> other = recastLayout(a, from, to, arithmetic)) { // the same bits
      ++whole;
      auto bitsOf = [&](const Layout &layout, std::int64_t bits) {
        std::set<std::int64_t> result;
        for (std::int64_t offset : reached(layout))
          for (std::int64_t bit = 0; bit < bits; ++bit)
            result.insert(offset * bits + bit);
        return result;
      };
      EXPECT_EQ(bitsOf(*other, to), bitsOf(a, from)) << show(a, *other) << from << " to " << to;
    }
    if (Result<Layout> coarse = upcast(a, n, arithmetic)) {
      ++up;
      EXPECT_EQ(reached(*coarse), units) << show(a, *coarse) << " by " << n;
    }
  }
  EXPECT_GT(whole, 500);
  EXPECT_GT(down, 3000);
  EXPECT_GT(both, 3000);
  EXPECT_GT(up, 2000);
}

TEST(Property, SlicesArePartsOfTheFunction) {
  FOR_EACH_RANDOM(6000, 16) {
    Layout a = random.layout();
    IntTuple coordinate = random.coordinate(a.shape(), true);
    Result<SliceAt> part = sliceAndOffset(coordinate, a, arithmetic);
    ASSERT_TRUE(part) << show(a, coordinate) << part.text();
    // Filling each `_` with a coordinate of its mode is calling the slice with those coordinates.
    std::vector<IntTuple> filling;
    std::function<IntTuple(const IntTuple &, const IntTuple &)> fill = [&](const IntTuple &crd, const IntTuple &shape) {
      if (crd.isLeaf()) {
        if (!crd.leaf().isKeep())
          return crd;
        filling.push_back(random.coordinate(shape, false));
        return filling.back();
      }
      std::vector<IntTuple> modes;
      for (std::size_t i = 0; i < crd.rank(); ++i)
        modes.push_back(fill(crd.mode(i), shape.mode(i)));
      return IntTuple(std::move(modes));
    };
    IntTuple whole = fill(coordinate, a.shape());
    bool bare = coordinate.isLeaf() && coordinate.leaf().isKeep();
    IntTuple inside = bare ? filling.front() : IntTuple(filling);
    EXPECT_EQ(valueOf(crd2idx(whole, a, arithmetic)).value,
              part->offset.leaf().value + valueOf(crd2idx(inside, part->layout, arithmetic)).value)
        << show(a, coordinate, whole, inside);
  }
}

TEST(Property, ModesMoveTogether) {
  FOR_EACH_RANDOM(4000, 17) {
    Layout a = random.layout();
    std::int64_t rank = std::int64_t(a.rank()), begin = random.number(0, rank - 1), end = random.number(begin + 1, rank);
    EXPECT_EQ(bruteOffsets(valueOf(group(a, begin, end))), bruteOffsets(a)) << show(a);
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < rank; ++i)
      all.push_back(i);
    EXPECT_EQ(bruteOffsets(valueOf(select(a, all))), bruteOffsets(a)) << show(a);
    std::shuffle(all.begin(), all.end(), random.engine);
    EXPECT_EQ(sorted(bruteOffsets(valueOf(select(a, all)))), sorted(bruteOffsets(a))) << show(a);
    EXPECT_EQ(bruteOffsets(append(a, Layout(1, 0))), bruteOffsets(a)) << show(a);
    EXPECT_EQ(bruteOffsets(prepend(a, Layout(1, 0))), bruteOffsets(a)) << show(a);
    EXPECT_EQ(valueOf(modeAt(a, {begin})), a.mode(std::size_t(begin)));
  }
}

TEST(Property, OrderedLayoutsAreCompact) {
  FOR_EACH_RANDOM(4000, 18) {
    IntTuple shape = random.shape();
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < shape.leafCount(); ++i)
      places.push_back(std::int64_t(i));
    std::shuffle(places.begin(), places.end(), random.engine);
    std::size_t next = 0;
    IntTuple order = shape.mapLeaves([&](const Leaf &) { return Leaf::known(places[next++]); });
    Layout layout = valueOf(orderedLayout(shape, order, arithmetic));
    Offsets offsets = sorted(bruteOffsets(layout));
    for (std::size_t i = 0; i < offsets.size(); ++i)
      ASSERT_EQ(offsets[i], std::int64_t(i)) << show(shape, order, layout);
    std::vector<Leaf> extents = shape.leaves(), strides = layout.stride().leaves();
    for (std::size_t i = 0; i < extents.size(); ++i)
      for (std::size_t j = 0; j < extents.size(); ++j)
        if (extents[i].value > 1 && extents[j].value > 1 && places[i] < places[j])
          ASSERT_LT(strides[i].value, strides[j].value) << show(shape, order, layout);

    Layout like = valueOf(layoutLike(layout, arithmetic));
    EXPECT_EQ(bruteOffsets(like), bruteOffsets(layout)) << show(layout, like);
    Layout padded = random.injective(shape), compacted = valueOf(layoutLike(padded, arithmetic));
    EXPECT_EQ(valueOf(cosize(compacted, arithmetic)).value, bruteSize(padded)) << show(padded, compacted);
    EXPECT_EQ(valueOf(size(valueOf(fragmentLayoutLike(padded, arithmetic)), arithmetic)).value, bruteSize(padded));
    IntTuple middle = valueOf(idx2crd(Leaf::known(bruteSize(padded) / 2), shape, arithmetic));
    EXPECT_EQ(valueOf(evaluate(middle, valueOf(identityLayout(shape)), arithmetic)), middle) << show(shape);
  }
}

TEST(Property, CoordinateLayoutsComposeLikeNumbers) {
  int done = 0;
  FOR_EACH_RANDOM(4000, 19) {
    // data o identity is data; what a coordinate layout picks is what composition picks.
    Layout a = random.layout(96, 1);
    if (a.shape().isLeaf())
      continue;
    Layout identity = valueOf(identityLayout(a.shape()));
    Layout tile = random.layout(12, 1);
    Result<Layout> coordinates = composition(identity, tile, arithmetic);
    if (!coordinates)
      continue;
    for (std::int64_t i = 0; i < bruteSize(tile); ++i) {
      IntTuple coordinate = valueOf(evaluate(i, *coordinates, arithmetic));
      while (coordinate.rank() < a.rank()) // modes that the tile does not reach
        coordinate = append(coordinate, 0);
      ASSERT_EQ(valueOf(crd2idx(coordinate, a, arithmetic)).value, bruteOffset(a, bruteOffset(tile, i)))
          << show(a, tile, *coordinates);
    }
    ++done;
    Result<Layout> there = composition(a, *coordinates, arithmetic);
    if (there)
      EXPECT_EQ(sorted(bruteOffsets(*there)).size(), std::size_t(bruteSize(tile))) << show(a, *coordinates);
  }
  EXPECT_GT(done, 1000);
}

TEST(Property, TextIsReadBack) {
  FOR_EACH_RANDOM(4000, 20) {
    EvaluatingArithmetic numbers;
    Layout a = random.withUnknowns(random.layout(), numbers, 20);
    EXPECT_EQ(L(a.text()), a) << a.text();
    Layout identity = valueOf(identityLayout(a.shape()));
    EXPECT_EQ(L(identity.text()), identity) << identity.text();
    std::int64_t bits = random.number(0, 4), shift = random.number(bits, 6) * (random.chance(50) ? 1 : -1);
    Swizzle swizzle = valueOf(makeSwizzle(bits, random.number(0, 5), shift));
    AnyLayout composed = valueOf(compose(swizzle, random.number(0, 9), a));
    EXPECT_EQ(textOf(valueOf(parseFunction(textOf(composed)))), textOf(composed));
    Tile tile({Tile::of(random.layout(8)), Tile::keep(), Tile({Tile::extent(Leaf::known(4)), Tile::of(random.layout(8))})});
    EXPECT_EQ(valueOf(parseTile(tile.text())), tile) << tile.text();
  }
}

} // namespace
} // namespace fly::layout
