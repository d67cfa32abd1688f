// Copies of the reference interpreter: access by access of an atom, as the table of atoms says who moves what.
#include "compiler/reference/Machine.h"

using namespace mlir;

namespace fly::reference {

namespace {

/// What one lane gets of a copy that transposes: element `value` is that of another lane.
struct Source {
  unsigned lane;
  int64_t value;
};
using Exchange = std::vector<std::vector<Source>>; ///< by lane of a group and by value

Exchange exchangeOf(const atom::CopyLayouts &layouts) {
  const int64_t *none = nullptr;
  const Function source = functionOf(layout::AnyLayout(layouts.source), none),
                 destination = functionOf(layout::AnyLayout(layouts.destination), none);
  std::map<int64_t, Source> holders;
  auto each = [&](const Function &layout, auto body) {
    const int64_t values = layout.domain.shape.mode(1).product();
    for (int64_t thread = 0; thread < layouts.threads; ++thread)
      for (int64_t value = 0; value < values; ++value)
        body(thread, value, layout.at(thread + layouts.threads * value));
  };
  each(source, [&](int64_t thread, int64_t value, int64_t place) { holders[place] = {unsigned(thread), value}; });
  Exchange exchange{size_t(layouts.threads)};
  each(destination,
       [&](int64_t thread, int64_t, int64_t place) { exchange[size_t(thread)].push_back(holders[place]); });
  return exchange;
}

/// The values of an access for each lane.
using Moved = std::vector<std::vector<Cell>>;

Moved exchanged(const Wave &wave, const Exchange &exchange, const Moved &read) {
  if (wave.active != onesOf(wave.size))
    throw Stop{Outcome::Beyond, "a transposing read of some lanes"};
  Moved moved(read.size());
  for (unsigned lane = 0; lane < wave.size; ++lane) {
    const size_t group = lane / exchange.size() * exchange.size();
    for (const Source &from : exchange[lane % exchange.size()])
      moved[lane].push_back(read[group + from.lane][size_t(from.value)]);
  }
  return moved;
}

class Copy {
public:
  Copy(Wave &wave, ir::CopyOp op) : wave(wave), op(op), values(op.getValues()) {}

  void run() {
    // The accesses of a copy are one after the other, each of all lanes.
    const int64_t accesses = op.getAccesses();
    const size_t predicates = op.getPredicates().size();
    for (int64_t i = 0; i < accesses; ++i) {
      Value predicate = predicates ? op.getPredicates()[size_t(i / (accesses / int64_t(predicates)))] : Value();
      access(i, predicate);
    }
  }

private:
  bool isOn(Value predicate, unsigned lane) {
    return !predicate || wave.needed(*wave.of(predicate, lane), 1, "a predicate");
  }

  /// The place of element `value` of access `number`: mode 0 is divided by the values of an access.
  int64_t place(const View &view, int64_t number, int64_t value) const {
    const Tree &shape = view.function->domain.shape;
    int64_t index = 0, below = 1;
    for (size_t i = 0; i < shape.rank(); ++i) {
      const int64_t extent = shape.mode(i).product(), accesses = std::max<int64_t>(1, extent / (i ? 1 : values)),
                    at = number % accesses;
      index += below * (i ? at : at * values + value);
      below *= extent;
      number /= accesses;
    }
    return view.place(index);
  }

  std::vector<Cell> read(const View &view, int64_t number) const {
    std::vector<Cell> cells{size_t(values)};
    for (int64_t i = 0; i < values; ++i)
      view.read(place(view, number, i), &cells[size_t(i)]);
    return cells;
  }

  void write(const View &view, int64_t number, const std::vector<Cell> &cells) const {
    for (int64_t i = 0; i < values; ++i)
      view.write(place(view, number, i), cells[size_t(i)]);
  }

