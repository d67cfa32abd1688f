// Tensors in the elaborator: coordinates from values, slices, element and vector access, LDS objects.
//
// A subscript that fixes every mode is an element; one with `:` (or fewer items than modes hold after them)
// is a view. What the layout makes of it, with alignment and divisibility, the dialect infers.
#include "compiler/sema/Elaborator.h"
#include "compiler/sema/Suggest.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/layout/Algebra.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

using layout::IntTuple;
using layout::Leaf;

static ir::TensorType typeOf(const TensorValue &tensor) { return llvm::cast<ir::TensorType>(tensor.value.getType()); }

/// How tensor elements lie in memory: bool is a byte of 0 or 1, everything else itself.
static mlir::Type storedType(Elaborator &e, host::Number number) { return e.mlirType(Type::scalar(number)); }

namespace {
/// A coordinate under construction: its tuple and the operands of its dynamic leaves.
struct Coordinate {
  Elaborator &e;
  llvm::SmallVector<mlir::Value> dynamic;
  bool keeps = false;

  IntTuple of(const Value &item, SourceRange range) {
    if (item.is<ErrorValue>())
      throw Failed{};
    if (auto *slice = item.as<SliceValue>()) {
      for (auto &part : *slice->parts)
        if (!part.isNone())
          e.fail(diag::bad_index, range, {"a tensor", "a slice with bounds; a whole mode is `:`"});
      keeps = true;
      return Leaf::keep();
    }
    if (item.isNone()) { // as CuTe's `None`
      keeps = true;
      return Leaf::keep();
    }
    if (auto *elements = item.sequence()) {
      std::vector<IntTuple> modes;
      for (auto &element : *elements)
        modes.push_back(of(element, range));
      return IntTuple(std::move(modes));
    }
    if (auto *m = item.as<MachineValue>()) {
      if (!m->type.isInteger() || m->type.isVector())
        e.fail(diag::bad_index, range, {"a tensor", m->type.text()});
      mlir::Value value = m->value;
      unsigned bits = m->type.format().bits;
      auto &b = e.ir(range, "an index");
      if (bits < 32) {
        auto i32 = b.getI32Type();
        value = m->type.isSigned() ? mlir::arith::ExtSIOp::create(b, e.location(range), i32, value).getResult()
                                   : mlir::arith::ExtUIOp::create(b, e.location(range), i32, value).getResult();
        bits = 32;
      } else if (bits == 32 && !m->type.isSigned()) { // u32 has no sign bit to spare
        value = mlir::arith::ExtUIOp::create(b, e.location(range), b.getI64Type(), value);
        bits = 64;
      }
      dynamic.push_back(value);
      return Leaf::dynamic(bits, divisorOf(value));
    }
    auto i = item.is<double>() ? std::nullopt : toInt64(item);
    if (!i)
      e.fail(diag::bad_index, range, {"a tensor", describe(item)});
    if (*i < 0)
      e.fail(diag::index_out_of_range, range, {std::to_string(*i), "a tensor's mode, which counts from 0"});
    return Leaf::known(*i);
  }

  /// What a value is known to be a multiple of: from constants, products, sums and shifts.
  static int64_t divisorOf(mlir::Value value, unsigned depth = 0) {
    namespace arith = mlir::arith;
    auto *op = value.getDefiningOp();
    if (!op || depth > 8)
      return 1;
    if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
      if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(constant.getValue()))
        return std::max<int64_t>(1, std::min<int64_t>(int64_t(1) << 20, std::abs(integer.getInt())));
    auto of = [&](unsigned i) { return divisorOf(op->getOperand(i), depth + 1); };
    // Wrapping arithmetic keeps only powers of two.
    auto powerOfTwo = [](int64_t v) { return v & -v; };
    if (llvm::isa<arith::MulIOp>(op))
      return std::min<int64_t>(int64_t(1) << 20, powerOfTwo(of(0)) * powerOfTwo(of(1)));
    if (llvm::isa<arith::AddIOp, arith::SubIOp>(op))
      return powerOfTwo(std::min(powerOfTwo(of(0)), powerOfTwo(of(1))));
    if (llvm::isa<arith::ExtSIOp, arith::ExtUIOp>(op))
      return powerOfTwo(of(0));
    return 1;
  }
};
} // namespace

static std::string modes(const ir::TensorType &type) { return std::to_string(type.getLayout().rank()); }

