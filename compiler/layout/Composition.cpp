// composition and complement: the two operations that all divisions and products are made of.
//
// composition(A, s:d) for A coalesced to (s0,...,sk):(d0,...,dk) picks every d-th element of A, s of them:
//
//   (6,2):(8,2) o 4:3   rest = 4:3
//     mode 6:8   3 fits into 6 twice: 2 elements, stride 3*8 = 24; the rest is 2:1
//     mode 2:2   the last mode takes what is left: 2:2
//   = (2,2):(24,2)
//
// Step by step, with the rest r:e, for each mode but the last: n = ceil(si / e) elements of this mode are hit; if n is 1
// the whole mode is stepped over and e becomes ceil(e / si); else min(n, r) elements are taken with stride e*di, r is
// divided by that number and e becomes ceil(e / si). The last mode takes the rest. Where neither number divides the
// other the result is no layout, which is an error here (CuTe asserts it for static layouts and is silent for others).
// A mode of A with a dynamic extent must be the last one that the rest reaches: nothing else can be decided.
#include "compiler/layout/Algebra.h"

#include <algorithm>

namespace fly::layout {

namespace {

Error indivisible(const Leaf &left, const Leaf &right, const Layout &outer, const Layout &inner) {
  return {"composition of `" + outer.text() + "` with `" + inner.text() + "`: " + leafText(left) + " and " +
          leafText(right) + " do not divide each other"};
}

/// composition(outer, extent:stride) for a coalesced outer.
Result<Layout> composeLeaf(const Layout &outer, const Leaf &extent, const Leaf &stride, LeafArithmetic &arithmetic) {
  if (stride.isStatic(0))
    return Layout(extent, stride);
  Layout inner(extent, stride);
  std::vector<IntTuple> shape, strides;
  Leaf restExtent = extent, restStride = stride;
  for (std::size_t i = 0; i + 1 < outer.rank(); ++i) {
    const Leaf &modeExtent = outer.shape().mode(i).leaf(), &modeStride = outer.stride().mode(i).leaf();
    if (restExtent.isStatic(1))
      break;
    if (!modeExtent.isStatic() || !restStride.isStatic() || !restExtent.isStatic()) {
      // What is taken stays inside this mode if its extent is a known multiple of what is taken.
      FLY_TRY(reach, arithmetic.multiply(restExtent, restStride));
      if (reach.isStatic() && reach.value > 0 && modeExtent.divisor() % reach.value == 0) {
        FLY_TRY(product, arithmetic.multiply(restStride, modeStride));
        shape.push_back(restExtent);
        strides.push_back(product);
        restExtent = Leaf::known(1);
        break;
      }
      return Error{"composition of `" + outer.text() + "` with `" + inner.text() +
                   "` depends on a value that is known only at run time; flatten the mode or give its extent"};
    }
    std::int64_t size = modeExtent.value, step = restStride.value;
    if (size == 0 || step < 0)
      return indivisible(modeExtent, restStride, outer, inner);
    if (size % step != 0 && step % size != 0)
      return indivisible(modeExtent, restStride, outer, inner);
    std::int64_t hit = (size + step - 1) / step;
    Leaf nextStride = Leaf::known((step + size - 1) / size);
    if (hit > 1) {
      std::int64_t taken = std::min(hit, restExtent.value);
      if (restExtent.value % taken != 0)
        return indivisible(restExtent, Leaf::known(hit), outer, inner);
      FLY_TRY(product, arithmetic.multiply(restStride, modeStride));
      shape.push_back(Leaf::known(taken));
      strides.push_back(product);
      restExtent = Leaf::known(restExtent.value / taken);
    }
    restStride = nextStride;
  }
  if (shape.empty() || !restExtent.isStatic(1)) {
    FLY_TRY(product, arithmetic.multiply(restStride, outer.stride().mode(outer.rank() - 1).leaf()));
    shape.push_back(restExtent);
    strides.push_back(product);
  }
  if (shape.size() == 1)
    return Layout(shape.front(), strides.front());
  return Layout(IntTuple(std::move(shape)), IntTuple(std::move(strides)));
}

Result<Layout> composeCoalesced(const Layout &outer, const Layout &inner, LeafArithmetic &arithmetic) {
  if (inner.shape().isLeaf())
    return composeLeaf(outer, inner.shape().leaf(), inner.stride().leaf(), arithmetic);
  std::vector<IntTuple> shape, stride;
  for (std::size_t i = 0; i < inner.rank(); ++i) {
    FLY_TRY(mode, composeCoalesced(outer, inner.mode(i), arithmetic));
    shape.push_back(mode.shape());
    stride.push_back(mode.stride());
  }
  return Layout(IntTuple(std::move(shape)), IntTuple(std::move(stride)));
}

} // namespace

Result<Layout> composition(const Layout &outer, const Layout &inner, LeafArithmetic &arithmetic) {
  FLY_TRY(coalesced, coalesce(outer, arithmetic));
  return composeCoalesced(coalesced, inner, arithmetic);
}

// complement(4:2, 24): the gaps. Modes sorted by stride; before each one stride/reached elements are missing at the
// stride reached so far, and after the last ceil(cotarget / reached) repetitions: (2,3):(1,8).
Result<Layout> complement(const Layout &layout, const Leaf &cotarget, LeafArithmetic &arithmetic) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::vector<std::pair<std::int64_t, std::int64_t>> modes; // stride, extent
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].isStatic(1) || stride[i].isStatic(0))
      continue;
    if (!shape[i].isStatic() || !stride[i].isStatic())
      return Error{"the complement of `" + layout.text() + "` depends on a value that is known only at run time"};
    if (shape[i].value == 0 || stride[i].value < 0)
      return Error{"the complement of `" + layout.text() + "` needs positive extents and strides"};
    modes.push_back({stride[i].value, shape[i].value});
  }
  std::sort(modes.begin(), modes.end());

  std::vector<IntTuple> gapShape, gapStride;
  Leaf reached = Leaf::known(1);
  for (auto [step, extent] : modes) {
    if (step % reached.value != 0 || step < reached.value)
      return Error{"`" + layout.text() + "` has no complement: its modes overlap"};
    gapShape.push_back(step / reached.value);
    gapStride.push_back(reached);
    FLY_TRY(next, arithmetic.multiply(Leaf::known(step), Leaf::known(extent)));
    reached = next;
  }
  FLY_TRY(repetitions, arithmetic.ceilDivide(cotarget, reached));
  gapShape.push_back(repetitions);
  gapStride.push_back(reached);
  return coalesce(Layout(IntTuple(std::move(gapShape)), IntTuple(std::move(gapStride))), arithmetic);
}

} // namespace fly::layout
