// staysInside: whether a step of the algebra makes coordinates that lead outside of what it divides. A division that rounds
// up does, and whoever compares offsets with an end has to know.
#include "compiler/layout/Rearrangement.h"

#include "compiler/layout/Algebra.h"

namespace fly::layout {

/// Whether extents of `tile` divide the modes of `shape`.
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
  auto wanted = size(tile.layout(), arithmetic);
  auto whole = size(Layout(shape, shape), arithmetic);
  if (!wanted || !wanted->isStatic() || wanted->value < 1 || !whole)
    return false;
  return whole->divisor() % wanted->value == 0;
}

bool staysInside(const Rearrangement &step, const AnyLayout &before, const AnyLayout &after) {
  using Kind = Rearrangement::Kind;
  switch (step.kind) {
  case Kind::Coalesce: case Kind::Filter: case Kind::Select: case Kind::Group: case Kind::Flatten: case Kind::Append: case Kind::Prepend:
    return true;
  case Kind::LogicalDivide: case Kind::ZippedDivide: case Kind::TiledDivide: case Kind::FlatDivide:
    return divides(step.tile, domainOf(before).shape());
  default: { // composition: of the same size, mode by mode or as a whole
    InferringArithmetic arithmetic;
    const Layout &from = domainOf(before), &to = domainOf(after);
    auto sameSize = [&](const Layout &a, const Layout &b) {
      auto x = size(a, arithmetic), y = size(b, arithmetic);
      return x && y && x->isStatic() && y->isStatic() && y->value <= x->value;
    };
    if (sameSize(from, to))
      return true;
    if (!step.tile.isTuple() || from.rank() != to.rank())
      return false;
    for (size_t i = 0; i < from.rank(); ++i)
      if (i < step.tile.rank() && step.tile.mode(i).kind() != Tile::Kind::Keep && !sameSize(from.mode(i), to.mode(i)))
        return false;
    return true;
  }
  }
}

} // namespace fly::layout
