// Races on LDS: two waves of a workgroup touch the same byte, one of them writes, and nothing orders them.
//
// Two stores of the same value to a byte are a note and no race: memory is the same after both orders. A load races
// with each of them all the same, since it may come before both. What a store stores is known if it comes from
// registers; a transfer from memory to LDS counts as different from everything.
//
// Vector clocks decide whether something does. Each wave counts its releases (each barrier that it signals, each LDS
// atomic), and keeps for every other wave the last count that it has synchronised with. A byte records the counts of
// its writes and of each wave's last read; an access races with any of them that its wave has not synchronised with. So
// the order in which the waves happen to run does not matter: a race is found in every order.
//
// Ordered are: one wave's accesses, what lies before a barrier's signal and after its wait (workgroup and named
// barriers), and LDS atomics on the same address, which count as release and acquire. Atomics race only with plain
// writes: an atomic load is a plain read in machine code, so a racy plain read cannot be distinguished. gfx1250's
// barriers in LDS (LdsBarrier.h) order what precedes their arrivals and what follows a read that finds their phase
// flipped. An arrival releases what its wave had done when it was issued, once the last arrival of the phase is
// performed; a read acquires it when it is performed.
//
// A barrier waits for no access. What a wave has not waited for when it signals may still be under way afterwards, so
// an access that is performed later than the wave's next signal counts as one after that signal. Memory performs an
// operation as late as waits allow (Pending.h), so a wait that is missing in front of a barrier shows.
//
// Flags in global memory that name a scope of the device or wider (GlobalRaces.h) order the waves of a workgroup, too.
// Not recognised, and so possibly false reports: order by loads that spin on a flag in LDS, or of narrower scope. Not
// checked: races between lanes of one instruction.
//
// Order in global memory. The same clocks order what the waves of a workgroup do there (GroupOrder). On gfx9 they share a
// cache that does everything in the order of its issue, so a barrier is enough. On gfx12 a wave must have waited for its
// stores before the barrier, and on gfx1201, in WGP mode, half of the waves are on another compute unit with a cache of
// its own: a wave must invalidate it (scope SE) after the barrier, before it loads. gfx1250's compute units share one.
// Sources: LLVM's memory legaliser, its pull request 161638. A load that is not waited for before a barrier is not seen:
// it finds the later store's bytes.
//
// A barrier does not make a release cover the stores of other waves. One wave stores to global memory, all meet at a
// barrier, another wave releases memory to other workgroups or devices (a write-back of caches, as fences and atomic
// stores of wide scope have): the release waits for the stores of its own wave only. This is reported, too, unless the first
// wave has waited for its store before it signalled.
//
// Which writes. If all writes to a byte are ordered, the last one is enough: what races with an earlier one races with
// it, too. With values it is not: a later store may equal the last write and not an earlier one. So the other writes
// are kept, too, until all waves have synchronised with them, and of each wave's writes the last one, and the last one
// before it that stored something else.
//
// Bytes, not dwords: accesses of 64, 96 and 128 bits, pairs and sub-dword ones are exact (LdsUse.h). An access whose
// blocks of LDS no other wave has used since it synchronised with this one cannot race, and is only remembered. With
// CheckMode::Warn an access that races is a finding, once per instruction it races with, and then counts like any other
// access.
#pragma once

#include "runtime/emulator/device/Checks.h"
#include "runtime/emulator/watch/GlobalRaces.h"
#include "runtime/emulator/watch/LdsUse.h"
#include "runtime/emulator/wave/Observer.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fly::emulator {

class RaceCheck final : public WaveObserver, public GroupOrder {
public:
  /// What global memory needs for order within the workgroup, besides a barrier.
  struct Needs {
    bool waits = false, invalidation = false;
  };
  RaceCheck(uint32_t ldsBytes, uint32_t waves, CheckMode mode, CheckMode ofReleases, Needs needs);
  /// As new, for the next workgroup, of the unit (itself, or its cluster) and with the number in the grid.
  void reset(uint64_t unit = 0, uint32_t number = 0);
  GlobalRaces *global = nullptr; ///< of the launch, if it has several workgroups

  void begin(Wave &wave, const WaveStart &start) override;
  void signal(Wave &wave, int barrier, uint64_t completed) override;
  void wait(Wave &wave, int barrier, uint64_t passed) override;
  void pass(Wave &wave, int barrier, uint64_t completed) override;
  /// Checks and remembers an access at its issue; after a race the wave has failed, or a finding is reported.
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event) override;

  void issue(Wave &wave, const Pending &operation) override;
  void perform(Wave &wave, const Pending &operation) override;
  void waitedFor(Wave &wave, const Pending &operation) override;
  void release(Wave &wave, Reach reach) override;
  void acquire(Wave &wave, Reach reach) override;
  void beginArrival(Wave &wave, uint32_t arrival) override;
  void arrive(Wave &wave, uint32_t arrival, uint32_t offset, bool turned) override;
  void endArrival(Wave &, uint32_t arrival) override { arrivals.erase(arrival); }

  uint32_t turnOf(unsigned wave) const override { return clocks[wave][wave]; }
  GroupOrder::Relation relation(unsigned wave, const GroupOrder::Earlier &earlier, Reach reach,
                                bool writes) const override;
  std::vector<uint32_t> release(unsigned wave) override;
  void publish(uint64_t place, const std::vector<uint32_t> &known, bool adds) override;
  void learn(unsigned wave, uint64_t place) override;

