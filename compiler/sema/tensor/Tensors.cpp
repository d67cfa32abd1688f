// Tensors in the elaborator: coordinates from values, slices, element and vector access.
//
// A subscript that fixes every mode is an element; one with `:` (or fewer items than modes hold after them)
// is a view. The dialect infers the resulting layout, alignment and divisibility.
#include "compiler/sema/tensor/BufferReach.h"
#include "compiler/sema/elaborator/InputWrites.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/Tensors.h"
#include "compiler/sema/tensor/Coordinates.h"
#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/sema/memory/CachePolicy.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/memory/PredicatedAccess.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/tensor/Views.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/layout/Algebra.h"
#include "compiler/text/Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

using layout::IntTuple;
using layout::Leaf;

static ir::TensorType typeOf(const TensorValue &tensor) { return llvm::cast<ir::TensorType>(tensor.value.getType()); }

static std::string modes(const ir::TensorType &type) { return std::to_string(type.getDomain().rank()); }

/// The coordinate of a subscript's items, checked against the tensor's rank.
static std::pair<IntTuple, Coordinate> coordinateOf(Elaborator &e, const TensorValue &tensor, const Values &items,
                                                    SourceRange range) {
  Coordinate coordinate{e, {}, false};
  auto type = typeOf(tensor);
  std::vector<IntTuple> parts;
  const Values *list = &items;
  if (items.size() == 1 && items[0].sequence() && type.getDomain().rank() == items[0].sequence()->size() &&
      type.getDomain().rank() > 1)
    list = items[0].sequence(); // t[(i, j)]
  for (auto &item : *list)
    parts.push_back(coordinate.of(item, range));
  if (parts.size() != type.getDomain().rank()) {
    auto builder = e.report(diag::bad_coordinate, range, {std::to_string(parts.size()), modes(type)});
    builder.note("`" + tensor.name + "` has the layout `" + layout::textOf(type.getLayout()) + "`");
    if (parts.size() == 1)
      builder.help("give one coordinate per mode. `make_tensor(" + tensor.name +
                   ".ptr, (count,))` has memory without gaps as one mode; `coalesce` would keep the order of the "
                   "coordinates, the first mode fastest");
    throw Failed{};
  }
  // A layout from a composition may have a single mode that is not a tuple.
  return {type.getDomain().shape().isLeaf() ? parts[0] : IntTuple(std::move(parts)), std::move(coordinate)};
}

Value tensorSlice(Elaborator &e, const TensorValue &tensor, const Values &items, SourceRange range) {
  auto &b = e.ir(range, "`" + tensor.name + "[...]`");
  auto [tuple, coordinate] = coordinateOf(e, tensor, items, range);
  auto attr = ir::IntTupleAttr::get(&e.context, tuple);
  auto loc = e.location(range);
  // The dialect's verifier and inference refuse what the algebra refuses; check first, to report our own error.
  layout::InferringArithmetic arithmetic;
  auto sliced = layout::sliceAndOffset(tuple, typeOf(tensor).getLayout(), arithmetic);
  if (!sliced)
    e.fail(diag::bad_coordinate_form, range, {sliced.text()});
  if (coordinate.keeps) {
    checkBeginsAtByte(e, tensor, tuple, range);
    TensorValue view = tensor;
    view.value = ir::SliceOp::create(b, loc, tensor.value, attr, coordinate.dynamic);
    return Value(view);
  }
  checkReach(e, tensor, range);
  if (tensor.record)
    return loadFrom(e, elementOf(e, tensor, items, range).value, *tensor.record, {}, range);
  checkHasAddress(e, tensor, range);
  auto element =
      ir::LoadOp::create(b, loc, mlirType(e, Type::scalar(tensor.element)), tensor.value, attr, coordinate.dynamic);
  return Value(MachineValue{element, Type::scalar(tensor.element)});
}

