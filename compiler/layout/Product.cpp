// Products: a layout repeated as another one says.
//
//   logicalProduct(A, B) = (A, composition(complement(A, size(A)*cosize(B)), B))    mode 0 A, mode 1 where copies start
//   (2,2):(1,2) by 6:1                  ((2,2),6):((1,2),4)
//
// zipped, tiled and flat arrange the modes like the divisions. blocked and raked pair the modes of A with those of B:
//
//   (4):(1) by (3):(1)   blocked ((4,3)):((1,4))   0 1 2 3 | 4 5 6 7 | ...   copies one after the other
//                        raked   ((3,4)):((4,1))   copies interleaved: the coordinate runs over B first
//
// tile_to_shape repeats a block until it fills a shape; make_layout_tv turns a layout of threads and one of values into
// a tile and the layout that maps (thread, value) to a place in it.
#include "compiler/layout/Algebra.h"

#include <algorithm>

namespace fly::layout {

namespace {

/// Where copies of the block may start, enough for the tiler.
Result<Layout> freePlaces(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(elements, size(block, arithmetic));
  FLY_TRY(copies, cosize(tiler, arithmetic));
  FLY_TRY(room, arithmetic.multiply(elements, copies));
  return complement(block, room, arithmetic);
}

} // namespace

Result<Layout> logicalProduct(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(places, freePlaces(block, tiler, arithmetic));
  FLY_TRY(starts, compositionWeak(places, tiler, arithmetic));
  return layoutOfModes({block, starts});
}

Result<bool> checkProduct(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(places, freePlaces(block, tiler, arithmetic));
  FLY_CHECK(composition(places, tiler, arithmetic));
  return true;
}

Result<bool> checkProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic) {
  if (tiler.kind() == Tile::Kind::Keep)
    return true;
  if (!tiler.isTuple())
    return checkProduct(block, tiler.layout(), arithmetic);
  for (std::size_t i = 0; i < tiler.rank() && i < block.rank(); ++i)
    FLY_CHECK(checkProduct(block.mode(i), tiler.mode(i), arithmetic));
  return true;
}

Result<Layout> logicalProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic) {
  switch (tiler.kind()) {
  case Tile::Kind::Keep: return layoutOfModes({block, Layout(1, 0)});
  case Tile::Kind::Extent:
  case Tile::Kind::Layout: return logicalProduct(block, tiler.layout(), arithmetic);
  case Tile::Kind::Tuple: break;
  }
  if (tiler.rank() > block.rank())
    return Error{"the tiler has " + std::to_string(tiler.rank()) + " modes, the layout `" + block.text() + "` only " +
                 std::to_string(block.rank())};
  std::vector<Layout> modes = block.modes();
  for (std::size_t i = 0; i < tiler.rank(); ++i) {
    FLY_TRY(mode, logicalProduct(modes[i], tiler.mode(i), arithmetic));
    modes[i] = std::move(mode);
  }
  return layoutOfModes(modes);
}

Result<Layout> zippedProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(repeated, logicalProduct(block, tiler, arithmetic));
  return zipByTile(repeated, tiler);
}

Result<Layout> tiledProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(repeated, zippedProduct(block, tiler, arithmetic));
  return spread(repeated, false);
}

Result<Layout> flatProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(repeated, zippedProduct(block, tiler, arithmetic));
  return spread(repeated, true);
}

namespace {

Result<Layout> pairedProduct(const Layout &block, const Layout &tiler, bool raked, LeafArithmetic &arithmetic) {
  std::size_t rank = std::max(block.rank(), tiler.rank());
  auto padded = [&](const Layout &layout) {
    bool wrap = rank == 1 && layout.shape().isLeaf() && !(block.shape().isLeaf() && tiler.shape().isLeaf());
    return appendTo(wrap ? layoutOfModes({layout}) : layout, Layout(1, 0), rank);
  };
  FLY_TRY(paddedBlock, padded(block));
  FLY_TRY(paddedTiler, padded(tiler));
  FLY_TRY(repeated, logicalProduct(paddedBlock, paddedTiler, arithmetic));
  if (rank == 1 && paddedBlock.shape().isLeaf())
    return layoutOfModes({repeated.mode(raked ? 1 : 0), repeated.mode(raked ? 0 : 1)});
  return zip(repeated.mode(raked ? 1 : 0), repeated.mode(raked ? 0 : 1));
}

} // namespace

Result<Layout> blockedProduct(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic) {
  return pairedProduct(block, tiler, false, arithmetic);
}

Result<Layout> rakedProduct(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic) {
  return pairedProduct(block, tiler, true, arithmetic);
}

Result<Layout> tileToShape(const Layout &block, const IntTuple &shape, const IntTuple &order,
                           LeafArithmetic &arithmetic) {
  if (block.rank() > shape.rank())
    return Error{"the block `" + block.text() + "` has " + std::to_string(block.rank()) + " modes, the shape `" +
                 shape.text() + "` only " + std::to_string(shape.rank())};
  FLY_TRY(padded, appendTo(block, Layout(1, 0), shape.rank()));
  FLY_TRY(target, productEach(shape, arithmetic));
  std::vector<IntTuple> counts;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    FLY_TRY(extent, size(padded.mode(i), arithmetic));
    const Leaf &wanted = target.mode(i).leaf();
    if (wanted.isStatic() && extent.isStatic() && (extent.value == 0 || wanted.value % extent.value != 0))
      return Error{"mode " + std::to_string(i) + " of the block `" + block.text() + "` has " + leafText(extent) +
                   " elements, which do not divide the " + leafText(wanted) + " of `" + shape.text() + "`"};
    FLY_TRY(count, arithmetic.ceilDivide(wanted, extent));
    counts.push_back(std::move(count));
  }
  IntTuple repetitions = shape.isLeaf() ? counts.front() : IntTuple(std::move(counts));
  FLY_TRY(outer, orderedLayout(repetitions, order, arithmetic));
  if (auto apart = checkProduct(padded, outer, arithmetic); !apart)
    return Error{"copies of the block `" + block.text() + "` would overlap: " + apart.text()};
  return blockedProduct(padded, outer, arithmetic);
}

Result<ThreadValueLayout> layoutTV(const Layout &threads, const Layout &values, LeafArithmetic &arithmetic) {
  FLY_TRY(tiled, rakedProduct(threads, values, arithmetic));
  FLY_TRY(threadCount, size(threads, arithmetic));
  FLY_TRY(valueCount, size(values, arithmetic));
  FLY_TRY(all, arithmetic.multiply(threadCount, valueCount));
  FLY_TRY(inverse, rightInverse(tiled, arithmetic));
  FLY_TRY(reached, size(inverse, arithmetic));
  if (!(reached == all))
    return Error{"threads `" + threads.text() + "` and values `" + values.text() + "` do not cover a tile once: " +
                 leafText(all) + " positions are expected, but only the first " + leafText(reached) + " are reached"};
  FLY_TRY(pair, columnMajor(IntTuple(std::vector<IntTuple>{threadCount, valueCount}), arithmetic));
  FLY_TRY(layout, composition(inverse, pair, arithmetic));
  FLY_TRY(tile, productEach(tiled.shape(), arithmetic));
  return ThreadValueLayout{std::move(tile), std::move(layout)};
}

} // namespace fly::layout
