// See Views.h.
#include "compiler/sema/tensor/Views.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/tensor/BufferReach.h"
#include "compiler/sema/tensor/CoordinateTensor.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/text/Words.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

bool isView(const Value &value) {
  return value.is<TensorValue>() || objectAs<Fragment>(value) || objectAs<CoordinateTensor>(value);
}

AnyLayout layoutOf(const Value &view) {
  if (auto *tensor = view.as<TensorValue>())
    return llvm::cast<ir::TensorType>(tensor->value.getType()).getLayout();
  if (auto *fragment = objectAs<Fragment>(view))
    return fragment->layout;
  return objectAs<CoordinateTensor>(view)->layout;
}

Layout domainOf(const Value &view) { return layout::domainOf(layoutOf(view)); }

AnyLayout queriedLayout(Elaborator &e, const Value &view, SourceRange range) {
  if (!view.is<TensorValue>())
    return layoutOf(view);
  Value layout = e.attribute(view, "layout", range, range);
  return *layout.as<LayoutValue>()->object->layout();
}

Value transposed(Elaborator &e, const Value &view, SourceRange range, SourceRange nameRange) {
  const size_t rank = domainOf(view).rank();
  if (rank < 2)
    e.report(diag::unknown_attribute, nameRange, {describe(view) + " of " + counted(rank, "mode"), "T", ""})
        .help("`.T` exchanges modes 0 and 1"),
        throw Failed{};
  std::vector<IntTuple> modes = {IntTuple(1), IntTuple(0)};
  for (size_t i = 2; i < rank; ++i)
    modes.push_back(IntTuple(int64_t(i)));
  return rearranged(e, view, {layout::Rearrangement::Kind::Select, {}, IntTuple(std::move(modes))}, "T", range,
                    nameRange);
}

/// Attributes of a layout that a view has as well.
static const std::vector<std::string> ofLayout = {"shape", "rank", "depth", "size", "cosize", "is_static"};

const std::vector<std::string> &viewAttributes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = ofLayout;
    out.insert(out.end(), {"stride", "layout", "T"});
    return out;
  }();
  return names;
}

std::optional<Value> viewAttribute(Elaborator &e, const Value &view, llvm::StringRef name, SourceRange range,
                                   SourceRange nameRange) {
  if (name == "T")
    return transposed(e, view, range, nameRange);
  if (name == "layout")
    return makeLayoutValue(queriedLayout(e, view, range));
  if (name == "stride") // of a composed layout those of its domain, as for tensors in memory
    return fromTuple(layout::domainOf(queriedLayout(e, view, range)).stride());
  if (!llvm::is_contained(ofLayout, name))
    return std::nullopt;
  return e.attribute(makeLayoutValue(queriedLayout(e, view, range)), name, range, nameRange);
}

std::optional<int64_t> sizeOf(const Value &view) {
  layout::InferringArithmetic arithmetic;
  auto size = layout::size(domainOf(view), arithmetic);
  return size && size->isStatic() ? std::optional<int64_t>(size->value) : std::nullopt;
}

std::string nameOf(const Value &view) {
  if (auto *tensor = view.as<TensorValue>(); tensor && !tensor->name.empty())
    return "`" + tensor->name + "`";
  return describe(view);
}

llvm::SmallVector<mlir::Value> operandsOf(Elaborator &e, const std::vector<Leaf> &leaves, SourceRange range) {
  llvm::SmallVector<mlir::Value> operands;
  for (const Leaf &leaf : leaves) {
    if (!leaf.handle)
      e.fail(range, diag::dynamic_layout{.what = "each number of a layout", .layout = layout::leafText(leaf)});
    operands.push_back(mlir::Value::getFromOpaquePointer(leaf.handle));
  }
  return operands;
}

