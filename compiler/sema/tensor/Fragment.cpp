// See Fragment.h.
#include "compiler/sema/tensor/Fragment.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/tensor/Coordinates.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/Vectors.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
namespace vector = mlir::vector;

constexpr int64_t accessBits = 128;

/// Elements of a slot: what one access moves at most; all of a small fragment. Bools are registers of their own.
static int64_t chunkOf(host::Number element, int64_t size) {
  if (element == host::Number::Bool)
    return 1;
  return std::min(size,
                  std::max<int64_t>(1, int64_t(llvm::bit_floor(uint64_t(accessBits / host::format(element).bits)))));
}

Value makeFragment(Elaborator &e, host::Number element, const AnyLayout &layout, SourceRange range) {
  auto &b = e.ir(range, "fragment");
  layout::InferringArithmetic arithmetic;
  if (!layout::isStatic(layout))
    e.report(diag::not_compile_time, range, {"the layout of a fragment", "i32 in `" + layout::textOf(layout) + "`"})
        .help("registers have no addresses: fix the dynamic modes by a coordinate first"), throw Failed{};
  if (layout::givesCoordinates(layout))
    e.fail(diag::bad_layout, range,
           {"a fragment's layout leads to registers; `" + layout::textOf(layout) + "` gives coordinates"});
  for (const Leaf &stride : layout::domainOf(layout).stride().leaves())
    if (stride.value < 0)
      e.fail(diag::wrong_value, range, {"a stride of a fragment", "not negative", std::to_string(stride.value)});
  Leaf size = taken(e, layout::cosize(layout, arithmetic), "fragment", range);
  if (size.value < 1 || size.value > ir::maximumFragment)
    e.fail(diag::wrong_value, range,
           {"the size of a fragment", "from 1 to " + std::to_string(ir::maximumFragment) + " elements",
            std::to_string(size.value)});
  auto storage = std::make_shared<FragmentStorage>();
  storage->element = element;
  storage->size = int64_t(llvm::alignTo(uint64_t(size.value), uint64_t(unitOf(element).elements)));
  storage->chunk = chunkOf(element, storage->size);
  mlir::Type scalar = e.mlirType(Type::scalar(element));
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(e.kernelEntry);
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
    e.report(diag::not_compile_time, range, {"the shape of a fragment", "i32 in `" + domain.shape().text() + "`"})
        .help("registers have no addresses: fix the dynamic modes by a coordinate first"), throw Failed{};
  // Where strides are not known or lead to coordinates, the order is that of the modes.
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
             {"make_fragment_like", "a type beside a coordinate tensor: `make_fragment_like(t, i32)`", "none"});
  }
  return makeFragment(e, number, AnyLayout(compact), range);
}

// The same slots with another count of elements in each: reads and writes go through bitcasts of a slot's value.
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
    refuse("the fragment lies in pieces of " + std::to_string(old.chunk * from) + " bits, no whole number of `" + name +
           "`; make a fragment of `" + name + "` and recast that one");
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
  layout::InferringArithmetic arithmetic;
  std::vector<int64_t> out;
  for (int64_t i = 0, n = type().lanes; i < n; ++i) {
    e.step(range);
    const int64_t place = start + taken(e, layout::evaluate(i, layout, arithmetic), "a fragment", range).leaf().value;
    if (place < 0 || place >= storage->size) // a tile that does not divide it, a step backwards
      e.report(diag::index_out_of_range, range,
               {std::to_string(place),
                "a fragment of " + std::to_string(storage->size) + (storage->size == 1 ? " element" : " elements")})
          .note("element " + std::to_string(i) + " of the view `" + layout::textOf(layout) + "`"),
          throw Failed{};
    out.push_back(place);
  }
  return out;
}

namespace {
/// Elements next to each other both in a fragment's order and in one of its slots.
struct Stretch { int64_t element, slot, within, count; };

std::vector<Stretch> stretchesOf(const std::vector<int64_t> &places, int64_t chunk) {
  std::vector<Stretch> out;
  for (int64_t i = 0, n = int64_t(places.size()); i < n;) {
    int64_t count = 1, slot = places[i] / chunk;
    while (i + count < n && places[i + count] == places[i] + count && places[i + count] / chunk == slot)
      ++count;
    out.push_back({i, slot, places[i] % chunk, count});
    i += count;
  }
  return out;
}

int64_t lanesOf(mlir::Value vector) { return llvm::cast<mlir::VectorType>(vector.getType()).getNumElements(); }

mlir::Value part(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole, int64_t first, int64_t count) {
  if (lanesOf(whole) == count)
    return whole;
  llvm::SmallVector<int64_t> lanes = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
  return vector::ShuffleOp::create(b, loc, whole, whole, lanes);
}

/// `whole` with `piece` in the place of its lanes from `first` on.
mlir::Value with(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole, mlir::Value piece, int64_t first) {
  int64_t lanes = lanesOf(whole), count = lanesOf(piece);
  if (lanes == count)
    return piece;
  llvm::SmallVector<int64_t> mask = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  for (int64_t i = 0; i < count; ++i)
    mask[size_t(first + i)] = lanes + i;
  return vector::ShuffleOp::create(b, loc, whole, piece, mask);
}
} // namespace

