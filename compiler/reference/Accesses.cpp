// Memory of the reference interpreter: slots, pointers, accesses, atomic changes, buffers. Waits and hints do nothing:
// an access is done when it is executed.
#include "compiler/reference/Floats.h"
#include "compiler/reference/Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace fly::reference {

// Of generic pointers: those at or above it are to LDS.
static constexpr uint64_t sharedAperture = uint64_t(1) << 61;

Memory &memoryOf(Wave &wave, ir::AddressSpace space) {
  if (space == ir::AddressSpace::Shared)
    return wave.group.lds;
  if (space == ir::AddressSpace::Private)
    throw Stop{Outcome::Beyond, "private memory"};
  return wave.kernel.memory;
}

static Memory &memoryAt(Wave &wave, ir::AddressSpace space, uint64_t &address) {
  if (space == ir::AddressSpace::Generic && address >= sharedAperture) {
    address -= sharedAperture;
    return wave.group.lds;
  }
  return memoryOf(wave, space);
}

static std::string outside(uint64_t address, uint64_t bytes, bool isStore) {
  return std::string(isStore ? "a store of " : "a load of ") + std::to_string(bytes) + " bytes at " +
         llvm::utohexstr(address) + " is outside of every buffer";
}

void loadAt(Wave &wave, ir::AddressSpace space, uint64_t address, unsigned bits, unsigned count, Cell *out) {
  if (!memoryAt(wave, space, address).load(address, bits, count, out))
    throw Stop{Outcome::Fault, outside(address, uint64_t(bits) * count / 8, false)};
}

void storeAt(Wave &wave, ir::AddressSpace space, uint64_t address, unsigned bits, unsigned count, const Cell *in) {
  for (unsigned i = 0; i < count; ++i)
    if (in[i].isPoison())
      throw Stop{Outcome::Mistake, "poison is stored"};
  if (!memoryAt(wave, space, address).store(address, bits, count, in))
    throw Stop{Outcome::Fault, outside(address, uint64_t(bits) * count / 8, true)};
}

//===-------------------------------------------------- atomics -------------------------------------------------===//

static Cell changedFloat(ir::AtomicKind kind, const FloatFormat &format, const Cell &old, const Cell &by,
                         bool &isRounded) {
  if (!format.isUsable(old) || !format.isUsable(by))
    return Cell::unknown();
  APFloat a = format.value(old);
  const APFloat b = format.value(by);
  if (kind == ir::AtomicKind::FloatAdd) {
    isRounded |= a.add(b, llvm::RoundingMode::NearestTiesToEven) & APFloat::opInexact;
    return a.isDenormal() || format.value(old).isDenormal() || b.isDenormal() ? Cell::unknown() : format.cell(a);
  }
  if (a.isNaN() || b.isNaN() || (a.isZero() && b.isZero()))
    return Cell::unknown(); // which of them, memory decides
  return format.cell(kind == ir::AtomicKind::FloatMin ? llvm::minimum(a, b) : llvm::maximum(a, b));
}

static Cell changed(ir::AtomicKind kind, unsigned width, const Cell &old, const Cell &by) {
  using K = ir::AtomicKind;
  if (kind == K::Exchange)
    return by;
  if (!old.isKnown(width) || !by.isKnown(width))
    return Cell::unknown();
  const APInt a = old.value(width), b = by.value(width);
  auto result = [&]() -> APInt {
    switch (kind) {
    case K::Add: return a + b;
    case K::Sub: return a - b;
    case K::And: return a & b;
    case K::Or: return a | b;
    case K::Xor: return a ^ b;
    case K::MinSigned: return a.slt(b) ? a : b;
    case K::MaxSigned: return a.slt(b) ? b : a;
    case K::MinUnsigned: return a.ult(b) ? a : b;
    case K::MaxUnsigned: return a.ult(b) ? b : a;
    case K::Increment: return a.uge(b) ? APInt(width, 0) : a + 1;
    case K::Decrement: return a.isZero() || a.ugt(b) ? b : a - 1;
    default: llvm_unreachable("floats and exchanges are elsewhere");
    }
  }();
  return Cell::of(result.getZExtValue(), width);
}

static bool isFloatKind(ir::AtomicKind kind) {
  return kind == ir::AtomicKind::FloatAdd || kind == ir::AtomicKind::FloatMin || kind == ir::AtomicKind::FloatMax;
}