/// The coordinate of a subscript's items, checked against the tensor's rank.
static std::pair<IntTuple, Coordinate> coordinateOf(Elaborator &e, const TensorValue &tensor, const Values &items,
                                                    SourceRange range) {
  Coordinate coordinate{e, {}, false};
  auto type = typeOf(tensor);
  std::vector<IntTuple> parts;
  const Values *list = &items;
  if (items.size() == 1 && items[0].sequence() && type.getLayout().rank() == items[0].sequence()->size() && type.getLayout().rank() > 1)
    list = items[0].sequence(); // t[(i, j)]
  for (auto &item : *list)
    parts.push_back(coordinate.of(item, range));
  if (parts.size() != type.getLayout().rank())
    e.report(diag::bad_coordinate, range, {std::to_string(parts.size()), modes(type)})
        .note("`" + tensor.name + "` has the layout `" + type.getLayout().text() + "`"), throw Failed{};
  return {IntTuple(std::move(parts)), std::move(coordinate)};
}

Value Elaborator::tensorSlice(const TensorValue &tensor, const Values &items, SourceRange range) {
  auto &b = ir(range, "`" + tensor.name + "[...]`");
  auto [tuple, coordinate] = coordinateOf(*this, tensor, items, range);
  auto attr = ir::IntTupleAttr::get(&context, tuple);
  auto loc = location(range);
  // The dialect's verifier and inference refuse what the algebra refuses; ask first, for an error of our own.
  layout::InferringArithmetic arithmetic;
  auto sliced = layout::slice(tuple, typeOf(tensor).getLayout(), arithmetic);
  if (!sliced)
    fail(diag::bad_coordinate_form, range, {sliced.text()});
  if (coordinate.keeps) {
    TensorValue view = tensor;
    view.value = ir::SliceOp::create(b, loc, tensor.value, attr, coordinate.dynamic);
    return Value(view);
  }
  mlir::Value element = ir::LoadOp::create(b, loc, storedType(*this, tensor.element), tensor.value, attr, coordinate.dynamic);
  return Value(MachineValue{element, Type::scalar(tensor.element)});
}

static void checkWritable(Elaborator &e, const TensorValue &tensor, SourceRange range) {
  if (tensor.access == Access::Read)
    e.report(diag::write_to_input, range, {tensor.name}).help("declare it `Out[...]`, or `InOut[...]` if it is also read"),
        throw Failed{};
}

void Elaborator::tensorStore(const TensorValue &tensor, const Values &items, const Value &value, SourceRange range,
                             SourceRange valueRange) {
  auto &b = ir(range, "`" + tensor.name + "[...] = `");
  checkWritable(*this, tensor, range);
  auto [tuple, coordinate] = coordinateOf(*this, tensor, items, range);
  if (coordinate.keeps)
    fail(diag::bad_index, range, {"an assignment to a tensor", "`:`; use `.store(v)` for a whole view"});
  layout::InferringArithmetic arithmetic;
  if (auto sliced = layout::slice(tuple, typeOf(tensor).getLayout(), arithmetic); !sliced)
    fail(diag::bad_coordinate_form, range, {sliced.text()});
  MachineValue machine = toMachine(value, Type::scalar(tensor.element), valueRange);
  ir::StoreOp::create(b, location(range), machine.value, tensor.value, ir::IntTupleAttr::get(&context, tuple), coordinate.dynamic);
}

Value Elaborator::zippedDivide(const TensorValue &tensor, const Value &tiler, SourceRange range) {
  auto &b = ir(range, "zipped_divide");
  Coordinate reader{*this, {}, false};
  IntTuple tuple = tiler.sequence() ? reader.of(tiler, range) : IntTuple(std::vector<IntTuple>{reader.of(tiler, range)});
  if (!reader.dynamic.empty())
    fail(diag::not_compile_time, range, {"a tile's extent", "i32"});
  auto modes = layout::tilerOf(tuple);
  layout::InferringArithmetic arithmetic;
  if (!modes)
    fail(diag::bad_layout, range, {modes.text()});
  if (auto divided = layout::zippedDivide(typeOf(tensor).getLayout(), *modes, arithmetic); !divided)
    fail(diag::bad_layout, range, {divided.text()});
  TensorValue result = tensor;
  result.value = ir::ZippedDivideOp::create(b, location(range), tensor.value, ir::IntTupleAttr::get(&context, tuple));
  return Value(result);
}

