// See Fragment.h.
#include "compiler/sema/tensor/Fragment.h"

#include "compiler/dialect/AccessWidth.h"
#include "compiler/sema/tensor/Coordinates.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/Vectors.h"
#include "compiler/text/Words.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
namespace vector = mlir::vector;

/// Elements of a slot: the most that one access moves, or a whole small fragment. Each bool has its own register.
static int64_t chunkOf(host::Number element, int64_t size) {
  if (element == host::Number::Bool)
    return 1;
  return std::min(size, ir::mostElements(host::format(element).bits));
}

Value makeFragment(Elaborator &e, host::Number element, const AnyLayout &layout, SourceRange range, int64_t together,
                   bool allowScratch) {
  auto &b = e.ir(range, "fragment");
  layout::InferringArithmetic arithmetic;
  if (!layout::isStatic(layout))
    e.report(range, diag::dynamic_layout{.what = "the layout of a fragment", .layout = layout::textOf(layout)})
        .help("registers have no addresses; fix the dynamic modes with a coordinate first"),
        throw Failed{};
  if (layout::givesCoordinates(layout))
    e.fail(diag::bad_layout, range,
           {"the layout of a fragment must give registers, but `" + layout::textOf(layout) + "` gives coordinates"});
  for (const Leaf &stride : layout::domainOf(layout).stride().leaves())
    if (stride.value < 0)
      e.fail(range, diag::negative_value{.what = "a stride of a fragment", .found = std::to_string(stride.value)});
  Leaf size = taken(e, layout::cosize(layout, arithmetic), "fragment", range);
  if (size.value < 1 || size.value > ir::maximumFragment)
    e.fail(range, diag::out_of_range{.what = "the number of elements of a fragment",
                                     .low = 1,
                                     .high = ir::maximumFragment,
                                     .found = std::to_string(size.value)});
  // A bool is a bit of a lane mask.
  const int64_t registers =
      element == host::Number::Bool ? 0 : (size.value * int64_t(host::format(element).bits) + 31) / 32;
  if (registers > int64_t(e.target.vgprs.addressable) && !allowScratch)
    e.report(range, diag::fragment_too_large{.registers = registers,
                                             .arch = std::string(e.target.name),
                                             .limit = int64_t(e.target.vgprs.addressable)})
        .help("divide the tile among the threads, or keep it in LDS: `shared(T, shape)`")
        .help("`fragment(..., allow_scratch=True)` keeps it in scratch memory"),
        throw Failed{};
  auto storage = std::make_shared<FragmentStorage>();
  storage->element = element;
  storage->size = int64_t(llvm::alignTo(uint64_t(size.value), uint64_t(unitOf(element).elements)));
  storage->chunk = together ? std::min(together, storage->size) : chunkOf(element, storage->size);
  mlir::Type scalar = mlirType(e, Type::scalar(element));
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(e.kernel.entry);
  for (int64_t first = 0; first < storage->size; first += storage->chunk) {
    auto type = mlir::VectorType::get({lanesOf(element, std::min(storage->chunk, storage->size - first))}, scalar);
    storage->slots.push_back(ir::SlotOp::create(b, e.location(range), type));
  }
  return makeObject<Fragment>(std::move(storage), layout, 0);
}

Value makeFragmentLike(Elaborator &e, const Value &view, std::optional<host::Number> element, SourceRange range) {
  layout::InferringArithmetic arithmetic;
  Layout domain = domainOf(view);
  if (!domain.shape().isStatic())
    e.report(range, diag::dynamic_layout{.what = "the shape of a fragment", .layout = domain.shape().text()})
        .help("registers have no addresses; fix the dynamic modes with a coordinate first"),
        throw Failed{};
  // If strides are unknown or map to coordinates, the order of the modes is used.
  bool ordered = domain.isStatic() && !domain.stride().hasBasis();
  Layout compact = taken(
      e, ordered ? layout::fragmentLayoutLike(domain, arithmetic) : layout::columnMajor(domain.shape(), arithmetic),
      "make_fragment_like", range);
  host::Number number = element ? *element : host::Number::F32;
  if (!element) {
    if (auto *tensor = view.as<TensorValue>())
      number = tensor->element;
    else if (auto *fragment = objectAs<Fragment>(view))
      number = fragment->storage->element;
    else
      e.fail(diag::wrong_argument_count, range,
             {"make_fragment_like", "a type with a coordinate tensor: `make_fragment_like(t, i32)`", "none"});
  }
  return makeFragment(e, number, AnyLayout(compact), range);
}

