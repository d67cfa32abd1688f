// gather and scatter: copies whose places in memory are data.
//
//   gather(atom, x, offsets, r, pred=, fill=)     access i of r comes from x.ptr + offsets[i]
//   scatter(atom, r, offsets, y, pred=)           and goes to y.ptr + offsets[i]
//
// Offsets count elements from the tensor's first, one an access, in a fragment of integers or a vector. The caller
// guarantees that each access is aligned, as with pointers: offsets are data, and nothing is known about them.
//
// Through a buffer, the hardware compares them with its end: elements outside read as 0 and are not written. It
// compares 32-bit byte offsets, so an offset that would wrap around, or is negative, is first replaced by one beyond
// any buffer.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/atom/Families.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/atom/TiledCopy.h"

#include "compiler/dialect/AccessWidth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
namespace arith = mlir::arith;

namespace {

/// The offsets as machine integers, one an access.
std::vector<Value> offsetsOf(Elaborator &e, BoundCall &call, int64_t accesses) {
  Value vector = call[2];
  if (auto *list = vector.sequence(); list && int64_t(list->size()) == accesses) {
    std::vector<Value> out;
    for (const Value &each : *list) {
      auto *given = each.as<MachineValue>();
      const Type type =
          given && given->type.isInteger() && !given->type.isVector() ? given->type : Type::scalar(host::Number::I32);
      out.push_back(Value(toMachine(e, each, type, call.ranges[2])));
    }
    return out;
  }
  if (auto *fragment = objectAs<Fragment>(vector))
    vector = Value(MachineValue{fragment->load(e, call.ranges[2]), fragment->type()});
  auto *machine = vector.as<MachineValue>();
  const bool isOne = machine && !machine->type.isVector() && accesses == 1;
  if (!machine || !machine->type.element().isInteger() || machine->type.isBool() ||
      (!isOne && int64_t(machine->type.lanes) != accesses))
    e.fail(diag::wrong_value, call.ranges[2],
           {"the offsets",
            "a fragment, a vector or a list of " + std::to_string(accesses) + " integers, one per access",
            describe(call[2])});
  std::vector<Value> out;
  for (int64_t i = 0; i < accesses; ++i)
    out.push_back(
        isOne ? vector
              : Value(MachineValue{mlir::vector::ExtractOp::create(e.ir(call.range, "gather"), e.location(call.range),
                                                                   machine->value, llvm::ArrayRef<int64_t>{i}),
                                   machine->type.element()}));
  return out;
}

Layout runOf(const CopyAtom &atom) {
  return Layout(IntTuple(std::vector<IntTuple>{atom.values()}), IntTuple(std::vector<IntTuple>{1}));
}
uint32_t alignmentOf(const CopyAtom &atom) { return uint32_t(ir::neededAlignment(atom.bits)); }

/// The same through a buffer: the offset is per lane, in bytes.
Value placeInBuffer(Elaborator &e, const TensorValue &buffer, const MachineValue &offset, const CopyAtom &atom,
                    llvm::StringRef what, SourceRange range, SourceRange offsetRange) {
  auto &b = e.ir(offsetRange, what);
  auto loc = e.location(offsetRange);
  mlir::Value count = offset.value;
  const unsigned width = count.getType().getIntOrFloatBitWidth();
  if (width < 32)
    count = offset.type.isSigned() ? arith::ExtSIOp::create(b, loc, b.getI32Type(), count).getResult()
                                   : arith::ExtUIOp::create(b, loc, b.getI32Type(), count);
  auto number = [&](int64_t n) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(count.getType(), n)).getResult();
  };
  const ir::ElementUnit unit = unitOf(buffer.element);
  constexpr int64_t largest = (int64_t(1) << 32) - 1;
  if (const int64_t reach = ir::BufferOp::reach / unit.bytes * unit.elements; width > 32 || reach < largest)
    count = arith::MinUIOp::create(b, loc, count, number(std::min(reach, largest)));
  if (width > 32)
    count = arith::TruncIOp::create(b, loc, b.getI32Type(), count);
  if (unit.elements > 1)
    count = arith::DivUIOp::create(b, loc, count, number(unit.elements));
  if (unit.bytes > 1)
    count = arith::MulIOp::create(b, loc, count, number(unit.bytes));
  auto type = llvm::cast<ir::TensorType>(buffer.value.getType());
  auto there = ir::TensorType::get(&e.context, type.getElementType(), ir::AddressSpace::Buffer, alignmentOf(atom),
                                   AnyLayout(runOf(atom)));
  return Value(atOffsets(e, buffer, count, {}, 0, there, what, {}, range));
}

