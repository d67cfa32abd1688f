// slice: keeps the modes marked `_` and turns the others into an offset.
//
//   (_,(3,_)) of (4,(5,6)):(1,(4,20))  ->  (4,6):(1,20) at offset 12
//
// The kept modes of a nested coordinate join those of the level above (CuTe's filter_tuple); a bare `_` keeps the
// layout as it is; a mode without any `_` contributes its part of the offset.
#include "compiler/layout/Algebra.h"

namespace fly::layout {

namespace {

struct Kept {
  std::vector<Layout> modes;
  IntTuple offset = 0;
};

Result<bool> collect(const IntTuple &coordinate, const Layout &layout, Kept &kept, LeafArithmetic &arithmetic) {
  if (!coordinate.hasKeep()) {
    FLY_TRY(offset, evaluate(coordinate, layout, arithmetic));
    FLY_TRY(sum, addCoordinates(kept.offset, offset, arithmetic));
    kept.offset = std::move(sum);
    return true;
  }
  if (coordinate.isLeaf()) {
    kept.modes.push_back(layout);
    return true;
  }
  if (layout.shape().isLeaf() || layout.rank() != coordinate.rank())
    return Error{"coordinate `" + coordinate.text() + "` does not fit shape `" + layout.shape().text() + "`"};
  for (std::size_t i = 0; i < coordinate.rank(); ++i)
    FLY_CHECK(collect(coordinate.mode(i), layout.mode(i), kept, arithmetic));
  return true;
}

} // namespace

Result<SliceAt> sliceAndOffset(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic) {
  if (coordinate.isLeaf() && coordinate.leaf().isKeep())
    return SliceAt{layout, 0};
  Kept kept;
  FLY_CHECK(collect(coordinate, layout, kept, arithmetic));
  return SliceAt{layoutOfModes(kept.modes), std::move(kept.offset)};
}

Result<Slice> slice(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic) {
  FLY_TRY(result, sliceAndOffset(coordinate, layout, arithmetic));
  if (result.offset.isTuple())
    return Error{"the layout `" + layout.text() + "` gives coordinates, not offsets"};
  return Slice{std::move(result.layout), result.offset.leaf()};
}

} // namespace fly::layout
