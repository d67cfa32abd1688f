// Vector memory access: where each lane's address leads, checked, in host memory.
//
// One template a kind of access (load, store, atomic) serves all address spaces; a space supplies the lanes'
// addresses (`computeAddresses`) and the host pointers behind them (`Window`). A Window first looks whether one
// allocation holds all lanes' bytes, which is the common case and costs one search; else each lane is looked up, and
// the first that lies outside stops the wave with a report.
//
// Order: all lanes' addresses are read before any register is written, so a load may overwrite its own address.
#pragma once

#include "runtime/emulator/Scalars.h"
#include "runtime/emulator/Watcher.h"

namespace fly::emulator {



struct Addresses {
  uint64_t of[laneStride];
  uint64_t active;
  uint64_t outside = 0;         ///< Buffer: active lanes beyond num_records: loads give 0, stores nothing
};

/// False when the wave faulted. `elementBytes` serves gfx1250's scaled offsets and the buffer's range check.
bool globalAddresses(Wave &w, const Inst &i, Addresses &a, unsigned elementBytes);
bool scratchAddresses(Wave &w, const Inst &i, Addresses &a, unsigned elementBytes);
bool bufferAddresses(Wave &w, const Inst &i, Addresses &a, unsigned elementBytes);
bool ldsAddresses(Wave &w, const Inst &i, Addresses &a, int64_t offset);

template <Space S> inline bool computeAddresses(Wave &w, const Inst &i, Addresses &a, unsigned elementBytes) {
  if constexpr (S == Space::Global || S == Space::Flat) return globalAddresses(w, i, a, elementBytes);
  else if constexpr (S == Space::Scratch) return scratchAddresses(w, i, a, elementBytes);
  else if constexpr (S == Space::Buffer) return bufferAddresses(w, i, a, elementBytes);
  else return ldsAddresses(w, i, a, i.offset);
}

/// Host memory behind lanes' addresses, `bytes` each.
class Window {
public:
  Window(Wave &w, const Addresses &a, Space space, unsigned bytes, bool write);
  /// Null after a fault.
  uint8_t *at(unsigned lane, uint64_t address) {
    if (base) [[likely]] return base + (address - baseAddress);
    return slow(lane, address);
  }

private:
  uint8_t *slow(unsigned lane, uint64_t address);
  Wave &w;
  Space space;
  unsigned bytes;
  bool write;
  uint8_t *base = nullptr;      ///< host pointer of baseAddress when one block holds every lane
  uint64_t baseAddress = 0;
};

//===--------------------------------------------------------------------------------------------------------===//
// Loads and stores
//===--------------------------------------------------------------------------------------------------------===//

/// What a load does with its bytes: `Words` registers of four bytes, or a small value extended or put in a half.
template <unsigned Words> struct Wide {
  static constexpr unsigned bytes = 4 * Words, words = Words;
};
template <class T> struct Extended { static constexpr unsigned bytes = sizeof(T), words = 1; using Type = T; };
template <class T> struct LowHalf { static constexpr unsigned bytes = sizeof(T), words = 1; using Type = T; };
template <class T> struct HighHalf { static constexpr unsigned bytes = sizeof(T), words = 1; using Type = T; };
template <class K> struct KindOf;
template <unsigned N> struct KindOf<Wide<N>> { static constexpr int value = 0; };
template <class T> struct KindOf<Extended<T>> { static constexpr int value = 1; };
template <class T> struct KindOf<LowHalf<T>> { static constexpr int value = 2; };
template <class T> struct KindOf<HighHalf<T>> { static constexpr int value = 3; };

template <class K> inline void placeLoaded(uint32_t *d, unsigned l, const uint8_t *from) {
  if constexpr (KindOf<K>::value == 0) {
    for (unsigned k = 0; k < K::words; ++k) {
      if (from) std::memcpy(d + k * laneStride + l, from + 4 * k, 4);
      else d[k * laneStride + l] = 0;
    }
  } else {
    typename K::Type v = 0;
    if (from) std::memcpy(&v, from, sizeof v);
    uint32_t x = static_cast<uint32_t>(static_cast<int32_t>(v));
    if constexpr (KindOf<K>::value == 1) d[l] = x;
    else if constexpr (KindOf<K>::value == 2) d[l] = (d[l] & 0xffff0000u) | (x & 0xffffu);
    else d[l] = (d[l] & 0xffffu) | x << 16;
  }
}

template <Space S, class K> void load(Wave &w, const Inst &i) {
  Addresses a;
  if (!computeAddresses<S>(w, i, a, K::bytes)) return;
  Window window(w, a, S, K::bytes, false);
  uint32_t *d = w.reg(i.dst);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(a.active >> l & 1)) continue;
    if (S == Space::Buffer && (a.outside >> l & 1)) {
      placeLoaded<K>(d, l, nullptr);
      continue;
    }
    const uint8_t *p = window.at(l, a.of[l]);
    if (!p) return;
    placeLoaded<K>(d, l, p);
  }
}

