// DS instructions: LDS loads, stores and atomics, and the lane exchanges that go through the LDS crossbar without
// touching LDS (permute, bpermute, swizzle). All of them complete when the LDS counter says so.
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/memory/Access.h"

#include <cmath>
#include <limits>

namespace fly::emulator {

namespace {

using U32 = uint32_t;

/// ds_read2: two elements at offset0 and offset1, in units of the element (Stride64: of 64 elements).
template <unsigned Words> void readTwoLanes(Wave &w, Pending &p, uint32_t *d) {
  auto at = [&p](unsigned l) { return p.at(l); };
  if (p.active == w.laneMask) {
    if (p.second == 4 * Words) return loadRows<2 * Words>(d, w.lanes, at);
    loadRows<Words>(d, w.lanes, at);
    return loadRows<Words>(d + Words * laneStride, w.lanes, [&p](unsigned l) { return p.at(l) + p.second; });
  }
  forLanes(p.active, [&](unsigned l) {
    loadWords<Words>(d, l, p.at(l));
    loadWords<Words>(d + Words * laneStride, l, p.at(l) + p.second);
  });
}
template <unsigned Words> inline constexpr PendingActions readTwoActions = {
    [](Wave &w, Pending &p) { readTwoLanes<Words>(w, p, p.data); }, deliverWords,
    [](Wave &w, Pending &p) { readTwoLanes<Words>(w, p, w.reg(p.dst)); }};
/// Lane by lane, each its first and then its second element: where lanes overlap, that order shows.
template <unsigned Words> inline constexpr PendingActions writeTwoActions = {
    [](Wave &w, Pending &p) {
      if (p.active == w.laneMask && p.second == 4 * Words)
        return storeRows<2 * Words>([&p](unsigned l) { return p.at(l); }, p.data, w.lanes);
      forLanes(p.active, [&](unsigned l) {
        storeWords<Words>(p.at(l), p.data, l);
        storeWords<Words>(p.at(l) + p.second, p.data + Words * laneStride, l);
      });
    },
    nullptr, nullptr};
/// ds_wrxchg2: swaps two elements.
template <class T> inline constexpr PendingActions exchangeTwoActions = {
    [](Wave &, Pending &p) {
      constexpr unsigned words = LaneType<T>::words;
      forLanes(p.active, [&](unsigned l) {
        for (unsigned n : {0u, 1u}) {
          uint32_t *d = p.data + n * words * laneStride;
          T now = LaneType<T>::load(d, l);
          LaneType<T>::store(d, l, exchangeAt<Space::Lds, T>(p.at(l) + (n ? p.second : 0), [&](T) { return now; }));
        }
      });
    },
    deliverWords, nullptr};

/// The record of an access to two elements of `bytes` bytes; null after a fault.
Pending *beginTwo(Wave &w, const Inst &i, const PendingActions &actions, unsigned bytes, unsigned unit, bool read,
                  bool write) {
  Pending &p = beginPending(w, i, actions);
  const bool stores = write && !read;
  const auto access = [&](unsigned n) {
    return Access{Space::Lds, read, write, false, bytes, {stores ? w.reg(i.source[n].index) : nullptr}};
  };
  p.writes = write;
  p.bytes = bytes;
  p.second = (static_cast<int64_t>(i.immediate) - i.offset) * unit;
  ldsAddresses(w, i, p, static_cast<int64_t>(i.offset) * unit);
  if (mapAddresses(w, i, p, access(1)) && mapSecond(w, i, p, access(2))) return &p;
  abandon(w, p);
  return nullptr;
}
template <unsigned Words, bool Stride64> void readTwo(Wave &w, const Inst &i) {
  Pending *p = beginTwo(w, i, readTwoActions<Words>, 4 * Words, 4 * Words * (Stride64 ? 64 : 1), true, false);
  if (!p) return;
  p->words = 2 * Words;
  submit(w, *p);
}
template <unsigned Words, bool Stride64> void writeTwo(Wave &w, const Inst &i) {
  Pending *p = beginTwo(w, i, writeTwoActions<Words>, 4 * Words, 4 * Words * (Stride64 ? 64 : 1), false, true);
  if (!p) return;
  captureData(w, i, *p, Words);
  captureData(w, i, *p, Words, 2, Words);
  submit(w, *p);
}
template <class T, bool Stride64> void exchangeTwo(Wave &w, const Inst &i) {
  constexpr unsigned words = LaneType<T>::words;
  Pending *p = beginTwo(w, i, exchangeTwoActions<T>, sizeof(T), sizeof(T) * (Stride64 ? 64 : 1), true, true);
  if (!p) return;
  captureData(w, i, *p, words);
  captureData(w, i, *p, words, 2, words);
  p->words = 2 * words;
  submit(w, *p);
}

/// Float atomics of LDS. CDNA5's follow MODE: add flushes denormals of what it reads and writes, min and max of what
/// they read, doubles are added as they are; opposite infinities add to the negative NaN (CDNA5 ISA, 12.2 and 12.3).
/// The modes are those at issue, in p.extra[2].
enum : uint64_t { flushesRead = 1, flushesWritten = 2, negativeNan = 4 };
template <class T> T keptOrZero(T v, bool flushes) {
  return flushes && std::fabs(v) < std::numeric_limits<T>::min() ? std::copysign(T(0), v) : v;
}
template <class T, auto Function> inline constexpr PendingActions floatActions = {
    [](Wave &, Pending &p) {
      const bool in = p.extra[2] & flushesRead, out = p.extra[2] & flushesWritten, negative = p.extra[2] & negativeNan;
      forLanes(p.lanes(), [&](unsigned l) {
        const T data = keptOrZero(LaneType<T>::load(p.data, l), in);
        LaneType<T>::store(p.data, l, exchangeAt<Space::Lds, T>(p.at(l), [&](T old) {
                             const T from = keptOrZero(old, in), result = Function(from, data);
                             if (negative && result != result && from == from && data == data)
                               return std::copysign(result, T(-1));
                             return keptOrZero(result, out);
                           }));
      });
    },
    deliverWords, nullptr};
template <class T, auto Function, bool Adds> void floatAtomic(Wave &w, const Inst &i) {
  Pending *p = beginAccess<Space::Lds, sizeof(T)>(w, i, floatActions<T, Function>, true, true, true);
  if (!p) return;
  p->extra[2] = 0;
  if (w.program->arch.cdna5Arithmetic) {
    const bool in = sizeof(T) == 4 ? w.mode.flushIn32 : w.mode.flushIn16_64 && !Adds;
    p->extra[2] =
        (in ? flushesRead : 0) | (Adds && sizeof(T) == 4 && w.mode.flushOut32 ? flushesWritten : 0) | negativeNan;
  }
  captureData(w, i, *p, LaneType<T>::words);
  p->words = i.hasDst ? LaneType<T>::words : 0;
  submit(w, *p);
}

// The lane exchanges read their data at issue and deliver it when the LDS counter says so.

/// ds_bpermute: each lane reads the lane that its address selects; a lane that is not in EXEC gives 0 (unless
/// `Inactive`).
template <bool Inactive> void backwardPermute(Wave &w, const Inst &i) {
  const uint32_t *data = w.reg(i.source[1].index), *address = w.reg(i.source[0].index);
  const uint32_t *mask = w.activeLanes(w.exec() & w.laneMask), offset = static_cast<U32>(i.offset), last = w.lanes - 1;
  uint32_t offered[laneStride], d[laneStride];
  for (unsigned l = 0; l < laneStride; ++l) offered[l] = Inactive ? data[l] : data[l] & mask[l];
  for (unsigned l = 0; l < laneStride; ++l) d[l] = offered[(address[l] + offset) >> 2 & last];
  deliverLater(w, i, d, 1);
}
void forwardPermute(Wave &w, const Inst &i) {
  const uint32_t *data = w.reg(i.source[1].index), *address = w.reg(i.source[0].index);
  uint64_t exec = w.exec() & w.laneMask;
  uint32_t d[laneStride] = {};
  for (unsigned l = 0; l < w.lanes; ++l)
    if (exec >> l & 1) d[(address[l] + static_cast<U32>(i.offset)) / 4 % w.lanes] = data[l];
  deliverLater(w, i, d, 1);
}
/// The lane that lane `l` reads in ds_swizzle. offset 0xe000 and above: FFT, the lane number's low bits reversed and
/// rotated; 0xc000: rotate within groups; bit 15: permutation of four; else and, or, xor masks of five bits. All
/// within 32 lanes. Negative: the lane reads 0.
int swizzleSource(uint32_t control, unsigned l) {
  unsigned in = l & 31, row = l & ~31u, mask = control & 31;
  if (control >= 0xe000) { // CDNA3 ISA, DS_SWIZZLE_B32's pseudocode
    unsigned reversed = 0;
    for (unsigned k = 0; k < 5; ++k) reversed |= (in >> k & 1) << (4 - k);
    unsigned from = reversed >> __builtin_popcount(mask) | (in & mask);
    return static_cast<int>(row | (from & 31));
  }
  if (control >= 0xc000) {
    unsigned amount = control >> 5 & 31, moved = control & 0x400 ? in - amount : in + amount;
    return static_cast<int>(row | (in & mask) | (moved & 31 & ~mask));
  }
  if (control & 0x8000) return static_cast<int>((l & ~3u) | (control >> 2 * (l & 3) & 3));
  return static_cast<int>(row | (((in & mask) | (control >> 5 & 31)) ^ (control >> 10 & 31)));
}
void swizzle(Wave &w, const Inst &i) {
  const uint32_t *data = w.reg(i.source[0].kind == Source::Vector ? i.source[0].index : i.source[1].index);
  uint32_t control = static_cast<U32>(i.offset) & 0xffff, d[laneStride];
  uint64_t exec = w.exec() & w.laneMask;
  for (unsigned l = 0; l < w.lanes; ++l) {
    int from = swizzleSource(control, l);
    d[l] = from >= 0 && (exec >> from & 1) ? data[from] : 0;
  }
  deliverLater(w, i, d, 1);
}

/// ds_append, ds_consume: the count of active lanes is added to (taken from) the word at M0 + offset.
template <bool Append> inline constexpr PendingActions appendActions = {
    [](Wave &w, Pending &p) {
      uint32_t count = static_cast<U32>(std::popcount(p.active));
      uint32_t old = exchangeAt<Space::Lds, uint32_t>(reinterpret_cast<uint8_t *>(p.base),
                                                      [&](uint32_t v) { return Append ? v + count : v - count; });
      for (unsigned l = 0; l < w.lanes; ++l) p.data[l] = old;
    },
    deliverWords, nullptr};
template <bool Append> void appendConsume(Wave &w, const Inst &i) {
  uint64_t address = (w.scalar[slot::m0] & 0xffff) + static_cast<U32>(i.offset);
  uint8_t *at = ldsBytes(w, address, 4, true, -1);
  if (!at) return;
  Pending &p = beginPending(w, i, appendActions<Append>);
  p.writes = true;
  p.base = reinterpret_cast<uint64_t>(at);
  p.range = {p.base, p.base + 4};
  p.words = 1;
  w.observers.access(w, i, {Space::Lds, true, true, true, 4, 1, &address});
  submit(w, p);
}

/// ds_read_addtid, ds_write_addtid: lane l's word at M0[15:0] + offset + 4 l.
Pending *beginAddTid(Wave &w, const Inst &i, const PendingActions &actions, bool write) {
  Pending &p = beginPending(w, i, actions);
  p.writes = write;
  for (unsigned l = 0; l < w.lanes; ++l)
    p.address[l] = (w.scalar[slot::m0] & 0xffff) + static_cast<U32>(i.offset) + 4 * l;
  if (mapAddresses(w, i, p, {Space::Lds, !write, write, false, 4, {write ? w.reg(i.source[1].index) : nullptr}}))
    return &p;
  abandon(w, p);
  return nullptr;
}
void readAddTid(Wave &w, const Inst &i) {
  Pending *p = beginAddTid(w, i, loadActions<Wide<1>>, false);
  if (!p) return;
  p->words = 1;
  submit(w, *p);
}
void writeAddTid(Wave &w, const Inst &i) {
  Pending *p = beginAddTid(w, i, storeActions<Wide<1>>, true);
  if (!p) return;
  captureData(w, i, *p, 1);
  submit(w, *p);
}

/// gfx950's transposing reads. In each group of 16 lanes, the consecutive words of the lanes form a tile of rows of 16
/// elements; lane i receives column i, with the first row in the lowest bits. Triton's kernels confirm this for 16
/// bits; the narrower ones follow the same rule, which no second source confirms. A column has elements from several
/// lanes, so if some lanes of a group are disabled, other lanes receive data that was not read.
template <unsigned Words, unsigned Bits> inline constexpr PendingActions readTransposedActions = {
    [](Wave &w, Pending &p) {
      constexpr unsigned rows = 32 * Words / Bits;
      constexpr uint32_t mask = (1u << Bits) - 1;
      uint32_t raw[laneStride][Words + 1] = {}; // one word more: elements of 6 bits straddle words
      forLanes(p.active, [&](unsigned l) { std::memcpy(raw[l], p.at(l), 4 * Words); });
      for (unsigned l = 0; l < w.lanes; ++l) {
        uint32_t column[Words + 1] = {};
        for (unsigned r = 0; r < rows; ++r) {
          unsigned n = 16 * r + (l & 15), bit = n % rows * Bits, to = r * Bits;
          const uint32_t *from = raw[(l & ~15u) + n / rows] + bit / 32;
          uint64_t v = (from[0] | static_cast<uint64_t>(from[1]) << 32) >> bit % 32 & mask;
          v <<= to % 32;
          column[to / 32] |= static_cast<uint32_t>(v);
          column[to / 32 + 1] |= static_cast<uint32_t>(v >> 32);
        }
        for (unsigned k = 0; k < Words; ++k) p.data[k * laneStride + l] = column[k];
      }
    },
    deliverWords, nullptr};
template <unsigned Words, unsigned Bits> void readTransposed(Wave &w, const Inst &i) {
  for (unsigned group = 0; group < w.lanes; group += 16)
    if (uint64_t active = w.exec() >> group & 0xffff; active && active != 0xffff)
      return w.fail(FaultKind::UnknownInstruction,
                    "a transposing read while some lanes of 16 are disabled: the result is undefined");
  Pending *p = beginAccess<Space::Lds, 4 * Words>(w, i, readTransposedActions<Words, Bits>, true, false, false);
  if (!p) return;
  p->words = Words;
  submit(w, *p);
}

constexpr Space L = Space::Lds;
#define ATOMIC(NAME, TYPE, T, F)                                                                                       \
  {"DS_" NAME "_" TYPE, atomic<L, T, F>, Row::Other}, {"DS_" NAME "_RTN_" TYPE, atomic<L, T, F>, Row::Other}
#define TWO(NAME, TYPE, T, F)                                                                                          \
  {"DS_" NAME "_" TYPE, atomicTwo<L, T, atomics::F>, Row::Other},                                                      \
  {"DS_" NAME "_RTN_" TYPE, atomicTwo<L, T, atomics::F>, Row::Other}
#define FLOAT(NAME, T, F, ADDS)                                                                                        \
  {"DS_" NAME, floatAtomic<T, atomics::F, ADDS>, Row::Other}
#define FLOATS(NAME, F, ADDS)                                                                                          \
  FLOAT(NAME "_F32", float, F, ADDS), FLOAT(NAME "_RTN_F32", float, F, ADDS), FLOAT(NAME "_F64", double, F, ADDS),     \
  FLOAT(NAME "_RTN_F64", double, F, ADDS)
#define ATOMIC_BOTH(NAME, SIGN, T32, T64, F) ATOMIC(NAME, SIGN "32", T32, F), ATOMIC(NAME, SIGN "64", T64, F)

// clang-format off
constexpr Row rows[] = {
    {"DS_READ_U8", load<L, Extended<uint8_t>>, Row::Other}, {"DS_READ_I8", load<L, Extended<int8_t>>, Row::Other},
    {"DS_READ_U16", load<L, Extended<uint16_t>>, Row::Other}, {"DS_READ_I16", load<L, Extended<int16_t>>, Row::Other},
    {"DS_READ_U8_D16", load<L, LowHalf<uint8_t>>, Row::Other},
    {"DS_READ_U8_D16_HI", load<L, HighHalf<uint8_t>>, Row::Other},
    {"DS_READ_I8_D16", load<L, LowHalf<int8_t>>, Row::Other},
    {"DS_READ_I8_D16_HI", load<L, HighHalf<int8_t>>, Row::Other},
    {"DS_READ_U16_D16", load<L, LowHalf<uint16_t>>, Row::Other},
    {"DS_READ_U16_D16_HI", load<L, HighHalf<uint16_t>>, Row::Other},
    {"DS_READ_B32", load<L, Wide<1>>, Row::Other}, {"DS_READ_B64", load<L, Wide<2>>, Row::Other},
    {"DS_READ_B96", load<L, Wide<3>>, Row::Other}, {"DS_READ_B128", load<L, Wide<4>>, Row::Other},
    {"DS_WRITE_B8", store<L, Extended<uint8_t>>, Row::Other},
    {"DS_WRITE_B16", store<L, Extended<uint16_t>>, Row::Other},
    {"DS_WRITE_B8_D16_HI", store<L, HighHalf<uint8_t>>, Row::Other},
    {"DS_WRITE_B16_D16_HI", store<L, HighHalf<uint16_t>>, Row::Other},
    {"DS_WRITE_B32", store<L, Wide<1>>, Row::Other}, {"DS_WRITE_B64", store<L, Wide<2>>, Row::Other},
    {"DS_WRITE_B96", store<L, Wide<3>>, Row::Other}, {"DS_WRITE_B128", store<L, Wide<4>>, Row::Other},
    {"DS_READ2_B32", readTwo<1, false>, Row::Other}, {"DS_READ2_B64", readTwo<2, false>, Row::Other},
    {"DS_READ2ST64_B32", readTwo<1, true>, Row::Other}, {"DS_READ2ST64_B64", readTwo<2, true>, Row::Other},
    {"DS_WRITE2_B32", writeTwo<1, false>, Row::Other}, {"DS_WRITE2_B64", writeTwo<2, false>, Row::Other},
    {"DS_WRITE2ST64_B32", writeTwo<1, true>, Row::Other}, {"DS_WRITE2ST64_B64", writeTwo<2, true>, Row::Other},
    ATOMIC_BOTH("ADD", "U", uint32_t, uint64_t, atomics::add),
    ATOMIC_BOTH("SUB", "U", uint32_t, uint64_t, atomics::sub),
    ATOMIC_BOTH("RSUB", "U", uint32_t, uint64_t, atomics::rsub),
    ATOMIC_BOTH("INC", "U", uint32_t, uint64_t, atomics::inc),
    ATOMIC_BOTH("DEC", "U", uint32_t, uint64_t, atomics::dec),
    ATOMIC_BOTH("MIN", "U", uint32_t, uint64_t, atomics::min),
    ATOMIC_BOTH("MAX", "U", uint32_t, uint64_t, atomics::max), ATOMIC_BOTH("MIN", "I", int32_t, int64_t, atomics::min),
    ATOMIC_BOTH("MAX", "I", int32_t, int64_t, atomics::max),
    ATOMIC_BOTH("AND", "B", uint32_t, uint64_t, atomics::bitAnd),
    ATOMIC_BOTH("OR", "B", uint32_t, uint64_t, atomics::bitOr),
    ATOMIC_BOTH("XOR", "B", uint32_t, uint64_t, atomics::bitXor),
    {"DS_WRXCHG_RTN_B32", atomic<L, uint32_t, atomics::swap>, Row::Other},
    {"DS_WRXCHG_RTN_B64", atomic<L, uint64_t, atomics::swap>, Row::Other},
    FLOATS("ADD", addFloat, true), FLOATS("MIN", minNumber, false), FLOATS("MAX", maxNumber, false),
    TWO("MSKOR", "B32", uint32_t, maskedOr), TWO("MSKOR", "B64", uint64_t, maskedOr),
    TWO("CMPST", "F32", float, compareStore), TWO("CMPST", "F64", double, compareStore),
    {"DS_WRAP_RTN_B32", atomicTwo<L, uint32_t, atomics::wrap>, Row::Other},
    {"DS_CONDXCHG32_RTN_B64", atomic<L, uint64_t, atomics::exchangeHalves>, Row::Other},
    {"DS_READ_ADDTID_B32", readAddTid, Row::Other}, {"DS_WRITE_ADDTID_B32", writeAddTid, Row::Other},
    {"DS_READ_B64_TR_B16", readTransposed<2, 16>, Row::Other}, {"DS_READ_B64_TR_B8", readTransposed<2, 8>, Row::Other},
    {"DS_READ_B64_TR_B4", readTransposed<2, 4>, Row::Other}, {"DS_READ_B96_TR_B6", readTransposed<3, 6>, Row::Other},
    ATOMIC("PK_ADD", "F16", uint32_t, atomics::addHalves), ATOMIC("PK_ADD", "BF16", uint32_t, atomics::addBfloats),
    ATOMIC("COND_SUB", "U32", uint32_t, atomics::condSub), ATOMIC("SUB_CLAMP", "U32", uint32_t, atomics::subClamp),
    // gfx9 cmpst: data0 expected, data1 new; gfx12 cmpstore: the other way round
    {"DS_CMPST_B32", compareSwap<L, uint32_t, false, false>, Row::Other},
    {"DS_CMPST_RTN_B32", compareSwap<L, uint32_t, false, false>, Row::Other},
    {"DS_CMPST_B64", compareSwap<L, uint64_t, false, false>, Row::Other},
    {"DS_CMPST_RTN_B64", compareSwap<L, uint64_t, false, false>, Row::Other},
    {"DS_CMPSTORE_B32", compareSwap<L, uint32_t, false, true>, Row::Other},
    {"DS_CMPSTORE_RTN_B32", compareSwap<L, uint32_t, false, true>, Row::Other},
    {"DS_CMPSTORE_B64", compareSwap<L, uint64_t, false, true>, Row::Other},
    {"DS_CMPSTORE_RTN_B64", compareSwap<L, uint64_t, false, true>, Row::Other},
    {"DS_WRXCHG2_RTN_B32", exchangeTwo<uint32_t, false>, Row::Other},
    {"DS_WRXCHG2_RTN_B64", exchangeTwo<uint64_t, false>, Row::Other},
    {"DS_WRXCHG2ST64_RTN_B32", exchangeTwo<uint32_t, true>, Row::Other},
    {"DS_WRXCHG2ST64_RTN_B64", exchangeTwo<uint64_t, true>, Row::Other},
    {"DS_BPERMUTE_B32", backwardPermute<false>, Row::Other}, {"DS_BPERMUTE_FI_B32", backwardPermute<true>, Row::Other},
    {"DS_PERMUTE_B32", forwardPermute, Row::Other}, {"DS_SWIZZLE_B32", swizzle, Row::Other},
    {"DS_APPEND", appendConsume<true>, Row::Other}, {"DS_CONSUME", appendConsume<false>, Row::Other},
};
// clang-format on

} // namespace

std::span<const Row> ldsRows() { return rows; }

} // namespace fly::emulator