  /// What a lane without an access gets.
  std::vector<Cell> filled(unsigned lane, unsigned bits) const {
    const Lanes &fill = wave.lanes(op.getFill());
    const unsigned width = widthOf(op.getFill().getType());
    std::vector<Cell> cells{size_t(values)};
    std::vector<uint8_t> value(llvm::divideCeil(uint64_t(width) * fill.count, 8)), known(value.size());
    if (width == bits)
      std::copy_n(fill.of(lane), size_t(values), cells.begin());
    else {
      writePacked(value.data(), known.data(), 0, width, fill.count, fill.of(lane));
      readPacked(value.data(), known.data(), 0, bits, unsigned(values), cells.data());
    }
    return cells;
  }

  void access(int64_t number, Value predicate) {
    const atom::CopyRow &row = op.getAtom().row();
    if (op.getAtom().getAtomic())
      return changeMemory(number, predicate);
    if (row.lanesTogether)
      return moveTogether(number, predicate);
    Moved moved{size_t(wave.size)};
    wave.forLanes([&](unsigned lane) {
      if (isOn(predicate, lane))
        moved[lane] = read(View(wave, op.getSource(), lane), number);
    });
    if (row.transposes)
      moved = exchanged(wave,
                        exchangeOf(atom::copyLayouts(op.getAtom().getKind() == ir::CopyKind::LdsTransposing
                                                         ? atom::CopyKind::LdsTransposing
                                                         : atom::CopyKind::GlobalTransposing,
                                                     op.getAtom().getBits(), elementBits(), wave.size)),
                        moved);
    wave.forLanes([&](unsigned lane) {
      const View destination(wave, op.getDestination(), lane);
      if (!moved[lane].empty())
        write(destination, number, moved[lane]);
      else if (op.getFill() && (destination.isFragment || row.bypassesRegisters))
        write(destination, number, filled(lane, destination.bits));
    });
  }

  unsigned elementBits() const {
    Type type = op.getSource().getType();
    if (auto tensor = dyn_cast<ir::TensorType>(type))
      return tensor.getElementBits();
    return cast<ir::FragmentType>(type).getElementBits();
  }

  /// To LDS without registers: the lanes' data follow that of the first lane.
  void moveTogether(int64_t number, Value predicate) {
    uint64_t lanes = 0;
    wave.forLanes([&](unsigned lane) {
      if (isOn(predicate, lane) || op.getFill())
        lanes |= uint64_t(1) << lane;
    });
    if (!lanes)
      return;
    const unsigned bits = elementBits(), first = unsigned(llvm::countr_zero(lanes));
    const View base(wave, op.getDestination(), first);
    const uint64_t start = *base.address(place(base, number, 0));
    const uint64_t bytes = uint64_t(values) * bits / 8;
    wave.forLanes([&](unsigned lane) {
      if (!(lanes >> lane & 1))
        return;
      const std::vector<Cell> cells =
          isOn(predicate, lane) ? read(View(wave, op.getSource(), lane), number) : filled(lane, bits);
      storeAt(wave, ir::AddressSpace::Shared, start + uint64_t(lane) * bytes, bits, unsigned(values), cells.data());
    });
  }

  void changeMemory(int64_t number, Value predicate) {
    const ir::CopyAtomAttr atom = op.getAtom();
    auto type = cast<ir::TensorType>(op.getDestination().getType());
    const auto space = type.getSpace() == ir::AddressSpace::Buffer ? ir::AddressSpace::Global : type.getSpace();
    wave.forLanes([&](unsigned lane) {
      if (!isOn(predicate, lane))
        return;
      std::vector<Cell> cells = read(View(wave, op.getSource(), lane), number);
      const View destination(wave, op.getDestination(), lane);
      for (int64_t i = 0; i < values; ++i) {
        if (atom.getIsNegated())
          cells[size_t(i)].bits ^= uint64_t(1) << (destination.bits - 1);
        if (auto at = destination.address(place(destination, number, i)))
          change(wave, *atom.getAtomic(), type.getElementType(), space, *at, cells[size_t(i)], lane, false);
      }
    });
  }

