// Memory operations that have been issued but not completed: each completes as late as the waits allow.
//
// Hardware completes loads and stores some time after they are issued; a kernel must not rely on them before it has
// waited. An emulator that performs them immediately hides every missing wait. So here an operation is split:
//
//   issue     addresses are computed and checked (a fault names this instruction), store data and EXEC are captured,
//             and a Pending record goes into the wave's queue. Memory and the destination register stay as they were.
//   perform   the memory's side: a store writes, an atomic exchanges, a load reads its bytes into the record.
//   deliver   the register's side: loaded bytes go to the destination.
//
// Both happen when a wait on the operation's counters demands it, when the counter is full and an older operation
// must make room, and when the wave ends. Three things are hard.
//
// 1. What a wait guarantees. `counter(n)` lets n operations remain, and which ones depends on the order in which
//    they complete: LDS operations in order among themselves, vector memory likewise; scalar memory and messages
//    in any order, so only 0 guarantees anything about them; gfx9's flat operations count in both vmcnt and lgkmcnt
//    and complete in any order, gfx12's in order. An operation is complete when none of its counters includes it. This
//    is the order that LLVM's wait insertion assumes (SIInsertWaitcnts), and so what compiled code relies on.
// 2. One wave's accesses to the same bytes keep their order on the vector path (vector memory, flat, LDS) without a
//    wait, so an operation that is performed first performs the older ones of its wave that touch the same bytes.
//    Not ordered are scalar memory, and the LDS side of loads to LDS with LDS instructions that come after them.
// 3. A register with a pending value must not be used. runWave compares two 64-bit filters per instruction (registers
//    hashed to bits); on a hit `mayUse` checks exactly, and reports a FaultKind::MissingWait. With CheckMode::Warn it
//    reports the same and then does what the missing wait would have done, so that each further finding is one that is
//    left after the wait is added.
//
// Stores also become visible when all waves are asleep, and after very many waits for other things (`patience`), so
// that a wave that stores a signal without waiting and then spins on another wave's answer makes progress, as on
// hardware.
#pragma once

#include "runtime/emulator/wave/Program.h"

#include <memory>
#include <vector>

namespace fly::emulator {

struct Pending;

/// What an operation does. A load may have `direct`, memory to registers without the detour through the record.
struct PendingActions {
  void (*perform)(Wave &, Pending &) = nullptr;
  void (*deliver)(Wave &, Pending &) = nullptr;
  void (*direct)(Wave &, Pending &) = nullptr;
};

/// Bytes of host memory, [low, high): device memory, LDS and scratch are all there, and never the same bytes.
struct HostRange {
  uint64_t low = 0, high = 0;
  bool overlaps(const HostRange &o) const { return low < o.high && o.low < high; }
};

struct Pending {
  const PendingActions *actions;
  uint32_t number;    ///< of the instruction, for reports
  uint16_t remaining; ///< counters that still count it
  MemoryOrder order;
  bool writes, writesLds; ///< memory in `range`; memory in `ldsRange`
  bool ordered;           ///< with the wave's other accesses to the same bytes
  bool performed;
  bool missed;   ///< a wait that is too late has passed it once
  uint16_t dst;  ///< first register, or scalar slot if `scalar`
  uint8_t words; ///< registers it will write; 0: none
  bool scalar;
  bool status;      ///< TFE: the register after these becomes 0
  bool contiguous;  ///< lane l's bytes follow lane l-1's, all lanes are active; of `address` lane 0's may be all
  uint32_t age;     ///< PendingQueue::waits when issued
  uint64_t active;  ///< lanes of EXEC
  uint64_t outside; ///< Buffer: active lanes out of range: a load gives 0, a store nothing
  uint64_t partial; ///< Buffer: lanes of which only the first words are in range; see wordsInside
  HostRange range, ldsRange; ///< `ldsRange`: the other side of a transfer between memory and LDS
  uint64_t base;             ///< address[l] + base is lane l's host address; contiguous: `at(0)` is that of lane 0
  int64_t second;            ///< paired LDS accesses: distance of the second element; else of the handler
  uint64_t extra[4];         ///< of the handler
  unsigned bytes;            ///< a lane and element; 0: only the instruction knows
  Pending *twin;             ///< the operation with other values in place of unset ones; InitCheck.h
  uint32_t insideNibbles[laneStride / 8];
  alignas(64) uint64_t address[laneStride];
  alignas(64) uint32_t data[4 * laneStride]; ///< store data, or what was loaded: register after register