// The same slots with a different number of elements in each: reads and writes bitcast a slot's value.
Value recastFragment(Elaborator &e, const Fragment &fragment, host::Number element, SourceRange range,
                     SourceRange blame) {
  const FragmentStorage &old = *fragment.storage;
  if (element == old.element)
    return makeObject<Fragment>(fragment.storage, fragment.layout, fragment.start);
  auto refuse = [&](const std::string &why) { e.fail(diag::no_layout, blame, {"recast", why}); };
  const int64_t from = host::format(old.element).bits, to = host::format(element).bits;
  if (old.element == host::Number::Bool || element == host::Number::Bool)
    refuse("bools of a fragment are registers of their own, not bits of others; convert them: `f.to(T)`");
  const std::string name = host::format(element).name;
  if (old.chunk * from % to != 0 && old.slots.size() > 1)
    refuse("the fragment lies in pieces of " + std::to_string(old.chunk * from) + " bits, not a whole number of `" +
           name + "`; make a fragment of `" + name + "` and recast that one");
  if (fragment.start * from % to != 0)
    refuse("the view begins " + std::to_string(fragment.start * from) + " bits into its fragment, inside of a `" +
           name + "`");
  layout::InferringArithmetic arithmetic;
  AnyLayout layout = taken(e, layout::recastLayout(fragment.layout, from, to, arithmetic), "recast", blame);
  auto storage = std::make_shared<FragmentStorage>(old);
  storage->element = element;
  storage->size = old.size * from / to / unitOf(element).elements * unitOf(element).elements; // elements that are whole
  storage->chunk = old.slots.size() > 1 ? old.chunk * from / to : storage->size;
  if (storage->size < 1)
    refuse("the fragment has fewer bits than one `" + name + "`");
  return makeObject<Fragment>(std::move(storage), std::move(layout), fragment.start * from / to);
}

std::string Fragment::description() const {
  return "a fragment of " + std::string(host::format(storage->element).name) + " with the layout `" +
         layout::textOf(layout) + "`";
}
std::string Fragment::text() const {
  return "fragment(" + std::string(host::format(storage->element).name) + ", " + layout::textOf(layout) + ")";
}

Type Fragment::type() const {
  layout::InferringArithmetic arithmetic;
  auto size = layout::size(layout::domainOf(layout), arithmetic);
  return Type::vector(storage->element, uint32_t(size->value));
}

/// Of each element in order, its place in the storage.
std::vector<int64_t> Fragment::places(Elaborator &e, SourceRange range) const {
  for (int64_t i = 0, n = type().lanes; i < n; ++i)
    e.step(range);
  std::vector<int64_t> out = taken(e, layout::offsetsOf(layout), "a fragment", range);
  for (auto [i, place] : llvm::enumerate(out)) {
    place += start;
    if (place < 0 || place >= storage->size) // a tile that does not divide it, a step backwards
      e.report(diag::index_out_of_range, range,
               {std::to_string(place), "a fragment of " + counted(storage->size, "element")})
          .note("element " + std::to_string(i) + " of the view `" + layout::textOf(layout) + "`"),
          throw Failed{};
  }
  return out;
}

/// The type of all elements of a slot.
static Type slotType(const FragmentStorage &storage, int64_t slot) {
  return Type::vector(storage.element, uint32_t(std::min(storage.chunk, storage.size - slot * storage.chunk)));
}

ir::Registers Fragment::registers(Elaborator &e) const {
  return {
      {storage->slots.begin(), storage->slots.end()}, memoryType(e, storage->element), storage->chunk, storage->size};
}

mlir::Value Fragment::asOperand(Elaborator &e, SourceRange range) const {
  places(e, range); // refuses those outside
  auto type = ir::FragmentType::get(&e.context, memoryType(e, storage->element), layout);
  return ir::FragmentOp::create(e.ir(range, "a fragment"), e.location(range), type, storage->slots, start,
                                storage->chunk);
}

bool Fragment::isWholeBytes(Elaborator &e, int64_t count, SourceRange range) const {
  const auto all = places(e, range);
  for (size_t i = 0; i < all.size(); i += size_t(count))
    if (!ir::areBytes(memoryType(e, storage->element),
                      ir::stretchesOf(llvm::ArrayRef(all).slice(i, size_t(count)), storage->chunk)))
      return false;
  return true;
}

