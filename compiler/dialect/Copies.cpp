// See Copies.h; verifiers of `fly.fragment` and `fly.copy`.
#include "compiler/dialect/Copies.h"

#include "compiler/dialect/Registers.h"
#include "compiler/layout/Algebra.h"

using namespace mlir;
namespace fly::ir {

using layout::AnyLayout;
using layout::InferringArithmetic;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Result;

layout::Rearrangement intoAccesses(int64_t values) {
  return {layout::Rearrangement::Kind::LogicalDivide,
          layout::Tile(std::vector<layout::Tile>{layout::Tile::extent(Leaf::known(values))}),
          {}};
}

Result<Accesses> Accesses::of(const Layout &divided) {
  InferringArithmetic arithmetic;
  std::vector<IntTuple> extents;
  for (size_t i = 0; i < divided.rank(); ++i) {
    FLY_TRY(size, layout::size(i == 0 ? divided.mode(0).shape().mode(1) : divided.shape().mode(i), arithmetic));
    if (!size.isStatic())
      return layout::Error{"the number of accesses must be known; mode " + std::to_string(i) + " of `" +
                           divided.text() + "` is not"};
    extents.push_back(IntTuple(size.value));
  }
  IntTuple shape(std::move(extents));
  FLY_TRY(count, layout::size(shape, arithmetic));
  return Accesses(std::move(shape), count.value);
}

IntTuple Accesses::operator[](int64_t i) const {
  std::vector<IntTuple> modes;
  for (const Leaf &extent : shape.leaves()) {
    modes.push_back(IntTuple(i % extent.value));
    i /= extent.value;
  }
  modes[0] = IntTuple(std::vector<IntTuple>{Leaf::keep(), modes[0]});
  return IntTuple(std::move(modes));
}

Result<std::vector<int64_t>> placesAt(const AnyLayout &layout, const IntTuple &coordinate, int64_t start) {
  InferringArithmetic arithmetic;
  FLY_TRY(part, layout::sliceAndOffset(coordinate, layout, arithmetic));
  FLY_TRY(places, layout::offsetsOf(part.layout));
  for (int64_t &place : places)
    place += start + part.offset.leaf().value;
  return places;
}

//===------------------------------------------------- fragments -------------------------------------------------===//

/// Bits of a slot's value.
static int64_t bitsOf(Value slot) {
  auto type = cast<VectorType>(cast<SlotType>(slot.getType()).getValueType());
  return type.getNumElements() * std::max(type.getElementTypeBitWidth(), type.getElementType().isInteger(1) ? 8u : 0u);
}

int64_t FragmentOp::getSize() {
  const int64_t element = getType().getElementBits();
  int64_t bits = 0;
  for (Value slot : getSlots())
    bits += bitsOf(slot);
  const int64_t unit = elementUnit(unsigned(element)).elements;
  return bits / element / unit * unit;
}

LogicalResult FragmentOp::verify() {
  if (getSlots().empty())
    return emitOpError("needs slots");
  const int64_t element = getType().getElementBits();
  for (auto [i, slot] : llvm::enumerate(getSlots())) {
    if (!isa<VectorType>(cast<SlotType>(slot.getType()).getValueType()))
      return emitOpError() << "sees slots of vectors; slot " << i << " is " << slot.getType();
    if (i + 1 < getSlots().size() && bitsOf(slot) != int64_t(getChunk()) * element)
      return emitOpError() << "says that slot " << i << " holds " << getChunk() << " elements of " << element
                           << " bits; it has " << bitsOf(slot) << " bits";
  }
  auto places = layout::offsetsOf(getType().getLayout());
  if (!places)
    return emitOpError() << places.text();
  const int64_t size = getSize();
  for (int64_t place : *places)
    if (place + int64_t(getStart()) < 0 || place + int64_t(getStart()) >= size)
      return emitOpError() << "leads to element " << place + int64_t(getStart()) << " of " << size;
  return success();
}

//===--------------------------------------------------- copies --------------------------------------------------===//

static Type elementOf(Type view) {
  return isa<TensorType>(view) ? cast<TensorType>(view).getElementType() : cast<FragmentType>(view).getElementType();
}
static const Layout &domainOf(Type view) {
  return isa<TensorType>(view) ? cast<TensorType>(view).getDomain() : cast<FragmentType>(view).getDomain();
}
static std::optional<AddressSpace> spaceOf(Type view) {
  auto tensor = dyn_cast<TensorType>(view);
  return tensor ? std::optional(tensor.getSpace()) : std::nullopt;
}

int64_t CopyOp::getValues() { return getAtom().getBits() / elementBits(elementOf(getSource().getType())); }

int64_t CopyOp::getAccesses() {
  InferringArithmetic arithmetic;
  auto size = layout::size(domainOf(getSource().getType()), arithmetic);
  return size && size->isStatic() ? size->value / getValues() : 0;
}

/// The spaces that a kind may read and write; registers are not a space.
static LogicalResult verifySpaces(CopyOp op) {
  const auto source = spaceOf(op.getSource().getType()), destination = spaceOf(op.getDestination().getType());
  auto is = [](std::optional<AddressSpace> space, AddressSpace wanted) { return space == wanted; };
  bool good = true;
  switch (op.getAtom().getKind()) {
  case CopyKind::Universal: break;
  case CopyKind::Buffer: good = is(source, AddressSpace::Buffer) || is(destination, AddressSpace::Buffer); break;
  case CopyKind::BufferToLds: good = is(source, AddressSpace::Buffer) && is(destination, AddressSpace::Shared); break;
  case CopyKind::GlobalToLds: good = is(source, AddressSpace::Global) && is(destination, AddressSpace::Shared); break;
  case CopyKind::Async:
    good = (is(source, AddressSpace::Global) && is(destination, AddressSpace::Shared)) ||
           (is(source, AddressSpace::Shared) && is(destination, AddressSpace::Global));
    break;
  case CopyKind::LdsTransposing: good = is(source, AddressSpace::Shared) && !destination; break;
  case CopyKind::GlobalTransposing: good = is(source, AddressSpace::Global) && !destination; break;
  case CopyKind::UniversalAtomic: good = !source && destination && !is(destination, AddressSpace::Buffer); break;
  case CopyKind::BufferAtomic: good = !source && is(destination, AddressSpace::Buffer); break;
  }
  if (!good)
    return op.emitOpError() << "by `" << op.getAtom().row().name << "` goes elsewhere than from "
                            << op.getSource().getType() << " to " << op.getDestination().getType();
  return success();
}

LogicalResult CopyOp::verify() {
  Type source = getSource().getType(), destination = getDestination().getType();
  if (elementOf(source) != elementOf(destination))
    return emitOpError() << "moves bits as they are; its views have elements of " << elementOf(source) << " and "
                         << elementOf(destination);
  const int64_t element = elementBits(elementOf(source));
  if (getAtom().getBits() % element)
    return emitOpError() << "moves " << getAtom().getBits() << " bits, which elements of " << element << " do not fill";
  if (failed(verifySpaces(*this)))
    return failure();
  InferringArithmetic arithmetic;
  const Layout &from = domainOf(source), &to = domainOf(destination);
  if (from.rank() == 0 || from.rank() != to.rank())
    return emitOpError() << "has views of " << from.rank() << " and " << to.rank() << " modes";
  for (size_t i = 0; i < from.rank(); ++i) {
    auto a = layout::size(from.mode(i), arithmetic), b = layout::size(to.mode(i), arithmetic);
    if (!a || !b || !a->isStatic() || !b->isStatic() || a->value != b->value)
      return emitOpError() << "has views that differ in mode " << i << ", or whose size there is not known";
    if (i == 0 && a->value % getValues())
      return emitOpError() << "has " << a->value << " elements in mode 0, of which an access moves " << getValues();
  }
  const int64_t accesses = getAccesses(), predicates = int64_t(getPredicates().size());
  if (accesses < 1 || accesses > maximumAccesses)
    return emitOpError() << "has " << accesses << " accesses; 1 to " << maximumAccesses << " are one operation";
  if (predicates && accesses % predicates)
    return emitOpError() << "has " << predicates << " predicates for " << accesses << " accesses";
  if (getAtom().row().transposes && (predicates || getFill()))
    return emitOpError("of lanes that exchange what they read has neither predicates nor a fill");
  if (getFill() && getFill().getType() != registersFor(elementOf(destination), getValues()))
    return emitOpError() << "fills an access with " << registersFor(elementOf(destination), getValues()) << "; found "
                         << getFill().getType();
  return success();
}

} // namespace fly::ir
