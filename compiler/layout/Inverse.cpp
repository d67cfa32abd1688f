// Inverses, and what two layouts have in common.
//
//   right_inverse   A(R(i)) == i for every i below R's size: R is as long as A's offsets are without a gap
//                   (4,8):(8,1)  ->  (8,4):(4,1)
//   left_inverse    L(A(c)) == c for every coordinate c of an injective A; offsets that A does not reach are skipped
//                   (2,4):(4,16) ->  (4,4,4):(0,1,2)
//
// Both sort A's modes by stride. The coordinate of a mode is the product of the extents before it in A, so a mode s:d
// with prefix p becomes s:p. The right inverse takes modes while the next stride continues what is reached; the left
// inverse fills the gaps below a stride with modes of stride 0.
#include "compiler/layout/Algebra.h"

#include <algorithm>

namespace fly::layout {

namespace {

struct StridedMode {
  std::int64_t step; // the stride
  Leaf extent, prefix;
  std::size_t place;
};

/// The modes of the coalesced layout that have a known positive stride, by stride. `hidden`: some have an unknown one.
Result<std::vector<StridedMode>> modesByStride(const Layout &layout, bool &hidden, LeafArithmetic &arithmetic) {
  if (layout.stride().hasBasis())
    return Error{"`" + layout.text() + "` gives coordinates; an inverse needs offsets"};
  FLY_TRY(simple, coalesce(layout, arithmetic));
  std::vector<StridedMode> modes;
  Leaf prefix = Leaf::known(1);
  hidden = false;
  for (std::size_t i = 0; i < simple.rank(); ++i) {
    const Leaf &extent = simple.shape().mode(i).leaf(), &step = simple.stride().mode(i).leaf();
    if (step.isStatic() && step.value < 0)
      return Error{"the inverse of `" + layout.text() + "` needs non-negative strides; found `" + leafText(step) + "`"};
    hidden |= step.isDynamic();
    if (step.isStatic() && step.value > 0)
      modes.push_back({step.value, extent, prefix, i});
    FLY_TRY(next, arithmetic.multiply(prefix, extent));
    prefix = std::move(next);
  }
  std::sort(modes.begin(), modes.end(), [](const StridedMode &a, const StridedMode &b) {
    return a.step != b.step ? a.step < b.step : a.place < b.place;
  });
  return modes;
}

Result<Layout> simplified(std::vector<IntTuple> shape, std::vector<IntTuple> stride, LeafArithmetic &arithmetic) {
  return coalesce(Layout(IntTuple(std::move(shape)), IntTuple(std::move(stride))), arithmetic);
}

} // namespace

Result<Layout> rightInverse(const Layout &layout, LeafArithmetic &arithmetic) {
  bool hidden;
  FLY_TRY(modes, modesByStride(layout, hidden, arithmetic));
  std::vector<IntTuple> shape, stride;
  Leaf reached = Leaf::known(1);
  for (const StridedMode &mode : modes) {
    if (!reached.isStatic(mode.step))
      break;
    shape.push_back(mode.extent);
    stride.push_back(mode.prefix);
    FLY_TRY(next, arithmetic.multiply(reached, mode.extent));
    reached = std::move(next);
  }
  return simplified(std::move(shape), std::move(stride), arithmetic);
}

Result<Layout> leftInverse(const Layout &layout, LeafArithmetic &arithmetic) {
  bool hidden;
  FLY_TRY(modes, modesByStride(layout, hidden, arithmetic));
  if (hidden)
    return Error{"the left inverse of `" + layout.text() + "` depends on a stride that is known only at run time"};
  std::vector<IntTuple> shape, stride = {IntTuple(0)};
  Leaf reached = Leaf::known(1); // the product of the extents of the result so far
  Leaf span = Leaf::known(1);    // one past the largest offset of the modes so far
  for (const StridedMode &mode : modes) {
    if (!reached.isStatic() || !span.isStatic())
      return Error{"the left inverse of `" + layout.text() + "` depends on an extent that is known only at run time"};
    if (mode.step % reached.value != 0 || mode.step < span.value)
      return Error{"`" + layout.text() + "` has no left inverse: its modes overlap at the stride " +
                   std::to_string(mode.step)};
    shape.push_back(mode.step / reached.value);
    stride.push_back(mode.prefix);
    reached = Leaf::known(mode.step);
    FLY_TRY(room, arithmetic.multiply(Leaf::known(mode.step), mode.extent));
    span = std::move(room);
  }
  shape.push_back(modes.empty() ? Leaf::known(1) : modes.back().extent);
  return simplified(std::move(shape), std::move(stride), arithmetic);
}

// a after the right inverse of b is the identity on the offsets that mean the same coordinate in both. Where the two
// have modes that do not compose, the part of the inverse before them is used.
Result<Layout> maxCommonLayout(const Layout &a, const Layout &b, LeafArithmetic &arithmetic) {
  FLY_TRY(inverse, rightInverse(b, arithmetic));
  for (std::size_t modes = inverse.rank(); modes > 0; --modes) {
    std::vector<Layout> first = inverse.modes();
    first.resize(modes);
    Layout part = modes == 1 ? first.front() : layoutOfModes(first);
    Result<Layout> composed = composition(a, part, arithmetic);
    if (!composed)
      continue;
    FLY_TRY(common, coalesce(*composed, arithmetic));
    Layout head = common.mode(0);
    if (!head.shape().isStatic() || !head.stride().leaf().isStatic(1))
      return Layout(1, 0);
    return composition(part, head, arithmetic);
  }
  return Layout(1, 0);
}

Result<Leaf> maxCommonVector(const Layout &a, const Layout &b, LeafArithmetic &arithmetic) {
  FLY_TRY(common, maxCommonLayout(a, b, arithmetic));
  return size(common, arithmetic);
}

} // namespace fly::layout
