// Result types that follow from layouts, by the layout algebra with InferringArithmetic: the same algorithms that the
// lowering runs with instructions, so that type and code cannot disagree.
//
//   fly.slice %t[_, %i{div=4}] : !fly.tensor<f32, global, align=16, (4,?):(1,4)>
//     layout     (4):(1)
//     offset     ?{div=16} elements = a multiple of 64 bytes
//     alignment  gcd(16, 64) = 16 bytes
#include "compiler/dialect/FlyOps.h"

#include "compiler/layout/Algebra.h"

using namespace mlir;
namespace fly::ir {

using layout::AnyLayout;
using layout::InferringArithmetic;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Result;

/// The alignment after moving by `offset` elements. Nothing begins inside of a byte: no access could.
static Result<unsigned> alignmentAfter(TensorType tensor, const Leaf &offset) {
  if (offset.isStatic(0))
    return tensor.getAlignment();
  // Only factors of two matter, and alignments are below 2^32.
  uint64_t twos = llvm::MinAlign(static_cast<uint64_t>(offset.divisor()), uint64_t(1) << 31);
  if (twos * tensor.getElementBits() % 8)
    return layout::Error{"an offset of `" + layout::leafText(offset) + "` elements of " +
                         std::to_string(tensor.getElementBits()) + " bits is not a whole number of bytes"};
  return commonAlignment(tensor.getAlignment(), static_cast<int64_t>(twos * tensor.getElementBits() / 8));
}

Result<TensorType> tensorTypeOf(PtrType pointer, const AnyLayout &layout, Type elementType) {
  if (elementBits(elementType) == 0) {
    std::string text;
    llvm::raw_string_ostream(text) << elementType;
    return layout::Error{"a tensor's element must be an integer or float of 1, 4, 6, 8, 16, 32 or 64 bits; found `" +
                         text + "`"};
  }
  if (layout::givesCoordinates(layout))
    return layout::Error{"the layout of a tensor must give offsets, but `" + layout::textOf(layout) +
                         "` gives coordinates"};
  return TensorType::get(pointer.getContext(), elementType, pointer.getSpace(), pointer.getAlignment(), layout);
}

Result<TensorType> sliceType(TensorType tensor, const IntTuple &coordinate) {
  InferringArithmetic arithmetic;
  FLY_TRY(part, layout::sliceAndOffset(coordinate, tensor.getLayout(), arithmetic));
  FLY_TRY(alignment, alignmentAfter(tensor, part.offset.leaf()));
  return TensorType::get(tensor.getContext(), tensor.getElementType(), tensor.getSpace(), alignment, part.layout);
}

Result<unsigned> elementAlignment(TensorType tensor, const IntTuple &coordinate) {
  InferringArithmetic arithmetic;
  FLY_TRY(offset, layout::evaluate(coordinate, tensor.getLayout(), arithmetic));
  return alignmentAfter(tensor, offset.leaf());
}

Result<Type> rearrangedType(Type source, const layout::Rearrangement &step) {
  InferringArithmetic arithmetic;
  auto tensor = dyn_cast<TensorType>(source);
  if (tensor && !step.isOfDomain())
    return layout::Error{"`" + step.text() + "` changes the function of a layout, but a tensor keeps its own"};
  FLY_TRY(result, step.apply(tensor ? tensor.getLayout() : cast<LayoutType>(source).getLayout(), arithmetic));
  if (!tensor)
    return Type(LayoutType::get(source.getContext(), result));
  return Type(
      TensorType::get(tensor.getContext(), tensor.getElementType(), tensor.getSpace(), tensor.getAlignment(), result));
}

Result<TensorType> recastType(TensorType tensor, Type elementType) {
  unsigned bits = elementBits(elementType);
  if (bits == 0)
    return layout::Error{"a tensor's element must be an integer or float of 1, 4, 6, 8, 16, 32 or 64 bits"};
  if (bits > tensor.getElementBits() && tensor.getAlignment() * 8 < bits && bits % 8 == 0)
    return layout::Error{"elements of " + std::to_string(bits / 8) + " bytes need a base aligned to them; " +
                         std::to_string(tensor.getAlignment()) + " is known"};
  // A buffer's offsets count from its start, and no view is known to be a multiple of three bytes away from it.
  if (tensor.getSpace() == AddressSpace::Buffer && !llvm::isPowerOf2_32(bits) && bits != tensor.getElementBits())
    return layout::Error{"a buffer is made of what has the element type that it is read as: `buffer(recast(t, T))`"};
  InferringArithmetic arithmetic;
  FLY_TRY(layout, layout::recastLayout(tensor.getLayout(), tensor.getElementBits(), bits, arithmetic));
  return TensorType::get(tensor.getContext(), elementType, tensor.getSpace(), tensor.getAlignment(), layout);
}

unsigned offsetWidth(const AnyLayout &layout) {
  InferringArithmetic arithmetic;
  Result<Leaf> span = layout::cosize(layout, arithmetic);
  bool wide = span && span->isStatic() && span->width() == 64;
  for (const Leaf &leaf : layout::dynamicLeaves(layout))
    wide |= leaf.bits == 64;
  return wide ? 64 : 32;
}

Result<VectorType> fragmentType(TensorType tensor) {
  const Layout &domain = tensor.getDomain();
  auto *composed = std::get_if<layout::ComposedLayout>(&tensor.getLayout());
  if (!domain.isStatic() || (composed && !layout::isStatic(composed->outer())))
    return layout::Error{"a fragment's layout must be known at compile time; found `" +
                         layout::textOf(tensor.getLayout()) + "`"};
  InferringArithmetic arithmetic;
  FLY_TRY(count, layout::size(domain, arithmetic));
  const unsigned bits = tensor.getElementBits();
  if (bits < 8 && count.value * bits % 8)
    return layout::Error{std::to_string(count.value) + " elements of " + std::to_string(bits) +
                         " bits are not a whole number of bytes"};
  if (count.value < 1 || count.value > maximumFragment)
    return layout::Error{"a fragment has 1 to " + std::to_string(maximumFragment) + " elements; `" +
                         layout::textOf(tensor.getLayout()) + "` has " + std::to_string(count.value)};
  if (bits < 8) // as in memory
    return VectorType::get({count.value * bits / 8}, IntegerType::get(tensor.getContext(), 8));
  return VectorType::get({count.value}, tensor.getElementType());
}

/// Reports a failure, or passes the type on to the op.
template <typename T>
static LogicalResult infer(std::optional<Location> location, const Result<T> &type, SmallVectorImpl<Type> &results) {
  if (!type)
    return emitOptionalError(location, type.text());
  results.push_back(*type);
  return success();
}

LogicalResult MakeTensorOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  auto pointer = dyn_cast<PtrType>(adaptor.getPointer().getType());
  auto layout = dyn_cast<LayoutType>(adaptor.getLayout().getType());
  if (!pointer || !layout)
    return emitOptionalError(location, "`fly.make_tensor` takes a pointer and a layout");
  return infer(location, tensorTypeOf(pointer, layout.getLayout(), adaptor.getElementType()), results);
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  auto tensor = dyn_cast<TensorType>(adaptor.getTensor().getType());
  if (!tensor)
    return emitOptionalError(location, "`fly.slice` takes a tensor");
  return infer(location, sliceType(tensor, adaptor.getCoordinate().getTuple()), results);
}