Value Elaborator::makeShared(Type element, const Value &shape, SourceRange range) {
  auto &b = ir(range, "shared");
  if (element.isVector())
    fail(diag::not_a_type, range, {"`" + element.text() + "`, which is no element type"});
  std::vector<IntTuple> extents;
  int64_t count = 1;
  Values list = shape.sequence() ? *shape.sequence() : Values{shape};
  for (auto &extent : list) {
    int64_t n = requireInt(extent, range, "an extent of `shared`");
    if (n < 1 || n > (int64_t(1) << 24) || count > (int64_t(1) << 24) / n)
      fail(diag::wrong_value, range, {"an extent of `shared`", "from 1 to 2^24", std::to_string(n)});
    count *= n;
    extents.push_back(IntTuple(n));
  }
  int64_t bytes = count * element.format().bytes();
  uint64_t before = ldsBytes;
  ldsBytes = (ldsBytes + 15) / 16 * 16 + uint64_t(bytes);
  if (ldsBytes > target.ldsBytes) {
    report(diag::lds_over_budget, range,
           {kernelName, std::to_string(ldsBytes), std::string(target.name), std::to_string(target.ldsBytes)})
        .caret(std::to_string(bytes) + " bytes" + (before ? ": " + std::to_string(ldsBytes) + " in all, " : ", ") +
               std::to_string(ldsBytes - target.ldsBytes) + " too many");
    ldsBytes = before;
    throw Failed{};
  }
  layout::InferringArithmetic arithmetic;
  auto layout = layout::rowMajor(IntTuple(std::move(extents)), arithmetic);
  auto loc = location(range);
  mlir::Value pointer;
  { // one object for each `shared` that is elaborated, also in a loop
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(kernelEntry);
    pointer = ir::SharedOp::create(b, loc, bytes, 16);
  }
  mlir::Value made = ir::MakeLayoutOp::create(b, loc, ir::LayoutType::get(&context, *layout), mlir::ValueRange{});
  TensorValue tensor;
  tensor.value = ir::MakeTensorOp::create(b, loc, pointer, made, mlir::TypeAttr::get(storedType(*this, element.number)),
                                          mlir::UnitAttr{});
  tensor.element = element.number;
  tensor.name = "shared";
  return Value(tensor);
}

/// The type of a whole view as a vector; its layout must be static.
static Type vectorType(Elaborator &e, const TensorValue &tensor, llvm::StringRef what, SourceRange range) {
  auto layout = typeOf(tensor).getLayout();
  if (!layout.shape().isStatic() || !layout.stride().isStatic())
    e.report(diag::wrong_value, range, {"the layout of what `" + what.str() + "` accesses", "known at compile time", "`" + layout.text() + "`"})
        .help("fix the dynamic modes by a coordinate: `t[:, i]`"), throw Failed{};
  layout::InferringArithmetic arithmetic;
  auto size = layout::size(layout, arithmetic);
  if (!size || size->value < 1 || size->value > 256)
    e.fail(diag::wrong_value, range, {"the size of what `" + what.str() + "` accesses", "from 1 to 256 elements",
                                      size ? std::to_string(size->value) : size.text()});
  return Type::vector(tensor.element, uint32_t(size->value));
}

Value Elaborator::tensorMethod(const TensorValue &tensor, llvm::StringRef name, Arguments &arguments, SourceRange range) {
  auto &b = ir(range, "`" + tensor.name + "." + name.str() + "`");
  auto loc = location(range);
  for (auto &argument : arguments)
    if (!argument.keyword.empty())
      failUnknown(*this, diag::unknown_keyword, argument.range, name.str(), argument.keyword, {});
  auto only = [&](size_t count) {
    if (arguments.size() != count)
      fail(diag::wrong_argument_count, range,
           {name.str(), std::to_string(count) + (count == 1 ? " argument" : " arguments"), std::to_string(arguments.size())});
  };
  Type type = vectorType(*this, tensor, name, range);
  if (name == "load") {
    only(0);
    return Value(MachineValue{ir::LoadVectorOp::create(b, loc, tensor.value), type});
  }
  only(1);
  checkWritable(*this, tensor, range);
  if (name == "fill" && !arguments[0].value.isNumber() && !arguments[0].value.is<MachineValue>())
    fail(diag::wrong_argument_type, arguments[0].range, {"fill", "a number", "x", describe(arguments[0].value)});
  ir::StoreVectorOp::create(b, loc, toMachine(arguments[0].value, type, arguments[0].range).value, tensor.value);
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

Value Elaborator::tensorAttribute(const TensorValue &tensor, llvm::StringRef name, SourceRange range, SourceRange nameRange) {
  auto layout = typeOf(tensor).getLayout();
  int64_t next = 0;
  if (name == "shape")
    return leaves(*this, tensor, layout.shape(), ir::LeafSide::Shape, next, range);
  if (name == "stride")
    return leaves(*this, tensor, layout.stride(), ir::LeafSide::Stride, next, range);
  if (name == "type")
    return Value(Type::scalar(tensor.element));
  static const std::vector<std::string> names = {"load", "store", "fill", "shape", "stride", "type"};
  if (name != "load" && name != "store" && name != "fill")
    failUnknown(*this, diag::unknown_attribute, nameRange, describe(Value(tensor)), name, names);
  return Value(MethodValue{std::make_shared<const Value>(tensor), name.str()});
}

} // namespace fly::sema