  Wave &wave;
  mutable ir::CopyOp op; // MLIR's accessors are not const
  int64_t values;
};

/// `fly.direct_copy`: one access of a copy that bypasses registers.
bool runDirectCopy(Wave &wave, ir::DirectCopyOp op) {
  const auto first = unsigned(llvm::countr_zero(wave.active));
  auto target = cast<ir::TensorType>(op.getDestination().getType());
  const bool intoShared = target.getSpace() == ir::AddressSpace::Shared;
  wave.forLanes([&](unsigned lane) {
    const View source(wave, op.getSource(), lane);
    const int64_t count = source.size();
    std::vector<Cell> cells{size_t(count)};
    const bool isOn = !op.getPredicate() || wave.needed(*wave.of(op.getPredicate(), lane), 1, "a predicate");
    for (int64_t i = 0; i < count; ++i)
      if (isOn)
        source.read(source.place(i), &cells[size_t(i)]);
      else
        cells[size_t(i)] = Cell::of(0, source.bits);
    if (op.getOwnPlace() || !intoShared) {
      const View destination(wave, op.getDestination(), lane);
      for (int64_t i = 0; i < count; ++i)
        destination.write(destination.place(i), cells[size_t(i)]);
      return;
    }
    const View base(wave, op.getDestination(), first);
    storeAt(wave, ir::AddressSpace::Shared,
            *base.address(base.place(0)) + uint64_t(lane) * uint64_t(count) * source.bits / 8, source.bits,
            unsigned(count), cells.data());
  });
  return true;
}

bool runTransposingLoad(Wave &wave, Operation *op, ir::AddressSpace space, unsigned element,
                        llvm::function_ref<uint64_t(unsigned)> addressOf) {
  const Lanes &result = wave.lanes(op->getResult(0));
  const unsigned width = widthOf(op->getResult(0).getType()), bits = width * result.count;
  if (element < 8)
    throw Stop{Outcome::Beyond, "a transposing read of packed elements"};
  Moved read{size_t(wave.size)};
  wave.forLanes([&](unsigned lane) {
    read[lane].resize(bits / element);
    loadAt(wave, space, addressOf(lane), element, bits / element, read[lane].data());
  });
  const auto kind =
      space == ir::AddressSpace::Shared ? atom::CopyKind::LdsTransposing : atom::CopyKind::GlobalTransposing;
  const Moved moved = exchanged(wave, exchangeOf(atom::copyLayouts(kind, bits, element, wave.size)), read);
  wave.forLanes([&](unsigned lane) {
    std::vector<uint8_t> value(bits / 8), known(bits / 8);
    writePacked(value.data(), known.data(), 0, element, unsigned(moved[lane].size()), moved[lane].data());
    readPacked(value.data(), known.data(), 0, width, result.count, wave.result(op, lane));
  });
  return true;
}

} // namespace

bool runCopy(Wave &wave, Operation *op) {
  if (auto copy = dyn_cast<ir::CopyOp>(op)) {
    Copy(wave, copy).run();
    return true;
  }
  if (auto copy = dyn_cast<ir::DirectCopyOp>(op))
    return runDirectCopy(wave, copy);
  if (auto load = dyn_cast<ir::TransposingLoadOp>(op)) {
    const ir::TensorType type = load.getTensor().getType();
    return runTransposingLoad(wave, op, type.getSpace(), type.getElementBits(), [&](unsigned lane) {
      const View view(wave, load.getTensor(), lane);
      return *view.address(view.place(0));
    });
  }
  if (auto load = dyn_cast<ir::PtrTransposingLoadOp>(op)) {
    const ir::PtrType type = load.getPointer().getType();
    return runTransposingLoad(wave, op, type.getSpace(), unsigned(load.getElement()), [&](unsigned lane) {
      return wave.needed(*wave.of(load.getPointer(), lane), widthOf(type), "an address");
    });
  }
  return false;
}

} // namespace fly::reference