/// Whether the stretches are whole bytes, which they need not be where several elements lie in one.
static bool areBytes(host::Number number, const std::vector<Stretch> &stretches) {
  const int64_t unit = unitOf(number).elements;
  return llvm::all_of(stretches, [&](const Stretch &s) {
    return s.element % unit == 0 && s.within % unit == 0 && s.count % unit == 0;
  });
}

/// What a slot's elements are in registers. It differs from what the slot holds where the fragment is recast.
static mlir::VectorType registersOf(Elaborator &e, const FragmentStorage &storage, int64_t slot) {
  const int64_t count = std::min(storage.chunk, storage.size - slot * storage.chunk);
  return mlir::VectorType::get({lanesOf(storage.element, count)}, e.mlirType(Type::scalar(storage.element)));
}

static int64_t bitsIn(mlir::VectorType type) { return type.getNumElements() * type.getElementTypeBitWidth(); }

static mlir::Value readWhole(Elaborator &e, const FragmentStorage &storage, int64_t slot, SourceRange range) {
  auto type = llvm::cast<ir::SlotType>(storage.slots[size_t(slot)].getType()).getValueType();
  return ir::SlotLoadOp::create(*e.builder, e.location(range), llvm::cast<mlir::VectorType>(type),
                                storage.slots[size_t(slot)]);
}

static mlir::Value read(Elaborator &e, const FragmentStorage &storage, int64_t slot, SourceRange range) {
  auto loc = e.location(range);
  mlir::Value whole = readWhole(e, storage, slot, range);
  auto held = llvm::cast<mlir::VectorType>(whole.getType()), wanted = registersOf(e, storage, slot);
  if (held == wanted)
    return whole;
  // Elements at the end of a slot may be none of the new type's.
  whole = part(*e.builder, loc, whole, 0, bitsIn(wanted) / held.getElementTypeBitWidth());
  return whole.getType() == wanted ? whole : vector::BitCastOp::create(*e.builder, loc, wanted, whole);
}

static void write(Elaborator &e, const FragmentStorage &storage, int64_t slot, mlir::Value value, SourceRange range) {
  auto loc = e.location(range);
  auto held =
      llvm::cast<mlir::VectorType>(llvm::cast<ir::SlotType>(storage.slots[size_t(slot)].getType()).getValueType());
  auto given = llvm::cast<mlir::VectorType>(value.getType());
  if (given != held) {
    auto same = mlir::VectorType::get({bitsIn(given) / held.getElementTypeBitWidth()}, held.getElementType());
    if (given != same)
      value = vector::BitCastOp::create(*e.builder, loc, same, value);
    if (same != held)
      value = with(*e.builder, loc, readWhole(e, storage, slot, range), value, 0);
  }
  ir::SlotStoreOp::create(*e.builder, loc, value, storage.slots[size_t(slot)]);
}

/// The type of all elements of a slot.
static Type slotType(const FragmentStorage &storage, int64_t slot) {
  return Type::vector(storage.element, uint32_t(std::min(storage.chunk, storage.size - slot * storage.chunk)));
}

mlir::Value Fragment::load(Elaborator &e, SourceRange range) const {
  auto &b = e.ir(range, "a fragment");
  auto loc = e.location(range);
  checkFillsBytes(e, type(), "load", range);
  const auto all = places(e, range);
  const auto stretches = stretchesOf(all, storage->chunk);
  auto lanes = [&](int64_t n) { return lanesOf(storage->element, n); };
  mlir::Value result;
  std::map<int64_t, mlir::Value> known; // a slot once
  auto slotAt = [&](int64_t slot) {
    mlir::Value &value = known[slot];
    return value ? value : value = read(e, *storage, slot, range);
  };
  if (!areBytes(storage->element, stretches)) { // one element after the other
    std::map<int64_t, Values> elements;
    Values parts;
    for (int64_t place : all) {
      const int64_t slot = place / storage->chunk;
      Values &own = elements[slot];
      if (own.empty())
        own = vectorElements(e, {slotAt(slot), slotType(*storage, slot)}, range);
      parts.push_back(own[size_t(place % storage->chunk)]);
    }
    return vectorOfParts(e, type(), parts, range).value;
  }
  // Many equal pieces, in pairs: each step doubles their length, so no piece needs a vector of all elements.
  constexpr size_t many = 16;
  if (stretches.size() >= many && llvm::isPowerOf2_64(stretches.size()) &&
      llvm::all_of(stretches, [&](const Stretch &s) { return s.count == stretches[0].count; })) {
    llvm::SmallVector<mlir::Value> pieces;
    for (const Stretch &stretch : stretches)
      pieces.push_back(part(b, loc, slotAt(stretch.slot), lanes(stretch.within), lanes(stretch.count)));
    while (pieces.size() > 1) {
      llvm::SmallVector<int64_t> both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanesOf(pieces[0])));
      for (size_t i = 0; i < pieces.size() / 2; ++i)
        pieces[i] = vector::ShuffleOp::create(b, loc, pieces[2 * i], pieces[2 * i + 1], both);
      pieces.truncate(pieces.size() / 2);
    }
    return pieces[0];
  }
  for (const Stretch &stretch : stretches) {
    mlir::Value piece = part(b, loc, slotAt(stretch.slot), lanes(stretch.within), lanes(stretch.count));
    if (stretch.count == int64_t(all.size()))
      return piece;
    if (!result)
      result = ir::UndefinedOp::create(
          b, loc, mlir::VectorType::get({lanes(int64_t(all.size()))}, e.mlirType(Type::scalar(storage->element))));
    result = with(b, loc, result, piece, lanes(stretch.element));
  }
  return result;
}

