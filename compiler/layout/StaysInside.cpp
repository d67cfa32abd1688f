// staysInside: whether a step of the algebra makes coordinates that lead outside of what it divides. A division that rounds
// up does, and whoever compares offsets with an end has to know.
#include "compiler/layout/Rearrangement.h"

#include "compiler/layout/Algebra.h"
#include "compiler/layout/Tiling.h"

namespace fly::layout {

/// Whether the tiles of `tile` end where the modes of `shape` do.
static bool divides(const Tile &tile, const IntTuple &shape) {
  if (tile.kind() == Tile::Kind::Keep)
    return true;
  if (tile.isTuple()) {
    if (shape.rank() < tile.rank())
      return false;
    for (size_t i = 0; i < tile.rank(); ++i)
      if (!divides(tile.mode(i), shape.mode(i)))
        return false;
    return true;
  }
  InferringArithmetic arithmetic;
  auto wanted = spanOf(tile.layout(), arithmetic);
  auto whole = size(shape, arithmetic);
  if (!wanted || !wanted->isStatic() || wanted->value < 1 || !whole)
    return false;
  return whole->divisor() % wanted->value == 0;
}

/// Whether what `tile` picks of the modes of `shape` is theirs.
static bool picksInside(const Tile &tile, const IntTuple &shape) {
  if (tile.kind() == Tile::Kind::Keep)
    return true;
  if (tile.isTuple()) {
    if (shape.rank() < tile.rank())
      return false;
    for (size_t i = 0; i < tile.rank(); ++i)
      if (!picksInside(tile.mode(i), shape.mode(i)))
        return false;
    return true;
  }
  InferringArithmetic arithmetic;
  auto last = cosize(tile.layout(), arithmetic);
  auto whole = size(shape, arithmetic);
  return last && last->isStatic() && whole && whole->isStatic() && last->value <= whole->value;
}

bool staysInside(const Rearrangement &step, const AnyLayout &before, const AnyLayout &after) {
  using Kind = Rearrangement::Kind;
  switch (step.kind) {
  case Kind::Coalesce: case Kind::Filter: case Kind::Select: case Kind::Group: case Kind::Flatten: case Kind::Append: case Kind::Prepend:
    return true;
  case Kind::LogicalDivide: case Kind::ZippedDivide: case Kind::TiledDivide: case Kind::FlatDivide:
    return divides(step.tile, domainOf(before).shape());
  case Kind::Composition:
    return picksInside(step.tile, domainOf(before).shape());
  default: { // another function: as many coordinates, or fewer
    InferringArithmetic arithmetic;
    auto from = size(domainOf(before), arithmetic), to = size(domainOf(after), arithmetic);
    return from && to && from->isStatic() && to->isStatic() && to->value <= from->value;
  }
  }
}

} // namespace fly::layout
