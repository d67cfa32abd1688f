// Scalar loads, stores and atomics. The address of a dword load loses its two lowest bits, as in hardware. Buffer forms
// clamp to num_records: reads beyond it give 0. Like all memory operations they complete when a wait demands it, in any
// order.
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/scalar/Control.h"
#include "runtime/emulator/ops/memory/Access.h"
#include "runtime/emulator/ops/memory/BufferResource.h"

#include <algorithm>

namespace fly::emulator {

namespace {

uint64_t offsetOf(Wave &w, const Inst &i, unsigned elementBytes) {
  uint64_t offset = static_cast<uint64_t>(static_cast<int64_t>(i.offset));
  if (i.source[2].kind != Source::None) {
    uint64_t s = readScalar<uint32_t>(w, i.source[2]);
    offset += i.flags & 8 ? s * elementBytes : s;
  }
  return offset;
}

/// Begins a scalar load of `bytes` bytes into `words` registers.
Pending &beginScalar(Wave &w, const Inst &i, const PendingActions &actions, unsigned words) {
  Pending &p = beginPending(w, i, actions);
  p.ordered = false; // neither with vector memory nor with one another
  p.scalar = true;
  p.words = static_cast<uint8_t>(words);
  return p;
}
/// The host address of what is loaded; null after a fault.
uint8_t *find(Wave &w, uint64_t address, unsigned bytes) {
  const Allocation *a = w.memory->find(address, bytes, w.lastAllocation);
  if (a) return a->host + (address - a->address);
  w.failAt(FaultKind::OutOfBounds, "scalar read of " + std::to_string(bytes) + " bytes outside of any allocation", -1,
           address);
  return nullptr;
}

/// Words from p.base; only the first p.extra[0] are within the buffer, the others read 0.
constexpr PendingActions wordsActions = {[](Wave &w, Pending &p) {
                                           unsigned inside = static_cast<unsigned>(p.extra[0]);
                                           if (inside)
                                             std::memcpy(w.scalar + p.dst, reinterpret_cast<const uint8_t *>(p.base),
                                                         4 * inside);
                                           if (inside < p.words)
                                             std::memset(w.scalar + p.dst + inside, 0, 4 * (p.words - inside));
                                         },
                                         nullptr, nullptr};
template <class T> constexpr PendingActions smallActions = {
    [](Wave &w, Pending &p) {
      T v = 0;
      if (p.extra[0]) std::memcpy(&v, reinterpret_cast<const uint8_t *>(p.base), sizeof v);
      w.scalar[p.dst] = static_cast<uint32_t>(static_cast<int32_t>(v));
    },
    nullptr, nullptr};

void loadAt(Wave &w, const Inst &i, const PendingActions &actions, uint64_t address, unsigned bytes, unsigned words,
            uint64_t inside) {
  uint8_t *from = inside ? find(w, address, bytes) : nullptr;
  if (inside && !from) return;
  Pending &p = beginScalar(w, i, actions, words);
  p.base = reinterpret_cast<uint64_t>(from);
  p.extra[0] = inside;
  submit(w, p);
}

/// The sources of a dword access's address.
enum class Kind { Plain, Buffer, Scratch };
/// ADDR = SGPR[base] + inst_offset + SGPR[offset], of s_scratch_* times 64 (CDNA4 ISA, 8.2.1.1). These address memory
/// like the others: nothing adds the place of the wave's scratch.
template <Kind K> uint64_t plainAddress(Wave &w, const Inst &i, unsigned elementBytes) {
  uint64_t offset = offsetOf(w, i, elementBytes);
  if (K == Kind::Scratch && i.source[2].kind != Source::None) offset += 63ull * readScalar<uint32_t>(w, i.source[2]);
  return ((w.scalar64(i.saddr) & ~3ull) + offset) & ~3ull;
}
template <unsigned Words, Kind K = Kind::Plain> void loadScalars(Wave &w, const Inst &i) {
  loadAt(w, i, wordsActions, plainAddress<K>(w, i, 4 * Words), 4 * Words, Words, Words);
}
template <class T> void loadSmall(Wave &w, const Inst &i) {
  loadAt(w, i, smallActions<T>, w.scalar64(i.saddr) + offsetOf(w, i, sizeof(T)), sizeof(T), 1, 1);
}

/// A buffer's base and its size in bytes.
uint64_t bufferOf(const Wave &w, const Inst &i, uint64_t &size) {
  const BufferResource r(w, i.saddr);
  size = r.scalarBytes();
  return r.base;
}
template <unsigned Words> void loadBuffer(Wave &w, const Inst &i) {
  uint64_t size, base = bufferOf(w, i, size), offset = offsetOf(w, i, 4 * Words) & ~3ull;
  uint64_t inside = offset >= size ? 0 : std::min<uint64_t>((size - offset) / 4, Words);
  loadAt(w, i, wordsActions, base + offset, static_cast<unsigned>(4 * inside), Words, inside);
}
template <class T> void loadBufferSmall(Wave &w, const Inst &i) {
  uint64_t size, base = bufferOf(w, i, size), offset = offsetOf(w, i, sizeof(T));
  loadAt(w, i, smallActions<T>, base + offset, sizeof(T), 1, offset + sizeof(T) <= size);
}

//===--------------------------------------------------------------------------------------------------------===//
// Scalar stores and atomics (encodings that LLVM has for gfx9)
//===--------------------------------------------------------------------------------------------------------===//

/// The destination of a scalar store or atomic; null and `outside` if it is beyond its buffer, null after a fault.
template <Kind K> uint8_t *target(Wave &w, const Inst &i, unsigned bytes, bool &outside) {
  outside = false;
  uint64_t address;
  if constexpr (K == Kind::Buffer) {
    uint64_t size, base = bufferOf(w, i, size), offset = offsetOf(w, i, 4) & ~3ull;
    outside = offset + bytes > size;
    if (outside) return nullptr;
    address = base + offset;
  } else address = plainAddress<K>(w, i, 4);
  const Allocation *a = w.memory->find(address, bytes, w.lastAllocation);
  if (a && a->writable) return a->host + (address - a->address);
  w.failAt(FaultKind::OutOfBounds,
           "scalar write of " + std::to_string(bytes) + " bytes " +
               (a ? "to read-only memory" : "outside of any allocation"),
           -1, address);
  return nullptr;
}

constexpr PendingActions storeActions = {[](Wave &, Pending &p) {
                                           if (p.base)
                                             std::memcpy(reinterpret_cast<uint8_t *>(p.base), p.data, p.extra[0]);
                                         },
                                         nullptr, nullptr};
template <unsigned Words, Kind K> void storeScalars(Wave &w, const Inst &i) {
  bool outside;
  uint8_t *to = target<K>(w, i, 4 * Words, outside);
  if (!to && !outside) return;
  Pending &p = beginScalar(w, i, storeActions, 0);
  p.writes = true;
  p.base = reinterpret_cast<uint64_t>(to);
  p.extra[0] = 4 * Words;
  std::memcpy(p.data, w.scalar + i.source[1].index, 4 * Words);
  submit(w, p);
}

template <class T, auto Function> constexpr PendingActions scalarAtomicActions = {
    [](Wave &, Pending &p) {
      T data[2], old = 0;
      std::memcpy(data, p.data, sizeof data);
      if (p.base)
        old = exchangeAt<Space::Global, T>(reinterpret_cast<uint8_t *>(p.base),
                                           [&](T was) { return T(Function(was, data[0], data[1])); });
      std::memcpy(p.data, &old, sizeof old);
    },
    [](Wave &w, Pending &p) { std::memcpy(w.scalar + p.dst, p.data, sizeof(T)); }, nullptr};
/// `Function(old, data, expected)`.
template <class T, auto Function, Kind K> void scalarAtomic(Wave &w, const Inst &i) {
  bool outside;
  uint8_t *to = target<K>(w, i, sizeof(T), outside);
  if (!to && !outside) return;
  if (reinterpret_cast<uint64_t>(to) & (sizeof(T) - 1))
    return w.fail(FaultKind::Misaligned, "scalar atomic at an address that is not a multiple of its size");
  Pending &p = beginScalar(w, i, scalarAtomicActions<T, Function>, i.hasDst ? sizeof(T) / 4 : 0);
  p.writes = true;
  p.base = reinterpret_cast<uint64_t>(to);
  std::memcpy(p.data, w.scalar + i.source[1].index, std::min<size_t>(2 * sizeof(T), 4u * i.source[1].width));
  submit(w, p);
}
template <auto Function> constexpr auto withoutExpected = [](auto old, auto data, auto) { return Function(old, data); };
constexpr auto compareSwapScalar = [](auto old, auto data, auto expected) { return old == expected ? data : old; };

#define STORES(N, KIND)                                                                                              \
  {N "STORE_DWORD", storeScalars<1, KIND>, Row::Other}, {N "STORE_DWORDX2", storeScalars<2, KIND>, Row::Other},    \
  {N "STORE_DWORDX4", storeScalars<4, KIND>, Row::Other}
#define ATOMIC(N, KIND, NAME, T32, T64, F)                                                                             \
  {N "ATOMIC_" NAME, scalarAtomic<T32, F, KIND>, Row::Other},                                                          \
  {N "ATOMIC_" NAME "_X2", scalarAtomic<T64, F, KIND>, Row::Other}
#define PLAIN(N, KIND, NAME, T32, T64, F) ATOMIC(N, KIND, NAME, T32, T64, withoutExpected<atomics::F>)
#define ATOMICS(N, KIND)                                                                                             \
  PLAIN(N, KIND, "SWAP", uint32_t, uint64_t, swap), PLAIN(N, KIND, "ADD", uint32_t, uint64_t, add),                \
  PLAIN(N, KIND, "SUB", uint32_t, uint64_t, sub), PLAIN(N, KIND, "SMIN", int32_t, int64_t, min),                   \
  PLAIN(N, KIND, "UMIN", uint32_t, uint64_t, min), PLAIN(N, KIND, "SMAX", int32_t, int64_t, max),                  \
  PLAIN(N, KIND, "UMAX", uint32_t, uint64_t, max), PLAIN(N, KIND, "AND", uint32_t, uint64_t, bitAnd),              \
  PLAIN(N, KIND, "OR", uint32_t, uint64_t, bitOr), PLAIN(N, KIND, "XOR", uint32_t, uint64_t, bitXor),              \
  PLAIN(N, KIND, "INC", uint32_t, uint64_t, inc), PLAIN(N, KIND, "DEC", uint32_t, uint64_t, dec),                  \
  ATOMIC(N, KIND, "CMPSWAP", uint32_t, uint64_t, compareSwapScalar)

void readTime(Wave &w, const Inst &i) { deliverScalarLater(w, i, w.executed, 2); }

// clang-format off
constexpr Row rows[] = {
    {"S_LOAD_DWORD", loadScalars<1>, Row::Other}, {"S_LOAD_DWORDX2", loadScalars<2>, Row::Other},
    {"S_LOAD_DWORDX3", loadScalars<3>, Row::Other}, {"S_LOAD_DWORDX4", loadScalars<4>, Row::Other},
    {"S_LOAD_DWORDX8", loadScalars<8>, Row::Other}, {"S_LOAD_DWORDX16", loadScalars<16>, Row::Other},
    {"S_SCRATCH_LOAD_DWORD", loadScalars<1, Kind::Scratch>, Row::Other},
    {"S_SCRATCH_LOAD_DWORDX2", loadScalars<2, Kind::Scratch>, Row::Other},
    {"S_SCRATCH_LOAD_DWORDX4", loadScalars<4, Kind::Scratch>, Row::Other},
    {"S_LOAD_U8", loadSmall<uint8_t>, Row::Other}, {"S_LOAD_I8", loadSmall<int8_t>, Row::Other},
    {"S_LOAD_U16", loadSmall<uint16_t>, Row::Other}, {"S_LOAD_I16", loadSmall<int16_t>, Row::Other},
    {"S_BUFFER_LOAD_DWORD", loadBuffer<1>, Row::Other}, {"S_BUFFER_LOAD_DWORDX2", loadBuffer<2>, Row::Other},
    {"S_BUFFER_LOAD_DWORDX3", loadBuffer<3>, Row::Other}, {"S_BUFFER_LOAD_DWORDX4", loadBuffer<4>, Row::Other},
    {"S_BUFFER_LOAD_DWORDX8", loadBuffer<8>, Row::Other}, {"S_BUFFER_LOAD_DWORDX16", loadBuffer<16>, Row::Other},
    {"S_BUFFER_LOAD_U8", loadBufferSmall<uint8_t>, Row::Other},
    {"S_BUFFER_LOAD_I8", loadBufferSmall<int8_t>, Row::Other},
    {"S_BUFFER_LOAD_U16", loadBufferSmall<uint16_t>, Row::Other},
    {"S_BUFFER_LOAD_I16", loadBufferSmall<int16_t>, Row::Other},
    STORES("S_", Kind::Plain), STORES("S_BUFFER_", Kind::Buffer), STORES("S_SCRATCH_", Kind::Scratch),
    ATOMICS("S_", Kind::Plain), ATOMICS("S_BUFFER_", Kind::Buffer),
    {"S_DCACHE_WB_VOL", nothing, Row::Other}, {"S_DCACHE_DISCARD", nothing, Row::Other},
    {"S_DCACHE_DISCARD_X2", nothing, Row::Other},
    {"S_MEMTIME", readTime, Row::Other}, {"S_MEMREALTIME", readTime, Row::Other},
    {"S_DCACHE_INV", nothing, Row::Other}, {"S_DCACHE_WB", nothing, Row::Other},
    {"S_DCACHE_INV_VOL", nothing, Row::Other},
    {"S_PREFETCH_DATA", nothing, Row::Other}, {"S_PREFETCH_INST", nothing, Row::Other},
    {"S_PREFETCH_DATA_PC_REL", nothing, Row::Other}, {"S_PREFETCH_INST_PC_REL", nothing, Row::Other},
    {"S_BUFFER_PREFETCH_DATA", nothing, Row::Other},
};
// clang-format on

} // namespace

std::span<const Row> scalarMemoryRows() { return rows; }

} // namespace fly::emulator