private:
  using Clock = std::vector<uint32_t>; ///< by wave
  /// The clocks of the waves that have signalled the current phase, and of those that signalled the previous one.
  struct Meeting {
    uint64_t phase = 0;
    Clock arriving, released;
  };
  /// A barrier in LDS: the clocks of the waves that have arrived, and of those whose phases are over.
  struct Object {
    Clock arriving, released;
  };

  /// The lanes of an access to LDS, in order.
  struct Lanes {
    unsigned count = 0, bytes = 0;       ///< bytes: of each
    bool writes = false, follow = false; ///< follow: each one's bytes follow those of the lane before it
    uint32_t places = 0;                 ///< bits of all addresses and of the length
    uint32_t low = ~0u, high = 0;        ///< all their bytes are between
    uint8_t number[64];
    uint32_t begin[64];
  };
  /// Accesses of an instruction that are not performed yet.
  struct UnderWay {
    const Pending *operation = nullptr;
    uint32_t instruction = 0;
    uint64_t signals = 0; ///< of the wave, when it was issued
    std::vector<Lanes> accesses;
  };

  /// Stores to global memory of an instruction between two signals of its wave.
  struct Stores {
    uint32_t instruction, count;         ///< count: the wave's own when they were issued
    uint32_t underWay = 0, complete = 0; ///< how many are; the wave's own count when the last one was performed
  };
  struct Issued {
    const Pending *operation;
    uint32_t count;
  };

  Meeting &meeting(int barrier, uint64_t phase);
  /// What an access is to an earlier write.
  enum class Clash : uint8_t { Ordered, Equal, EqualNow /* and an earlier one of its wave differs */, Different };
  void issueStore(Wave &wave, const Pending &operation);
  void performStore(Wave &wave, const Pending &operation);
  void again(Wave &wave, const UnderWay &late);
  void observe(const Wave &wave, const Pending &operation);
  void synchronise(Wave &wave, uint32_t offset);
  void findKnownToAll();
  void find(const MemoryEvent &event, Lanes &lanes) const;
  bool rememberAll(const Wave &wave, const MemoryEvent &event, const Lanes &lanes);
  bool mayRace(const Wave &wave, bool writes, uint32_t begin, uint32_t end);
  Clash clash(const Wave &wave, const MemoryEvent &event, uint32_t cell, const uint8_t *value,
              const LdsUse::Write &write, const uint8_t *written) const;
  bool touch(Wave &wave, const MemoryEvent &event, unsigned lane, uint32_t cell, const uint8_t *value);
  void remember(const Wave &wave, bool atomic, uint32_t cell, const uint8_t *value);
  void note(Wave &wave, unsigned lane, uint32_t offset, const LdsUse::Write &write);
  bool tell(Wave &wave, Fault fault, CheckMode how);
  bool report(Wave &wave, const MemoryEvent &event, unsigned lane, uint32_t offset, unsigned other,
              uint32_t instruction, bool wrote);

  /// A phase of the cluster's barrier as a place at which workgroups meet: beyond every address.
  uint64_t clusterPlace(uint64_t phase) const { return ~(2 * unit + (phase & 1)); }

  uint32_t waves;
  CheckMode mode, ofReleases;
  Needs needs;
  LdsUse use;
  uint64_t unit = 0;
  uint32_t number = 0;
  std::vector<uint32_t> found; ///< CheckMode::Warn: instructions that the current access races with
  std::vector<uint32_t> noted; ///< instructions whose stores the current access equals
  std::vector<Clock> clocks;
  std::vector<Clock> invalidated;              ///< by wave: its clock when it last invalidated caches
  std::unordered_map<uint64_t, Clock> flags;   ///< in global memory, by address
  std::vector<uint64_t> signals;               ///< by wave: signals of barriers
  std::vector<std::vector<UnderWay>> underWay; ///< by wave, in order of issue
  std::vector<std::vector<Stores>> stores;     ///< by wave; those that not all waves know to be complete
  std::vector<std::vector<Issued>> issued;     ///< by wave: stores that are under way
  UnderWay current;                            ///< of the instruction that is being issued
  std::vector<UnderWay> idle;
  bool isLate = false;        ///< `again` is at work
  Clock knownToAll;           ///< of each wave, what all waves have synchronised with
  bool clocksChanged = false; ///< since knownToAll was found
  std::unordered_map<int, Meeting> barriers;
  std::unordered_map<uint32_t, Clock> atomics;  ///< by offset
  std::unordered_map<uint32_t, Object> objects; ///< by offset
  std::unordered_map<uint32_t, Clock> arrivals; ///< that are issued and not performed
  /// By wave: the barrier that it waits for, and how often it has passed it. A wave that waits does nothing else.
  struct Waiting {
    int barrier = 0;
    uint64_t passed = ~0ull; ///< it does not wait
  };
  std::vector<Waiting> waiting;
};

} // namespace fly::emulator
