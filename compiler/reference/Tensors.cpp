// Tensors of the reference interpreter: views by evaluating the layouts in their types, and accesses element by element.
#include "compiler/reference/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fly::reference {

using layout::AnyLayout;
using layout::IntTuple;

//===----------------------------------------------------- leaves -----------------------------------------------===//

/// A number of the running kernel as layouts take it; none: it is not known.
static std::optional<int64_t> numberOf(const Cell &cell, unsigned width) {
  if (!cell.isKnown(width))
    return std::nullopt;
  return cell.value(width).getSExtValue();
}

static unsigned firstLeaf(Type type) { return isa<ir::TensorType>(type) ? unsigned(TensorCells::Leaves) : 0; }

static const AnyLayout &layoutIn(Type type) {
  if (auto tensor = dyn_cast<ir::TensorType>(type))
    return tensor.getLayout();
  return cast<ir::LayoutType>(type).getLayout();
}

static const LayoutLeaves &leavesIn(Wave &wave, Value value) {
  return *wave.kernel.layouts[wave.kernel.numberOf(value)];
}

static std::optional<std::vector<int64_t>> leafValues(Wave &wave, Value value, unsigned lane) {
  const Cell *cells = wave.of(value, lane) + firstLeaf(value.getType());
  std::vector<int64_t> values;
  for (unsigned width : leavesIn(wave, value).widths) {
    auto number = numberOf(*cells++, width);
    if (!number)
      return std::nullopt;
    values.push_back(*number);
  }
  return values;
}

static std::shared_ptr<const Function> knownFunction(Wave &wave, Value value, unsigned lane) {
  auto values = leafValues(wave, value, lane);
  if (!values)
    return nullptr;
  Kernel::Evaluated &last = wave.kernel.functions[wave.kernel.numberOf(value)];
  if (!last.function || last.leaves != *values) {
    const int64_t *next = values->data();
    last.function = std::make_shared<const Function>(functionOf(layoutIn(value.getType()), next));
    last.leaves = std::move(*values);
  }
  return last.function;
}

std::shared_ptr<const Function> functionOf(Wave &wave, Value value, unsigned lane) {
  if (auto function = knownFunction(wave, value, lane))
    return function;
  throw Stop{Outcome::Beyond, "a layout depends on bits that the program leaves open"};
}

