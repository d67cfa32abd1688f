// The laws of what makes a view on random layouts, compared with brute force: other elements, slices, modes, orders.
#include "PropertyTesting.h"

#include <set>

namespace fly::layout {
namespace {

// In parts: those of each element, all of them and no others. In units: each that an element lies in.
TEST(Property, RecastsCountTheSameMemory) {
  int down = 0, up = 0, both = 0, whole = 0;
  FOR_EACH_RANDOM(8000, 15) {
    Layout a = random.layout(48);
    if (random.chance(25)) // some mode the other way round
      a = {a.shape(), a.stride().mapLeaves(
                          [&](const Leaf &leaf) { return Leaf::known(random.chance(30) ? -leaf.value : leaf.value); })};
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
    const std::int64_t from = random.oneOf<std::int64_t>({4, 6, 8, 16, 32}),
                       to = random.oneOf<std::int64_t>({4, 6, 8, 16, 32, 64});
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
    std::int64_t rank = std::int64_t(a.rank()), begin = random.number(0, rank - 1),
                 end = random.number(begin + 1, rank);
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
    Tile tile(
        {Tile::of(random.layout(8)), Tile::keep(), Tile({Tile::extent(Leaf::known(4)), Tile::of(random.layout(8))})});
    EXPECT_EQ(valueOf(parseTile(tile.text())), tile) << tile.text();
  }
}

} // namespace
} // namespace fly::layout