mlir::Value Fragment::load(Elaborator &e, SourceRange range) const {
  auto &b = e.ir(range, "a fragment");
  auto loc = e.location(range);
  checkFillsBytes(e, type(), "load", range);
  const auto all = places(e, range);
  const ir::Registers own = registers(e);
  if (ir::areBytes(own.element, ir::stretchesOf(all, own.chunk)))
    return ir::readElements(b, loc, own, all);
  std::map<int64_t, Values> elements; // one element after the other
  Values parts;
  for (int64_t place : all) {
    const int64_t slot = place / own.chunk;
    Values &held = elements[slot];
    if (held.empty())
      held = vectorElements(e, {ir::readSlot(b, loc, own, slot), slotType(*storage, slot)}, range);
    parts.push_back(held[size_t(place % own.chunk)]);
  }
  return vectorOfParts(e, type(), parts, range).value;
}

void Fragment::store(Elaborator &e, mlir::Value elements, SourceRange range) const {
  auto &b = e.ir(range, "a fragment");
  auto loc = e.location(range);
  checkFillsBytes(e, type(), "store", range);
  const auto all = places(e, range);
  const ir::Registers own = registers(e);
  if (ir::areBytes(own.element, ir::stretchesOf(all, own.chunk)))
    return ir::writeElements(b, loc, own, all, elements);
  const Values given = vectorElements(e, {elements, type()}, range);
  std::map<int64_t, Values> slots;
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t slot = all[i] / own.chunk;
    Values &held = slots[slot];
    if (held.empty())
      held = vectorElements(e, {ir::keepSlot(b, loc, own, slot), slotType(*storage, slot)}, range);
    held[size_t(all[i] % own.chunk)] = given[i];
  }
  for (auto &[slot, held] : slots)
    ir::writeSlot(b, loc, own, slot, vectorOfParts(e, slotType(*storage, slot), held, range).value);
}

// Slot by slot: a vector of all elements would be taken apart again, in time that grows with its square.
void Fragment::fill(Elaborator &e, const MachineValue &scalar, SourceRange range) const {
  std::map<int64_t, mlir::Value> pieces; // one for each length
  ir::fillElements(e.ir(range, "a fragment"), e.location(range), registers(e), places(e, range), [&](int64_t count) {
    mlir::Value &piece = pieces[count];
    return piece ? piece : piece = broadcast(e, scalar, Type::vector(storage->element, uint32_t(count)), range).value;
  });
}

// ---------------------------------------------------------------------------------------------------------
// In expressions

static IntTuple coordinateOf(Elaborator &e, const Layout &domain, const Values &items, SourceRange range) {
  const Values *list = items.size() == 1 && items[0].sequence() && domain.rank() > 1 ? items[0].sequence() : &items;
  std::vector<IntTuple> parts;
  for (auto &item : *list) {
    if (item.is<MachineValue>())
      e.report(diag::not_compile_time, range, {"an index into a fragment", item.as<MachineValue>()->type.text()})
          .help("registers have no addresses: index it in `for i in unroll(...)`"),
          throw Failed{};
    parts.push_back(toTuple(e, item, range, "a coordinate"));
  }
  if (parts.size() == 1 && domain.rank() != 1) { // the number of an element, first mode fastest
    checkInside(e, parts[0], domain.shape(), "a fragment", range);
    return parts[0];
  }
  if (parts.size() != domain.rank())
    e.report(diag::bad_coordinate, range, {std::to_string(parts.size()), std::to_string(domain.rank())})
        .note("its layout is `" + domain.text() + "`"),
        throw Failed{};
  // A layout from a composition may have a single mode that is not a tuple.
  IntTuple coordinate = domain.shape().isLeaf() ? parts[0] : IntTuple(std::move(parts));
  checkInside(e, coordinate, domain.shape(), "a fragment", range);
  return coordinate;
}

Value Fragment::index(Elaborator &e, const Values &items, SourceRange range) const {
  IntTuple coordinate = coordinateOf(e, layout::domainOf(layout), items, range);
  Value part = sliced(e, makeObject<Fragment>(storage, layout, start), coordinate, range);
  if (coordinate.hasKeep())
    return part;
  if (liesPacked(storage->element)) {
    const int64_t place = objectAs<Fragment>(part)->places(e, range)[0], slot = place / storage->chunk;
    return vectorIndex(
        e, {ir::readSlot(e.ir(range, "a fragment"), e.location(range), registers(e), slot), slotType(*storage, slot)},
        Value(place % storage->chunk), range, range);
  }
  mlir::Value vector = objectAs<Fragment>(part)->load(e, range);
  return Value(MachineValue{
      vector::ExtractOp::create(e.ir(range, "a fragment"), e.location(range), vector, llvm::ArrayRef<int64_t>{0}),
      Type::scalar(storage->element)});
}

