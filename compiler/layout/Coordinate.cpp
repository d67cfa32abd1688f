// crd2idx: the offset of a coordinate, by recursion over coordinate, shape and stride.
//
//   c  in s:d                 c*d
//   (c0,c1) in (s0,s1):(d0,d1)  the sum over the modes
//   c  in (s0,s1,s2):...      c is taken apart: c % s0, (c / s0) % s1, c / s0 / s1, the last without a remainder,
//                             so that a coordinate past the end continues in the last mode, as in CuTe
#include "compiler/layout/Algebra.h"

namespace fly::layout {

namespace {

Result<Leaf> offsetOf(const IntTuple &coordinate, const IntTuple &shape, const IntTuple &stride,
                      LeafArithmetic &arithmetic) {
  if (coordinate.isLeaf() && shape.isLeaf())
    return arithmetic.multiply(coordinate.leaf(), stride.leaf());
  if (coordinate.isTuple() && (shape.isLeaf() || shape.rank() != coordinate.rank()))
    return Error{"coordinate `" + coordinate.text() + "` does not fit shape `" + shape.text() + "`"};

  Leaf offset = Leaf::known(0);
  Leaf rest = coordinate.isLeaf() ? coordinate.leaf() : Leaf::known(0);
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    IntTuple part = coordinate.isTuple() ? coordinate.mode(i) : IntTuple(rest);
    if (coordinate.isLeaf() && i + 1 < shape.rank()) {
      FLY_TRY(extent, size(shape.mode(i), arithmetic));
      FLY_TRY(inside, arithmetic.remainder(rest, extent));
      FLY_TRY(outside, arithmetic.floorDivide(rest, extent));
      part = inside;
      rest = outside;
    }
    FLY_TRY(term, offsetOf(part, shape.mode(i), stride.mode(i), arithmetic));
    FLY_TRY(sum, arithmetic.add(offset, term));
    offset = sum;
  }
  return offset;
}

} // namespace

Result<Leaf> crd2idx(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic) {
  bool kept = false;
  coordinate.forEachLeaf([&](const Leaf &leaf) { kept |= leaf.isKeep(); });
  if (kept)
    return Error{"coordinate `" + coordinate.text() + "` leaves modes open; an offset needs all of them"};
  return offsetOf(coordinate, layout.shape(), layout.stride(), arithmetic);
}

} // namespace fly::layout