/// Notes who touches a place. In LDS the place is that of one workgroup.
static Kernel::Touched &touch(Wave &wave, ir::AddressSpace space, uint64_t address, unsigned lane, const Cell &operand,
                              bool isUsed) {
  auto &id = wave.group.id;
  const auto &grid = wave.kernel.launch.grid;
  const uint64_t group = (uint64_t(id[2]) * grid[1] + id[1]) * grid[0] + id[0],
                 thread = group << 11 | wave.thread(lane);
  const uint64_t place = space == ir::AddressSpace::Shared ? uint64_t(1) << 63 | group << 20 | address : address;
  auto [found, isNew] =
      wave.kernel.atomics.try_emplace(place, Kernel::Touched{thread, operand.bits, false, false, false, false});
  Kernel::Touched &touched = found->second;
  touched.isShared |= touched.thread != thread;
  touched.isVaried |= touched.operand != operand.bits;
  touched.isUsed |= isUsed;
  return touched;
}

Cell change(Wave &wave, ir::AtomicKind kind, Type type, ir::AddressSpace space, uint64_t address, const Cell &by,
            unsigned lane, bool isUsed, bool inAnyOrder) {
  const unsigned width = widthOf(type);
  const bool isExchange = kind == ir::AtomicKind::Exchange;
  Kernel::Touched &touched = touch(wave, space, address, lane, by, isUsed || isExchange);
  touched.isVaried |= inAnyOrder;
  Cell old;
  loadAt(wave, space, address, width, 1, &old);
  Cell now = by;
  if (!by.isPoison() && isFloatKind(kind))
    now = changedFloat(kind, FloatFormat(cast<FloatType>(type).getFloatSemantics()), old, by, touched.isRounded);
  else if (!by.isPoison())
    now = changed(kind, width, old, by);
  if (touched.depends() && !now.isPoison())
    now = Cell::unknown();
  storeAt(wave, space, address, width, 1, &now);
  return old;
}

//===-------------------------------------------------- buffers -------------------------------------------------===//

/// The address of bytes in a buffer; none outside of it.
static std::optional<uint64_t> inBuffer(Wave &wave, Value buffer, Value checked, Value unchecked, int64_t known,
                                        uint64_t bytes, unsigned lane) {
  const Cell *cells = wave.of(buffer, lane);
  const uint64_t start = wave.needed(cells[0], 64, "the start of a buffer"),
                 size = wave.needed(cells[1], 64, "the size of a buffer");
  const uint64_t compared = wave.needed(*wave.of(checked, lane), 32, "an offset") + uint64_t(known),
                 added = wave.needed(*wave.of(unchecked, lane), 32, "an offset");
  if (compared > UINT32_MAX || compared + bytes > size)
    return std::nullopt;
  // Some targets compare the second offset, too; the front end makes none that only one of them sees.
  return start + compared + added;
}

template <typename Op> static bool runBufferAccess(Wave &wave, Op op, Type type, auto body) {
  const unsigned bits = widthOf(type), count = cellsOf(type);
  wave.forLanes([&](unsigned lane) {
    // Each dword is inside or outside for itself; what is smaller, as a whole.
    const unsigned step = std::max(1u, std::min(count, 32 / bits));
    for (unsigned first = 0; first < count; first += step) {
      const unsigned some = std::min(step, count - first);
      body(lane, first, some,
           inBuffer(wave, op.getBuffer(), op.getChecked(), op.getUnchecked(), op.getKnown() + int64_t(first) * bits / 8,
                    uint64_t(some) * bits / 8, lane));
    }
  });
  return true;
}

//===--------------------------------------------------- moves --------------------------------------------------===//

/// Bytes to LDS or from it, for each lane. Where lanes have no places of their own, they follow that of the first lane.
static void moveBytes(Wave &wave, Value shared, uint64_t bytes, bool ownPlace,
                      llvm::function_ref<void(unsigned lane, uint64_t place)> body) {
  const auto first = unsigned(llvm::countr_zero(wave.active));
  wave.forLanes([&](unsigned lane) {
    const uint64_t place = ownPlace
                               ? wave.needed(*wave.of(shared, lane), 32, "an address in LDS")
                               : wave.needed(*wave.of(shared, first), 32, "an address in LDS") + uint64_t(lane) * bytes;
    body(lane, place);
  });
}