template <Space S, class K> void store(Wave &w, const Inst &i) {
  Addresses a;
  if (!computeAddresses<S>(w, i, a, K::bytes)) return;
  Window window(w, a, S, K::bytes, true);
  const uint32_t *data = fetch<uint32_t>(w, i, 1);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(a.active >> l & 1) || (S == Space::Buffer && (a.outside >> l & 1))) continue;
    uint8_t *p = window.at(l, a.of[l]);
    if (!p) return;
    if constexpr (KindOf<K>::value == 0) {
      for (unsigned k = 0; k < K::words; ++k) std::memcpy(p + 4 * k, data + k * laneStride + l, 4);
    } else {
      uint32_t v = KindOf<K>::value == 3 ? data[l] >> 16 : data[l];
      std::memcpy(p, &v, sizeof(typename K::Type));
    }
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Atomics
//===--------------------------------------------------------------------------------------------------------===//

/// `Function(old, data)` is the new value; lanes go in order. The old value is returned if there is a Dst.
template <Space S, class T, auto Function> void atomic(Wave &w, const Inst &i) {
  Addresses a;
  if (!computeAddresses<S>(w, i, a, sizeof(T))) return;
  const uint32_t *data = w.reg(i.source[1].index);
  alignas(64) uint32_t copy[2 * laneStride];
  std::memcpy(copy, data, LaneType<T>::words * laneStride * 4);
  Window window(w, a, S, sizeof(T), true);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(a.active >> l & 1) || (S == Space::Buffer && (a.outside >> l & 1))) continue;
    if (a.of[l] & (sizeof(T) - 1))
      return w.failAt(FaultKind::Misaligned, "atomic at an address that is not a multiple of its size", static_cast<int>(l), a.of[l]);
    uint8_t *p = window.at(l, a.of[l]);
    if (!p) return;
    T old;
    std::memcpy(&old, p, sizeof old);
    T now = Function(old, LaneType<T>::load(copy, l));
    std::memcpy(p, &now, sizeof now);
    if (i.hasDst) LaneType<T>::store(w.reg(i.dst), l, old);
  }
}
/// Compare and swap: `SwapFirst` (global, buffer, gfx12 DS's data0): the pair holds the new value, then the expected.
/// DS has them in two operands.
template <Space S, class T, bool Paired, bool NewFirst> void compareSwap(Wave &w, const Inst &i) {
  Addresses a;
  if (!computeAddresses<S>(w, i, a, sizeof(T))) return;
  alignas(64) uint32_t first[2 * laneStride], second[2 * laneStride];
  constexpr unsigned words = LaneType<T>::words;
  const uint32_t *data = w.reg(i.source[1].index);
  std::memcpy(first, data, words * laneStride * 4);
  std::memcpy(second, Paired ? data + words * laneStride : w.reg(i.source[2].index), words * laneStride * 4);
  Window window(w, a, S, sizeof(T), true);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(a.active >> l & 1) || (S == Space::Buffer && (a.outside >> l & 1))) continue;
    if (a.of[l] & (sizeof(T) - 1))
      return w.failAt(FaultKind::Misaligned, "atomic at an address that is not a multiple of its size", static_cast<int>(l), a.of[l]);
    uint8_t *p = window.at(l, a.of[l]);
    if (!p) return;
    T old, x = LaneType<T>::load(first, l), y = LaneType<T>::load(second, l);
    std::memcpy(&old, p, sizeof old);
    T now = old == (NewFirst ? y : x) ? (NewFirst ? x : y) : old;
    std::memcpy(p, &now, sizeof now);
    if (i.hasDst) LaneType<T>::store(w.reg(i.dst), l, old);
  }
}

