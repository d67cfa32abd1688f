// See Registers.h.
#include "compiler/dialect/Registers.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
namespace fly::ir {

Registers Registers::of(FragmentOp fragment) {
  return {llvm::to_vector(fragment.getSlots()), fragment.getType().getElementType(), int64_t(fragment.getChunk()),
          fragment.getSize()};
}

std::vector<Stretch> stretchesOf(ArrayRef<int64_t> places, int64_t chunk) {
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

bool areBytes(Type element, ArrayRef<Stretch> stretches) {
  const int64_t unit = registerForm(element).elements;
  return llvm::all_of(stretches, [&](const Stretch &s) {
    return s.element % unit == 0 && s.within % unit == 0 && s.count % unit == 0;
  });
}

static int64_t lanesOf(Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); }
static int64_t bitsIn(VectorType type) { return type.getNumElements() * type.getElementTypeBitWidth(); }

static Value part(OpBuilder &b, Location loc, Value whole, int64_t first, int64_t count) {
  if (lanesOf(whole) == count)
    return whole;
  SmallVector<int64_t> lanes = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
  return vector::ShuffleOp::create(b, loc, whole, whole, lanes);
}

/// `whole` with its lanes from `first` on replaced by `piece`.
static Value with(OpBuilder &b, Location loc, Value whole, Value piece, int64_t first) {
  const int64_t lanes = lanesOf(whole), count = lanesOf(piece);
  if (lanes == count)
    return piece;
  SmallVector<int64_t> mask = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  for (int64_t i = 0; i < count; ++i)
    mask[size_t(first + i)] = lanes + i;
  return vector::ShuffleOp::create(b, loc, whole, piece, mask);
}

static Value readWhole(OpBuilder &b, Location loc, Value slot) {
  return SlotLoadOp::create(b, loc, cast<VectorType>(cast<SlotType>(slot.getType()).getValueType()), slot);
}

Value readSlot(OpBuilder &b, Location loc, const Registers &registers, int64_t slot) {
  Value whole = readWhole(b, loc, registers.slots[size_t(slot)]);
  auto held = cast<VectorType>(whole.getType()), wanted = registers.typeOf(slot);
  if (held == wanted)
    return whole;
  // The elements at the end of a slot may not make whole elements of the new type.
  whole = part(b, loc, whole, 0, bitsIn(wanted) / held.getElementTypeBitWidth());
  return whole.getType() == wanted ? whole : vector::BitCastOp::create(b, loc, wanted, whole);
}

Value keepSlot(OpBuilder &b, Location loc, const Registers &registers, int64_t slot) {
  Value value = readSlot(b, loc, registers, slot), whole = value;
  while (auto *made = whole.getDefiningOp())
    if (auto load = dyn_cast<SlotLoadOp>(made)) {
      load.setKeeps(true);
      break;
    } else
      whole = made->getOperand(0);
  return value;
}

void writeSlot(OpBuilder &b, Location loc, const Registers &registers, int64_t slot, Value value) {
  Value into = registers.slots[size_t(slot)];
  auto held = cast<VectorType>(cast<SlotType>(into.getType()).getValueType()),
       given = cast<VectorType>(value.getType());
  if (given != held) {
    auto same = VectorType::get({bitsIn(given) / held.getElementTypeBitWidth()}, held.getElementType());
    if (given != same)
      value = vector::BitCastOp::create(b, loc, same, value);
    if (same != held)
      value = with(b, loc, readWhole(b, loc, into), value, 0);
  }
  SlotStoreOp::create(b, loc, value, into);
}

Value readElements(OpBuilder &b, Location loc, const Registers &registers, ArrayRef<int64_t> places) {
  const auto stretches = stretchesOf(places, registers.chunk);
  const RegisterForm form = registerForm(registers.element);
  auto lanes = [&](int64_t n) { return n / form.elements * form.lanes; };
  std::map<int64_t, Value> known; // a slot once
  auto slotAt = [&](int64_t slot) {
    Value &value = known[slot];
    return value ? value : value = readSlot(b, loc, registers, slot);
  };
  // Many equal pieces, in pairs: each step doubles their length, and no vector of all elements is made for each of
  // them.
  constexpr size_t many = 16;
  if (stretches.size() >= many && llvm::isPowerOf2_64(stretches.size()) &&
      llvm::all_of(stretches, [&](const Stretch &s) { return s.count == stretches[0].count; })) {
    SmallVector<Value> pieces;
    for (const Stretch &stretch : stretches)
      pieces.push_back(part(b, loc, slotAt(stretch.slot), lanes(stretch.within), lanes(stretch.count)));
    while (pieces.size() > 1) {
      SmallVector<int64_t> both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanesOf(pieces[0])));
      for (size_t i = 0; i < pieces.size() / 2; ++i)
        pieces[i] = vector::ShuffleOp::create(b, loc, pieces[2 * i], pieces[2 * i + 1], both);
      pieces.truncate(pieces.size() / 2);
    }
    return pieces[0];
  }
  Value result;
  for (const Stretch &stretch : stretches) {
    Value piece = part(b, loc, slotAt(stretch.slot), lanes(stretch.within), lanes(stretch.count));
    if (stretch.count == int64_t(places.size()))
      return piece;
    if (!result)
      result = UndefinedOp::create(b, loc, registersFor(registers.element, int64_t(places.size())));
    result = with(b, loc, result, piece, lanes(stretch.element));
  }
  return result;
}

void writeElements(OpBuilder &b, Location loc, const Registers &registers, ArrayRef<int64_t> places, Value elements) {
  const RegisterForm form = registerForm(registers.element);
  auto lanes = [&](int64_t n) { return n / form.elements * form.lanes; };
  for (const Stretch &stretch : stretchesOf(places, registers.chunk)) {
    Value piece = part(b, loc, elements, lanes(stretch.element), lanes(stretch.count));
    if (registers.typeOf(stretch.slot).getNumElements() != lanes(stretch.count))
      piece = with(b, loc, readSlot(b, loc, registers, stretch.slot), piece, lanes(stretch.within));
    writeSlot(b, loc, registers, stretch.slot, piece);
  }
}

void fillElements(OpBuilder &b, Location loc, const Registers &registers, ArrayRef<int64_t> places,
                  llvm::function_ref<Value(int64_t count)> piece) {
  const RegisterForm form = registerForm(registers.element);
  for (const Stretch &stretch : stretchesOf(places, registers.chunk)) {
    Value value = piece(stretch.count);
    if (registers.typeOf(stretch.slot).getNumElements() != lanesOf(value))
      value =
          with(b, loc, readSlot(b, loc, registers, stretch.slot), value, stretch.within / form.elements * form.lanes);
    writeSlot(b, loc, registers, stretch.slot, value);
  }
}

} // namespace fly::ir
