// Races on LDS: two waves of a workgroup touch the same byte, one of them writes, and nothing orders them.
//
// Whether something does is told by vector clocks. Each wave counts the times it has let others know of its past (at
// each barrier it signals, each LDS atomic), and knows for each other wave up to which count it has heard of it. A byte
// remembers its last write and each wave's last read by their counts; an access races with one of them that its wave
// has not heard of. So it does not matter in which order the waves happen to run: a race is found in every order.
//
// Ordered are: one wave's accesses, what lies before a barrier's signal and after its wait (workgroup and named
// barriers), and LDS atomics on the same address, which count as release and acquire. Atomics race with plain writes
// only: an atomic load is a plain read in machine code, so a read cannot be told to be careless. gfx1250's barriers in
// LDS (LdsBarrier.h) order what precedes their arrivals and what follows a read that finds their phase turned. An
// arrival lets others know of what its wave had done when it was issued, once the last arrival of the phase is
// performed; a read hears of it when it is performed.
// Not seen, so reported as races though they may be none: order by loads that spin on a flag, and order through global
// memory. Not looked for: races between lanes of one instruction.
//
// Bytes, not dwords: accesses of 64, 96 and 128 bits, pairs and sub-dword ones are exact. Costs 8 bytes a byte of LDS
// and wave, so it is off unless LaunchConfig::checkRaces says so.
#pragma once

#include "runtime/emulator/wave/Watcher.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fly::emulator {

class RaceCheck final : public Watcher, public OrderWatcher {
public:
  RaceCheck(uint32_t ldsBytes, uint32_t waves);
  /// As new, for the next workgroup.
  void reset();

  void signal(unsigned wave, int barrier, uint64_t completed) override;
  void pass(unsigned wave, int barrier, uint64_t completed) override;
  /// Checks and remembers an access at its issue; after a race the wave has failed.
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event) override;

  uint32_t beginArrival(unsigned wave) override;
  void arrive(uint32_t arrival, uint32_t offset, bool turned) override;
  void endArrival(uint32_t arrival) override { arrivals.erase(arrival); }
  void observe(unsigned wave, uint32_t offset) override;
  bool hasObjects() const override { return !objects.empty(); }

private:
  using Clock = std::vector<uint32_t>; ///< by wave
  struct Write { uint32_t count = 0, instruction = 0; uint16_t wave = 0; bool atomic = false; };
  struct Read { uint32_t count = 0, instruction = 0; };
  /// What those know who have signalled the phase under way, and those who did the one before.
  struct Meeting { uint64_t phase = 0; Clock arriving, released; };
  /// A barrier in LDS: what those know who have arrived, and those whose phases are over.
  struct Object { Clock arriving, released; };

  Meeting &meeting(int barrier, uint64_t phase);
  void synchronise(Wave &wave, uint32_t offset);
  bool touch(Wave &wave, const MemoryEvent &event, unsigned lane, uint32_t offset);
  void report(Wave &wave, const MemoryEvent &event, unsigned lane, uint32_t offset, unsigned other,
              uint32_t instruction, bool wrote);

  uint32_t waves;
  std::vector<Clock> clocks;
  std::unordered_map<int, Meeting> barriers;
  std::unordered_map<uint32_t, Clock> atomics; ///< by offset
  std::unordered_map<uint32_t, Object> objects; ///< by offset
  std::unordered_map<uint32_t, Clock> arrivals; ///< that are issued and not performed
  uint32_t lastArrival = 0;
  std::vector<Write> writes;                   ///< by byte
  std::vector<Read> reads;                     ///< by byte, then wave
};

} // namespace fly::emulator