LogicalResult RearrangeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  Type source = adaptor.getSource().getType();
  if (!isa<TensorType, LayoutType>(source))
    return emitOptionalError(location, "`fly.rearrange` takes a tensor or a layout");
  return infer(location, rearrangedType(source, adaptor.getStep().getStep()), results);
}

LogicalResult RecastOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto tensor = dyn_cast<TensorType>(adaptor.getTensor().getType());
  if (!tensor)
    return emitOptionalError(location, "`fly.recast` takes a tensor");
  return infer(location, recastType(tensor, adaptor.getElementType()), results);
}

LogicalResult Crd2IdxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  auto type = dyn_cast<LayoutType>(adaptor.getLayout().getType());
  if (!type)
    return emitOptionalError(location, "`fly.crd2idx` takes a layout");
  InferringArithmetic arithmetic;
  Result<IntTuple> offset = layout::evaluate(adaptor.getCoordinate().getTuple(), type.getLayout(), arithmetic);
  if (!offset)
    return emitOptionalError(location, offset.text());
  if (offset->isTuple() || offset->leaf().isBasis())
    return emitOptionalError(location,
                             "`" + layout::textOf(type.getLayout()) + "` leads to coordinates, not to offsets");
  unsigned bits = std::max(offset->leaf().width(), offsetWidth(type.getLayout()));
  results.push_back(IntegerType::get(context, bits));
  return success();
}

LogicalResult LoadVectorOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  auto tensor = dyn_cast<TensorType>(adaptor.getTensor().getType());
  if (!tensor)
    return emitOptionalError(location, "`fly.load_vector` takes a tensor");
  return infer(location, fragmentType(tensor), results);
}

LogicalResult LeafOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  Type source = adaptor.getSource().getType();
  if (!isa<TensorType, LayoutType>(source))
    return emitOptionalError(location, "`fly.leaf` takes a tensor or a layout");
  const Layout &layout =
      isa<TensorType>(source) ? cast<TensorType>(source).getDomain() : cast<LayoutType>(source).getDomain();
  const IntTuple &half = adaptor.getSide() == LeafSide::Shape ? layout.shape() : layout.stride();
  std::vector<Leaf> leaves = half.leaves();
  if (adaptor.getIndex() >= leaves.size())
    return emitOptionalError(location, "`" + half.text() + "` has " + std::to_string(leaves.size()) +
                                           " leaves; there is no leaf " + std::to_string(adaptor.getIndex()));
  results.push_back(IntegerType::get(context, leaves[adaptor.getIndex()].width()));
  return success();
}

LogicalResult AddressOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  auto tensor = dyn_cast<TensorType>(adaptor.getTensor().getType());
  if (!tensor)
    return emitOptionalError(location, "`fly.address` takes a tensor");
  Result<unsigned> alignment = elementAlignment(tensor, adaptor.getCoordinate().getTuple());
  if (!alignment)
    return emitOptionalError(location, alignment.text());
  results.push_back(PtrType::get(tensor.getContext(), tensor.getSpace(), *alignment));
  return success();
}

} // namespace fly::ir
