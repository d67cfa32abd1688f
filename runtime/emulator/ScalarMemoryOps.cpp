// Scalar loads. The address of a dword load loses its two lowest bits, as in hardware. Buffer forms clamp to
// num_records: what lies beyond reads 0. Like all memory operations they arrive when a wait demands it, in any order.
#include "runtime/emulator/Pending.h"
#include "runtime/emulator/Scalars.h"

#include <algorithm>

namespace fly::emulator {

namespace {

void nothing(Wave &, const Inst &) {}

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
  w.failAt(FaultKind::OutOfBounds, "scalar read of " + std::to_string(bytes) + " bytes outside of any allocation", -1, address);
  return nullptr;
}

/// Words from p.base; only the first p.extra[0] are within the buffer, the others read 0.
constexpr PendingActions wordsActions = {
    [](Wave &w, Pending &p) {
      unsigned inside = static_cast<unsigned>(p.extra[0]);
      if (inside) std::memcpy(w.scalar + p.dst, reinterpret_cast<const uint8_t *>(p.base), 4 * inside);
      if (inside < p.words) std::memset(w.scalar + p.dst + inside, 0, 4 * (p.words - inside));
    },
    nullptr, nullptr};
template <class T> constexpr PendingActions smallActions = {
    [](Wave &w, Pending &p) {
      T v = 0;
      if (p.extra[0]) std::memcpy(&v, reinterpret_cast<const uint8_t *>(p.base), sizeof v);
      w.scalar[p.dst] = static_cast<uint32_t>(static_cast<int32_t>(v));
    },
    nullptr, nullptr};

void loadAt(Wave &w, const Inst &i, const PendingActions &actions, uint64_t address, unsigned bytes, unsigned words, uint64_t inside) {
  uint8_t *from = inside ? find(w, address, bytes) : nullptr;
  if (inside && !from) return;
  Pending &p = beginScalar(w, i, actions, words);
  p.base = reinterpret_cast<uint64_t>(from);
  p.extra[0] = inside;
  submit(w, p);
}

template <unsigned Words> void loadScalars(Wave &w, const Inst &i) {
  uint64_t address = ((w.scalar64(i.saddr) & ~3ull) + offsetOf(w, i, 4 * Words)) & ~3ull;
  loadAt(w, i, wordsActions, address, 4 * Words, Words, Words);
}
template <class T> void loadSmall(Wave &w, const Inst &i) {
  loadAt(w, i, smallActions<T>, w.scalar64(i.saddr) + offsetOf(w, i, sizeof(T)), sizeof(T), 1, 1);
}

/// A buffer's base and its size in bytes: num_records, times stride if there is one.
uint64_t bufferOf(const Wave &w, const Inst &i, uint64_t &size) {
  uint64_t stride = w.scalar[i.saddr + 1] >> 16 & 0x3fff, records = w.scalar[i.saddr + 2];
  size = stride ? stride * records : records;
  return w.scalar[i.saddr] | static_cast<uint64_t>(w.scalar[i.saddr + 1] & 0xffff) << 32;
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

void readTime(Wave &w, const Inst &i) { deliverScalarLater(w, i, w.executed, 2); }

constexpr Row rows[] = {
    {"S_LOAD_DWORD", loadScalars<1>, Row::Other}, {"S_LOAD_DWORDX2", loadScalars<2>, Row::Other},
    {"S_LOAD_DWORDX3", loadScalars<3>, Row::Other}, {"S_LOAD_DWORDX4", loadScalars<4>, Row::Other},
    {"S_LOAD_DWORDX8", loadScalars<8>, Row::Other}, {"S_LOAD_DWORDX16", loadScalars<16>, Row::Other},
    {"S_LOAD_U8", loadSmall<uint8_t>, Row::Other}, {"S_LOAD_I8", loadSmall<int8_t>, Row::Other},
    {"S_LOAD_U16", loadSmall<uint16_t>, Row::Other}, {"S_LOAD_I16", loadSmall<int16_t>, Row::Other},
    {"S_BUFFER_LOAD_DWORD", loadBuffer<1>, Row::Other}, {"S_BUFFER_LOAD_DWORDX2", loadBuffer<2>, Row::Other},
    {"S_BUFFER_LOAD_DWORDX3", loadBuffer<3>, Row::Other}, {"S_BUFFER_LOAD_DWORDX4", loadBuffer<4>, Row::Other},
    {"S_BUFFER_LOAD_DWORDX8", loadBuffer<8>, Row::Other}, {"S_BUFFER_LOAD_DWORDX16", loadBuffer<16>, Row::Other},
    {"S_BUFFER_LOAD_U8", loadBufferSmall<uint8_t>, Row::Other}, {"S_BUFFER_LOAD_I8", loadBufferSmall<int8_t>, Row::Other},
    {"S_BUFFER_LOAD_U16", loadBufferSmall<uint16_t>, Row::Other}, {"S_BUFFER_LOAD_I16", loadBufferSmall<int16_t>, Row::Other},
    {"S_MEMTIME", readTime, Row::Other}, {"S_MEMREALTIME", readTime, Row::Other},
    {"S_DCACHE_INV", nothing, Row::Other}, {"S_DCACHE_WB", nothing, Row::Other}, {"S_DCACHE_INV_VOL", nothing, Row::Other},
    {"S_PREFETCH_DATA", nothing, Row::Other}, {"S_PREFETCH_INST", nothing, Row::Other},
    {"S_PREFETCH_DATA_PC_REL", nothing, Row::Other}, {"S_PREFETCH_INST_PC_REL", nothing, Row::Other},
    {"S_BUFFER_PREFETCH_DATA", nothing, Row::Other},
};

} // namespace

std::span<const Row> scalarMemoryRows() { return rows; }

} // namespace fly::emulator
