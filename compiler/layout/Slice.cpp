// slice: keeps the modes marked `_` and turns the others into an offset.
//
//   (_,(3,_)) of (4,(5,6)):(1,(4,20))  ->  (4,6):(1,20) at offset 12
//
// The kept modes of a nested coordinate join those of the level above (CuTe's filter_tuple); a bare `_` keeps the layout
// as it is; a mode without any `_` contributes crd2idx of its part.
#include "compiler/layout/Algebra.h"

namespace fly::layout {

namespace {

bool leavesOpen(const IntTuple &coordinate) {
  bool open = false;
  coordinate.forEachLeaf([&](const Leaf &leaf) { open |= leaf.isKeep(); });
  return open;
}

struct Kept {
  std::vector<IntTuple> shape, stride;
  Leaf offset = Leaf::known(0);
};

Result<bool> collect(const IntTuple &coordinate, const Layout &layout, Kept &kept, LeafArithmetic &arithmetic) {
  if (!leavesOpen(coordinate)) {
    FLY_TRY(offset, crd2idx(coordinate, layout, arithmetic));
    FLY_TRY(sum, arithmetic.add(kept.offset, offset));
    kept.offset = sum;
    return true;
  }
  if (coordinate.isLeaf()) {
    kept.shape.push_back(layout.shape());
    kept.stride.push_back(layout.stride());
    return true;
  }
  if (layout.shape().isLeaf() || layout.rank() != coordinate.rank())
    return Error{"coordinate `" + coordinate.text() + "` does not fit shape `" + layout.shape().text() + "`"};
  for (std::size_t i = 0; i < coordinate.rank(); ++i)
    FLY_CHECK(collect(coordinate.mode(i), layout.mode(i), kept, arithmetic));
  return true;
}

} // namespace

Result<Slice> slice(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic) {
  if (coordinate.isLeaf() && coordinate.leaf().isKeep())
    return Slice{layout, Leaf::known(0)};
  Kept kept;
  FLY_CHECK(collect(coordinate, layout, kept, arithmetic));
  return Slice{Layout(IntTuple(std::move(kept.shape)), IntTuple(std::move(kept.stride))), kept.offset};
}

} // namespace fly::layout
