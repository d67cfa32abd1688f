// crd2idx and idx2crd: from coordinates to indices and back.
//
// crd2idx, by recursion over coordinate, shape and stride:
//
//   c  in s:d                 c*d
//   (c0,c1) in (s0,s1):(d0,d1)  the sum over the modes
//   c  in (s0,s1,s2):...      c is taken apart: c % s0, (c / s0) % s1, c / s0 / s1, the last without a remainder,
//                             so that a coordinate past the end continues in the last mode, as in CuTe
//
// The sum is one of numbers, or of coordinates where strides are steps along modes: 3*(1@0) + 5*(1@1) = (3,5).
//
// idx2crd by strides takes (i / d) % s in every mode, as FlyDSL does. That is the inverse of crd2idx only where the
// strides divide each other, as those of compact layouts do; a padded (4,8):(1,5) is decomposed from the largest stride
// downwards instead, and one with interleaved strides, (4,3):(3,2), by trying its coordinates. A number that is not an
// index of the layout is refused.
#include "compiler/layout/Algebra.h"

#include <algorithm>

namespace fly::layout {

namespace {

Result<bool> addOffsets(const IntTuple &coordinate, const IntTuple &shape, const IntTuple &stride, IntTuple &total,
                        LeafArithmetic &arithmetic) {
  if (coordinate.isLeaf() && shape.isLeaf()) {
    FLY_TRY(term, arithmetic.multiply(coordinate.leaf(), stride.leaf()));
    FLY_TRY(sum, addCoordinates(total, term, arithmetic));
    total = std::move(sum);
    return true;
  }
  if (coordinate.isTuple() && (shape.isLeaf() || shape.rank() != coordinate.rank()))
    return Error{"coordinate `" + coordinate.text() + "` does not fit shape `" + shape.text() + "`"};

  Leaf rest = coordinate.isLeaf() ? coordinate.leaf() : Leaf::known(0);
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    IntTuple part = coordinate.isTuple() ? coordinate.mode(i) : IntTuple(rest);
    if (coordinate.isLeaf() && i + 1 < shape.rank()) {
      FLY_TRY(extent, size(shape.mode(i), arithmetic));
      FLY_TRY(inside, arithmetic.remainder(rest, extent));
      FLY_TRY(outside, arithmetic.floorDivide(rest, extent));
      part = std::move(inside);
      rest = std::move(outside);
    }
    FLY_CHECK(addOffsets(part, shape.mode(i), stride.mode(i), total, arithmetic));
  }
  return true;
}

} // namespace

Result<IntTuple> evaluate(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic) {
  if (coordinate.hasKeep())
    return Error{"coordinate `" + coordinate.text() + "` leaves modes open; an offset needs all of them"};
  IntTuple total = 0;
  for (Leaf step : layout.stride().leaves()) // results have all modes, also where the coordinate is 0
    if (step.isBasis()) {
      step.kind = Leaf::Kind::Static;
      step.value = 0;
      FLY_TRY(shaped, addCoordinates(total, coordinateOf(step), arithmetic));
      total = std::move(shaped);
    }
  FLY_CHECK(addOffsets(coordinate, layout.shape(), layout.stride(), total, arithmetic));
  return total;
}

Result<Leaf> crd2idx(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic) {
  FLY_TRY(index, evaluate(coordinate, layout, arithmetic));
  if (index.isTuple())
    return Error{"the layout `" + layout.text() + "` gives coordinates, not offsets"};
  return index.leaf();
}

Result<IntTuple> idx2crd(const Leaf &index, const IntTuple &shape, LeafArithmetic &arithmetic) {
  if (shape.isLeaf())
    return IntTuple(index);
  Leaf rest = index;
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : shape.modes()) {
    FLY_TRY(extent, size(mode, arithmetic));
    FLY_TRY(inside, arithmetic.remainder(rest, extent));
    FLY_TRY(outside, arithmetic.floorDivide(rest, extent));
    FLY_TRY(part, idx2crd(inside, mode, arithmetic));
    modes.push_back(std::move(part));
    rest = std::move(outside);
  }
  return IntTuple(std::move(modes));
}

namespace {

Result<IntTuple> byStrides(const Leaf &index, const IntTuple &shape, const IntTuple &stride,
                           LeafArithmetic &arithmetic) {
  if (shape.isLeaf()) {
    if (shape.leaf().isStatic(1) || stride.leaf().isStatic(0))
      return IntTuple(0);
    FLY_TRY(steps, arithmetic.floorDivide(index, stride.leaf()));
    FLY_TRY(part, arithmetic.remainder(steps, shape.leaf()));
    return IntTuple(std::move(part));
  }
  std::vector<IntTuple> modes;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    FLY_TRY(part, byStrides(index, shape.mode(i), stride.mode(i), arithmetic));
    modes.push_back(std::move(part));
  }
  return IntTuple(std::move(modes));
}

constexpr std::int64_t maximumTried = 1 << 16; ///< coordinates

/// For a static layout: as many of the largest stride as fit, then of the next. `all` tells whether nothing is left.
IntTuple fromLargest(std::int64_t index, const Layout &layout, bool &all) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::vector<std::size_t> order(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return stride[a].value != stride[b].value ? stride[a].value > stride[b].value : a < b;
  });
  std::vector<Leaf> taken(shape.size(), Leaf::known(0));
  for (std::size_t i : order)
    if (stride[i].value > 0) {
      taken[i].value = std::max<std::int64_t>(0, std::min(index / stride[i].value, shape[i].value - 1));
      index -= taken[i].value * stride[i].value;
    }
  all = index == 0;
  std::size_t next = 0;
  return layout.shape().mapLeaves([&](const Leaf &) { return taken[next++]; });
}

} // namespace

Result<IntTuple> idx2crd(const Leaf &index, const Layout &layout, LeafArithmetic &arithmetic) {
  if (layout.stride().hasBasis())
    return Error{"the layout `" + layout.text() + "` gives coordinates; no single index leads back"};
  FLY_TRY(coordinate, byStrides(index, layout.shape(), layout.stride(), arithmetic));
  if (!layout.isStatic() || !index.isStatic())
    return coordinate;
  FLY_TRY(reached, crd2idx(coordinate, layout, arithmetic));
  if (reached == index)
    return coordinate;
  bool all = false;
  IntTuple taken = fromLargest(index.value, layout, all);
  if (all)
    return taken;
  FLY_TRY(count, size(layout, arithmetic));
  if (count.value > maximumTried)
    return Error{"no coordinate of `" + layout.text() + "` was found for `" + leafText(index) + "`; at most " +
                 std::to_string(maximumTried) + " coordinates are tried"};
  for (std::int64_t i = 0; i < count.value; ++i) {
    FLY_TRY(offset, crd2idx(i, layout, arithmetic));
    if (offset == index)
      return idx2crd(Leaf::known(i), layout.shape(), arithmetic);
  }
  return Error{"`" + leafText(index) + "` is not an index of the layout `" + layout.text() + "`"};
}

} // namespace fly::layout
