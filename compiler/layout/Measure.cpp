// size and cosize: how many coordinates a layout has, and how many elements its offsets span.
#include "compiler/layout/Algebra.h"

namespace fly::layout {

Result<Leaf> size(const IntTuple &shape, LeafArithmetic &arithmetic) {
  if (shape.isLeaf())
    return shape.leaf();
  Leaf product = Leaf::known(1);
  for (const IntTuple &mode : shape.modes()) {
    FLY_TRY(factor, size(mode, arithmetic));
    FLY_TRY(next, arithmetic.multiply(product, factor));
    product = next;
  }
  return product;
}

Result<Leaf> size(const Layout &layout, LeafArithmetic &arithmetic) { return size(layout.shape(), arithmetic); }

// cosize = 1 + sum over leaves of (extent - 1) * stride; an empty layout has no offsets at all.
Result<Leaf> cosize(const Layout &layout, LeafArithmetic &arithmetic) {
  Leaf last = Leaf::known(0);
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  for (const Leaf &extent : shape)
    if (extent.isStatic(0))
      return Leaf::known(0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (stride[i].isStatic() && stride[i].value < 0)
      return Error{"the cosize of a layout with the negative stride `" + std::to_string(stride[i].value) + "`"};
    if (stride[i].isStatic(0))
      continue;
    FLY_TRY(steps, arithmetic.add(shape[i], Leaf::known(-1)));
    FLY_TRY(span, arithmetic.multiply(steps, stride[i]));
    FLY_TRY(sum, arithmetic.add(last, span));
    last = sum;
  }
  return arithmetic.add(last, Leaf::known(1));
}

} // namespace fly::layout
