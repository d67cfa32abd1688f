// Compact layouts of a shape: the strides are the running product of the extents, from the first leaf
// (column-major) or from the last (row-major). Like CuTe, an extent known to be 1 gets stride 0.
#include "compiler/layout/Algebra.h"

namespace fly::layout {

namespace {

/// The strides of `shape`; `current` is the stride of the next leaf and is left after the last.
Result<IntTuple> compactStrides(const IntTuple &shape, bool lastFirst, Leaf &current, LeafArithmetic &arithmetic) {
  if (shape.isLeaf()) {
    if (shape.leaf().isStatic(1))
      return IntTuple(Leaf::known(0));
    Leaf stride = current;
    FLY_TRY(next, arithmetic.multiply(current, shape.leaf()));
    current = next;
    return IntTuple(stride);
  }
  std::vector<IntTuple> strides(shape.rank());
  for (std::size_t i = 0; i < strides.size(); ++i) {
    std::size_t mode = lastFirst ? strides.size() - 1 - i : i;
    FLY_TRY(stride, compactStrides(shape.mode(mode), lastFirst, current, arithmetic));
    strides[mode] = std::move(stride);
  }
  return IntTuple(std::move(strides));
}

Result<Layout> compact(const IntTuple &shape, bool lastFirst, LeafArithmetic &arithmetic) {
  Leaf current = Leaf::known(1);
  FLY_TRY(stride, compactStrides(shape, lastFirst, current, arithmetic));
  return makeLayout(shape, std::move(stride));
}

} // namespace

Result<Layout> columnMajor(const IntTuple &shape, LeafArithmetic &arithmetic) {
  return compact(shape, false, arithmetic);
}

Result<Layout> rowMajor(const IntTuple &shape, LeafArithmetic &arithmetic) { return compact(shape, true, arithmetic); }

} // namespace fly::layout
