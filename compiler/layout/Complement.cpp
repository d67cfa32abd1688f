// complement: where a layout could be placed again without meeting itself.
//
//   complement(4:2, 24) = (2,3):(1,8)      4:2 reaches 0 2 4 6; shifted by 1, 8, 9, 16, 17 it fills 24
//
// With the modes sorted by stride: before each mode, stride/reached copies are missing at the stride reached so far;
// after the last, ceil(cotarget / reached). The result is ordered (its strides rise) and together with the layout it is
// injective. If the reach so far does not divide the next stride, as in (6,2):(1,7), the elements in between are left
// out, as in CuTe. Layouts with modes that overlap, or with one mode between the copies of another, have no complement.
// CuTe refuses some of them and returns a layout of size 0 for others; here all are refused.
//
// Strides must be known, so that they can be sorted, except the only one; the extent of the mode with the largest
// stride may be dynamic.
#include "compiler/layout/Algebra.h"

#include <algorithm>

namespace fly::layout {

namespace {

struct Mode {
  std::size_t place;
  Leaf extent, step;
};

} // namespace

Result<Layout> complement(const Layout &layout, const Leaf &cotarget, LeafArithmetic &arithmetic) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  auto named = [&](std::size_t leaf) {
    return "`" + leafText(shape[leaf]) + ":" + leafText(stride[leaf]) + "`, leaf " + std::to_string(leaf);
  };
  auto unknown = [&] {
    return Error{"the complement of `" + layout.text() + "` depends on a value that is known only at run time"};
  };
  if (layout.stride().hasBasis())
    return Error{"`" + layout.text() + "` gives coordinates; a complement needs offsets"};
  std::vector<Mode> modes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].isStatic(1) || stride[i].isStatic(0))
      continue;
    if ((shape[i].isStatic() && shape[i].value == 0) || (stride[i].isStatic() && stride[i].value < 0))
      return Error{"the complement of `" + layout.text() + "` needs positive extents and strides; found " + named(i)};
    modes.push_back({i, shape[i], stride[i]});
  }
  for (const Mode &mode : modes)
    if (!mode.step.isStatic() && modes.size() > 1)
      return unknown();
  std::sort(modes.begin(), modes.end(), [](const Mode &a, const Mode &b) {
    return a.step.value != b.step.value ? a.step.value < b.step.value : a.place < b.place;
  });

  std::vector<IntTuple> gapShape, gapStride;
  Leaf reached = Leaf::known(1);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Mode &mode = modes[i];
    if (!reached.isStatic())
      return unknown();
    if (mode.step.isStatic() && mode.step.value < reached.value)
      return Error{"`" + layout.text() + "` has no complement: " + named(mode.place) + ", overlaps the " +
                   std::to_string(reached.value) + " elements that the smaller strides reach"};
    FLY_TRY(copies, arithmetic.floorDivide(mode.step, reached));
    gapShape.push_back(std::move(copies));
    gapStride.push_back(reached);
    FLY_TRY(next, arithmetic.multiply(mode.step, mode.extent));
    reached = std::move(next);
  }
  FLY_TRY(repetitions, arithmetic.ceilDivide(cotarget, reached));
  gapShape.push_back(std::move(repetitions));
  gapStride.push_back(reached);
  return coalesce(Layout(IntTuple(std::move(gapShape)), IntTuple(std::move(gapStride))), arithmetic);
}

} // namespace fly::layout
