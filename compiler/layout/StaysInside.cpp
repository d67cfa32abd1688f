// staysInside: whether a step of the algebra makes coordinates that map outside of what it divides. A division that
// rounds up does, and code that compares offsets with an end must know.
#include "compiler/layout/Rearrangement.h"

#include "compiler/layout/Algebra.h"
#include "compiler/layout/Tiling.h"

namespace fly::layout {

/// Whether `holds` is true for every layout of the tile with the mode of `shape` that it takes from.
template <typename Holds>
static bool inEveryMode(const Tile &tile, const IntTuple &shape, Holds holds) {
  if (tile.kind() == Tile::Kind::Keep)
    return true;
  if (!tile.isTuple())
    return holds(tile.layout(), shape);
  if (shape.rank() < tile.rank())
    return false;
  for (size_t i = 0; i < tile.rank(); ++i)
    if (!inEveryMode(tile.mode(i), shape.mode(i), holds))
      return false;
  return true;
}

/// Whether the tiles of `layout` end where the mode does.
static bool divides(const Layout &layout, const IntTuple &mode) {
  InferringArithmetic arithmetic;
  auto wanted = spanOf(layout, arithmetic);
  auto whole = size(mode, arithmetic);
  return wanted && wanted->isStatic() && wanted->value >= 1 && whole && whole->divisor() % wanted->value == 0;
}

/// Whether what `layout` picks of the mode is its own.
static bool picksInside(const Layout &layout, const IntTuple &mode) {
  InferringArithmetic arithmetic;
  auto last = cosize(layout, arithmetic);
  auto whole = size(mode, arithmetic);
  return last && last->isStatic() && whole && whole->isStatic() && last->value <= whole->value;
}

bool staysInside(const Rearrangement &step, const AnyLayout &before, const AnyLayout &after) {
  using Kind = Rearrangement::Kind;
  switch (step.kind) {
  case Kind::Coalesce:
  case Kind::Filter:
  case Kind::Select:
  case Kind::Group:
  case Kind::Flatten:
  case Kind::Append:
  case Kind::Prepend: return true;
  case Kind::LogicalDivide:
  case Kind::ZippedDivide:
  case Kind::TiledDivide:
  case Kind::FlatDivide: return inEveryMode(step.tile, domainOf(before).shape(), divides);
  case Kind::Composition: return inEveryMode(step.tile, domainOf(before).shape(), picksInside);
  default: { // another function: as many coordinates, or fewer
    InferringArithmetic arithmetic;
    auto from = size(domainOf(before), arithmetic), to = size(domainOf(after), arithmetic);
    return from && to && from->isStatic() && to->isStatic() && to->value <= from->value;
  }
  }
}

} // namespace fly::layout
