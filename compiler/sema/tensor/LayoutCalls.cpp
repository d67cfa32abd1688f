// See LayoutCalls.h.
#include "compiler/sema/tensor/LayoutCalls.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/dialect/Divisors.h"
#include "compiler/sema/tensor/Coordinates.h"
#include "compiler/sema/tensor/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

namespace fly::sema {

namespace arith = mlir::arith;
using layout::AnyFunction;
using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::LeafOperation;
using layout::Tile;

Leaf machineLeaf(Elaborator &e, const MachineValue &value, SourceRange place, bool wide) {
  if (!value.type.isInteger() || value.type.isVector() || value.type.isBool())
    e.fail(diag::bad_index, place, {"a layout", value.type.text()});
  auto &b = e.ir(place, "a coordinate");
  unsigned bits = value.type.format().bits;
  // u32 has no sign bit to spare; a layout that spans more than 31 bits needs wide products.
  unsigned wanted = wide || bits > 32 || (bits == 32 && !value.type.isSigned()) ? 64 : 32;
  mlir::Value result = value.value;
  auto type = b.getIntegerType(wanted);
  if (bits < wanted)
    result = value.type.isSigned() ? arith::ExtSIOp::create(b, e.location(place), type, result).getResult()
                                   : arith::ExtUIOp::create(b, e.location(place), type, result).getResult();
  return Leaf::dynamic(wanted, ir::divisorOf(result), result.getAsOpaquePointer());
}

// The lowest bit of a handle tells a launch-time expression from an SSA value; both are aligned.
static const host::ExprRef *launchExpression(const Leaf &leaf) {
  auto handle = reinterpret_cast<uintptr_t>(leaf.handle);
  return handle & 1 ? reinterpret_cast<const host::ExprRef *>(handle & ~uintptr_t(1)) : nullptr;
}

static void *launchHandle(Elaborator &e, const host::ExprRef &expr) {
  return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(&e.launchLeaves.emplace_back(expr)) | 1);
}

Leaf launchLeaf(Elaborator &e, const HostValue &value, SourceRange place, llvm::StringRef what) {
  if (value.expr->kind != host::ExprKind::Int)
    e.fail(place, diag::not_an_integer{.what = what.str(), .found = "`" + host::toFly(*value.expr) + "`"});
  return Leaf::dynamic(value.bits, 1, launchHandle(e, value.expr));
}

Value valueOf(const Leaf &leaf) {
  if (auto *expr = launchExpression(leaf))
    return Value(HostValue{*expr, leaf.bits});
  auto value = mlir::Value::getFromOpaquePointer(leaf.handle);
  return Value(MachineValue{value, Type::scalar(leaf.bits == 64 ? host::Number::I64 : host::Number::I32)});
}

mlir::Value MachineArithmetic::materialize(const Leaf &leaf, unsigned bits) {
  auto &b = e.ir(range, "a layout's arithmetic");
  auto type = b.getIntegerType(bits);
  if (leaf.isStatic())
    return arith::ConstantOp::create(b, e.location(range), b.getIntegerAttr(type, leaf.value));
  auto value = mlir::Value::getFromOpaquePointer(leaf.handle);
  return value.getType() == type ? value : arith::ExtSIOp::create(b, e.location(range), type, value).getResult();
}

void *MachineArithmetic::emitAtLaunch(LeafOperation operation, const Leaf &left, const Leaf &right) {
  auto expression = [](const Leaf &leaf) {
    return leaf.isStatic() ? host::intConstant(leaf.value) : valueOf(leaf).as<HostValue>()->expr;
  };
  auto op = [&] {
    switch (operation) {
    case LeafOperation::Add: return host::ExprOp::Add;
    case LeafOperation::Multiply: return host::ExprOp::Mul;
    case LeafOperation::CeilDivide: return host::ExprOp::CeilDiv;
    case LeafOperation::FloorDivide: return host::ExprOp::FloorDiv;
    case LeafOperation::Remainder: return host::ExprOp::Mod;
    case LeafOperation::Minimum: return host::ExprOp::Min;
    case LeafOperation::And: return host::ExprOp::BitAnd;
    case LeafOperation::Xor: return host::ExprOp::BitXor;
    }
    llvm_unreachable("all operations are listed");
  }();
  auto result = host::make(op, {expression(left), expression(right)});
  if (host::tooLarge(*result))
    e.fail(range, diag::launch_expression{});
  return launchHandle(e, result);
}

