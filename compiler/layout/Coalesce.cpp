// coalesce, filter and nullspace: layouts without redundant modes.
//
//   coalesce   (2,(1,6)):(1,(6,2))  ->  12:1      1 is dropped, and 6:2 continues 2:1
//   filter     (4,8):(0,1)          ->  8:1       repetitions at one place (stride 0) are dropped, too
//   nullspace  (4,8):(0,1)          ->  4:1       the coordinates of those repetitions
//
// coalesce goes over the leaves from left to right; s0:d0 is the last mode kept so far:
//   1. an extent of 1 is dropped;
//   2. s1:d1 with d1 = s0*d0 is merged into s0*s1:d0;
//   3. otherwise it is kept.
// A dynamic leaf is never known to be 1, and a merge must not depend on its value: only `s0` static decides step 2,
// with a static d0 and d1 (a dynamic last extent may still be merged: (4,?):(1,4) is ?{div=4}:1). Steps along modes
// merge like numbers: (4,2):(1@0,4@0) is 8:1@0.
#include "compiler/layout/Algebra.h"

namespace fly::layout {

namespace {

struct Coalesced {
  std::vector<IntTuple> shape, stride;

  Result<bool> add(const Leaf &extent, const Leaf &step, LeafArithmetic &arithmetic) {
    if (!shape.empty()) {
      const Leaf lastShape = shape.back().leaf(), lastStride = stride.back().leaf();
      if (lastShape.isStatic() && lastStride.isStatic() && step.isStatic()) {
        FLY_TRY(continued, arithmetic.multiply(lastShape, lastStride));
        if (continued == step) {
          FLY_TRY(merged, arithmetic.multiply(lastShape, extent));
          shape.back() = std::move(merged);
          return true;
        }
      }
    }
    shape.push_back(extent);
    stride.push_back(step);
    return true;
  }

  Layout layout() && {
    if (shape.empty())
      return Layout(1, 0);
    if (shape.size() == 1)
      return Layout(shape.front(), stride.front());
    return Layout(IntTuple(std::move(shape)), IntTuple(std::move(stride)));
  }
};

} // namespace

Result<Layout> coalesce(const Layout &layout, LeafArithmetic &arithmetic) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  Coalesced result;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].isStatic(1))
      FLY_CHECK(result.add(shape[i], stride[i], arithmetic));
  return std::move(result).layout();
}

Result<Layout> coalesceBeyond(const Layout &layout, LeafArithmetic &arithmetic) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  Coalesced result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].isStatic(1) && i + 1 < shape.size())
      continue;
    // A last mode of extent 1 determines where coordinates past the end map to; any other extent there keeps it.
    FLY_CHECK(result.add(shape[i].isStatic(1) ? Leaf::known(2) : shape[i], stride[i], arithmetic));
  }
  return std::move(result).layout();
}

Result<Layout> coalesce(const Layout &layout, const IntTuple &profile, LeafArithmetic &arithmetic) {
  if (profile.isLeaf())
    return coalesce(layout, arithmetic);
  if (layout.shape().isLeaf() || profile.rank() > layout.rank())
    return Error{"the profile `" + profile.text() + "` has " + std::to_string(profile.rank()) + " modes, the layout `" +
                 layout.text() + "` only " + std::to_string(layout.rank())};
  std::vector<Layout> modes = layout.modes();
  for (std::size_t i = 0; i < profile.rank(); ++i) {
    FLY_TRY(mode, coalesce(modes[i], profile.mode(i), arithmetic));
    modes[i] = std::move(mode);
  }
  return layoutOfModes(modes);
}

Layout filterZeros(const Layout &layout) {
  std::vector<Leaf> stride = layout.stride().leaves();
  std::size_t next = 0;
  IntTuple shape =
      layout.shape().mapLeaves([&](const Leaf &leaf) { return stride[next++].isStatic(0) ? Leaf::known(1) : leaf; });
  return {std::move(shape), layout.stride()};
}

Result<Layout> filter(const Layout &layout, LeafArithmetic &arithmetic) {
  return coalesce(filterZeros(layout), arithmetic);
}

Result<Layout> nullspace(const Layout &layout, LeafArithmetic &arithmetic) {
  FLY_TRY(compact, columnMajor(flatten(layout.shape()), arithmetic));
  std::vector<Leaf> stride = layout.stride().leaves();
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < stride.size(); ++i)
    if (stride[i].isStatic(0))
      modes.push_back(compact.mode(i));
  if (modes.empty())
    return Layout(1, 0);
  return modes.size() == 1 ? modes.front() : layoutOfModes(modes);
}

} // namespace fly::layout
