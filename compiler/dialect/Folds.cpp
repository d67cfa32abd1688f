// Folds: results that follow from an op's operands and surroundings.
#include "compiler/dialect/FlyOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace fly::ir {

using layout::Layout;
using layout::Leaf;

/// A known leaf is a constant; a dynamic one is the operand that made the layout, also through the tensor made with it.
OpFoldResult LeafOp::fold(FoldAdaptor) {
  Value source = getSource();
  if (auto made = source.getDefiningOp<MakeTensorOp>())
    source = made.getLayout();
  Type type = source.getType();
  const Layout &layout =
      isa<TensorType>(type) ? cast<TensorType>(type).getDomain() : cast<LayoutType>(type).getDomain();
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  const std::vector<Leaf> &half = getSide() == LeafSide::Shape ? shape : stride;
  const Leaf &leaf = half[getIndex()];
  if (leaf.isStatic())
    return IntegerAttr::get(getType(), leaf.value);
  auto made = source.getDefiningOp<MakeLayoutOp>();
  if (!made)
    return {};
  auto isDynamic = [](const Leaf &leaf) { return leaf.isDynamic(); };
  size_t operand = std::count_if(half.begin(), half.begin() + getIndex(), isDynamic);
  if (getSide() == LeafSide::Stride)
    operand += std::count_if(shape.begin(), shape.end(), isDynamic);
  return made.getDynamic()[operand];
}

/// What is known at compile time is a constant.
OpFoldResult Crd2IdxOp::fold(FoldAdaptor) {
  layout::InferringArithmetic arithmetic;
  auto offset = layout::evaluate(getCoordinate().getTuple(), getLayout().getType().getLayout(), arithmetic);
  if (!offset || offset->isTuple() || !offset->leaf().isStatic())
    return {};
  return IntegerAttr::get(getType(), offset->leaf().value);
}

/// Nothing is rearranged.
OpFoldResult RearrangeOp::fold(FoldAdaptor) {
  return getType() == getSource().getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

/// A move by zero can be removed if it lost nothing about the alignment.
OpFoldResult PtrAddOp::fold(FoldAdaptor adaptor) {
  auto bytes = dyn_cast_or_null<IntegerAttr>(adaptor.getBytes());
  if (bytes && bytes.getValue().isZero() && getType() == getPointer().getType())
    return getPointer();
  return {};
}

/// The kernel's known block, where there is one.
OpFoldResult BlockDimOp::fold(FoldAdaptor) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || !kernel.getKnownBlock())
    return {};
  int32_t threads = (*kernel.getKnownBlock())[static_cast<unsigned>(getDimension())];
  return IntegerAttr::get(getType(), threads);
}

/// There is one along a dimension in which the cluster does not extend.
OpFoldResult ClusterBlockIdOp::fold(FoldAdaptor) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || !kernel.getKnownCluster() || (*kernel.getKnownCluster())[static_cast<unsigned>(getDimension())] != 1)
    return {};
  return IntegerAttr::get(getType(), 0);
}

} // namespace fly::ir