static bool runMove(Wave &wave, Operation *op) {
  if (auto move = dyn_cast<ir::DirectMoveOp>(op)) {
    auto source = cast<ir::PtrType>(move.getSource().getType()),
         target = cast<ir::PtrType>(move.getDestination().getType());
    const bool isStore = source.getSpace() == ir::AddressSpace::Shared;
    std::vector<Cell> cells(move.getBytes());
    moveBytes(wave, isStore ? move.getSource() : move.getDestination(), move.getBytes(), move.getOwnPlace(),
              [&](unsigned lane, uint64_t place) {
                const uint64_t other =
                    wave.needed(*wave.of(isStore ? move.getDestination() : move.getSource(), lane), 64, "an address");
                loadAt(wave, source.getSpace(), isStore ? place : other, 8, unsigned(move.getBytes()), cells.data());
                storeAt(wave, target.getSpace(), isStore ? other : place, 8, unsigned(move.getBytes()), cells.data());
              });
    return true;
  }
  auto move = dyn_cast<ir::BufferMoveOp>(op);
  if (!move)
    return false;
  moveBytes(wave, move.getDestination(), move.getBytes(), false, [&](unsigned lane, uint64_t place) {
    for (int64_t at = 0; at < int64_t(move.getBytes()); at += 4) {
      const auto bytes = unsigned(std::min<int64_t>(4, int64_t(move.getBytes()) - at));
      Cell cells[4];
      std::fill_n(cells, 4, Cell::of(0, 8));
      if (auto from = inBuffer(wave, move.getBuffer(), move.getChecked(), move.getUnchecked(), move.getKnown() + at,
                               bytes, lane))
        loadAt(wave, ir::AddressSpace::Global, *from, 8, bytes, cells);
      storeAt(wave, ir::AddressSpace::Shared, place + uint64_t(at), 8, bytes, cells);
    }
  });
  return true;
}

//===-------------------------------------------------- pointers ------------------------------------------------===//

/// A pointer's address with a number of bytes added.
static Cell movedBy(const Cell &pointer, const Cell &bytes, unsigned width, unsigned pointerWidth, bool isUnsigned) {
  if ((pointer.flags | bytes.flags) & Cell::Poison)
    return Cell::poison();
  if (!pointer.isKnown(pointerWidth) || !bytes.isKnown(width))
    return Cell::unknown();
  const APInt value = bytes.value(width);
  return Cell::of(pointer.bits + uint64_t(isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue()),
                  pointerWidth);
}