  uint8_t *at(unsigned lane) const { return reinterpret_cast<uint8_t *>(address[lane] + base); }
  unsigned wordsInside(unsigned lane) const { return insideNibbles[lane / 8] >> 4 * (lane % 8) & 15; }
  void setWordsInside(unsigned lane, unsigned words) {
    partial |= 1ull << lane;
    insideNibbles[lane / 8] = (insideNibbles[lane / 8] & ~(15u << 4 * (lane % 8))) | words << 4 * (lane % 8);
  }
  uint64_t lanes() const { return active & ~outside; }
  unsigned registers() const { return words + status; }
};

/// A wave's operations in order of issue. Records come from a pool that grows to the counters' capacity; nothing is
/// allocated after that.
class PendingQueue {
public:
  PendingQueue();
  ~PendingQueue();
  PendingQueue(const PendingQueue &) = delete;

  /// A fresh record, not yet in the queue; `drop` returns it.
  Pending &take() {
    if (idle.empty()) [[unlikely]]
      grow();
    Pending &p = *idle.back();
    idle.pop_back();
    return p;
  }
  void drop(Pending &p) { idle.push_back(&p); }
  void add(Wave &w, Pending &p);
  bool empty() const { return queue.empty(); }
  /// Completes what the wait guarantees: at most `limit` operations remain of `counter`.
  void wait(Wave &w, isa::Counter counter, unsigned limit);
  /// The same for each counter that an instruction names.
  void wait(Wave &w, const isa::Waits &waits) {
    for (unsigned c = 0; c < isa::counterCount; ++c)
      if (outstanding[c] > waits.limit[c]) wait(w, static_cast<isa::Counter>(c), waits.limit[c]); // `none` is above all
  }
  /// Counts a wait instruction; now and then performs what has waited too long.
  void passed(Wave &w);
  /// Lets every store, atomic and transfer issued so far reach memory; whether there were any.
  bool performWrites(Wave &w);
  void completeAll(Wave &w);
  void reset();
  /// Rebuilds the wave's filters.
  void refilter(Wave &w) const;
  const std::vector<Pending *> &records() const { return queue; }
  /// The wait is broken: of what it guarantees, it completes only what an earlier such wait has passed. Scalar loads in
  /// gfx9's lgkmcnt are complete all the same: a kernel that does not have its arguments shows nothing.
  bool isLate = false;

private:
  void grow();
  void makeRoom(Wave &w, unsigned counter);
  void performOlder(Wave &w, size_t position);
  void perform(Wave &w, size_t position);
  void finish(Wave &w, Pending &p);
  bool waitForAll(Wave &w, unsigned counter);
  void complete(Wave &w, Pending &p, size_t position);
  std::vector<Pending *> queue, idle;
  std::vector<std::unique_ptr<Pending[]>> blocks;
  std::vector<uint8_t> chosen;
  uint8_t outstanding[isa::counterCount] = {};
  uint32_t waits = 0;
};

/// Begins an operation of instruction `i`: a record with the instruction's counters, order and destination, EXEC's
/// lanes, no ranges and nothing to write. Complete it and `submit` it, or `abandon` it after a fault.
Pending &beginPending(Wave &w, const Inst &i, const PendingActions &actions);
inline void submit(Wave &w, Pending &p) { w.pending->add(w, p); }
inline void abandon(Wave &w, Pending &p) { w.pending->drop(p); }
/// For results that are known at issue (permutes, messages, time) and arrive under a counter all the same: `words`
/// registers of 64 lanes each, written where EXEC was set.
void deliverLater(Wave &w, const Inst &i, const uint32_t *lanes, unsigned words);
/// The same for scalar results: at most two words.
void deliverScalarLater(Wave &w, const Inst &i, uint64_t value, unsigned words);
/// Writes the record's data to the destination's lanes.
void deliverWords(Wave &w, Pending &p);

/// Completes everything the wave has issued: at its end, and for tests that run single instructions.
void drainPending(Wave &w);

} // namespace fly::emulator