// The functions of atomics, shared by the families' tables.
namespace atomics {
inline constexpr auto swap = [](auto, auto b) { return b; };
inline constexpr auto add = [](auto a, auto b) { return decltype(a)(a + b); };
inline constexpr auto sub = [](auto a, auto b) { return decltype(a)(a - b); };
inline constexpr auto rsub = [](auto a, auto b) { return decltype(a)(b - a); };
inline constexpr auto min = [](auto a, auto b) { return b < a ? b : a; };
inline constexpr auto max = [](auto a, auto b) { return b > a ? b : a; };
inline constexpr auto bitAnd = [](auto a, auto b) { return decltype(a)(a & b); };
inline constexpr auto bitOr = [](auto a, auto b) { return decltype(a)(a | b); };
inline constexpr auto bitXor = [](auto a, auto b) { return decltype(a)(a ^ b); };
inline constexpr auto inc = [](auto a, auto b) { return a >= b ? decltype(a)(0) : decltype(a)(a + 1); };
inline constexpr auto dec = [](auto a, auto b) { return a == 0 || a > b ? b : decltype(a)(a - 1); };
inline constexpr auto addFloat = [](auto a, auto b) { return settle(a + b, a, b); };
inline constexpr auto minFloat = [](auto a, auto b) { return a != a ? b : b != b ? a : b < a ? b : a; };
inline constexpr auto maxFloat = [](auto a, auto b) { return a != a ? b : b != b ? a : b > a ? b : a; };
inline constexpr auto condSub = [](auto a, auto b) { return a >= b ? decltype(a)(a - b) : a; };
inline constexpr auto subClamp = [](auto a, auto b) { return a < b ? decltype(a)(0) : decltype(a)(a - b); };
inline constexpr auto addHalves = [](uint32_t a, uint32_t b) {
  return floatToHalf(halfToFloat(a & 0xffff) + halfToFloat(b & 0xffff)) | floatToHalf(halfToFloat(a >> 16) + halfToFloat(b >> 16)) << 16;
};
inline constexpr auto addBfloats = [](uint32_t a, uint32_t b) {
  return floatToBfloat(bfloatToFloat(a & 0xffff) + bfloatToFloat(b & 0xffff)) | floatToBfloat(bfloatToFloat(a >> 16) + bfloatToFloat(b >> 16)) << 16;
};
} // namespace atomics

/// The rows that global, flat and buffer share; S is the Space, P the name's prefix.
#define FLY_MEMORY_ROWS(P, S)                                                                                          \
  {P "LOAD_UBYTE", load<S, Extended<uint8_t>>, Row::Other}, {P "LOAD_SBYTE", load<S, Extended<int8_t>>, Row::Other},   \
  {P "LOAD_USHORT", load<S, Extended<uint16_t>>, Row::Other}, {P "LOAD_SSHORT", load<S, Extended<int16_t>>, Row::Other}, \
  {P "LOAD_DWORD", load<S, Wide<1>>, Row::Other}, {P "LOAD_DWORDX2", load<S, Wide<2>>, Row::Other},                    \
  {P "LOAD_DWORDX3", load<S, Wide<3>>, Row::Other}, {P "LOAD_DWORDX4", load<S, Wide<4>>, Row::Other},                  \
  {P "LOAD_UBYTE_D16", load<S, LowHalf<uint8_t>>, Row::Other}, {P "LOAD_UBYTE_D16_HI", load<S, HighHalf<uint8_t>>, Row::Other}, \
  {P "LOAD_SBYTE_D16", load<S, LowHalf<int8_t>>, Row::Other}, {P "LOAD_SBYTE_D16_HI", load<S, HighHalf<int8_t>>, Row::Other}, \
  {P "LOAD_SHORT_D16", load<S, LowHalf<uint16_t>>, Row::Other}, {P "LOAD_SHORT_D16_HI", load<S, HighHalf<uint16_t>>, Row::Other}, \
  {P "STORE_BYTE", store<S, Extended<uint8_t>>, Row::Other}, {P "STORE_SHORT", store<S, Extended<uint16_t>>, Row::Other}, \
  {P "STORE_BYTE_D16_HI", store<S, HighHalf<uint8_t>>, Row::Other}, {P "STORE_SHORT_D16_HI", store<S, HighHalf<uint16_t>>, Row::Other}, \
  {P "STORE_DWORD", store<S, Wide<1>>, Row::Other}, {P "STORE_DWORDX2", store<S, Wide<2>>, Row::Other},                \
  {P "STORE_DWORDX3", store<S, Wide<3>>, Row::Other}, {P "STORE_DWORDX4", store<S, Wide<4>>, Row::Other}