void Fragment::store(Elaborator &e, mlir::Value elements, SourceRange range) const {
  auto &b = e.ir(range, "a fragment");
  auto loc = e.location(range);
  checkFillsBytes(e, type(), "store", range);
  const auto all = places(e, range);
  const auto stretches = stretchesOf(all, storage->chunk);
  auto lanes = [&](int64_t n) { return lanesOf(storage->element, n); };
  if (!areBytes(storage->element, stretches)) {
    const Values given = vectorElements(e, {elements, type()}, range);
    std::map<int64_t, Values> slots;
    for (size_t i = 0; i < all.size(); ++i) {
      const int64_t slot = all[i] / storage->chunk;
      Values &own = slots[slot];
      if (own.empty())
        own = vectorElements(e, {read(e, *storage, slot, range), slotType(*storage, slot)}, range);
      own[size_t(all[i] % storage->chunk)] = given[i];
    }
    for (auto &[slot, own] : slots)
      write(e, *storage, slot, vectorOfParts(e, slotType(*storage, slot), own, range).value, range);
    return;
  }
  for (const Stretch &stretch : stretches) {
    mlir::Value piece = part(b, loc, elements, lanes(stretch.element), lanes(stretch.count));
    if (registersOf(e, *storage, stretch.slot).getNumElements() != lanes(stretch.count))
      piece = with(b, loc, read(e, *storage, stretch.slot, range), piece, lanes(stretch.within));
    write(e, *storage, stretch.slot, piece, range);
  }
}

// Slot by slot: a vector of all elements would be taken apart again, in time that grows with its square.
void Fragment::fill(Elaborator &e, const MachineValue &scalar, SourceRange range) const {
  auto &b = e.ir(range, "a fragment");
  auto loc = e.location(range);
  std::map<int64_t, mlir::Value> pieces; // one for each length
  for (const Stretch &stretch : stretchesOf(places(e, range), storage->chunk)) {
    mlir::Value &piece = pieces[stretch.count];
    if (!piece)
      piece = broadcast(e, scalar, Type::vector(storage->element, uint32_t(stretch.count)), range).value;
    const bool isWhole = registersOf(e, *storage, stretch.slot).getNumElements() == stretch.count;
    write(e, *storage, stretch.slot,
          isWhole ? piece : with(b, loc, read(e, *storage, stretch.slot, range), piece, stretch.within), range);
  }
}

// ---------------------------------------------------------------------------------------------------------
// In expressions

static IntTuple coordinateOf(Elaborator &e, const Layout &domain, const Values &items, SourceRange range) {
  const Values *list = items.size() == 1 && items[0].sequence() && domain.rank() > 1 ? items[0].sequence() : &items;
  std::vector<IntTuple> parts;
  for (auto &item : *list) {
    if (item.is<MachineValue>())
      e.report(diag::not_compile_time, range, {"an index into a fragment", item.as<MachineValue>()->type.text()})
          .help("registers have no addresses: index it in `for i in unroll(...)`"), throw Failed{};
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
  // A layout that a composition left may have one mode that is no tuple.
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
    return vectorIndex(e, {read(e, *storage, slot, range), slotType(*storage, slot)}, Value(place % storage->chunk),
                       range, range);
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
    Value changed = vectorWith(e, {read(e, *storage, slot, range), slotType(*storage, slot)},
                               Value(place % storage->chunk), value, range, range, valueRange);
    write(e, *storage, slot, changed.as<MachineValue>()->value, range);
    return;
  }
  mlir::Value element = e.toMachine(value, Type::scalar(storage->element), valueRange).value;
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
  std::optional<bool> saturate = name == "to" ? takeSaturate(e, arguments, "to") : std::nullopt;
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
    Type element = e.requireType(arguments[0].value, arguments[0].range, "the type");
    checkFillsBytes(e, Type::vector(element.number, type().lanes), "to", range);
    Value converted = e.convert(Value(MachineValue{load(e, range), type()}), Type::vector(element.number, type().lanes),
                                range, saturate);
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
    fill(e, e.toMachine(arguments[0].value, Type::scalar(storage->element), arguments[0].range), range);
    return Value();
  }
  if (name == "fill" && !arguments[0].value.isNumber() && !arguments[0].value.is<MachineValue>())
    e.fail(diag::wrong_argument_type, arguments[0].range, {"fill", "a number", "x", describe(arguments[0].value)});
  store(e, e.toMachine(arguments[0].value, type(), arguments[0].range).value, range);
  return Value();
}

} // namespace fly::sema
