// DS instructions: LDS loads, stores and atomics, and the lane exchanges that go through the LDS crossbar without
// touching LDS (permute, bpermute, swizzle).
#include "runtime/emulator/Access.h"

namespace fly::emulator {

namespace {

using U32 = uint32_t;

/// ds_read2: two elements at offset0 and offset1, in units of the element (Stride64: of 64 elements).
template <unsigned Words, bool Stride64> void readTwo(Wave &w, const Inst &i) {
  constexpr unsigned bytes = 4 * Words, unit = bytes * (Stride64 ? 64 : 1);
  Addresses a, b;
  ldsAddresses(w, i, a, static_cast<int64_t>(i.offset) * unit);
  ldsAddresses(w, i, b, static_cast<int64_t>(i.immediate) * unit);
  Window first(w, a, Space::Lds, bytes, false), second(w, b, Space::Lds, bytes, false);
  uint32_t *d = w.reg(i.dst);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(a.active >> l & 1)) continue;
    const uint8_t *p = first.at(l, a.of[l]), *q = p ? second.at(l, b.of[l]) : nullptr;
    if (!q) return;
    placeLoaded<Wide<Words>>(d, l, p);
    placeLoaded<Wide<Words>>(d + Words * laneStride, l, q);
  }
}
template <unsigned Words, bool Stride64> void writeTwo(Wave &w, const Inst &i) {
  constexpr unsigned bytes = 4 * Words, unit = bytes * (Stride64 ? 64 : 1);
  Addresses a, b;
  ldsAddresses(w, i, a, static_cast<int64_t>(i.offset) * unit);
  ldsAddresses(w, i, b, static_cast<int64_t>(i.immediate) * unit);
  Window first(w, a, Space::Lds, bytes, true), second(w, b, Space::Lds, bytes, true);
  const uint32_t *x = w.reg(i.source[1].index), *y = w.reg(i.source[2].index);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(a.active >> l & 1)) continue;
    uint8_t *p = first.at(l, a.of[l]), *q = p ? second.at(l, b.of[l]) : nullptr;
    if (!q) return;
    for (unsigned k = 0; k < Words; ++k) std::memcpy(p + 4 * k, x + k * laneStride + l, 4);
    for (unsigned k = 0; k < Words; ++k) std::memcpy(q + 4 * k, y + k * laneStride + l, 4);
  }
}

/// ds_bpermute: each lane reads the lane its address names; a lane that is not in EXEC gives 0 (unless `Inactive`).
template <bool Inactive> void backwardPermute(Wave &w, const Inst &i) {
  alignas(64) uint32_t data[laneStride];
  std::memcpy(data, w.reg(i.source[1].index), sizeof data);
  const uint32_t *address = w.reg(i.source[0].index);
  uint64_t exec = w.exec() & w.laneMask;
  uint32_t *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l) {
    unsigned from = (address[l] + static_cast<U32>(i.offset)) / 4 % w.lanes;
    d[l] = Inactive || (exec >> from & 1) ? data[from] : 0;
  }
  commit(w, i, d, 1, 32, exec);
}
void forwardPermute(Wave &w, const Inst &i) {
  const uint32_t *data = w.reg(i.source[1].index), *address = w.reg(i.source[0].index);
  uint64_t exec = w.exec() & w.laneMask;
  uint32_t *d = w.resultBuffer;
  std::memset(d, 0, laneStride * 4);
  for (unsigned l = 0; l < w.lanes; ++l)
    if (exec >> l & 1) d[(address[l] + static_cast<U32>(i.offset)) / 4 % w.lanes] = data[l];
  commit(w, i, d, 1, 32, exec);
}
/// ds_swizzle: offset bit 15 set: quad permutation; else and, or, xor masks of five bits within 32 lanes.
/// 0xe000 and above (FFT) and 0xc000 (rotate) as well.
void swizzle(Wave &w, const Inst &i) {
  alignas(64) uint32_t data[laneStride];
  std::memcpy(data, w.reg(i.source[0].kind == Source::Vector ? i.source[0].index : i.source[1].index), sizeof data);
  uint32_t control = static_cast<U32>(i.offset) & 0xffff;
  uint64_t exec = w.exec() & w.laneMask;
  uint32_t *d = w.resultBuffer;
  if (control >= 0xe000) return w.fail(FaultKind::UnknownInstruction, "the FFT mode of ds_swizzle is not emulated");
  for (unsigned l = 0; l < w.lanes; ++l) {
    unsigned from;
    if (control >= 0xc000) {
      unsigned amount = control >> 5 & 31, keep = control & 31, in = l & 31;
      unsigned moved = control & 0x400 ? in - amount : in + amount;
      from = (l & ~31u) | (in & keep) | (moved & 31 & ~keep);
    } else if (control & 0x8000) from = (l & ~3u) | (control >> 2 * (l & 3) & 3);
    else from = (l & ~31u) | ((((l & 31) & (control & 31)) | (control >> 5 & 31)) ^ (control >> 10 & 31));
    d[l] = exec >> from & 1 ? data[from] : 0;
  }
  commit(w, i, d, 1, 32, exec);
}

