// Divisions: a layout seen as a tile and the repetitions of the tile.
//
//   logicalDivide(A, T) = composition(A, (T, complement(T, size(A))))        mode 0 the tile, mode 1 the rest
//   by modes, (8,?):(1,8) by (4,2):   ((4,2),(2,?)):((1,4),(8,16))           each mode divided
//   zipped:                           ((4,2),(2,?)) gathered as ((4,2),(2,?))  tiles first, rests second
//
// An extent that the tile does not divide gives ceil(extent / tile) repetitions: coordinates in the last tile may lie
// outside, as in CuTe.
#include "compiler/layout/Algebra.h"

namespace fly::layout {

namespace {

Layout pairOf(const Layout &first, const Layout &second) {
  return {IntTuple(std::vector<IntTuple>{first.shape(), second.shape()}),
          IntTuple(std::vector<IntTuple>{first.stride(), second.stride()})};
}

Layout tupleOf(const std::vector<Layout> &modes) {
  std::vector<IntTuple> shape, stride;
  for (const Layout &mode : modes) {
    shape.push_back(mode.shape());
    stride.push_back(mode.stride());
  }
  return {IntTuple(std::move(shape)), IntTuple(std::move(stride))};
}

/// The divided modes as pairs (tile, rest), then the modes past the tiler.
struct Divided {
  std::vector<Layout> tiles, rests, others;
};

Result<Divided> divideModes(const Layout &layout, const std::vector<TilerMode> &tiler, LeafArithmetic &arithmetic) {
  if (tiler.size() > layout.rank())
    return Error{"the tiler has " + std::to_string(tiler.size()) + " modes, the layout `" + layout.text() + "` only " +
                 std::to_string(layout.rank())};
  Divided result;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.size()) {
      result.others.push_back(layout.mode(i));
    } else if (tiler[i].keep) {
      result.tiles.push_back(layout.mode(i));
      result.rests.push_back(Layout(1, 0));
    } else {
      FLY_TRY(pair, logicalDivide(layout.mode(i), tiler[i].layout, arithmetic));
      result.tiles.push_back(pair.mode(0));
      result.rests.push_back(pair.mode(1));
    }
  }
  return result;
}

} // namespace

Result<Layout> logicalDivide(const Layout &layout, const Layout &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(total, size(layout, arithmetic));
  FLY_TRY(rest, complement(tiler, total, arithmetic));
  return composition(layout, pairOf(tiler, rest), arithmetic);
}

Result<std::vector<TilerMode>> tilerOf(const IntTuple &extents) {
  std::vector<TilerMode> result;
  for (std::size_t i = 0; i < extents.rank(); ++i) {
    const IntTuple &extent = extents.mode(i);
    if (extent.isTuple() || extent.leaf().isDynamic())
      return Error{"entry " + std::to_string(i) + " of the tiler `" + extents.text() +
                   "` must be an integer known at compile time or `_`"};
    const Leaf &leaf = extent.leaf();
    if (leaf.isStatic() && leaf.value < 1)
      return Error{"a tile's extent must be positive; found `" + std::to_string(leaf.value) + "` in `" +
                   extents.text() + "`"};
    if (leaf.isKeep())
      result.push_back({true, {}});
    else
      result.push_back({false, Layout(leaf, leaf.isStatic(1) ? 0 : 1)});
  }
  return result;
}

Result<Layout> logicalDivide(const Layout &layout, const std::vector<TilerMode> &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(divided, divideModes(layout, tiler, arithmetic));
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < divided.tiles.size(); ++i)
    modes.push_back(pairOf(divided.tiles[i], divided.rests[i]));
  modes.insert(modes.end(), divided.others.begin(), divided.others.end());
  return tupleOf(modes);
}

Result<Layout> zippedDivide(const Layout &layout, const std::vector<TilerMode> &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(divided, divideModes(layout, tiler, arithmetic));
  std::vector<Layout> rests = divided.rests;
  rests.insert(rests.end(), divided.others.begin(), divided.others.end());
  return pairOf(tupleOf(divided.tiles), tupleOf(rests));
}

Result<Layout> zippedDivide(const Layout &layout, const Layout &tiler, LeafArithmetic &arithmetic) {
  return logicalDivide(layout, tiler, arithmetic);
}

} // namespace fly::layout