PointerValue elementOf(Elaborator &e, const TensorValue &tensor, const Values &items, SourceRange range) {
  if (typeOf(tensor).getSpace() == ir::AddressSpace::Buffer)
    e.report(diag::bad_access, range, {"an element of a buffer has no address"})
        .help("read and write it by `t[i]`, `.load()`, `.store(v)`, or copy it; `BufferAtomic` is the atomic copy"),
        throw Failed{};
  auto &b = e.ir(range, "`" + tensor.name + "`");
  auto [tuple, coordinate] = coordinateOf(e, tensor, items, range);
  if (coordinate.keeps)
    e.fail(diag::bad_index, range, {"a tensor", "`:`; name one element"});
  checkHasAddress(e, tensor, range);
  layout::InferringArithmetic arithmetic;
  if (auto sliced = layout::sliceAndOffset(tuple, typeOf(tensor).getLayout(), arithmetic); !sliced)
    e.fail(diag::bad_coordinate_form, range, {sliced.text()});
  PointerValue out{{}, tensor.record, tensor.access, tensor.name};
  if (!out.element)
    out.element = std::make_shared<const Value>(Type::scalar(tensor.element));
  out.value = ir::AddressOp::create(b, e.location(range), tensor.value, ir::IntTupleAttr::get(&e.context, tuple),
                                    coordinate.dynamic);
  return out;
}

static void checkWritable(Elaborator &e, const TensorValue &tensor, SourceRange range) {
  if (tensor.access == Access::Read)
    failInput(e, range, tensor.name);
}

void tensorStore(Elaborator &e, const TensorValue &tensor, const Values &items, const Value &value, SourceRange range,
                 SourceRange valueRange) {
  auto &b = e.ir(range, "`" + tensor.name + "[...] = `");
  checkWritable(e, tensor, range);
  if (tensor.record)
    return storeThrough(e, elementOf(e, tensor, items, range), value, range, valueRange);
  auto [tuple, coordinate] = coordinateOf(e, tensor, items, range);
  if (coordinate.keeps)
    e.fail(diag::bad_index, range, {"an assignment to a tensor", "`:`; use `.store(v)` for a whole view"});
  layout::InferringArithmetic arithmetic;
  if (auto sliced = layout::sliceAndOffset(tuple, typeOf(tensor).getLayout(), arithmetic); !sliced)
    e.fail(diag::bad_coordinate_form, range, {sliced.text()});
  checkReach(e, tensor, range);
  checkHasAddress(e, tensor, range);
  MachineValue machine = toMachine(e, value, Type::scalar(tensor.element), valueRange);
  ir::StoreOp::create(b, e.location(range), machine.value, tensor.value, ir::IntTupleAttr::get(&e.context, tuple),
                      coordinate.dynamic);
}

/// The type of a whole view as a vector; its layout must be static.
static Type vectorType(Elaborator &e, const TensorValue &tensor, llvm::StringRef what, SourceRange range) {
  const auto &layout = typeOf(tensor).getLayout();
  auto *composed = std::get_if<layout::ComposedLayout>(&layout);
  if (!typeOf(tensor).getDomain().isStatic() || (composed && !layout::isStatic(composed->outer())))
    e.report(range, diag::dynamic_layout{.what = "the layout of what `" + what.str() + "` accesses",
                                         .layout = layout::textOf(layout)})
        .help("fix the dynamic modes by a coordinate: `t[:, i]`"),
        throw Failed{};
  layout::InferringArithmetic arithmetic;
  auto size = layout::size(typeOf(tensor).getDomain(), arithmetic);
  if (!size || size->value < 1 || size->value > 256)
    e.fail(range, diag::out_of_range{.what = "the number of elements that `" + what.str() + "` accesses",
                                     .low = 1,
                                     .high = 256,
                                     .found = size ? std::to_string(size->value) : size.text()});
  Type type = Type::vector(tensor.element, uint32_t(size->value));
  checkFillsBytes(e, type, what, range);
  checkAccessesBytes(e, tensor, what, range);
  return type;
}

