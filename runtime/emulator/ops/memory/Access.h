// Vector memory access: the checked host address for each lane's address, and what loads, stores and atomics do with
// it.
//
// One template per kind of access serves all address spaces. Its handler issues the access: `locate` computes the
// lanes' addresses and finds their host memory, usually with one search for all lanes; the first lane outside of memory
// stops the wave with a report. The effect on memory and registers is a PendingActions, performed when a wait demands
// it (Pending.h). Loads and stores with consecutive lanes, which most are, are recognised by the address registers
// alone, need one check and are moved as a whole.
#pragma once

#include "runtime/emulator/formats/AtomicFunctions.h"
#include "runtime/emulator/lanes/LaneRows.h"
#include "runtime/emulator/wave/Pending.h"
#include "runtime/emulator/lanes/Scalars.h"
#include "runtime/emulator/wave/Observer.h"

#include <atomic>

namespace fly::emulator {

/// Writes the lanes' addresses, as given by the instruction, to p.address. False if the wave faulted. `elementBytes`
/// serves gfx1250's scaled offsets and the buffer's range check.
bool globalAddresses(Wave &w, const Inst &i, Pending &p, unsigned elementBytes);
bool scratchAddresses(Wave &w, const Inst &i, Pending &p, unsigned elementBytes);
bool bufferAddresses(Wave &w, const Inst &i, Pending &p, unsigned elementBytes);
bool ldsAddresses(Wave &w, const Inst &i, Pending &p, int64_t offset);

template <Space S> inline bool computeAddresses(Wave &w, const Inst &i, Pending &p, unsigned elementBytes) {
  if constexpr (S == Space::Global || S == Space::Flat) return globalAddresses(w, i, p, elementBytes);
  else if constexpr (S == Space::Scratch) return scratchAddresses(w, i, p, elementBytes);
  else if constexpr (S == Space::Buffer) return bufferAddresses(w, i, p, elementBytes);
  else return ldsAddresses(w, i, p, i.offset);
}

/// What an access does, for checks and observers.
struct Access {
  Space space;
  bool read, write, atomic;
  unsigned bytes; ///< a lane
  StoredData stored = {};
};
/// The common case: all lanes are active and each one's bytes follow those of the lane before. Sets p.contiguous, lane
/// 0's address and the range. False if that is not or may not be the case, or if an observer wants accesses: then nothing has
/// happened, and the addresses must be computed and mapped one by one.
bool mapRun(Wave &w, const Inst &i, Pending &p, const Access &access);
/// What mapRun needs of a buffer: the address of lane 0, and whether all lanes follow it and are in range.
bool bufferRun(Wave &w, const Inst &i, unsigned bytes, uint64_t &first);
/// Whether each lane's word is `step` more than the one before it, modulo 2^32.
bool ascends(const uint32_t *v, unsigned lanes, uint32_t step);
/// From the addresses in `p` to host memory: p.base, p.range, p.contiguous. False after a fault.
bool mapAddresses(Wave &w, const Inst &i, Pending &p, const Access &access);
/// The second elements of paired LDS accesses are p.second bytes from the first; checks and widens p.range.
bool mapSecond(Wave &w, const Inst &i, Pending &p, const Access &access);
/// The host address of `bytes` bytes at LDS offset `offset`; null after a fault.
uint8_t *ldsBytes(Wave &w, uint64_t offset, unsigned bytes, bool write, int lane);

/// Begins an access of space S: its record, with everything but what it does. Null after a fault. `Runs`: its actions
/// do not need the addresses of all lanes where p.contiguous.
template <Space S, unsigned Bytes, bool Runs = false>
inline Pending *beginAccess(Wave &w, const Inst &i, const PendingActions &actions, bool read, bool write, bool atomic,
                            StoredData stored = {}) {
  Pending &p = beginPending(w, i, actions);
  p.writes = write;
  p.bytes = Bytes;
  const Access access{S, read, write, atomic, Bytes, stored};
  if (Runs && S != Space::Scratch && mapRun(w, i, p, access)) [[likely]]
    return &p;
  bool found = computeAddresses<S>(w, i, p, Bytes);
  if (atomic && p.partial) { // all or nothing
    p.outside |= p.partial;
    p.partial = 0;
  }
  found = found && mapAddresses(w, i, p, access);
  if (found) [[likely]]
    return &p;
  abandon(w, p);
  return nullptr;
}

//===--------------------------------------------------------------------------------------------------------===//
// Loads and stores
//===--------------------------------------------------------------------------------------------------------===//

/// What a load does with its bytes: `Words` registers of four bytes, or a small value extended or put in a half.
template <unsigned Words> struct Wide {
  static constexpr unsigned bytes = 4 * Words, words = Words;
};
template <class T> struct Extended {
  static constexpr unsigned bytes = sizeof(T), words = 1;
  using Type = T;
};
template <class T> struct LowHalf {
  static constexpr unsigned bytes = sizeof(T), words = 1;
  using Type = T;
};
template <class T> struct HighHalf {
  static constexpr unsigned bytes = sizeof(T), words = 1;
  using Type = T;
};
template <class K> struct KindOf;
template <unsigned N> struct KindOf<Wide<N>> {
  static constexpr int value = 0;
};
template <class T> struct KindOf<Extended<T>> {
  static constexpr int value = 1;
};
template <class T> struct KindOf<LowHalf<T>> {
  static constexpr int value = 2;
};
template <class T> struct KindOf<HighHalf<T>> {
  static constexpr int value = 3;
};

/// Calls f(lane) for the lanes of a mask.
template <class F> inline void forLanes(uint64_t mask, F f) {
  for (; mask; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Calls f with the function that computes a lane's host address: a sum if the lanes are consecutive.
template <unsigned Bytes, class F> inline void withRows(const Pending &p, F f) {
  if (p.contiguous) f([from = p.at(0)](size_t l) { return from + Bytes * l; });
  else f([&p](size_t l) { return p.at(static_cast<unsigned>(l)); });
}
template <unsigned Words> inline void loadWords(uint32_t *d, unsigned l, const uint8_t *from) {
  for (unsigned k = 0; k < Words; ++k) std::memcpy(d + k * laneStride + l, from + 4 * k, 4);
}
template <unsigned Words> inline void storeWords(uint8_t *to, const uint32_t *d, unsigned l) {
  for (unsigned k = 0; k < Words; ++k) std::memcpy(to + 4 * k, d + k * laneStride + l, 4);
}

/// Reads the lanes' values, extended to words; lanes out of range read 0.
template <class K> inline void readLanes(Wave &w, Pending &p, uint32_t *d) {
  if constexpr (KindOf<K>::value == 0) {
    constexpr unsigned words = K::words;
    if (p.partial) [[unlikely]] {
      forLanes(p.active, [&](unsigned l) {
        unsigned inside = p.outside >> l & 1 ? 0 : p.partial >> l & 1 ? p.wordsInside(l) : words;
        for (unsigned k = 0; k < words; ++k) {
          d[k * laneStride + l] = 0;
          if (k < inside) std::memcpy(d + k * laneStride + l, p.at(l) + 4 * k, 4);
        }
      });
      return;
    }
    if (p.lanes() == w.laneMask) return withRows<K::bytes>(p, [&](auto at) { loadRows<words>(d, w.lanes, at); });
    forLanes(p.lanes(), [&](unsigned l) { loadWords<words>(d, l, p.at(l)); });
    forLanes(p.active & p.outside, [&](unsigned l) {
      for (unsigned k = 0; k < words; ++k) d[k * laneStride + l] = 0;
    });
  } else {
    withRows<K::bytes>(p, [&](auto at) {
      forLanes(p.active, [&](unsigned l) {
        typename K::Type v = 0;
        if (!(p.outside >> l & 1)) std::memcpy(&v, at(l), sizeof v);
        d[l] = static_cast<uint32_t>(static_cast<int32_t>(v));
      });
    });
  }
}
template <class K> inline void mergeLanes(Wave &w, Pending &p) {
  if constexpr (KindOf<K>::value < 2) deliverWords(w, p);
  else {
    uint32_t *d = w.reg(p.dst);
    forLanes(p.active, [&](unsigned l) { d[l] = w.program->withHalf(d[l], p.data[l], KindOf<K>::value == 3); });
  }
}
template <class K> inline constexpr PendingActions loadActions = {
    [](Wave &w, Pending &p) { readLanes<K>(w, p, p.data); }, mergeLanes<K>,
    [](Wave &w, Pending &p) {
      if constexpr (KindOf<K>::value == 0) readLanes<K>(w, p, w.reg(p.dst));
      else {
        readLanes<K>(w, p, p.data);
        mergeLanes<K>(w, p);
      }
    }};

//===--------------------------------------------------------------------------------------------------------===//
// Loads to LDS (gfx9): lane l's bytes go to M0 + offset + l * stride, where the stride is 4 bytes, or the size of a
// load of 12 or 16 bytes; small loads are extended to 4. Active lanes out of range write 0. EXEC-inactive lanes write
// nothing. The instruction's offset counts on both sides.
//===--------------------------------------------------------------------------------------------------------===//

template <unsigned Bytes> inline constexpr unsigned ldsTransferStride = Bytes < 4 ? 4 : Bytes;
template <class K> inline constexpr PendingActions toLdsActions = {
    [](Wave &w, Pending &p) {
      constexpr unsigned stride = ldsTransferStride<K::bytes>;
      uint8_t *to = reinterpret_cast<uint8_t *>(p.extra[0]);
      if (p.contiguous && K::bytes == stride) {
        std::memcpy(to, p.at(0), w.lanes * stride);
        return;
      }
      withRows<K::bytes>(p, [&](auto at) {
        forLanes(p.active, [&](unsigned l) {
          if (p.outside >> l & 1) std::memset(to + l * stride, 0, stride);
          else if constexpr (KindOf<K>::value == 0) {
            unsigned inside = p.partial >> l & 1 ? 4 * p.wordsInside(l) : stride;
            std::memcpy(to + l * stride, at(l), inside);
            std::memset(to + l * stride + inside, 0, stride - inside);
          } else {
            typename K::Type v;
            std::memcpy(&v, at(l), sizeof v);
            uint32_t word = static_cast<uint32_t>(static_cast<int32_t>(v));
            std::memcpy(to + l * stride, &word, 4);
          }
        });
      });
    },
    nullptr, nullptr};
/// The destination of lane 0's bytes, checked for all active lanes; sets the LDS side. False after a fault.
bool mapLdsTransfer(Wave &w, const Inst &i, Pending &p, unsigned stride);
template <Space S, class K> void loadToLds(Wave &w, const Inst &i) {
  Pending *p = beginAccess<S, K::bytes, true>(w, i, toLdsActions<K>, true, false, false);
  if (!p) return;
  if (!mapLdsTransfer(w, i, *p, ldsTransferStride<K::bytes>)) return abandon(w, *p);
  submit(w, *p);
}

template <Space S, class K> void load(Wave &w, const Inst &i) {
  if constexpr (S == Space::Buffer && KindOf<K>::value < 2)
    if (i.flags & 4) return loadToLds<S, K>(w, i);
  Pending *p = beginAccess<S, K::bytes, true>(w, i, loadActions<K>, true, false, false);
  if (!p) return;
  p->words = K::words;
  submit(w, *p);
}

template <class K> inline constexpr PendingActions storeActions = {
    [](Wave &w, Pending &p) {
      withRows<K::bytes>(p, [&](auto at) {
        const bool all = p.lanes() == w.laneMask && !p.partial;
        if constexpr (KindOf<K>::value == 0) {
          constexpr unsigned words = K::words;
          if (all) return storeRows<words>(at, p.data, w.lanes);
          forLanes(p.lanes(), [&](unsigned l) {
            unsigned inside = p.partial >> l & 1 ? p.wordsInside(l) : words;
            for (unsigned k = 0; k < inside; ++k) std::memcpy(at(l) + 4 * k, p.data + k * laneStride + l, 4);
          });
        } else if (all) {
          for (unsigned l = 0; l < w.lanes; ++l) std::memcpy(at(l), &p.data[l], sizeof(typename K::Type));
        } else forLanes(p.lanes(), [&](unsigned l) { std::memcpy(at(l), &p.data[l], sizeof(typename K::Type)); });
      });
    },
    nullptr, nullptr};

/// The data operand as it is now.
inline void captureData(Wave &w, const Inst &i, Pending &p, unsigned words, unsigned n = 1, unsigned to = 0) {
  std::memcpy(p.data + to * laneStride, w.reg(i.source[n].index), words * laneStride * 4);
}

template <Space S, class K> void store(Wave &w, const Inst &i) {
  Pending *p = beginAccess<S, K::bytes, true>(w, i, storeActions<K>, false, true, false,
                                              {w.reg(i.source[1].index), KindOf<K>::value == 3 ? 16u : 0u});
  if (!p) return;
  captureData(w, i, *p, K::words);
  if constexpr (KindOf<K>::value == 3)
    for (unsigned l = 0; l < laneStride; ++l) p->data[l] >>= 16;
  submit(w, *p);
}

//===--------------------------------------------------------------------------------------------------------===//
// Atomics
//===--------------------------------------------------------------------------------------------------------===//

/// Replaces what is at `at` by f(old) and returns old. Device memory is shared with the waves of other host threads.
template <Space S, class T, class F> inline T exchangeAt(uint8_t *at, F f) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static_assert(sizeof(T) == sizeof(Bits));
  if constexpr (S == Space::Lds) {
    T old;
    std::memcpy(&old, at, sizeof old);
    T now = f(old);
    std::memcpy(at, &now, sizeof now);
    return old;
  } else {
    std::atomic_ref<Bits> cell(*reinterpret_cast<Bits *>(at));
    Bits old = cell.load();
    while (!cell.compare_exchange_weak(old, std::bit_cast<Bits>(T(f(std::bit_cast<T>(old)))))) {
    }
    return std::bit_cast<T>(old);
  }
}

/// `Function(old, data)` is the new value; lanes go in order. The old value is returned if there is a Dst.
template <Space S, class T, auto Function> inline constexpr PendingActions atomicActions = {
    [](Wave &, Pending &p) {
      forLanes(p.lanes(), [&](unsigned l) {
        T data = LaneType<T>::load(p.data, l);
        LaneType<T>::store(p.data, l, exchangeAt<S, T>(p.at(l), [&](T old) { return Function(old, data); }));
      });
      forLanes(p.active & p.outside, [&](unsigned l) { LaneType<T>::store(p.data, l, T(0)); });
    },
    deliverWords, nullptr};
template <Space S, class T, auto Function> void atomic(Wave &w, const Inst &i) {
  Pending *p = beginAccess<S, sizeof(T)>(w, i, atomicActions<S, T, Function>, true, true, true);
  if (!p) return;
  captureData(w, i, *p, LaneType<T>::words);
  p->words = i.hasDst ? LaneType<T>::words : 0;
  submit(w, *p);
}

/// Atomics with two data operands: `Function(old, data0, data1)`.
template <Space S, class T, auto Function> inline constexpr PendingActions atomicTwoActions = {
    [](Wave &, Pending &p) {
      constexpr unsigned words = LaneType<T>::words;
      forLanes(p.lanes(), [&](unsigned l) {
        T x = LaneType<T>::load(p.data, l), y = LaneType<T>::load(p.data + words * laneStride, l);
        LaneType<T>::store(p.data, l, exchangeAt<S, T>(p.at(l), [&](T old) { return Function(old, x, y); }));
      });
    },
    deliverWords, nullptr};
template <Space S, class T, auto Function> void atomicTwo(Wave &w, const Inst &i) {
  constexpr unsigned words = LaneType<T>::words;
  Pending *p = beginAccess<S, sizeof(T)>(w, i, atomicTwoActions<S, T, Function>, true, true, true);
  if (!p) return;
  captureData(w, i, *p, words);
  captureData(w, i, *p, words, 2, words);
  p->words = i.hasDst ? words : 0;
  submit(w, *p);
}

/// Compare and swap. `Paired` (global, buffer): one operand holds the new value, then the expected. DS has them in two,
/// `NewFirst` or not.
template <Space S, class T, bool NewFirst> inline constexpr PendingActions swapActions = {
    [](Wave &, Pending &p) {
      constexpr unsigned words = LaneType<T>::words;
      forLanes(p.lanes(), [&](unsigned l) {
        T x = LaneType<T>::load(p.data, l), y = LaneType<T>::load(p.data + words * laneStride, l);
        T now = NewFirst ? x : y, expected = NewFirst ? y : x;
        LaneType<T>::store(p.data, l, exchangeAt<S, T>(p.at(l), [&](T old) { return old == expected ? now : old; }));
      });
      forLanes(p.active & p.outside, [&](unsigned l) { LaneType<T>::store(p.data, l, T(0)); });
    },
    deliverWords, nullptr};
template <Space S, class T, bool Paired, bool NewFirst> void compareSwap(Wave &w, const Inst &i) {
  constexpr unsigned words = LaneType<T>::words;
  Pending *p = beginAccess<S, sizeof(T)>(w, i, swapActions<S, T, NewFirst>, true, true, true);
  if (!p) return;
  captureData(w, i, *p, Paired ? 2 * words : words);
  if constexpr (!Paired) captureData(w, i, *p, words, 2, words);
  p->words = i.hasDst ? words : 0;
  submit(w, *p);
}

/// The rows that global, flat and buffer share; S is the Space, P the name's prefix.
#define FLY_MEMORY_ROWS(P, S)                                                                                          \
  {P "LOAD_UBYTE", load<S, Extended<uint8_t>>, Row::Other}, {P "LOAD_SBYTE", load<S, Extended<int8_t>>, Row::Other},   \
  {P "LOAD_USHORT", load<S, Extended<uint16_t>>, Row::Other},                                                          \
  {P "LOAD_SSHORT", load<S, Extended<int16_t>>, Row::Other},                                                           \
  {P "LOAD_DWORD", load<S, Wide<1>>, Row::Other}, {P "LOAD_DWORDX2", load<S, Wide<2>>, Row::Other},                    \
  {P "LOAD_DWORDX3", load<S, Wide<3>>, Row::Other}, {P "LOAD_DWORDX4", load<S, Wide<4>>, Row::Other},                  \
  {P "LOAD_UBYTE_D16", load<S, LowHalf<uint8_t>>, Row::Other},                                                         \
  {P "LOAD_UBYTE_D16_HI", load<S, HighHalf<uint8_t>>, Row::Other},                                                     \
  {P "LOAD_SBYTE_D16", load<S, LowHalf<int8_t>>, Row::Other},                                                          \
  {P "LOAD_SBYTE_D16_HI", load<S, HighHalf<int8_t>>, Row::Other},                                                      \
  {P "LOAD_SHORT_D16", load<S, LowHalf<uint16_t>>, Row::Other},                                                        \
  {P "LOAD_SHORT_D16_HI", load<S, HighHalf<uint16_t>>, Row::Other},                                                    \
  {P "STORE_BYTE", store<S, Extended<uint8_t>>, Row::Other},                                                           \
  {P "STORE_SHORT", store<S, Extended<uint16_t>>, Row::Other},                                                         \
  {P "STORE_BYTE_D16_HI", store<S, HighHalf<uint8_t>>, Row::Other},                                                    \
  {P "STORE_SHORT_D16_HI", store<S, HighHalf<uint16_t>>, Row::Other},                                                  \
  {P "STORE_DWORD", store<S, Wide<1>>, Row::Other}, {P "STORE_DWORDX2", store<S, Wide<2>>, Row::Other},                \
  {P "STORE_DWORDX3", store<S, Wide<3>>, Row::Other}, {P "STORE_DWORDX4", store<S, Wide<4>>, Row::Other}

#define FLY_ATOMIC_PAIR(P, S, NAME, T32, T64, F)                                                                       \
  {P "ATOMIC_" NAME, atomic<S, T32, F>, Row::Other}, {P "ATOMIC_" NAME "_X2", atomic<S, T64, F>, Row::Other}
#define FLY_ATOMIC_ROWS(P, S, CSUB)                                                                                    \
  FLY_ATOMIC_PAIR(P, S, "SWAP", uint32_t, uint64_t, atomics::swap),                                                    \
  FLY_ATOMIC_PAIR(P, S, "ADD", uint32_t, uint64_t, atomics::add),                                                      \
  FLY_ATOMIC_PAIR(P, S, "SUB", uint32_t, uint64_t, atomics::sub),                                                      \
  FLY_ATOMIC_PAIR(P, S, "SMIN", int32_t, int64_t, atomics::min),                                                       \
  FLY_ATOMIC_PAIR(P, S, "UMIN", uint32_t, uint64_t, atomics::min),                                                     \
  FLY_ATOMIC_PAIR(P, S, "SMAX", int32_t, int64_t, atomics::max),                                                       \
  FLY_ATOMIC_PAIR(P, S, "UMAX", uint32_t, uint64_t, atomics::max),                                                     \
  FLY_ATOMIC_PAIR(P, S, "AND", uint32_t, uint64_t, atomics::bitAnd),                                                   \
  FLY_ATOMIC_PAIR(P, S, "OR", uint32_t, uint64_t, atomics::bitOr),                                                     \
  FLY_ATOMIC_PAIR(P, S, "XOR", uint32_t, uint64_t, atomics::bitXor),                                                   \
  FLY_ATOMIC_PAIR(P, S, "INC", uint32_t, uint64_t, atomics::inc),                                                      \
  FLY_ATOMIC_PAIR(P, S, "DEC", uint32_t, uint64_t, atomics::dec),                                                      \
  {P "ATOMIC_CMPSWAP", compareSwap<S, uint32_t, true, true>, Row::Other},                                              \
  {P "ATOMIC_CMPSWAP_X2", compareSwap<S, uint64_t, true, true>, Row::Other},                                           \
  {P "ATOMIC_ADD_F32", atomic<S, float, atomics::addFloat>, Row::Other},                                               \
  {P "ATOMIC_ADD_F64", atomic<S, double, atomics::addFloat>, Row::Other},                                              \
  {P "ATOMIC_MIN_F64", atomic<S, double, atomics::minNumber>, Row::Other},                                             \
  {P "ATOMIC_MAX_F64", atomic<S, double, atomics::maxNumber>, Row::Other},                                             \
  {P "ATOMIC_FMIN", atomic<S, float, atomics::minNumber>, Row::Other},                                                 \
  {P "ATOMIC_FMAX", atomic<S, float, atomics::maxNumber>, Row::Other},                                                 \
  {P "ATOMIC_PK_ADD_F16", atomic<S, uint32_t, atomics::addHalves>, Row::Other},                                        \
  {P "ATOMIC_PK_ADD_BF16", atomic<S, uint32_t, atomics::addBfloats>, Row::Other},                                      \
  {P "ATOMIC_COND_SUB_U32", atomic<S, uint32_t, atomics::condSub>, Row::Other},                                        \
  {P "ATOMIC_CSUB" CSUB, atomic<S, uint32_t, atomics::subClamp>, Row::Other}

} // namespace fly::emulator
