// Scalar loads. The address of a dword load loses its two lowest bits, as in hardware. Buffer forms clamp to
// num_records: what lies beyond reads 0.
#include "runtime/emulator/Scalars.h"

#include "runtime/emulator/Text.h"

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

void fault(Wave &w, uint64_t address, unsigned bytes) {
  w.failAt(FaultKind::OutOfBounds, "scalar read of " + std::to_string(bytes) + " bytes outside of any allocation", -1, address);
}

template <unsigned Words> void loadWords(Wave &w, const Inst &i) {
  uint64_t address = ((w.scalar64(i.saddr) & ~3ull) + offsetOf(w, i, 4 * Words)) & ~3ull;
  const uint8_t *p = w.memory->host(address, 4 * Words);
  if (!p) return fault(w, address, 4 * Words);
  std::memcpy(w.scalar + i.dst, p, 4 * Words);
}
template <class T> void loadSmall(Wave &w, const Inst &i) {
  uint64_t address = w.scalar64(i.saddr) + offsetOf(w, i, sizeof(T));
  const uint8_t *p = w.memory->host(address, sizeof(T));
  if (!p) return fault(w, address, sizeof(T));
  T v;
  std::memcpy(&v, p, sizeof v);
  w.scalar[i.dst] = static_cast<uint32_t>(static_cast<int32_t>(v));
}

/// The bytes of a buffer that lie within num_records (times stride); null beyond.
const uint8_t *bufferBytes(Wave &w, const Inst &i, uint64_t offset, unsigned bytes, uint64_t &address) {
  uint64_t base = w.scalar[i.saddr] | static_cast<uint64_t>(w.scalar[i.saddr + 1] & 0xffff) << 32;
  uint64_t stride = w.scalar[i.saddr + 1] >> 16 & 0x3fff, records = w.scalar[i.saddr + 2];
  uint64_t size = stride ? stride * records : records;
  address = base + offset;
  return offset + bytes <= size ? w.memory->host(address, bytes) : nullptr;
}
template <unsigned Words> void loadBuffer(Wave &w, const Inst &i) {
  uint64_t offset = offsetOf(w, i, 4 * Words) & ~3ull;
  uint32_t words[Words];
  uint64_t size;
  {
    uint64_t stride = w.scalar[i.saddr + 1] >> 16 & 0x3fff, records = w.scalar[i.saddr + 2];
    size = stride ? stride * records : records;
  }
  for (unsigned k = 0; k < Words; ++k) {
    uint64_t address;
    words[k] = 0;
    if (offset + 4 * k + 4 > size) continue;
    const uint8_t *p = bufferBytes(w, i, offset + 4 * k, 4, address);
    if (!p) return fault(w, address, 4);
    std::memcpy(&words[k], p, 4);
  }
  std::memcpy(w.scalar + i.dst, words, sizeof words);
}
template <class T> void loadBufferSmall(Wave &w, const Inst &i) {
  uint64_t address;
  T v = 0;
  if (const uint8_t *p = bufferBytes(w, i, offsetOf(w, i, sizeof(T)), sizeof(T), address)) std::memcpy(&v, p, sizeof v);
  w.scalar[i.dst] = static_cast<uint32_t>(static_cast<int32_t>(v));
}

constexpr Row rows[] = {
    {"S_LOAD_DWORD", loadWords<1>, Row::Other}, {"S_LOAD_DWORDX2", loadWords<2>, Row::Other},
    {"S_LOAD_DWORDX3", loadWords<3>, Row::Other}, {"S_LOAD_DWORDX4", loadWords<4>, Row::Other},
    {"S_LOAD_DWORDX8", loadWords<8>, Row::Other}, {"S_LOAD_DWORDX16", loadWords<16>, Row::Other},
    {"S_LOAD_U8", loadSmall<uint8_t>, Row::Other}, {"S_LOAD_I8", loadSmall<int8_t>, Row::Other},
    {"S_LOAD_U16", loadSmall<uint16_t>, Row::Other}, {"S_LOAD_I16", loadSmall<int16_t>, Row::Other},
    {"S_BUFFER_LOAD_DWORD", loadBuffer<1>, Row::Other}, {"S_BUFFER_LOAD_DWORDX2", loadBuffer<2>, Row::Other},
    {"S_BUFFER_LOAD_DWORDX3", loadBuffer<3>, Row::Other}, {"S_BUFFER_LOAD_DWORDX4", loadBuffer<4>, Row::Other},
    {"S_BUFFER_LOAD_DWORDX8", loadBuffer<8>, Row::Other}, {"S_BUFFER_LOAD_DWORDX16", loadBuffer<16>, Row::Other},
    {"S_BUFFER_LOAD_U8", loadBufferSmall<uint8_t>, Row::Other}, {"S_BUFFER_LOAD_I8", loadBufferSmall<int8_t>, Row::Other},
    {"S_BUFFER_LOAD_U16", loadBufferSmall<uint16_t>, Row::Other}, {"S_BUFFER_LOAD_I16", loadBufferSmall<int16_t>, Row::Other},
    {"S_DCACHE_INV", nothing, Row::Other}, {"S_DCACHE_WB", nothing, Row::Other}, {"S_DCACHE_INV_VOL", nothing, Row::Other},
    {"S_PREFETCH_DATA", nothing, Row::Other}, {"S_PREFETCH_INST", nothing, Row::Other},
    {"S_PREFETCH_DATA_PC_REL", nothing, Row::Other}, {"S_PREFETCH_INST_PC_REL", nothing, Row::Other},
    {"S_BUFFER_PREFETCH_DATA", nothing, Row::Other},
};

} // namespace

std::span<const Row> scalarMemoryRows() { return rows; }

} // namespace fly::emulator