#define FLY_ATOMIC_PAIR(P, S, NAME, T32, T64, F)                                                                       \
  {P "ATOMIC_" NAME, atomic<S, T32, F>, Row::Other}, {P "ATOMIC_" NAME "_X2", atomic<S, T64, F>, Row::Other}
#define FLY_ATOMIC_ROWS(P, S, CSUB)                                                                                          \
  FLY_ATOMIC_PAIR(P, S, "SWAP", uint32_t, uint64_t, atomics::swap),                                                    \
  FLY_ATOMIC_PAIR(P, S, "ADD", uint32_t, uint64_t, atomics::add), FLY_ATOMIC_PAIR(P, S, "SUB", uint32_t, uint64_t, atomics::sub), \
  FLY_ATOMIC_PAIR(P, S, "SMIN", int32_t, int64_t, atomics::min), FLY_ATOMIC_PAIR(P, S, "UMIN", uint32_t, uint64_t, atomics::min), \
  FLY_ATOMIC_PAIR(P, S, "SMAX", int32_t, int64_t, atomics::max), FLY_ATOMIC_PAIR(P, S, "UMAX", uint32_t, uint64_t, atomics::max), \
  FLY_ATOMIC_PAIR(P, S, "AND", uint32_t, uint64_t, atomics::bitAnd), FLY_ATOMIC_PAIR(P, S, "OR", uint32_t, uint64_t, atomics::bitOr), \
  FLY_ATOMIC_PAIR(P, S, "XOR", uint32_t, uint64_t, atomics::bitXor),                                                   \
  FLY_ATOMIC_PAIR(P, S, "INC", uint32_t, uint64_t, atomics::inc), FLY_ATOMIC_PAIR(P, S, "DEC", uint32_t, uint64_t, atomics::dec), \
  {P "ATOMIC_CMPSWAP", compareSwap<S, uint32_t, true, true>, Row::Other},                                              \
  {P "ATOMIC_CMPSWAP_X2", compareSwap<S, uint64_t, true, true>, Row::Other},                                           \
  {P "ATOMIC_ADD_F32", atomic<S, float, atomics::addFloat>, Row::Other},                                               \
  {P "ATOMIC_ADD_F64", atomic<S, double, atomics::addFloat>, Row::Other},                                              \
  {P "ATOMIC_MIN_F64", atomic<S, double, atomics::minFloat>, Row::Other},                                              \
  {P "ATOMIC_MAX_F64", atomic<S, double, atomics::maxFloat>, Row::Other},                                              \
  {P "ATOMIC_FMIN", atomic<S, float, atomics::minFloat>, Row::Other},                                                  \
  {P "ATOMIC_FMAX", atomic<S, float, atomics::maxFloat>, Row::Other},                                                  \
  {P "ATOMIC_PK_ADD_F16", atomic<S, uint32_t, atomics::addHalves>, Row::Other},                                        \
  {P "ATOMIC_PK_ADD_BF16", atomic<S, uint32_t, atomics::addBfloats>, Row::Other},                                      \
  {P "ATOMIC_COND_SUB_U32", atomic<S, uint32_t, atomics::condSub>, Row::Other},                                        \
  {P "ATOMIC_CSUB" CSUB, atomic<S, uint32_t, atomics::subClamp>, Row::Other}

} // namespace fly::emulator