// Coordinates and what is computed from them are not negative, so that divisions are shifts and masks where they can
// be.
void *MachineArithmetic::emit(LeafOperation operation, const Leaf &left, const Leaf &right, unsigned bits, bool) {
  for (auto *leaf : {&left, &right})
    if (leaf->isDynamic() && !leaf->handle)
      return nullptr;
  if (launchExpression(left) || launchExpression(right))
    return emitAtLaunch(operation, left, right);
  auto &b = e.ir(range, "a layout's arithmetic");
  auto loc = e.location(range);
  mlir::Value x = materialize(left, bits), y = materialize(right, bits);
  bool isPower = right.isStatic() && llvm::isPowerOf2_64(uint64_t(right.value));
  auto constant = [&](int64_t value) { return materialize(Leaf::known(value), bits); };
  mlir::Value result;
  switch (operation) {
  case LeafOperation::Add: result = arith::AddIOp::create(b, loc, x, y); break;
  case LeafOperation::Multiply: result = arith::MulIOp::create(b, loc, x, y); break;
  case LeafOperation::CeilDivide:
    x = arith::AddIOp::create(b, loc, x, arith::SubIOp::create(b, loc, y, constant(1)));
    [[fallthrough]];
  case LeafOperation::FloorDivide:
    result = isPower ? arith::ShRUIOp::create(b, loc, x, constant(llvm::Log2_64(uint64_t(right.value)))).getResult()
                     : arith::DivUIOp::create(b, loc, x, y).getResult();
    break;
  case LeafOperation::Remainder:
    result = isPower ? arith::AndIOp::create(b, loc, x, constant(right.value - 1)).getResult()
                     : arith::RemUIOp::create(b, loc, x, y).getResult();
    break;
  case LeafOperation::Minimum: result = arith::MinSIOp::create(b, loc, x, y); break;
  case LeafOperation::And: result = arith::AndIOp::create(b, loc, x, y); break;
  case LeafOperation::Xor: result = arith::XOrIOp::create(b, loc, x, y); break;
  }
  return result.getAsOpaquePointer();
}

namespace {

/// Whether results of the function may need more than 31 bits.
bool isWide(const AnyFunction &function) {
  layout::InferringArithmetic arithmetic;
  if (auto *composed = std::get_if<layout::ComposedLayout>(&function))
    return isWide(composed->inner()) || isWide(layout::functionOf(composed->outer()));
  auto *plain = std::get_if<Layout>(&function);
  if (!plain)
    return false;
  auto span = layout::cosize(*plain, arithmetic);
  return !span || (span->isStatic() && span->width() == 64);
}

IntTuple readPart(Elaborator &e, const Value &value, bool wide, SourceRange range, unsigned depth) {
  if (auto *machine = value.as<MachineValue>())
    return machineLeaf(e, *machine, range, wide);
  if (auto *parts = value.sequence(); parts && depth < layout::maximumDepth) {
    std::vector<IntTuple> modes;
    for (auto &part : *parts)
      modes.push_back(readPart(e, part, wide, range, depth + 1));
    return IntTuple(std::move(modes));
  }
  return toTuple(e, value, range, "a coordinate");
}

} // namespace

IntTuple readCoordinate(Elaborator &e, const Value &value, const AnyFunction &callee, SourceRange range) {
  return readPart(e, value, isWide(callee), range, 0);
}