void Fragment::assign(Elaborator &e, const Values &items, const Value &value, SourceRange range,
                      SourceRange valueRange) const {
  IntTuple coordinate = coordinateOf(e, layout::domainOf(layout), items, range);
  if (coordinate.hasKeep())
    e.fail(diag::bad_index, range, {"an assignment to a fragment", "`:`; use `.store(v)` for a whole view"});
  Value part = sliced(e, makeObject<Fragment>(storage, layout, start), coordinate, range);
  if (liesPacked(storage->element)) {
    const int64_t place = objectAs<Fragment>(part)->places(e, range)[0], slot = place / storage->chunk;
    Value changed = vectorWith(
        e, {ir::keepSlot(e.ir(range, "a fragment"), e.location(range), registers(e), slot), slotType(*storage, slot)},
        Value(place % storage->chunk), value, range, range, valueRange);
    ir::writeSlot(e.ir(range, "a fragment"), e.location(range), registers(e), slot, changed.as<MachineValue>()->value);
    return;
  }
  mlir::Value element = toMachine(e, value, Type::scalar(storage->element), valueRange).value;
  objectAs<Fragment>(part)->store(e,
                                  vector::FromElementsOp::create(e.ir(range, "a fragment"), e.location(range),
                                                                 mlir::VectorType::get({1}, element.getType()),
                                                                 element),
                                  range);
}

Value Fragment::attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                          SourceRange nameRange) const {
  if (auto asked = viewAttribute(e, self, name, range, nameRange))
    return *asked;
  if (name == "type")
    return Value(Type::scalar(storage->element));
  static const std::vector<std::string> methods = {"load", "store", "fill", "to"};
  if (llvm::is_contained(methods, name))
    return Value(MethodValue{std::make_shared<const Value>(self), name.str()});
  std::vector<std::string> names = viewAttributes();
  names.push_back("type");
  names.insert(names.end(), methods.begin(), methods.end());
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, names);
}

Value Fragment::method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const {
  Conversion how = name == "to" ? takeConversion(e, arguments, "to") : Conversion();
  size_t wanted = name == "load" ? 0 : 1;
  for (auto &argument : arguments)
    if (!argument.keyword.empty())
      failUnknown(e, diag::unknown_keyword, argument.range, name.str(), argument.keyword, {});
  if (arguments.size() != wanted)
    e.fail(diag::wrong_argument_count, range,
           {name.str(), wanted ? "1 argument" : "0 arguments", std::to_string(arguments.size())});
  if (name == "load")
    return Value(MachineValue{load(e, range), type()});
  if (name == "to") {
    Type element = requireType(e, arguments[0].value, arguments[0].range, "the type");
    checkFillsBytes(e, Type::vector(element.number, type().lanes), "to", range);
    Value converted =
        convert(e, Value(MachineValue{load(e, range), type()}), Type::vector(element.number, type().lanes), range, how);
    layout::InferringArithmetic arithmetic;
    Layout compact = taken(e, layout::fragmentLayoutLike(layout::domainOf(layout), arithmetic), "to", range);
    Value made = makeFragment(e, element.number, AnyLayout(compact), range);
    objectAs<Fragment>(made)->store(e, converted.as<MachineValue>()->value, range);
    return made;
  }
  checkFillsBytes(e, type(), name, range);
  const auto *machine = arguments[0].value.as<MachineValue>();
  if (name == "fill" && !liesPacked(storage->element) &&
      (machine ? !machine->type.isVector() : arguments[0].value.isNumber())) {
    fill(e, toMachine(e, arguments[0].value, Type::scalar(storage->element), arguments[0].range), range);
    return Value();
  }
  if (name == "fill" && !arguments[0].value.isNumber() && !arguments[0].value.is<MachineValue>())
    e.fail(arguments[0].range,
           diag::not_a_number{.what = diag::argument("x", "fill"), .found = describe(arguments[0].value)});
  store(e, toMachine(e, arguments[0].value, type(), arguments[0].range).value, range);
  return Value();
}

} // namespace fly::sema