Value tensorMethod(Elaborator &e, const TensorValue &tensor, llvm::StringRef name, Arguments &arguments,
                   SourceRange range) {
  auto &b = e.ir(range, "`" + tensor.name + "." + name.str() + "`");
  auto loc = e.location(range);
  if (name == "pointer" || isAtomicMethod(name)) {
    auto isCoordinate = [&](const Argument &argument) { return argument.keyword.empty(); };
    Values items;
    if (name == "pointer") {
      takeOptions(e, name, arguments, "");
      for (auto &argument : arguments)
        items.push_back(argument.value);
      return Value(elementOf(e, tensor, items, range));
    }
    auto first = llvm::find_if(arguments, isCoordinate);
    if (first == arguments.end())
      e.fail(diag::wrong_argument_count, range, {name.str(), "a coordinate and a value", "0"});
    items.push_back(first->value);
    PointerValue place = elementOf(e, tensor, items, first->range);
    arguments.erase(first);
    return atomicMethod(e, place, name, arguments, range);
  }
  Predicate predicate = takePredicate(e, name, arguments, name == "load");
  AccessOptions options = takeOptions(e, name, arguments, name == "fill" ? "" : "volatile nontemporal order scope");
  if (options.order || options.scope)
    e.report(diag::bad_access, options.orderRange, {"an access with an order moves one number or pointer, not a view"})
        .help("`" + tensor.name + ".pointer(i).load(order=...)`"),
        throw Failed{};
  if (tensor.record)
    e.fail(diag::bad_access, range,
           {"`" + name.str() + "` moves numbers; `" + tensor.name + "` holds structs, one at a time"});
  auto only = [&](size_t count) {
    if (arguments.size() != count)
      e.fail(diag::wrong_argument_count, range,
             {name.str(), counted(count, "argument"), std::to_string(arguments.size())});
  };
  checkReach(e, tensor, range);
  Type type = vectorType(e, tensor, name, range);
  const bool isBuffer = typeOf(tensor).getSpace() == ir::AddressSpace::Buffer;
  if (name == "load") {
    only(0);
    return loadWhere(
        e, predicate, type,
        [&]() -> mlir::Value {
          auto load = ir::LoadVectorOp::create(b, loc, tensor.value);
          load.setIsVolatile(options.isVolatile);
          load.setIsNontemporal(options.isNontemporal);
          if (isBuffer)
            load.setCache(cacheBitsOf(e, options.isVolatile, options.isNontemporal, target::MemoryAccess::Load));
          return load;
        },
        range);
  }
  only(1);
  checkWritable(e, tensor, range);
  if (name == "fill" && !arguments[0].value.isNumber() && !arguments[0].value.is<MachineValue>())
    e.fail(arguments[0].range,
           diag::not_a_number{.what = diag::argument("x", "fill"), .found = describe(arguments[0].value)});
  mlir::Value stored = toMachine(e, arguments[0].value, type, arguments[0].range).value;
  storeWhere(
      e, predicate,
      [&] {
        auto store = ir::StoreVectorOp::create(b, loc, stored, tensor.value);
        store.setIsVolatile(options.isVolatile);
        store.setIsNontemporal(options.isNontemporal);
        if (isBuffer)
          store.setCache(cacheBitsOf(e, options.isVolatile, options.isNontemporal, target::MemoryAccess::Store));
      },
      range);
  return Value();
}

/// The shape or stride as a tuple: known leaves as integers, others read from the tensor.
static Value leaves(Elaborator &e, const TensorValue &tensor, const IntTuple &tuple, ir::LeafSide side, int64_t &next,
                    SourceRange range) {
  if (!tuple.isLeaf()) {
    Values out;
    for (auto &mode : tuple.modes())
      out.push_back(leaves(e, tensor, mode, side, next, range));
    return makeTuple(std::move(out));
  }
  int64_t position = next++;
  if (tuple.leaf().isStatic())
    return Value(tuple.leaf().value);
  mlir::Value leaf = ir::LeafOp::create(e.ir(range, "a shape"), e.location(range), tensor.value, side, position);
  return Value(MachineValue{leaf, Type::scalar(leaf.getType().isInteger(64) ? host::Number::I64 : host::Number::I32)});
}