Tile readTile(Elaborator &e, const Value &value, SourceRange range) {
  if (auto *object = value.as<LayoutValue>()) {
    if (auto *tile = object->object->as<Tile>())
      return *tile;
    if (auto *plain = object->object->as<Layout>())
      return Tile::of(*plain);
    if (auto *leaf = object->object->as<Leaf>(); leaf && leaf->isKeep())
      return Tile::keep();
    if (auto *leaf = object->object->as<Leaf>(); leaf && leaf->isDynamic() && !leaf->isBasis())
      return Tile::extent(*leaf);
    e.fail(diag::wrong_value, range, {"an entry of a tiler", "an integer, `_` or a layout", describe(value)});
  }
  if (auto *entries = value.sequence()) {
    std::vector<Tile> tiles;
    for (auto &entry : *entries) {
      e.step(range);
      tiles.push_back(readTile(e, entry, range));
    }
    return Tile(std::move(tiles));
  }
  IntTuple extent = toTuple(e, value, range, "an entry of a tiler");
  if (extent.leaf().isKeep())
    return Tile::keep();
  if (extent.leaf().isStatic() && extent.leaf().value < 1)
    e.fail(range, diag::not_positive{.what = "the extent of a tile", .found = toText(value)});
  return Tile::extent(extent.leaf());
}

layout::Result<Leaf> flatIndex(const IntTuple &coordinate, const IntTuple &shape, layout::LeafArithmetic &arithmetic) {
  FLY_TRY(compact, layout::columnMajor(shape, arithmetic));
  return layout::crd2idx(coordinate, compact, arithmetic);
}

AnyLayout LayoutCall::layout(size_t i) {
  if (auto *object = call[i].as<LayoutValue>())
    if (auto any = object->object->layout())
      return *any;
  e.fail(call.ranges[i], diag::layout_expected{.what = argumentName(call, i), .also = "", .found = describe(call[i])});
}

Layout LayoutCall::plain(size_t i) {
  AnyLayout any = layout(i);
  if (auto *plain = std::get_if<Layout>(&any))
    return *plain;
  e.fail(diag::wrong_argument_type, call.ranges[i],
         {call.builtin->name, "a layout that is not composed", parameterName(*call.builtin, i), describe(call[i])});
}

AnyFunction LayoutCall::function(size_t i) {
  if (auto *object = call[i].as<LayoutValue>())
    if (auto function = object->object->function())
      return *function;
  e.fail(call.ranges[i],
         diag::layout_expected{.what = argumentName(call, i), .also = " or a swizzle", .found = describe(call[i])});
}

bool LayoutCall::isLayout(size_t i) const {
  auto *object = call[i].as<LayoutValue>();
  return object && object->object->layout();
}

bool LayoutCall::hasLayout(size_t i) const { return isLayout(i) || isView(call[i]); }
AnyLayout LayoutCall::queried(size_t i) {
  return isView(call[i]) ? queriedLayout(e, call[i], call.ranges[i]) : layout(i);
}

IntTuple LayoutCall::tuple(size_t i, llvm::StringRef what) {
  if (isView(call[i]))
    e.report(diag::wrong_argument_type, call.ranges[i],
             {call.builtin->name, "integers, in a tuple or alone,", parameterName(*call.builtin, i), describe(call[i])})
        .help("use `.shape`, `.stride` or `.layout` of the view"),
        throw Failed{};
  return toTuple(e, call[i], call.ranges[i], what);
}

IntTuple LayoutCall::coordinate(size_t i, const AnyFunction &callee) {
  return readCoordinate(e, call[i], callee, call.ranges[i]);
}

int64_t LayoutCall::integer(size_t i, llvm::StringRef what) { return requireInt(e, call[i], call.ranges[i], what); }

Tile LayoutCall::tile(size_t i) {
  Tile tile = readTile(e, call[i], call.ranges[i]);
  // A number is the layout n:1 of the whole, as in CuTe; by modes is `(n,)`.
  return tile.kind() == Tile::Kind::Extent ? Tile::of(tile.layout()) : tile;
}

} // namespace fly::sema