Value rearranged(Elaborator &e, const Value &view, const layout::Rearrangement &step, llvm::StringRef what,
                 SourceRange range, SourceRange blame) {
  if (auto *tensor = view.as<TensorValue>()) {
    auto &b = e.ir(range, what);
    if (auto type = ir::rearrangedType(tensor->value.getType(), step); !type)
      e.fail(diag::no_layout, blame, {what.str(), type.text()});
    TensorValue result = *tensor;
    result.value = ir::RearrangeOp::create(b, e.location(range), ir::RearrangementAttr::get(&e.context, step),
                                           tensor->value, operandsOf(e, step.dynamicLeaves(), range));
    return Value(result);
  }
  MachineArithmetic arithmetic(e, range);
  if (!step.isOfDomain())
    e.fail(diag::no_layout, blame,
           {what.str(),
            "`" + step.text() + "` changes the function of a layout, but " + describe(view) + " keeps its own"});
  AnyLayout changed = taken(e, step.apply(layoutOf(view), arithmetic), what, blame);
  if (auto *fragment = objectAs<Fragment>(view))
    return makeObject<Fragment>(fragment->storage, std::move(changed), fragment->start);
  auto *coordinates = objectAs<CoordinateTensor>(view);
  return makeObject<CoordinateTensor>(std::move(changed), coordinates->origin);
}

Value sliced(Elaborator &e, const Value &view, const IntTuple &coordinate, SourceRange range) {
  if (auto *tensor = view.as<TensorValue>()) {
    auto &b = e.ir(range, "a slice");
    checkBeginsAtByte(e, *tensor, coordinate, range);
    if (auto type = ir::sliceType(llvm::cast<ir::TensorType>(tensor->value.getType()), coordinate); !type)
      e.fail(diag::bad_coordinate_form, range, {type.text()});
    std::vector<Leaf> leaves;
    coordinate.forEachLeaf([&](const Leaf &leaf) {
      if (leaf.isDynamic())
        leaves.push_back(leaf);
    });
    TensorValue part = *tensor;
    part.value = ir::SliceOp::create(b, e.location(range), tensor->value, ir::IntTupleAttr::get(&e.context, coordinate),
                                     operandsOf(e, leaves, range));
    return Value(part);
  }
  MachineArithmetic arithmetic(e, range);
  auto part = layout::sliceAndOffset(coordinate, layoutOf(view), arithmetic);
  if (!part)
    e.fail(diag::bad_coordinate_form, range, {part.text()});
  if (auto *fragment = objectAs<Fragment>(view)) {
    const IntTuple &offset = part->offset;
    if (!layout::isStatic(part->layout) || !offset.isLeaf() || !offset.leaf().isStatic())
      e.report(diag::not_compile_time, range, {"an index into a fragment", "i32"})
          .help("registers have no addresses: index it in `for i in unroll(...)`"),
          throw Failed{};
    return makeObject<Fragment>(fragment->storage, part->layout, fragment->start + offset.leaf().value);
  }
  auto *coordinates = objectAs<CoordinateTensor>(view);
  IntTuple origin = coordinates->origin;
  if (!std::holds_alternative<layout::ComposedLayout>(part->layout))
    origin = taken(e, layout::addCoordinates(origin, part->offset, arithmetic), "a slice", range);
  return makeObject<CoordinateTensor>(part->layout, std::move(origin));
}

void checkInside(Elaborator &e, const IntTuple &coordinate, const IntTuple &shape, llvm::StringRef what,
                 SourceRange range) {
  if (coordinate.isTuple()) {
    for (size_t i = 0; i < coordinate.rank() && shape.isTuple() && i < shape.rank(); ++i)
      checkInside(e, coordinate.mode(i), shape.mode(i), what, range);
    return;
  }
  layout::InferringArithmetic arithmetic;
  auto extent = layout::size(shape, arithmetic);
  const Leaf &leaf = coordinate.leaf();
  if (leaf.isStatic() && extent && extent->isStatic() && (leaf.value < 0 || leaf.value >= extent->value))
    e.fail(diag::index_out_of_range, range,
           {std::to_string(leaf.value), "`" + shape.text() + "` of " + what.str() + ", whose indices count from 0"});
}

} // namespace fly::sema