static bool runPointer(Wave &wave, Operation *op) {
  auto each = [&](auto body) {
    wave.forLanes([&](unsigned lane) { body(lane, wave.result(op, lane)); });
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case(
          [&](ir::SharedOp) { return each([&](unsigned, Cell *out) { *out = Cell::of(wave.group.objects[op], 32); }); })
      .Case([&](ir::DynamicSharedOp) {
        return each([&](unsigned, Cell *out) { *out = Cell::of(wave.group.dynamicLds, 32); });
      })
      .Case([&](ir::PtrAddOp add) {
        const unsigned width = widthOf(add.getBytes().getType()), pointer = widthOf(add.getPointer().getType());
        return each([&](unsigned lane, Cell *out) {
          *out = movedBy(*wave.of(add.getPointer(), lane), *wave.of(add.getBytes(), lane), width, pointer,
                         add.getIsUnsigned());
        });
      })
      .Case([&](ir::PtrCastOp cast) {
        const auto from = cast.getPointer().getType().getSpace(), to = cast.getType().getSpace();
        return each([&](unsigned lane, Cell *out) {
          const Lanes &source = wave.lanes(cast.getPointer());
          std::copy_n(source.of(lane), source.count, out);
          if (to == ir::AddressSpace::Generic && from == ir::AddressSpace::Shared)
            *out = Cell::of((out->bits & onesOf(32)) + sharedAperture, 64);
          if (from == ir::AddressSpace::Generic && to == ir::AddressSpace::Shared)
            *out = Cell::of(out->bits - sharedAperture, 32);
        });
      })
      .Case<ir::PtrToIntOp, ir::IntToPtrOp>(
          [&](auto) { return each([&](unsigned lane, Cell *out) { *out = *wave.of(op->getOperand(0), lane); }); })
      .Case([&](ir::PtrLoadOp load) {
        const auto space = load.getPointer().getType().getSpace();
        const unsigned width = widthOf(load.getPointer().getType()), bits = widthOf(load.getType());
        return each([&](unsigned lane, Cell *out) {
          loadAt(wave, space, wave.needed(*wave.of(load.getPointer(), lane), width, "an address"), bits,
                 cellsOf(load.getType()), out);
        });
      })
      .Case([&](ir::PtrStoreOp store) {
        const auto space = store.getPointer().getType().getSpace();
        const unsigned width = widthOf(store.getPointer().getType()), bits = widthOf(store.getValue().getType());
        wave.forLanes([&](unsigned lane) {
          storeAt(wave, space, wave.needed(*wave.of(store.getPointer(), lane), width, "an address"), bits,
                  cellsOf(store.getValue().getType()), wave.of(store.getValue(), lane));
        });
        return true;
      })
      .Case([&](ir::AtomicOp atomic) {
        const auto space = atomic.getPointer().getType().getSpace();
        const unsigned width = widthOf(atomic.getPointer().getType()), bytes = widthOf(atomic.getType()) / 8;
        return each([&](unsigned lane, Cell *out) {
          const uint64_t address = wave.needed(*wave.of(atomic.getPointer(), lane), width, "an address");
          const bool inAnyOrder = bitEnumContainsAny(atomic.getFastmath(), arith::FastMathFlags::reassoc);
          for (unsigned i = 0; i < cellsOf(atomic.getType()); ++i)
            out[i] = change(wave, atomic.getKind(), getElementTypeOrSelf(atomic.getType()), space, address + i * bytes,
                            wave.of(atomic.getValue(), lane)[i], lane, !op->use_empty(), inAnyOrder);
        });
      })
      .Case([&](ir::CompareExchangeOp exchange) {
        const auto space = exchange.getPointer().getType().getSpace();
        const unsigned width = widthOf(exchange.getPointer().getType()), bits = widthOf(exchange.getType());
        return each([&](unsigned lane, Cell *out) {
          const uint64_t address = wave.needed(*wave.of(exchange.getPointer(), lane), width, "an address");
          touch(wave, space, address, lane, *wave.of(exchange.getDesired(), lane), true);
          loadAt(wave, space, address, bits, 1, out);
          if (wave.needed(*out, bits, "what is compared") ==
              wave.needed(*wave.of(exchange.getExpected(), lane), bits, "what is compared"))
            storeAt(wave, space, address, bits, 1, wave.of(exchange.getDesired(), lane));
        });
      })
      .Default(false);
}

static bool runBuffer(Wave &wave, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ir::MakeBufferOp make) {
        wave.forLanes([&](unsigned lane) {
          wave.result(op, lane)[0] = *wave.of(make.getPointer(), lane);
          wave.result(op, lane)[1] = *wave.of(make.getBytes(), lane);
        });
        return true;
      })
      .Case([&](ir::BufferLoadOp load) {
        const unsigned bits = widthOf(load.getType());
        return runBufferAccess(wave, load, load.getType(),
                               [&](unsigned lane, unsigned first, unsigned count, std::optional<uint64_t> at) {
                                 Cell *out = wave.result(op, lane) + first;
                                 if (at)
                                   loadAt(wave, ir::AddressSpace::Global, *at, bits, count, out);
                                 else
                                   std::fill_n(out, count, Cell::of(0, bits));
                               });
      })
      .Case([&](ir::BufferStoreOp store) {
        const unsigned bits = widthOf(store.getValue().getType());
        return runBufferAccess(wave, store, store.getValue().getType(),
                               [&](unsigned lane, unsigned first, unsigned count, std::optional<uint64_t> at) {
                                 if (at)
                                   storeAt(wave, ir::AddressSpace::Global, *at, bits, count,
                                           wave.of(store.getValue(), lane) + first);
                               });
      })
      .Case([&](ir::BufferAtomicOp atomic) {
        const Type type = getElementTypeOrSelf(atomic.getValue().getType());
        const unsigned bytes = widthOf(type) / 8;
        return runBufferAccess(wave, atomic, atomic.getValue().getType(),
                               [&](unsigned lane, unsigned first, unsigned count, std::optional<uint64_t> at) {
                                 for (unsigned i = 0; i < count && at; ++i)
                                   change(wave, atomic.getKind(), type, ir::AddressSpace::Global, *at + i * bytes,
                                          wave.of(atomic.getValue(), lane)[first + i], lane, false);
                               });
      })
      .Default(false);
}

//===---------------------------------------------------- slots -------------------------------------------------===//

static bool runSlot(Wave &wave, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ir::SlotOp) { return true; })
      .Case([&](ir::SlotLoadOp load) {
        const Lanes &storage = wave.slot(load.getSlot());
        wave.forLanes([&](unsigned lane) { std::copy_n(storage.of(lane), storage.count, wave.result(op, lane)); });
        return true;
      })
      .Case([&](ir::SlotStoreOp store) {
        Lanes &storage = wave.slot(store.getSlot());
        wave.forLanes(
            [&](unsigned lane) { std::copy_n(wave.of(store.getValue(), lane), storage.count, storage.of(lane)); });
        return true;
      })
      .Case([&](ir::UndefinedOp) {
        wave.forLanes([&](unsigned lane) {
          std::fill_n(wave.result(op, lane), wave.lanes(op->getResult(0)).count, Cell::unknown());
        });
        return true;
      })
      // Nothing to wait for, and nothing that a scheduler could change.
      .Case<ir::WaitOp, ir::SchedBarrierOp, ir::SchedGroupBarrierOp, ir::FixedOrderOp, ir::ShadowOp, ir::StreamOp,
            ir::IglpOp, ir::SetPriorityOp, ir::FenceOp, ir::TogetherOp, ir::TakePartOp, ir::PartitionOp>(
          [&](auto) { return true; })
      .Default(false);
}

bool runAccess(Wave &wave, Operation *op) {
  return runSlot(wave, op) || runPointer(wave, op) || runBuffer(wave, op) || runMove(wave, op);
}

} // namespace fly::reference