/// ds_append, ds_consume: the count of active lanes is added to (taken from) the word at M0 + offset.
template <bool Append> void appendConsume(Wave &w, const Inst &i) {
  uint64_t exec = w.exec() & w.laneMask;
  uint32_t address = (w.scalar[slot::m0] & 0xffff) + static_cast<U32>(i.offset), count = static_cast<U32>(std::popcount(exec));
  if (address + 4ull > w.group->ldsBytes) return w.failAt(FaultKind::LdsOutOfBounds, "append or consume outside of the workgroup's LDS", -1, address);
  uint32_t old;
  std::memcpy(&old, w.group->lds + address, 4);
  uint32_t now = Append ? old + count : old - count;
  std::memcpy(w.group->lds + address, &now, 4);
  for (unsigned l = 0; l < w.lanes; ++l) w.resultBuffer[l] = old;
  commit(w, i, w.resultBuffer, 1, 32, exec);
}

/// ds_wrxchg2: swaps two elements.
template <class T, bool Stride64> void exchangeTwo(Wave &w, const Inst &i) {
  constexpr unsigned words = LaneType<T>::words, unit = sizeof(T) * (Stride64 ? 64 : 1);
  Addresses a, b;
  ldsAddresses(w, i, a, static_cast<int64_t>(i.offset) * unit);
  ldsAddresses(w, i, b, static_cast<int64_t>(i.immediate) * unit);
  Window first(w, a, Space::Lds, sizeof(T), true), second(w, b, Space::Lds, sizeof(T), true);
  alignas(64) uint32_t x[2 * laneStride], y[2 * laneStride];
  std::memcpy(x, w.reg(i.source[1].index), words * laneStride * 4);
  std::memcpy(y, w.reg(i.source[2].index), words * laneStride * 4);
  uint32_t *d = w.reg(i.dst);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(a.active >> l & 1)) continue;
    uint8_t *p = first.at(l, a.of[l]), *q = p ? second.at(l, b.of[l]) : nullptr;
    if (!q) return;
    T v = LaneType<T>::load(x, l), u = LaneType<T>::load(y, l), oldP, oldQ;
    std::memcpy(&oldP, p, sizeof v);
    std::memcpy(p, &v, sizeof v);
    std::memcpy(&oldQ, q, sizeof v);
    std::memcpy(q, &u, sizeof v);
    LaneType<T>::store(d, l, oldP);
    LaneType<T>::store(d + words * laneStride, l, oldQ);
  }
}

constexpr Space L = Space::Lds;
#define ATOMIC(NAME, TYPE, T, F)                                                                                       \
  {"DS_" NAME "_" TYPE, atomic<L, T, F>, Row::Other}, {"DS_" NAME "_RTN_" TYPE, atomic<L, T, F>, Row::Other}
#define ATOMIC_BOTH(NAME, SIGN, T32, T64, F) ATOMIC(NAME, SIGN "32", T32, F), ATOMIC(NAME, SIGN "64", T64, F)

