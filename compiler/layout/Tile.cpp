// See Tile.h.
#include "compiler/layout/Tile.h"

namespace fly::layout {

Tile Tile::extent(Leaf extent) {
  Tile tile(Kind::Extent);
  tile.single = layout::Layout(std::move(extent), 1);
  return tile;
}

Tile Tile::of(layout::Layout layout) {
  Tile tile(Kind::Layout);
  tile.single = std::move(layout);
  return tile;
}

bool Tile::isRun() const {
  return form == Kind::Extent ||
         (form == Kind::Layout && single.shape().isLeaf() && single.stride().leaf().isStatic(1));
}

bool Tile::operator==(const Tile &other) const {
  return (form == other.form || (isRun() && other.isRun())) && single == other.single && entries == other.entries;
}

void Tile::forEachLeaf(const std::function<void(const Leaf &)> &visit) const {
  if (form == Kind::Extent || form == Kind::Layout) {
    single.shape().forEachLeaf(visit);
    single.stride().forEachLeaf(visit);
  }
  for (const Tile &entry : entries)
    entry.forEachLeaf(visit);
}

Tile Tile::mapLeaves(const std::function<Leaf(const Leaf &)> &replace) const {
  Tile result = *this;
  if (form == Kind::Extent || form == Kind::Layout) {
    IntTuple shape = single.shape().mapLeaves(replace);
    result.single = layout::Layout(std::move(shape), single.stride().mapLeaves(replace));
  }
  for (Tile &entry : result.entries)
    entry = entry.mapLeaves(replace);
  return result;
}

void Tile::readAsExtents() {
  for (Tile &entry : entries)
    if (entry.isTuple())
      entry.readAsExtents();
  for (const Tile &entry : entries)
    if (!entry.isRun() && entry.form != Kind::Keep && !entry.isTuple())
      return;
  for (Tile &entry : entries)
    if (entry.form == Kind::Layout)
      entry.form = Kind::Extent;
}

std::string Tile::text() const {
  if (form == Kind::Keep)
    return "_";
  if (form != Kind::Tuple)
    return single.text();
  std::string result = "<";
  for (std::size_t i = 0; i < entries.size(); ++i)
    result += (i ? ";" : "") + entries[i].text();
  return result + ">";
}

namespace {

Result<Tile> entryOf(const IntTuple &extents, const IntTuple &entry, const std::string &place) {
  if (entry.isTuple()) {
    std::vector<Tile> entries;
    for (std::size_t i = 0; i < entry.rank(); ++i) {
      FLY_TRY(inner, entryOf(extents, entry.mode(i), place + "." + std::to_string(i)));
      entries.push_back(std::move(inner));
    }
    return Tile(std::move(entries));
  }
  const Leaf &leaf = entry.leaf();
  if (leaf.isKeep())
    return Tile::keep();
  if (!leaf.isStatic() || leaf.isBasis())
    return Error{"entry " + place + " of the tiler `" + extents.text() +
                 "` must be an integer known at compile time or `_`"};
  if (leaf.value < 1)
    return Error{"a tile's extent must be positive; found `" + std::to_string(leaf.value) + "` in `" + extents.text() +
                 "`"};
  return Tile::extent(leaf);
}

} // namespace

Result<Tile> tilerOf(const IntTuple &extents) {
  std::vector<Tile> result;
  for (std::size_t i = 0; i < extents.rank(); ++i) {
    FLY_TRY(entry, entryOf(extents, extents.mode(i), std::to_string(i)));
    result.push_back(std::move(entry));
  }
  return Tile(std::move(result));
}

} // namespace fly::layout
