// Divisions: a layout seen as a tile and the repetitions of the tile.
//
//   logicalDivide(A, T) = composition(A, (T, complement(T, size(A))))        mode 0 the tile, mode 1 the rest
//   by modes, (8,?):(1,8) by (4,2):   ((4,2),(2,?)):((1,4),(8,16))           each mode divided
//   zipped   ((4,2),(2,?))   tiles first, rests second
//   tiled    ((4,2),2,?)     the rests one by one
//   flat     (4,2,2,?)       all of them one by one
//
// An extent that the tile does not divide gives ceil(extent / tile) repetitions: coordinates in the last tile may be
// outside, as in CuTe. A tile inside a mode of several leaves must divide them; otherwise the result is not a layout
// and is refused. So is a tiler that leaves elements out and reaches outside; see Tiling.h.
#include "compiler/layout/Algebra.h"
#include "compiler/layout/Tiling.h"

#include <optional>

namespace fly::layout {

namespace {

Layout pairOf(const Layout &first, const Layout &second) { return layoutOfModes({first, second}); }

Result<bool> checkRank(const Layout &layout, const Tile &tiler) {
  if (tiler.rank() > layout.rank())
    return Error{"the tiler has " + std::to_string(tiler.rank()) + " modes, the layout `" + layout.text() + "` only " +
                 std::to_string(layout.rank())};
  return true;
}

void collectLeaves(const Layout &layout, std::vector<Layout> &leaves) {
  if (layout.shape().isLeaf())
    leaves.push_back(layout);
  else
    for (const Layout &mode : layout.modes())
      collectLeaves(mode, leaves);
}

/// `tile` adjacent coordinates of a layout whose leaves, from the first one on, are filled or divided by it:
/// (?{div=64},?,?):(a,b,c) by 64 is 64:a and (?/64,?,?):(64*a,b,c). Composition, to which the repetitions are one extent,
/// cannot tell where they end in each leaf. None if that is not known.
std::optional<Result<Layout>> divideLeaves(const Layout &layout, std::int64_t tile, LeafArithmetic &arithmetic) {
  std::vector<Layout> leaves, tiles, rests;
  collectLeaves(layout, leaves);
  for (const Layout &mode : leaves) {
    const Leaf &extent = mode.shape().leaf(), &stride = mode.stride().leaf();
    if (tile == 1) {
      rests.push_back(mode);
      continue;
    }
    if (extent.isStatic() && extent.value > 0 && tile % extent.value == 0) {
      tiles.push_back(mode);
      tile /= extent.value;
      continue;
    }
    if (extent.divisor() % tile != 0)
      return std::nullopt;
    auto build = [&]() -> Result<bool> {
      FLY_TRY(count, arithmetic.floorDivide(extent, Leaf::known(tile)));
      FLY_TRY(step, arithmetic.multiply(stride, Leaf::known(tile)));
      tiles.push_back(Layout(Leaf::known(tile), stride));
      rests.push_back(Layout(count, step));
      return true;
    };
    if (Result<bool> built = build(); !built)
      return Result<Layout>(built.takeError());
    tile = 1;
  }
  if (tile != 1 || tiles.empty())
    return std::nullopt;
  auto whole = [](const std::vector<Layout> &modes) {
    return modes.empty() ? Layout(1, 0) : modes.size() == 1 ? modes.front() : layoutOfModes(modes);
  };
  return Result<Layout>(pairOf(whole(tiles), whole(rests)));
}

} // namespace

Result<Layout> logicalDivide(const Layout &layout, const Layout &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(total, size(layout, arithmetic));
  FLY_TRY(rest, complement(tiler, total, arithmetic));
  FLY_CHECK(checkEnd(tiler, total, arithmetic));
  Result<Layout> composed = composition(layout, pairOf(tiler, rest), arithmetic);
  if (composed || !tiler.shape().isLeaf() || !tiler.shape().leaf().isStatic() || !tiler.stride().leaf().isStatic(1))
    return composed;
  std::optional<Result<Layout>> divided = divideLeaves(layout, tiler.shape().leaf().value, arithmetic);
  return divided ? std::move(*divided) : std::move(composed);
}

Result<Layout> logicalDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic) {
  switch (tiler.kind()) {
  case Tile::Kind::Keep: return pairOf(layout, Layout(1, 0));
  case Tile::Kind::Extent: { // one element is 1:0, as CuTe makes a layout of an extent
    const IntTuple &extent = tiler.layout().shape();
    return logicalDivide(layout, Layout(extent, extent.leaf().isStatic(1) ? 0 : 1), arithmetic);
  }
  case Tile::Kind::Layout: return logicalDivide(layout, tiler.layout(), arithmetic);
  case Tile::Kind::Tuple: break;
  }
  FLY_CHECK(checkRank(layout, tiler));
  std::vector<Layout> modes = layout.modes();
  for (std::size_t i = 0; i < tiler.rank(); ++i) {
    Result<Layout> divided = logicalDivide(modes[i], tiler.mode(i), arithmetic);
    if (!divided)
      return inMode(i, divided.takeError());
    modes[i] = std::move(*divided);
  }
  return layoutOfModes(modes);
}

Result<Layout> zipByTile(const Layout &layout, const Tile &tiler) {
  if (!tiler.isTuple()) {
    if (layout.shape().isLeaf() || layout.rank() != 2)
      return Error{"`" + layout.text() + "` is not a pair of a tile and its repetitions"};
    return layout;
  }
  std::vector<Layout> tiles, rests;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.rank()) {
      rests.push_back(layout.mode(i));
      continue;
    }
    FLY_TRY(pair, zipByTile(layout.mode(i), tiler.mode(i)));
    tiles.push_back(pair.mode(0));
    rests.push_back(pair.mode(1));
  }
  return pairOf(layoutOfModes(tiles), layoutOfModes(rests));
}

Layout spread(const Layout &pair, bool tiles) {
  auto parts = [](const Layout &mode) { return mode.rank() == 1 ? std::vector<Layout>{mode} : mode.modes(); };
  std::vector<Layout> modes = tiles ? parts(pair.mode(0)) : std::vector<Layout>{pair.mode(0)};
  for (Layout &rest : parts(pair.mode(1)))
    modes.push_back(std::move(rest));
  return layoutOfModes(modes);
}

Result<Layout> zippedDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(divided, logicalDivide(layout, tiler, arithmetic));
  return zipByTile(divided, tiler);
}

Result<Layout> tiledDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(divided, zippedDivide(layout, tiler, arithmetic));
  return spread(divided, false);
}

Result<Layout> flatDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic) {
  FLY_TRY(divided, zippedDivide(layout, tiler, arithmetic));
  return spread(divided, true);
}

} // namespace fly::layout
