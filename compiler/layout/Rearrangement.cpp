// See Rearrangement.h.
#include "compiler/layout/Rearrangement.h"

namespace fly::layout {

namespace {

using Kind = Rearrangement::Kind;
enum class Operand { Nothing, Tile, Tuple };
using OfDomain = Result<Layout> (*)(const Layout &, const Rearrangement &, LeafArithmetic &);
using OfFunction = Result<AnyLayout> (*)(const AnyLayout &, const Rearrangement &, LeafArithmetic &);

using ByTile = Result<Layout> (*)(const Layout &, const Tile &, LeafArithmetic &);
template <ByTile operation>
Result<Layout> byTile(const Layout &layout, const Rearrangement &how, LeafArithmetic &arithmetic) {
  return operation(layout, how.tile, arithmetic);
}

using ByLayout = Result<Layout> (*)(const Layout &, const Layout &, LeafArithmetic &);
template <ByLayout operation>
Result<Layout> byLayout(const Layout &layout, const Rearrangement &how, LeafArithmetic &arithmetic) {
  if (how.tile.kind() != Tile::Kind::Layout)
    return Error{"the operand of `" + how.text() + "` must be a layout"};
  return operation(layout, how.tile.layout(), arithmetic);
}

/// The modes that a tuple of known numbers names.
Result<Places> placesOf(const IntTuple &tuple) {
  Places places;
  for (const Leaf &leaf : tuple.leaves()) {
    if (!leaf.isStatic() || leaf.isBasis())
      return Error{"the number of a mode must be known; found `" + tuple.text() + "`"};
    places.push_back(leaf.value);
  }
  return places;
}

Result<Places> pairOf(const Rearrangement &how) {
  FLY_TRY(places, placesOf(how.tuple));
  if (places.size() != 2)
    return Error{"`" + how.text() + "` needs two numbers"};
  return places;
}

Result<Layout> coalesceBy(const Layout &layout, const Rearrangement &how, LeafArithmetic &arithmetic) {
  return coalesce(layout, how.tuple, arithmetic);
}
Result<Layout> filterBy(const Layout &layout, const Rearrangement &how, LeafArithmetic &arithmetic) {
  return coalesce(filterZeros(layout), how.tuple, arithmetic);
}
Result<Layout> selectBy(const Layout &layout, const Rearrangement &how, LeafArithmetic &) {
  FLY_TRY(places, placesOf(how.tuple));
  return select(layout, places);
}
Result<Layout> groupBy(const Layout &layout, const Rearrangement &how, LeafArithmetic &) {
  FLY_TRY(places, pairOf(how));
  return group(layout, places[0], places[1]);
}
Result<Layout> flattenIt(const Layout &layout, const Rearrangement &, LeafArithmetic &) { return flatten(layout); }
Result<Layout> appendOne(const Layout &layout, const Rearrangement &, LeafArithmetic &) {
  return append(layout, Layout(1, 0));
}
Result<Layout> prependOne(const Layout &layout, const Rearrangement &, LeafArithmetic &) {
  return prepend(layout, Layout(1, 0));
}

Result<Layout> complementBelow(const Layout &layout, const Rearrangement &how, LeafArithmetic &arithmetic) {
  if (!how.tuple.isLeaf())
    return Error{"the cotarget of `" + how.text() + "` must be a number"};
  return complement(layout, how.tuple.leaf(), arithmetic);
}

Result<AnyLayout> rightInverseOf(const AnyLayout &layout, const Rearrangement &, LeafArithmetic &arithmetic) {
  return rightInverse(layout, arithmetic);
}
Result<AnyLayout> leftInverseOf(const AnyLayout &layout, const Rearrangement &, LeafArithmetic &arithmetic) {
  return leftInverse(layout, arithmetic);
}
Result<AnyLayout> recastBy(const AnyLayout &layout, const Rearrangement &how, LeafArithmetic &arithmetic) {
  FLY_TRY(bits, pairOf(how));
  return recastLayout(layout, bits[0], bits[1], arithmetic);
}

struct Row {
  Kind kind;
  const char *name;
  Operand operand;
  OfDomain ofDomain;
  OfFunction ofFunction; // null: the domain is rearranged
  bool keepsFunction;    // the results stay the same, only the coordinates change
};

// In the order of Kind.
const Row rows[] = {
    {Kind::Composition, "composition", Operand::Tile, byTile<composition>, nullptr, true},
    {Kind::Coalesce, "coalesce", Operand::Tuple, coalesceBy, nullptr, true},
    {Kind::Filter, "filter", Operand::Tuple, filterBy, nullptr, true},
    {Kind::LogicalDivide, "logical_divide", Operand::Tile, byTile<logicalDivide>, nullptr, true},
    {Kind::ZippedDivide, "zipped_divide", Operand::Tile, byTile<zippedDivide>, nullptr, true},
    {Kind::TiledDivide, "tiled_divide", Operand::Tile, byTile<tiledDivide>, nullptr, true},
    {Kind::FlatDivide, "flat_divide", Operand::Tile, byTile<flatDivide>, nullptr, true},
    {Kind::Select, "select", Operand::Tuple, selectBy, nullptr, true},
    {Kind::Group, "group", Operand::Tuple, groupBy, nullptr, true},
    {Kind::Flatten, "flatten", Operand::Nothing, flattenIt, nullptr, true},
    {Kind::Append, "append", Operand::Nothing, appendOne, nullptr, true},
    {Kind::Prepend, "prepend", Operand::Nothing, prependOne, nullptr, true},
    {Kind::LogicalProduct, "logical_product", Operand::Tile, byTile<logicalProduct>, nullptr, false},
    {Kind::ZippedProduct, "zipped_product", Operand::Tile, byTile<zippedProduct>, nullptr, false},
    {Kind::TiledProduct, "tiled_product", Operand::Tile, byTile<tiledProduct>, nullptr, false},
    {Kind::FlatProduct, "flat_product", Operand::Tile, byTile<flatProduct>, nullptr, false},
    {Kind::BlockedProduct, "blocked_product", Operand::Tile, byLayout<blockedProduct>, nullptr, false},
    {Kind::RakedProduct, "raked_product", Operand::Tile, byLayout<rakedProduct>, nullptr, false},
    {Kind::Complement, "complement", Operand::Tuple, complementBelow, nullptr, false},
    {Kind::RightInverse, "right_inverse", Operand::Nothing, nullptr, rightInverseOf, false},
    {Kind::LeftInverse, "left_inverse", Operand::Nothing, nullptr, leftInverseOf, false},
    {Kind::Recast, "recast", Operand::Tuple, nullptr, recastBy, false},
};

const Row &rowOf(Kind kind) { return rows[static_cast<std::size_t>(kind)]; }

} // namespace

bool Rearrangement::isOfDomain() const { return rowOf(kind).keepsFunction; }

Result<Layout> Rearrangement::apply(const Layout &layout, LeafArithmetic &arithmetic) const {
  const Row &row = rowOf(kind);
  if (row.ofDomain)
    return row.ofDomain(layout, *this, arithmetic);
  FLY_TRY(result, row.ofFunction(AnyLayout(layout), *this, arithmetic));
  return std::get<Layout>(result);
}

Result<AnyLayout> Rearrangement::apply(const AnyLayout &layout, LeafArithmetic &arithmetic) const {
  const Row &row = rowOf(kind);
  if (row.ofFunction)
    return row.ofFunction(layout, *this, arithmetic);
  return changeDomain(layout, [&](const Layout &domain) { return row.ofDomain(domain, *this, arithmetic); });
}

std::vector<Leaf> Rearrangement::dynamicLeaves() const {
  std::vector<Leaf> leaves;
  auto visit = [&](const Leaf &leaf) {
    if (leaf.isDynamic())
      leaves.push_back(leaf);
  };
  tile.forEachLeaf(visit);
  tuple.forEachLeaf(visit);
  return leaves;
}

Rearrangement Rearrangement::withHandles(const std::vector<void *> &handles) const {
  std::size_t next = 0;
  auto replace = [&](Leaf leaf) {
    if (leaf.isDynamic())
      leaf.handle = next < handles.size() ? handles[next++] : nullptr;
    return leaf;
  };
  Tile newTile = tile.mapLeaves(replace);
  IntTuple newTuple = tuple.mapLeaves(replace);
  return {kind, std::move(newTile), std::move(newTuple)};
}

std::string Rearrangement::text() const {
  const Row &row = rowOf(kind);
  std::string name = row.name;
  return row.operand == Operand::Nothing ? name
                                         : name + " " + (row.operand == Operand::Tile ? tile.text() : tuple.text());
}

Result<Rearrangement> parseRearrangement(std::string_view text) {
  std::string_view name = text.substr(0, text.find(' ')), rest = text.substr(name.size());
  for (const Row &row : rows) {
    if (name != row.name)
      continue;
    Rearrangement result{row.kind, {}, {}};
    if (row.operand == Operand::Tuple) {
      FLY_TRY(tuple, parseIntTuple(rest));
      result.tuple = std::move(tuple);
    } else if (row.operand == Operand::Tile && rest.find('<') != std::string_view::npos) {
      FLY_TRY(tile, parseTile(rest));
      result.tile = std::move(tile);
    } else if (row.operand == Operand::Tile) {
      FLY_TRY(layout, parseLayout(rest));
      result.tile = Tile::of(std::move(layout));
    } else if (!rest.empty())
      return Error{"`" + std::string(name) + "` takes no operand; found `" + std::string(rest) + "`"};
    return result;
  }
  return Error{"no rearrangement is called `" + std::string(name) + "`"};
}

std::size_t hash_value(const Rearrangement &rearrangement) { return std::hash<std::string>()(rearrangement.text()); }

} // namespace fly::layout