constexpr Row rows[] = {
    {"DS_READ_U8", load<L, Extended<uint8_t>>, Row::Other}, {"DS_READ_I8", load<L, Extended<int8_t>>, Row::Other},
    {"DS_READ_U16", load<L, Extended<uint16_t>>, Row::Other}, {"DS_READ_I16", load<L, Extended<int16_t>>, Row::Other},
    {"DS_READ_U8_D16", load<L, LowHalf<uint8_t>>, Row::Other}, {"DS_READ_U8_D16_HI", load<L, HighHalf<uint8_t>>, Row::Other},
    {"DS_READ_I8_D16", load<L, LowHalf<int8_t>>, Row::Other}, {"DS_READ_I8_D16_HI", load<L, HighHalf<int8_t>>, Row::Other},
    {"DS_READ_U16_D16", load<L, LowHalf<uint16_t>>, Row::Other}, {"DS_READ_U16_D16_HI", load<L, HighHalf<uint16_t>>, Row::Other},
    {"DS_READ_B32", load<L, Wide<1>>, Row::Other}, {"DS_READ_B64", load<L, Wide<2>>, Row::Other},
    {"DS_READ_B96", load<L, Wide<3>>, Row::Other}, {"DS_READ_B128", load<L, Wide<4>>, Row::Other},
    {"DS_WRITE_B8", store<L, Extended<uint8_t>>, Row::Other}, {"DS_WRITE_B16", store<L, Extended<uint16_t>>, Row::Other},
    {"DS_WRITE_B8_D16_HI", store<L, HighHalf<uint8_t>>, Row::Other}, {"DS_WRITE_B16_D16_HI", store<L, HighHalf<uint16_t>>, Row::Other},
    {"DS_WRITE_B32", store<L, Wide<1>>, Row::Other}, {"DS_WRITE_B64", store<L, Wide<2>>, Row::Other},
    {"DS_WRITE_B96", store<L, Wide<3>>, Row::Other}, {"DS_WRITE_B128", store<L, Wide<4>>, Row::Other},
    {"DS_READ2_B32", readTwo<1, false>, Row::Other}, {"DS_READ2_B64", readTwo<2, false>, Row::Other},
    {"DS_READ2ST64_B32", readTwo<1, true>, Row::Other}, {"DS_READ2ST64_B64", readTwo<2, true>, Row::Other},
    {"DS_WRITE2_B32", writeTwo<1, false>, Row::Other}, {"DS_WRITE2_B64", writeTwo<2, false>, Row::Other},
    {"DS_WRITE2ST64_B32", writeTwo<1, true>, Row::Other}, {"DS_WRITE2ST64_B64", writeTwo<2, true>, Row::Other},
    ATOMIC_BOTH("ADD", "U", uint32_t, uint64_t, atomics::add), ATOMIC_BOTH("SUB", "U", uint32_t, uint64_t, atomics::sub),
    ATOMIC_BOTH("RSUB", "U", uint32_t, uint64_t, atomics::rsub), ATOMIC_BOTH("INC", "U", uint32_t, uint64_t, atomics::inc),
    ATOMIC_BOTH("DEC", "U", uint32_t, uint64_t, atomics::dec), ATOMIC_BOTH("MIN", "U", uint32_t, uint64_t, atomics::min),
    ATOMIC_BOTH("MAX", "U", uint32_t, uint64_t, atomics::max), ATOMIC_BOTH("MIN", "I", int32_t, int64_t, atomics::min),
    ATOMIC_BOTH("MAX", "I", int32_t, int64_t, atomics::max), ATOMIC_BOTH("AND", "B", uint32_t, uint64_t, atomics::bitAnd),
    ATOMIC_BOTH("OR", "B", uint32_t, uint64_t, atomics::bitOr), ATOMIC_BOTH("XOR", "B", uint32_t, uint64_t, atomics::bitXor),
    {"DS_WRXCHG_RTN_B32", atomic<L, uint32_t, atomics::swap>, Row::Other},
    {"DS_WRXCHG_RTN_B64", atomic<L, uint64_t, atomics::swap>, Row::Other}, ATOMIC_BOTH("ADD", "F", float, double, atomics::addFloat),
    ATOMIC_BOTH("MIN", "F", float, double, atomics::minFloat), ATOMIC_BOTH("MAX", "F", float, double, atomics::maxFloat),
    ATOMIC("PK_ADD", "F16", uint32_t, atomics::addHalves), ATOMIC("PK_ADD", "BF16", uint32_t, atomics::addBfloats),
    ATOMIC("COND_SUB", "U32", uint32_t, atomics::condSub), ATOMIC("SUB_CLAMP", "U32", uint32_t, atomics::subClamp),
    // gfx9 cmpst: data0 expected, data1 new; gfx12 cmpstore: the other way round
    {"DS_CMPST_B32", compareSwap<L, uint32_t, false, false>, Row::Other}, {"DS_CMPST_RTN_B32", compareSwap<L, uint32_t, false, false>, Row::Other},
    {"DS_CMPST_B64", compareSwap<L, uint64_t, false, false>, Row::Other}, {"DS_CMPST_RTN_B64", compareSwap<L, uint64_t, false, false>, Row::Other},
    {"DS_CMPSTORE_B32", compareSwap<L, uint32_t, false, true>, Row::Other}, {"DS_CMPSTORE_RTN_B32", compareSwap<L, uint32_t, false, true>, Row::Other},
    {"DS_CMPSTORE_B64", compareSwap<L, uint64_t, false, true>, Row::Other}, {"DS_CMPSTORE_RTN_B64", compareSwap<L, uint64_t, false, true>, Row::Other},
    {"DS_WRXCHG2_RTN_B32", exchangeTwo<uint32_t, false>, Row::Other}, {"DS_WRXCHG2_RTN_B64", exchangeTwo<uint64_t, false>, Row::Other},
    {"DS_WRXCHG2ST64_RTN_B32", exchangeTwo<uint32_t, true>, Row::Other}, {"DS_WRXCHG2ST64_RTN_B64", exchangeTwo<uint64_t, true>, Row::Other},
    {"DS_BPERMUTE_B32", backwardPermute<false>, Row::Other}, {"DS_BPERMUTE_FI_B32", backwardPermute<true>, Row::Other},
    {"DS_PERMUTE_B32", forwardPermute, Row::Other}, {"DS_SWIZZLE_B32", swizzle, Row::Other},
    {"DS_APPEND", appendConsume<true>, Row::Other}, {"DS_CONSUME", appendConsume<false>, Row::Other},
    {"DS_NOP", [](Wave &, const Inst &) {}, Row::Other},
};

} // namespace

std::span<const Row> ldsRows() { return rows; }

} // namespace fly::emulator
