// size, cosize and coshape: how many coordinates a layout has, and what its results span.
#include "compiler/layout/Algebra.h"

#include <cstdlib>

namespace fly::layout {

Result<Leaf> size(const IntTuple &shape, LeafArithmetic &arithmetic) { return product(shape, arithmetic); }

Result<Leaf> size(const Layout &layout, LeafArithmetic &arithmetic) { return size(layout.shape(), arithmetic); }

// (extent - 1) * |stride| summed over the leaves, along each mode of a coordinate layout, and 1 more.
Result<IntTuple> coshape(const Layout &layout, LeafArithmetic &arithmetic) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  bool isEmpty = false;
  for (const Leaf &extent : shape)
    isEmpty |= extent.isStatic(0);
  IntTuple last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Leaf step = stride[i];
    if (step.isStatic() && step.value < 0) {
      if (step.value == INT64_MIN)
        return Error{"the stride `" + leafText(step) + "` has a magnitude that does not fit in 64 bits"};
      step.value = -step.value;
    }
    Leaf none = step; // so that each mode of the results takes part, also one that is not moved along
    none.kind = Leaf::Kind::Static;
    none.value = 0;
    FLY_TRY(shaped, addCoordinates(last, step.isBasis() ? coordinateOf(none) : IntTuple(0), arithmetic));
    last = std::move(shaped);
    if (step.isStatic(0) || isEmpty)
      continue;
    FLY_TRY(steps, arithmetic.add(shape[i], Leaf::known(-1)));
    FLY_TRY(span, arithmetic.multiply(steps, step));
    FLY_TRY(sum, addCoordinates(last, span, arithmetic));
    last = std::move(sum);
  }
  return eachLeaf(last, IntTuple(isEmpty ? 0 : 1), &LeafArithmetic::add, "coshape", arithmetic);
}

Result<Leaf> cosize(const Layout &layout, LeafArithmetic &arithmetic) {
  FLY_TRY(spanned, coshape(layout, arithmetic));
  return product(spanned, arithmetic);
}

} // namespace fly::layout