/// The operands of an operation as numbers; none if one is not known.
static std::optional<std::vector<int64_t>> numbersOf(Wave &wave, ValueRange values, unsigned lane) {
  std::vector<int64_t> numbers;
  for (Value value : values) {
    auto number = numberOf(*wave.of(value, lane), widthOf(value.getType()));
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

static std::vector<Cell> leafCells(Wave &wave, Value result, const Function &function) {
  const LayoutLeaves &wanted = leavesIn(wave, result);
  const std::vector<int64_t> leaves = leavesOf(function);
  auto values = dynamicLeavesOf(wanted, leaves);
  if (!values) {
    std::string text;
    for (int64_t leaf : leaves)
      text += (text.empty() ? "" : ", ") + std::to_string(leaf);
    throw Stop{Outcome::Beyond,
               "a layout `" + layout::textOf(layoutIn(result.getType())) + "` whose leaves should be " + text};
  }
  std::vector<Cell> cells;
  for (auto [value, width] : llvm::zip_equal(*values, wanted.widths))
    cells.push_back(Cell::of(uint64_t(value), width));
  return cells;
}

/// What a view makes of the function of another one: made once for each such function.
template <typename Make>
static const Kernel::Derived &derivedFrom(Wave &wave, Value result, std::shared_ptr<const Function> source, Make make) {
  Kernel::Derived &last = wave.kernel.derived[wave.kernel.numberOf(result)];
  if (last.source != source) {
    last.function = std::make_shared<const Function>(make(*source));
    last.leaves = leafCells(wave, result, *last.function);
    last.source = std::move(source);
  }
  return last;
}

/// Bytes of so many elements.
static int64_t bytesOf(int64_t elements, unsigned bits) {
  if (elements * int64_t(bits) % 8)
    throw Stop{Outcome::Beyond, "a view that begins inside of a byte"};
  return elements * int64_t(bits) / 8;
}

static void moveView(Cell *tensor, bool isBuffer, int64_t bytes) {
  Cell &cell = tensor[isBuffer ? unsigned(TensorCells::Checked) : unsigned(TensorCells::Address)];
  cell.bits += uint64_t(bytes);
}

static bool isBuffer(Type type) {
  auto tensor = dyn_cast<ir::TensorType>(type);
  return tensor && tensor.getSpace() == ir::AddressSpace::Buffer;
}

//===----------------------------------------------------- views ------------------------------------------------===//

View::View(Wave &wave, Value value, unsigned lane) : wave(wave), lane(lane), value(value) {
  if (auto type = dyn_cast<ir::TensorType>(value.getType())) {
    bits = type.getElementBits();
    space = type.getSpace();
    function = functionOf(wave, value, lane);
    cells = wave.of(value, lane);
    return;
  }
  auto type = cast<ir::FragmentType>(value.getType());
  isFragment = true;
  bits = type.getElementType().getIntOrFloatBitWidth();
  fragment = value.getDefiningOp<ir::FragmentOp>();
  if (!fragment)
    throw Stop{Outcome::Beyond, "a fragment that is carried through control flow"};
  const int64_t *none = nullptr;
  Kernel::Evaluated &known = wave.kernel.functions[wave.kernel.numberOf(value)];
  if (!known.function)
    known.function = std::make_shared<const Function>(functionOf(type.getLayout(), none));
  function = known.function;
}

std::optional<uint64_t> View::address(int64_t place) const {
  const uint64_t start =
      wave.needed(cells[TensorCells::Address], space == ir::AddressSpace::Shared ? 32 : 64, "an address");
  if (space != ir::AddressSpace::Buffer)
    return start + uint64_t(bytesOf(place, bits));
  const uint64_t size = wave.needed(cells[TensorCells::Bytes], 64, "the size of a buffer"),
                 before = wave.needed(cells[TensorCells::Checked], 64, "an offset"),
                 added = wave.needed(cells[TensorCells::Unchecked], 64, "an offset");
  const int64_t checked = int64_t(before) + bytesOf(place, bits);
  if (checked < 0 || uint64_t(checked) + llvm::divideCeil(bits, 8) > size)
    return std::nullopt;
  return start + uint64_t(checked) + added;
}

/// The slot of a fragment's element, and where it is in the slot's bits.
static std::pair<Value, uint64_t> slotOf(ir::FragmentOp fragment, int64_t element, unsigned bits) {
  const int64_t at = element + int64_t(fragment.getStart()), chunk = int64_t(fragment.getChunk());
  if (at < 0 || at / chunk >= int64_t(fragment.getSlots().size()))
    throw Stop{Outcome::Mistake, "an element outside of its fragment"};
  return {fragment.getSlots()[size_t(at / chunk)], uint64_t(at % chunk) * bits};
}

/// Calls `use` with the cell of a fragment's element, which it may change.
template <typename Use> static void inSlot(const View &view, ir::FragmentOp fragment, int64_t place, Use use) {
  auto [slot, bit] = slotOf(fragment, place, view.bits);
  Lanes &storage = view.wave.slot(slot);
  const unsigned width = widthOf(cast<ir::SlotType>(slot.getType()).getValueType());
  Cell *cells = storage.of(view.lane);
  if (width == view.bits)
    return use(cells[bit / view.bits]);
  // The slot has numbers of another width: its bits in a row.
  std::vector<uint8_t> value(llvm::divideCeil(uint64_t(width) * storage.count, 8)), known(value.size());
  writePacked(value.data(), known.data(), 0, width, storage.count, cells);
  Cell cell;
  readPacked(value.data(), known.data(), bit, view.bits, 1, &cell);
  use(cell);
  writePacked(value.data(), known.data(), bit, view.bits, 1, &cell);
  readPacked(value.data(), known.data(), 0, width, storage.count, cells);
}

/// The bytes of memory that hold an element which shares them with others, as bits in a row.
struct SharedBytes {
  uint64_t address;
  unsigned bit, count; ///< where the element begins in them; how many they are
  uint8_t value[3] = {}, known[3] = {};
};

static SharedBytes sharedBytes(Wave &wave, const Cell *tensor, ir::AddressSpace space, int64_t place, unsigned bits) {
  if (space == ir::AddressSpace::Buffer)
    throw Stop{Outcome::Beyond, "elements of less than a byte in a buffer"};
  const uint64_t bit = uint64_t(place) * bits,
                 start = wave.needed(tensor[TensorCells::Address], space == ir::AddressSpace::Shared ? 32 : 64,
                                     "an address");
  SharedBytes shared{start + bit / 8, unsigned(bit % 8), unsigned((bit % 8 + bits + 7) / 8)};
  Cell bytes[3];
  loadAt(wave, space, shared.address, 8, shared.count, bytes);
  writePacked(shared.value, shared.known, 0, 8, shared.count, bytes);
  return shared;
}

/// What a view of the space accesses.
static ir::AddressSpace accessed(ir::AddressSpace space) {
  return space == ir::AddressSpace::Buffer ? ir::AddressSpace::Global : space;
}

/// A bool in memory is a byte, of which one bit counts.
static unsigned bitsInMemory(Value tensor, unsigned bits) {
  return cast<ir::TensorType>(tensor.getType()).getElementType().isInteger(1) ? 1 : bits;
}

void View::read(int64_t place, Cell *out) const {
  if (isFragment)
    return inSlot(*this, fragment, place, [&](Cell &cell) { *out = cell; });
  if (bits % 8) {
    const SharedBytes shared = sharedBytes(wave, cells, space, place, bits);
    return readPacked(shared.value, shared.known, shared.bit, bits, 1, out);
  }
  if (auto at = address(place))
    loadAt(wave, accessed(space), *at, bitsInMemory(value, bits), 1, out);
  else
    *out = Cell::of(0, bits);
}

void View::write(int64_t place, const Cell &in) const {
  if (isFragment)
    return inSlot(*this, fragment, place, [&](Cell &cell) { cell = in; });
  if (in.isPoison())
    throw Stop{Outcome::Mistake, "poison is stored"};
  if (bits % 8) {
    SharedBytes shared = sharedBytes(wave, cells, space, place, bits);
    writePacked(shared.value, shared.known, shared.bit, bits, 1, &in);
    Cell bytes[3];
    readPacked(shared.value, shared.known, 0, 8, shared.count, bytes);
    return storeAt(wave, space, shared.address, 8, shared.count, bytes);
  }
  if (auto at = address(place))
    storeAt(wave, accessed(space), *at, bitsInMemory(value, bits), 1, &in);
}

//===---------------------------------------------------- making ------------------------------------------------===//

/// For each lane: the result's cells, or unknown ones where `body` says so.
template <typename Body> static bool eachResult(Wave &wave, Operation *op, Body body) {
  const unsigned count = wave.lanes(op->getResult(0)).count;
  wave.forLanes([&](unsigned lane) {
    Cell *out = wave.result(op, lane);
    if (!body(lane, out))
      std::fill_n(out, count, Cell::unknown());
  });
  return true;
}

/// A coordinate with its dynamic operands.
static std::optional<Tree> coordinateOf(Wave &wave, ir::IntTupleAttr tuple, ValueRange dynamic, unsigned lane) {
  auto numbers = numbersOf(wave, dynamic, lane);
  if (!numbers)
    return std::nullopt;
  const int64_t *next = numbers->data();
  return treeOf(tuple.getTuple(), next);
}

static bool runMaking(Wave &wave, Operation *op) {
  auto each = [&](auto body) { return eachResult(wave, op, body); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ir::MakeLayoutOp make) {
        return each([&](unsigned lane, Cell *out) {
          for (Value leaf : make.getDynamic())
            *out++ = *wave.of(leaf, lane);
          return true;
        });
      })
      .Case([&](ir::MakeTensorOp make) {
        const unsigned leaves = wave.lanes(make.getLayout()).count;
        return each([&](unsigned lane, Cell *out) {
          out[TensorCells::Address] = *wave.of(make.getPointer(), lane);
          for (unsigned i = TensorCells::Bytes; i < TensorCells::Leaves; ++i)
            out[i] = Cell::number(0);
          std::copy_n(wave.of(make.getLayout(), lane), leaves, out + TensorCells::Leaves);
          return true;
        });
      })
      .Case([&](ir::SliceOp slice) {
        const ir::TensorType type = slice.getTensor().getType();
        return each([&](unsigned lane, Cell *out) {
          auto function = knownFunction(wave, slice.getTensor(), lane);
          auto coordinate = coordinateOf(wave, slice.getCoordinate(), slice.getDynamic(), lane);
          if (!function || !coordinate)
            return false;
          const Place place = placeOf(*coordinate, function->domain);
          std::copy_n(wave.of(slice.getTensor(), lane), unsigned(TensorCells::Leaves), out);
          if (function->steps.empty())
            moveView(out, isBuffer(type), bytesOf(place.number, type.getElementBits()));
          if (leavesIn(wave, slice).widths.empty())
            return true;
          auto keep = [&](const Function &whole) {
            return Function{keptOf(*coordinate, whole.domain), whole.swizzle, whole.steps};
          };
          std::vector<Cell> leaves;
          if (function->steps.empty()) {
            leaves = derivedFrom(wave, slice, function, keep).leaves;
          } else {
            Function moved = keep(*function);
            moved.steps.front().offset.add(place);
            leaves = leafCells(wave, slice, moved);
          }
          llvm::copy(leaves, out + TensorCells::Leaves);
          return true;
        });
      })
      .Case([&](ir::RearrangeOp rearrange) {
        const unsigned first = firstLeaf(rearrange.getType());
        return each([&](unsigned lane, Cell *out) {
          std::copy_n(wave.of(rearrange.getSource(), lane), first, out);
          if (leavesIn(wave, rearrange.getResult()).widths.empty())
            return true;
          auto function = knownFunction(wave, rearrange.getSource(), lane);
          auto numbers = numbersOf(wave, rearrange.getDynamic(), lane);
          if (!function || !numbers)
            return false;
          auto make = [&](const Function &source) {
            const int64_t *next = numbers->data();
            auto domain = rearranged(source.domain, rearrange.getStep().getStep(), next);
            if (!domain)
              throw Stop{Outcome::Beyond, "the step `" + rearrange.getStep().getStep().text() + "`"};
            return Function{std::move(*domain), source.swizzle, source.steps};
          };
          if (numbers->empty())
            llvm::copy(derivedFrom(wave, rearrange.getResult(), function, make).leaves, out + first);
          else
            llvm::copy(leafCells(wave, rearrange.getResult(), make(*function)), out + first);
          return true;
        });
      })
      .Case([&](ir::RecastOp recast) {
        const unsigned from = recast.getTensor().getType().getElementBits(), to = recast.getType().getElementBits();
        return each([&](unsigned lane, Cell *out) {
          auto function = knownFunction(wave, recast.getTensor(), lane);
          if (!function)
            return false;
          std::copy_n(wave.of(recast.getTensor(), lane), unsigned(TensorCells::Leaves), out);
          if (leavesIn(wave, recast).widths.empty())
            return true;
          auto &recasted = derivedFrom(wave, recast, function, [&](Function source) {
            std::vector<Tree> shape, stride;
            source.domain.shape.flatten(shape);
            source.domain.stride.flatten(stride);
            for (size_t i = 0; i < shape.size(); ++i) {
              int64_t &changed = stride[i].value == 1 ? shape[i].value : stride[i].value;
              changed = changed * from / to;
            }
            source.domain = {Tree::of(std::move(shape)), Tree::of(std::move(stride))};
            for (auto &step : source.steps)
              step.offset.number = step.offset.number * from / to;
            return source;
          });
          llvm::copy(recasted.leaves, out + TensorCells::Leaves);
          return true;
        });
      })
      .Case([&](ir::BufferOp buffer) {
        return each([&](unsigned lane, Cell *out) {
          const Lanes &source = wave.lanes(buffer.getTensor());
          std::copy_n(source.of(lane), source.count, out);
          out[TensorCells::Bytes] = *wave.of(buffer.getBytes(), lane);
          return true;
        });
      })
      .Case([&](ir::RebaseOp rebase) {
        return each([&](unsigned lane, Cell *out) {
          const Lanes &source = wave.lanes(rebase.getTensor());
          std::copy_n(source.of(lane), source.count, out);
          const uint64_t skipped = std::min(out[TensorCells::Checked].bits, out[TensorCells::Bytes].bits);
          out[TensorCells::Address].bits += out[TensorCells::Checked].bits;
          out[TensorCells::Bytes].bits =
              std::min(out[TensorCells::Bytes].bits - skipped, uint64_t(ir::BufferOp::reach));
          out[TensorCells::Checked] = Cell::number(0);
          return true;
        });
      })
      .Case([&](ir::AtOffsetsOp at) {
        return each([&](unsigned lane, Cell *out) {
          const Cell *source = wave.of(at.getTensor(), lane);
          std::copy_n(source,
                      wave.lanes(op->getResult(0)).count <= wave.lanes(at.getTensor()).count
                          ? wave.lanes(op->getResult(0)).count
                          : unsigned(TensorCells::Leaves),
                      out);
          const Cell checked = *wave.of(at.getChecked(), lane), unchecked = *wave.of(at.getUnchecked(), lane);
          if (!checked.isKnown(32) || !unchecked.isKnown(32))
            return false;
          out[TensorCells::Checked].bits += (checked.bits & onesOf(32)) + uint64_t(at.getKnown());
          out[TensorCells::Unchecked].bits += unchecked.bits & onesOf(32);
          return true;
        });
      })
      .Case([&](ir::FragmentOp) { return true; })
      .Default(false);
}

//===--------------------------------------------------- accesses -----------------------------------------------===//

/// Reads or writes all elements of a tensor, in its order; of packed ones the registers are bytes.
static bool runWhole(Wave &wave, Value tensor, Value vector, bool isStore, Value predicate = {}) {
  const unsigned width = widthOf(vector.getType()), count = cellsOf(vector.getType());
  wave.forLanes([&](unsigned lane) {
    const bool isOn = !predicate || wave.needed(*wave.of(predicate, lane), 1, "a predicate");
    Cell *cells = wave.lanes(vector).of(lane);
    if (!isOn) {
      if (!isStore)
        std::fill_n(cells, count, Cell::of(0, width));
      return;
    }
    const View view(wave, tensor, lane);
    const int64_t size = view.size();
    const bool isPacked = view.bits != width && width != 1;
    std::vector<uint8_t> bits(llvm::divideCeil(uint64_t(width) * count, 8)), known(bits.size());
    if (isStore && isPacked)
      writePacked(bits.data(), known.data(), 0, width, count, cells);
    for (int64_t i = 0; i < size; ++i) {
      Cell packed;
      Cell &cell = isPacked ? packed : cells[i];
      if (isStore) {
        if (isPacked)
          readPacked(bits.data(), known.data(), uint64_t(i) * view.bits, view.bits, 1, &cell);
        view.write(view.place(i), cell);
      } else {
        view.read(view.place(i), &cell);
        if (isPacked)
          writePacked(bits.data(), known.data(), uint64_t(i) * view.bits, view.bits, 1, &cell);
      }
    }
    if (!isStore && isPacked)
      readPacked(bits.data(), known.data(), 0, width, count, cells);
  });
  return true;
}

static Tree knownCoordinate(Wave &wave, ir::IntTupleAttr tuple, ValueRange dynamic, unsigned lane) {
  if (auto coordinate = coordinateOf(wave, tuple, dynamic, lane))
    return std::move(*coordinate);
  throw Stop{Outcome::Beyond, "a coordinate depends on bits that the program leaves open"};
}

static bool runElement(Wave &wave, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ir::LoadOp load) {
        wave.forLanes([&](unsigned lane) {
          const View view(wave, load.getTensor(), lane);
          view.read(view.place(knownCoordinate(wave, load.getCoordinate(), load.getDynamic(), lane)),
                    wave.result(op, lane));
        });
        return true;
      })
      .Case([&](ir::StoreOp store) {
        wave.forLanes([&](unsigned lane) {
          const View view(wave, store.getTensor(), lane);
          view.write(view.place(knownCoordinate(wave, store.getCoordinate(), store.getDynamic(), lane)),
                     *wave.of(store.getValue(), lane));
        });
        return true;
      })
      .Case([&](ir::AddressOp address) {
        if (isBuffer(address.getTensor().getType()))
          throw Stop{Outcome::Beyond, "the resource of a buffer"};
        wave.forLanes([&](unsigned lane) {
          const View view(wave, address.getTensor(), lane);
          *wave.result(op, lane) = Cell::of(
              *view.address(view.place(knownCoordinate(wave, address.getCoordinate(), address.getDynamic(), lane))),
              widthOf(address.getType()));
        });
        return true;
      })
      .Case([&](ir::Crd2IdxOp index) {
        return eachResult(wave, op, [&](unsigned lane, Cell *out) {
          auto function = knownFunction(wave, index.getLayout(), lane);
          auto coordinate = coordinateOf(wave, index.getCoordinate(), index.getDynamic(), lane);
          if (!function || !coordinate)
            return false;
          const Place place = function->at(*coordinate);
          if (!place.along.empty())
            throw Stop{Outcome::Beyond, "a layout whose results are coordinates"};
          *out = Cell::of(uint64_t(place.number), widthOf(index.getType()));
          return true;
        });
      })
      .Case([&](ir::LeafOp leaf) {
        return eachResult(wave, op, [&](unsigned lane, Cell *out) {
          auto function = knownFunction(wave, leaf.getSource(), lane);
          if (!function)
            return false;
          std::vector<Tree> leaves;
          (leaf.getSide() == ir::LeafSide::Shape ? function->domain.shape : function->domain.stride).flatten(leaves);
          *out = Cell::of(uint64_t(leaves[leaf.getIndex()].value), widthOf(leaf.getType()));
          return true;
        });
      })
      .Case([&](ir::LoadVectorOp load) { return runWhole(wave, load.getTensor(), load.getResult(), false); })
      .Case([&](ir::StoreVectorOp store) { return runWhole(wave, store.getTensor(), store.getValue(), true); })
      .Case([&](ir::MaskedLoadOp load) {
        return runWhole(wave, load.getTensor(), load.getResult(), false, load.getPredicate());
      })
      .Case([&](ir::MaskedStoreOp store) {
        return runWhole(wave, store.getTensor(), store.getValue(), true, store.getPredicate());
      })
      .Case([&](ir::MaskedAtomicOp atomic) {
        const Type type = getElementTypeOrSelf(atomic.getValue().getType());
        wave.forLanes([&](unsigned lane) {
          if (!wave.needed(*wave.of(atomic.getPredicate(), lane), 1, "a predicate"))
            return;
          const View view(wave, atomic.getTensor(), lane);
          for (int64_t i = 0; i < view.size(); ++i)
            if (auto at = view.address(view.place(i)))
              change(wave, atomic.getKind(), type, ir::AddressSpace::Global, *at, wave.of(atomic.getValue(), lane)[i],
                     lane, false);
        });
        return true;
      })
      .Default(false);
}

bool runTensor(Wave &wave, Operation *op) { return runMaking(wave, op) || runElement(wave, op); }

} // namespace fly::reference