/// The layout with the tensor's own extents and strides as machine values. Where a composed one starts is not known
/// here.
static layout::AnyLayout layoutWithLeaves(Elaborator &e, const TensorValue &tensor, SourceRange range) {
  auto &b = e.ir(range, "a layout");
  const auto &layout = typeOf(tensor).getLayout();
  std::vector<void *> handles;
  for (auto side : {ir::LeafSide::Shape, ir::LeafSide::Stride}) {
    const layout::Layout &domain = typeOf(tensor).getDomain();
    auto leaves = (side == ir::LeafSide::Shape ? domain.shape() : domain.stride()).leaves();
    for (size_t i = 0; i < leaves.size(); ++i)
      if (leaves[i].isDynamic())
        handles.push_back(
            ir::LeafOp::create(b, e.location(range), tensor.value, side, int64_t(i)).getResult().getAsOpaquePointer());
  }
  return layout::withHandles(layout, handles);
}

/// The first coordinate of a mode.
static Value zeroOf(const IntTuple &shape) {
  if (shape.isLeaf())
    return Value(int64_t(0));
  Values parts;
  for (auto &mode : shape.modes())
    parts.push_back(zeroOf(mode));
  return makeTuple(std::move(parts));
}

Value tensorAttribute(Elaborator &e, const TensorValue &tensor, llvm::StringRef name, SourceRange range,
                      SourceRange nameRange) {
  layout::Layout layout = typeOf(tensor).getDomain();
  int64_t next = 0;
  if (name == "T")
    return transposed(e, Value(tensor), range, nameRange);
  if (name == "layout")
    return makeLayoutValue(layoutWithLeaves(e, tensor, range));
  if (name == "shape")
    return leaves(e, tensor, layout.shape(), ir::LeafSide::Shape, next, range);
  if (name == "stride")
    return leaves(e, tensor, layout.stride(), ir::LeafSide::Stride, next, range);
  if (name == "type")
    return tensor.record ? *tensor.record : Value(Type::scalar(tensor.element));
  if (name == "ptr") {
    Values zeros;
    for (size_t i = 0; i < layout.rank(); ++i)
      zeros.push_back(zeroOf(layout.shape().isLeaf() ? layout.shape() : layout.shape().modes()[i]));
    return Value(elementOf(e, tensor, zeros, range));
  }
  if (auto asked = viewAttribute(e, Value(tensor), name, range, nameRange))
    return *asked;
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = {"load", "store",   "fill", "shape", "stride", "layout", "T",        "type",
                                    "ptr",  "pointer", "rank", "depth", "size",   "cosize", "is_static"};
    out.insert(out.end(), atomicMethods().begin(), atomicMethods().end());
    return out;
  }();
  if (name == "reshape" || name == "view" || name == "flatten" || name == "ravel" || name == "transpose")
    e.report(diag::unknown_attribute, nameRange, {describe(Value(tensor)), name.str(), ""})
        .help(name == "transpose" ? "`" + tensor.name + ".T` reverses the modes"
                                  : "`make_tensor(" + tensor.name +
                                        ".ptr, shape)` has the same memory in another shape; without strides it is "
                                        "row-major"),
        throw Failed{};
  if (name != "load" && name != "store" && name != "fill" && name != "pointer" && !isAtomicMethod(name))
    failUnknown(e, diag::unknown_attribute, nameRange, describe(Value(tensor)), name, names);
  return Value(MethodValue{std::make_shared<const Value>(tensor), name.str()});
}

} // namespace fly::sema
