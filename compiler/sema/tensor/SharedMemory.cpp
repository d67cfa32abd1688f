// Shared memory (LDS): objects, overlays, arenas, the dynamic part, and the budget. See SharedMemory.h.
#include "compiler/sema/tensor/SharedMemory.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/tensor/Coordinates.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/tensor/Views.h"

#include "llvm/Support/FormatVariadic.h"

namespace fly::sema {

using layout::IntTuple;

constexpr uint64_t objectAlignment = 16, dynamicAlignment = 1024;

static uint64_t up(uint64_t bytes, uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

uint64_t LdsUse::total() const {
  uint64_t bytes = 0;
  for (auto &object : objects)
    bytes = up(bytes, objectAlignment) + object.bytes;
  return dynamicBytes && *dynamicBytes ? up(bytes, dynamicAlignment) + *dynamicBytes : bytes;
}

std::string groupedDigits(uint64_t bytes) { return llvm::formatv("{0:N}", bytes).str(); }

// ---------------------------------------------------------------------------------------------------------
// The budget

/// Reports that the object at `range` is one too many, with the others and the targets that have more.
static void checkBudget(Elaborator &e, SourceRange range, uint64_t bytes) {
  uint64_t total = e.kernel.lds.total();
  if (total <= e.target.ldsBytes)
    return;
  if (std::exchange(e.kernel.lds.isReported, true)) // what follows is too much as well
    throw Failed{};
  std::string smaller = e.kernel.suggestSmaller ? e.kernel.suggestSmaller() : "";
  auto builder = e.report(range, diag::lds_over_budget{.kernel = e.kernel.name,
                                                       .bytes = groupedDigits(total),
                                                       .arch = std::string(e.target.name),
                                                       .limit = groupedDigits(e.target.ldsBytes)});
  std::string all = groupedDigits(total - e.target.ldsBytes) + " too many";
  builder.caret(groupedDigits(bytes) + " bytes" + (bytes == total ? ", " : ": " + groupedDigits(total) + " in all, ") +
                all);
  for (auto &object : e.kernel.lds.objects)
    if (object.range.valid() && (object.range.file != range.file || object.range.begin != range.begin))
      builder.label(object.range, groupedDigits(object.bytes) + " bytes");
  if (e.kernel.lds.dynamicBytes && *e.kernel.lds.dynamicBytes && e.kernel.lds.dynamicRange.begin != range.begin)
    builder.label(e.kernel.lds.dynamicRange, groupedDigits(*e.kernel.lds.dynamicBytes) + " bytes");
  if (!smaller.empty())
    builder.help("`" + smaller + "` fits " + std::string(e.target.name));
  for (auto &other : target::all())
    if (other.ldsBytes >= total)
      builder.help(std::string(other.name) + " has " + groupedDigits(other.ldsBytes));
  throw Failed{};
}

static size_t declare(Elaborator &e, uint64_t bytes, SourceRange range) {
  auto &b = e.ir(range, "shared");
  mlir::OpBuilder::InsertionGuard guard(b); // one object for each that is elaborated, also in a loop
  b.setInsertionPointToStart(e.kernel.entry);
  auto op = ir::SharedOp::create(b, e.location(range), int64_t(bytes), objectAlignment);
  e.kernel.lds.objects.push_back({range, bytes, op});
  return e.kernel.lds.objects.size() - 1;
}

static void grow(LdsUse::Object &object, uint64_t bytes) {
  if (bytes <= object.bytes)
    return;
  object.bytes = bytes;
  llvm::cast<ir::SharedOp>(object.op).setBytes(bytes);
}

// ---------------------------------------------------------------------------------------------------------
// Tensors

constexpr int64_t largest = int64_t(1) << 24; ///< of static storage, in elements or bytes

/// The extents of static storage, and how many elements they hold.
static std::pair<Values, int64_t> staticExtents(Elaborator &e, const Value &shape, SourceRange range,
                                                const char *what) {
  Values extents;
  int64_t count = 1;
  for (auto &extent : shape.sequence() ? *shape.sequence() : Values{shape}) {
    int64_t n = requireInt(e, extent, range, std::string("an extent of `") + what + "`");
    if (n < 1 || n > largest)
      e.fail(range, diag::out_of_range{.what = std::string("an extent of `") + what + "`",
                                       .low = 1,
                                       .high = largest,
                                       .found = std::to_string(n)});
    if (count > largest / n)
      e.fail(range, diag::above_limit{.what = std::string("the number of elements of `") + what + "`",
                                      .limit = largest,
                                      .found = count * n});
    count *= n;
    extents.push_back(Value(n));
  }
  return {extents, count};
}

/// Elements of `type` at a pointer, seen through a layout. A tensor of structs is a tensor of bytes whose strides count
/// structs.
static Value viewOf(Elaborator &e, mlir::Value pointer, const Value &type, layout::AnyLayout layout, SourceRange range,
                    const std::string &name) {
  auto &b = e.ir(range, name);
  auto *machine = type.as<Type>();
  if (layout::givesCoordinates(layout))
    e.fail(diag::bad_layout, range,
           {"the layout of a tensor must give offsets, but `" + layout::textOf(layout) + "` gives coordinates"});
  if (llvm::any_of(layout::domainOf(layout).stride().leaves(),
                   [](const layout::Leaf &stride) { return stride.isStatic() && stride.value < 0; }))
    e.fail(diag::bad_layout, range, {"`" + layout::textOf(layout) + "` leads to positions before its start"});
  TensorValue tensor;
  tensor.element = machine ? machine->number : host::Number::U8;
  tensor.name = name;
  if (!machine) {
    tensor.record = std::make_shared<const Value>(type);
    auto *plain = std::get_if<layout::Layout>(&layout);
    if (!plain)
      e.fail(diag::bad_layout, range, {"structs need a layout with strides, not `" + layout::textOf(layout) + "`"});
    MachineArithmetic arithmetic(e, range);
    layout::Leaf size = layout::Leaf::known(int64_t(layoutOf(e, type, range).bytes));
    IntTuple bytes = plain->stride().mapLeaves(
        [&](const layout::Leaf &leaf) { return taken(e, arithmetic.multiply(leaf, size), name, range); });
    layout = layout::Layout(plain->shape(), std::move(bytes));
  }
  mlir::Value made = ir::MakeLayoutOp::create(b, e.location(range), ir::LayoutType::get(&e.context, layout),
                                              operandsOf(e, layout::dynamicLeaves(layout), range));
  tensor.value = ir::MakeTensorOp::create(b, e.location(range), pointer, made,
                                          mlir::TypeAttr::get(memoryType(e, tensor.element)), mlir::UnitAttr{});
  return Value(tensor);
}

/// The layout from a value: a layout, or a shape, row-major unless there are strides.
static layout::AnyLayout layoutFrom(Elaborator &e, const Value &shape, const Value *strides, SourceRange range) {
  if (auto *object = shape.as<LayoutValue>())
    if (auto any = object->object->layout())
      return *any;
  MachineArithmetic arithmetic(e, range);
  auto asTuple = [](const IntTuple &tuple) { return tuple.isLeaf() ? IntTuple(std::vector<IntTuple>{tuple}) : tuple; };
  IntTuple extents = asTuple(toTuple(e, shape, range, "an extent"));
  if (!strides)
    return taken(e, layout::rowMajor(extents, arithmetic), "a shape", range);
  IntTuple steps = asTuple(toTuple(e, *strides, range, "a stride"));
  if (steps.rank() != extents.rank())
    e.fail(range, diag::stride_count{.modes = int64_t(extents.rank()), .found = int64_t(steps.rank())});
  auto made = layout::makeLayout(extents, steps);
  if (!made)
    e.fail(diag::bad_layout, range, {made.text()});
  return *made;
}

/// The elements that static storage of this layout or shape holds.
static std::pair<layout::AnyLayout, int64_t> staticStorage(Elaborator &e, const Value &shape, SourceRange range,
                                                           const char *what) {
  if (!shape.is<LayoutValue>()) {
    auto [extents, count] = staticExtents(e, shape, range, what);
    return {layoutFrom(e, makeTuple(extents), nullptr, range), count};
  }
  layout::InferringArithmetic arithmetic;
  layout::AnyLayout layout = layoutFrom(e, shape, nullptr, range);
  if (!layout::isStatic(layout))
    e.fail(range,
           diag::dynamic_layout{.what = std::string("the layout of `") + what + "`", .layout = layout::textOf(layout)});
  int64_t count = taken(e, layout::cosize(layout, arithmetic), what, range).value;
  if (count < 1 || count > largest)
    e.fail(range, diag::out_of_range{.what = std::string("the number of elements of `") + what + "`",
                                     .low = 1,
                                     .high = largest,
                                     .found = std::to_string(count)});
  return {layout, count};
}

/// Bytes of `count` elements, and the alignment of one.
static MemoryLayout storageOf(Elaborator &e, const Value &type, uint64_t count, SourceRange range) {
  if (auto *machine = type.as<Type>(); machine && liesPacked(machine->number))
    return {bytesOf(machine->number, count), 1, {}};
  MemoryLayout one = layoutOf(e, type, range);
  return {one.bytes * count, one.alignment, {}};
}

/// Scalars and structs; a vector is a mode of the shape.
static Value requireElement(Elaborator &e, const Value &value, SourceRange range) {
  if (auto *machine = value.as<Type>(); machine && !machine->isVector() && liesPacked(machine->number))
    return value;
  Value type = requireMemoryType(e, value, range, "the element type");
  if (auto *machine = type.as<Type>(); machine ? machine->isVector() : !type.is<StructTypeValue>())
    e.fail(diag::not_a_type, range, {"`" + toText(type) + "`, but only an element type is allowed here"});
  return type;
}

Value makeShared(Elaborator &e, const SharedRequest &request, const Value *overlay, SourceRange overlayRange) {
  SourceRange range = request.range;
  e.ir(range, "shared");
  Value type = requireElement(e, request.element, request.elementRange);
  auto [layout, count] = staticStorage(e, request.shape, request.shapeRange, "shared");
  uint64_t bytes = storageOf(e, type, uint64_t(count), range).bytes;
  size_t index;
  if (overlay) {
    auto *tensor = overlay->as<TensorValue>();
    auto made = tensor ? tensor->value.getDefiningOp<ir::MakeTensorOp>() : ir::MakeTensorOp();
    auto *op = made ? made.getPointer().getDefiningOp() : nullptr;
    auto found = llvm::find_if(e.kernel.lds.objects, [&](auto &object) { return op && object.op == op; });
    if (found == e.kernel.lds.objects.end())
      e.fail(overlayRange,
             diag::bad_shared{.message = "`overlay=` takes a whole object made by `shared`, got " +
                                         (tensor ? "a part of one, or other memory" : describe(*overlay))});
    index = size_t(found - e.kernel.lds.objects.begin());
    grow(*found, bytes);
  } else
    index = declare(e, bytes, range);
  checkBudget(e, range, bytes);
  return viewOf(e, e.kernel.lds.objects[index].op->getResult(0), type, layout, range, "shared");
}

Value makeDynamicShared(Elaborator &e, const SharedRequest &request, const Value &offset, SourceRange offsetRange) {
  SourceRange range = request.range;
  auto &b = e.ir(range, "dynamic_shared");
  if (!e.kernel.lds.hasDynamic)
    e.report(range, diag::bad_shared{.message = "kernel `" + e.kernel.name + "` has no dynamic LDS"})
        .help("state how many bytes a launch provides: `@kernel(..., lds=...)`"),
        throw Failed{};
  Value type = requireElement(e, request.element, request.elementRange);
  MemoryLayout layout = storageOf(e, type, 1, range);
  mlir::Value pointer = ir::DynamicSharedOp::create(
      b, e.location(range), ir::PtrType::get(&e.context, ir::AddressSpace::Shared, dynamicAlignment));
  if (offset.is<Int>()) {
    int64_t at = requireInt(e, offset, offsetRange, "the offset");
    if (at < 0 || at > int64_t(e.target.ldsBytes))
      e.fail(offsetRange, diag::out_of_range{.what = "the offset in bytes",
                                             .low = 0,
                                             .high = int64_t(e.target.ldsBytes),
                                             .found = std::to_string(at)});
    if (at % int64_t(layout.alignment) != 0)
      e.fail(offsetRange,
             diag::not_a_multiple{.what = "the offset in bytes", .unit = int64_t(layout.alignment), .found = at});
    pointer = addBytes(e, pointer, uint64_t(at), range);
  } else if (!offset.isNone()) {
    if (auto *m = offset.as<MachineValue>(); !m || !m->type.isInteger() || m->type.isVector())
      e.fail(diag::wrong_argument_type, offsetRange,
             {"dynamic_shared", "an integer number of bytes", "offset", describe(offset)});
    PointerValue bytes{pointer, std::make_shared<const Value>(Type::scalar(host::Number::U8)), Access::ReadWrite,
                       "dynamic_shared"};
    bytes = elementOf(e, bytes, {offset}, offsetRange);
    pointer = withAlignment(e, bytes, std::max<uint32_t>(uint32_t(layout.alignment), alignmentOf(bytes)), range).value;
  }
  return viewOf(e, pointer, type, layoutFrom(e, request.shape, nullptr, request.shapeRange), range, "dynamic_shared");
}

Value makeTensor(Elaborator &e, const PointerValue &pointer, const Value &shape, const Value *stride, SourceRange range,
                 SourceRange shapeRange) {
  Value type = requireElement(e, *pointer.element, range);
  Value made = viewOf(e, pointer.value, type, layoutFrom(e, shape, stride, shapeRange), range, pointer.name);
  TensorValue tensor = *made.as<TensorValue>();
  tensor.access = pointer.access;
  return Value(tensor);
}

// ---------------------------------------------------------------------------------------------------------
// Arenas

Value makeArena(Elaborator &e, std::optional<int64_t> bytes, SourceRange range) {
  e.ir(range, "shared_arena");
  if (bytes && (*bytes < 1 || *bytes > largest))
    e.fail(range,
           diag::out_of_range{
               .what = "the number of bytes of an arena", .low = 1, .high = largest, .found = std::to_string(*bytes)});
  size_t object = declare(e, bytes ? uint64_t(*bytes) : objectAlignment, range);
  checkBudget(e, range, e.kernel.lds.objects[object].bytes);
  e.kernel.lds.arenas.push_back({object, bytes ? uint64_t(*bytes) : 0});
  return Value(ArenaValue{e.kernel.lds.arenas.size() - 1});
}

static Value allocate(Elaborator &e, LdsUse::Arena &arena, const SharedRequest &request) {
  SourceRange range = request.range;
  Value type = requireElement(e, request.element, request.elementRange);
  auto [layout, count] = staticStorage(e, request.shape, request.shapeRange, "alloc");
  uint64_t bytes = storageOf(e, type, uint64_t(count), range).bytes, at = up(arena.used, objectAlignment);
  LdsUse::Object &object = e.kernel.lds.objects[arena.object];
  if (arena.limit && at + bytes > arena.limit) {
    e.report(range,
             diag::bad_shared{.message = groupedDigits(bytes) + " bytes do not fit in the arena; " + groupedDigits(at) +
                                         " of its " + groupedDigits(arena.limit) + " bytes are in use"})
        .note(object.range, "the arena is made here")
        .help("`reset()` releases its bytes; the end of `with arena:` does so too");
    throw Failed{};
  }
  arena.used = at + bytes;
  grow(object, arena.used);
  checkBudget(e, range, bytes);
  return viewOf(e, addBytes(e, object.op->getResult(0), at, range), type, layout, range, "alloc");
}

Value arenaMethod(Elaborator &e, const ArenaValue &value, llvm::StringRef name, Arguments &arguments,
                  SourceRange range) {
  for (auto &argument : arguments)
    if (!argument.keyword.empty())
      failUnknown(e, diag::unknown_keyword, argument.range, name.str(), argument.keyword, {});
  auto &arena = e.kernel.lds.arenas.at(value.index);
  size_t wanted = name == "alloc" ? 2 : 0;
  if (arguments.size() != wanted)
    e.fail(diag::wrong_argument_count, range,
           {name.str(), wanted ? "an element type and a shape" : "no arguments", std::to_string(arguments.size())});
  e.ir(range, name);
  if (name == "alloc")
    return allocate(e, arena, {arguments[0].value, arguments[1].value, range, arguments[0].range, arguments[1].range});
  arena.used = 0;
  return Value();
}

} // namespace fly::sema