/// `count` elements next to each other at an offset from a tensor's first.
Value placeAt(Elaborator &e, const Value &memory, const Value &offset, const CopyAtom &atom, SourceRange range,
              SourceRange offsetRange) {
  const TensorValue &tensor = *memory.as<TensorValue>();
  TensorValue bytes = tensor; // of packed elements
  Value distance = offset;
  if (liesPacked(tensor.element)) {
    ir::ElementUnit unit = unitOf(tensor.element);
    bytes.element = host::Number::U8;
    bytes.value =
        ir::RecastOp::create(e.ir(range, "gather"), e.location(range), tensor.value, memoryType(e, bytes.element));
    distance = e.binary(ast::BinaryOp::FloorDiv, offset, Value(unit.elements), offsetRange, offsetRange, offsetRange,
                        offsetRange);
    distance =
        e.binary(ast::BinaryOp::Mul, distance, Value(unit.bytes), offsetRange, offsetRange, offsetRange, offsetRange);
  }
  Value start = e.attribute(Value(bytes), "ptr", range, range);
  PointerValue place = elementOf(e, *start.as<PointerValue>(), {distance}, offsetRange);
  place = withAlignment(e, place, alignmentOf(atom), range);
  auto &b = e.ir(range, "gather");
  mlir::Value layout = ir::MakeLayoutOp::create(
      b, e.location(range), ir::LayoutType::get(&e.context, AnyLayout(runOf(atom))), mlir::ValueRange{});
  TensorValue view = tensor;
  view.value = ir::MakeTensorOp::create(b, e.location(range), place.value, layout,
                                        mlir::TypeAttr::get(memoryType(e, tensor.element)), mlir::UnitAttr{});
  return Value(view);
}

/// One access after the other; `memory` is the argument that the offsets refer to.
Value moveBy(Elaborator &e, BoundCall &call, size_t memory, size_t registers) {
  e.ir(call.range, call.builtin->name);
  auto *object = objectAs<CopyAtom>(call[0]);
  if (!object)
    e.report(call.ranges[0],
             diag::copy_atom_expected{.what = diag::argument("atom", call.builtin->name), .found = describe(call[0])})
        .help("use, for example, `UniversalCopy(128, f32)`"),
        throw Failed{};
  auto *tensor = call[memory].as<TensorValue>();
  if (!tensor || tensor->record)
    e.fail(call.ranges[memory],
           diag::tensor_expected{.what = argumentName(call, memory), .where = "", .found = describe(call[memory])});
  auto *fragment = objectAs<Fragment>(call[registers]);
  if (!fragment)
    e.fail(diag::wrong_argument_type, call.ranges[registers],
           {call.builtin->name, "a fragment", parameterName(*call.builtin, registers), describe(call[registers])});
  const int64_t elements = *sizeOf(call[registers]), values = object->values();
  if (elements % values)
    e.fail(diag::copy_shape, call.ranges[registers],
           {"have " + std::to_string(elements) + " elements, `" + object->text() + "` moves " + std::to_string(values) +
            " at a time"});
  const int64_t accesses = elements / values;
  std::vector<Value> offsets = offsetsOf(e, call, accesses);
  Value pieces = rearranged(e, call[registers], {layout::Rearrangement::Kind::Coalesce, {}, IntTuple(1)},
                            call.builtin->name, call.range, call.ranges[registers]);
  pieces = rearranged(e, pieces, {layout::Rearrangement::Kind::LogicalDivide, layout::Tile::of(Layout(values, 1)), {}},
                      call.builtin->name, call.range, call.ranges[registers]);
  const Predicates predicates = predicatesOf(e, call, 4, accesses, 1);
  for (int64_t i = 0; i < accesses; ++i) {
    e.step(call.range);
    Value place = pieceIn(call[memory], ir::AddressSpace::Buffer)
                      ? placeInBuffer(e, *tensor, *offsets[size_t(i)].as<MachineValue>(), *object, call.builtin->name,
                                      call.ranges[memory], call.ranges[2])
                      : placeAt(e, call[memory], offsets[size_t(i)], *object, call.ranges[memory], call.ranges[2]);
    Value piece = sliced(e, pieces, IntTuple(std::vector<IntTuple>{layout::Leaf::keep(), i}), call.ranges[registers]);
    std::vector<mlir::Value> predicate;
    if (predicates.known && !*predicates.known)
      predicate = {toCondition(e, Value(false), call.ranges[4]).value};
    else if (!predicates.values.empty())
      predicate = {predicates.values[predicates.values.size() == 1 ? 0 : size_t(i)]};
    const bool isGather = memory == 1;
    const Value *fill = isGather && call.given[5] ? &call[5] : nullptr;
    emitCopy(e, {*object, isGather ? place : piece, isGather ? piece : place, std::move(predicate), fill, call.range,
                 call.ranges[1], call.ranges[3]});
  }
  return Value();
}

Value gather(Elaborator &e, BoundCall &call) { return moveBy(e, call, 1, 3); }
Value scatter(Elaborator &e, BoundCall &call) { return moveBy(e, call, 3, 1); }

const Builtin gatherRows[] = {
    {"gather", "atom, source, offsets, destination, pred=, fill=",
     "copies to a fragment from offsets relative to a tensor's first element, with one access of the atom per offset",
     gather},
    {"scatter", "atom, source, offsets, destination, pred=",
     "copies a fragment to offsets relative to a tensor's first element, with one access of the atom per offset",
     scatter},
};
} // namespace

llvm::ArrayRef<Builtin> gatherBuiltins() { return gatherRows; }

} // namespace fly::sema
