// coalesce: the simplest layout with the same offsets.
//
//   (2,(1,6)):(1,(6,2))  ->  12:1        1 is dropped, and 6:2 continues 2:1
//
// From left to right over the leaves, with the last kept mode s0:d0 at hand:
//   1. an extent of 1 is dropped;
//   2. s1:d1 with d1 = s0*d0 is merged into s0*s1:d0;
//   3. otherwise it is kept.
// A dynamic leaf is never known to be 1, and a merge must not depend on its value: only `s0` static decides step 2, with
// a static d0 and d1 (a dynamic last extent may still be merged: (4,?):(1,4) is ?{div=4}:1).
#include "compiler/layout/Algebra.h"

namespace fly::layout {

Result<Layout> coalesce(const Layout &layout, LeafArithmetic &arithmetic) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::vector<IntTuple> keptShape, keptStride;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].isStatic(1))
      continue;
    if (!keptShape.empty()) {
      const Leaf &lastShape = keptShape.back().leaf(), &lastStride = keptStride.back().leaf();
      if (lastShape.isStatic() && lastStride.isStatic() && stride[i].isStatic()) {
        FLY_TRY(continued, arithmetic.multiply(lastShape, lastStride));
        if (continued == stride[i]) {
          FLY_TRY(merged, arithmetic.multiply(lastShape, shape[i]));
          keptShape.back() = merged;
          continue;
        }
      }
    }
    keptShape.push_back(shape[i]);
    keptStride.push_back(stride[i]);
  }
  if (keptShape.empty())
    return Layout(1, 0);
  if (keptShape.size() == 1)
    return Layout(keptShape.front(), keptStride.front());
  return Layout(IntTuple(std::move(keptShape)), IntTuple(std::move(keptStride)));
}

} // namespace fly::layout
