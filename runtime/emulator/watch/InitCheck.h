// Finds values that were never written where they first decide something: in a store to global memory, an address, a
// branch, EXEC.
//
// What an instruction makes of an unset value is not a matter of rules: the instruction runs twice. The second run has
// other values in registers, LDS and scratch where nothing was written, and the same ones elsewhere. A byte of a result
// that differs between the runs depends on an unset byte. So all that discards or only moves values is silent, to the
// bit: masks, shifts, byte permutations, DPP, SDWA, lane permutations, spills, halves of packed and matrix operands.
//
//     v_and_b32 v1, 0xff, v0          v0 unset: bits 7:0 of v1 differ, the rest is 0 in both runs
//     v_xor_b32 v1, v0, v0            0 in both runs
//     v_mfma_f32_... v[0:3], a, b, 0  D(i,j) differs if the A(i,k) or B(k,j) of some k does
//
// Both runs go the same way: where branches, EXEC or addresses differ, that is a finding, and the second run takes the
// first one's. The value is then taken for written, so one mistake is reported at one place. Global memory is not
// doubled, because stores of values that differ are findings.
//
// The second run only exists where it may differ. Each register has a mask of the lanes that are unset, LDS and scratch
// a map of bytes. An instruction all of whose registers are the same in both runs, which filters like those of pending
// values tell (Wave::unsetVector), runs once and needs no bookkeeping: what it writes was no longer unset before. The
// first write to a register goes the slow way and clears its mask.
//
// Two runs may agree by chance although the value matters: both compare as larger than another number, say. Comparisons
// of unset operands, and SCC of bitwise instructions, therefore count as different always. What is left: minima, maxima
// and roundings that absorb both values in all lanes. A finding is never chance.
//
// Not followed: tensor_store_from_lds, which reads LDS without being checked; block loads and stores of gfx1250, whose
// data count as written.
#pragma once

#include "runtime/emulator/wave/Pending.h"
#include "runtime/emulator/wave/Observer.h"
#include "runtime/emulator/watch/SecondRegisters.h"

#include <deque>

namespace fly::emulator {

/// LDS and scratch of a unit of workgroups in the second run.
struct SecondMemories {
  SecondMemory lds, scratch;
  /// The memory that has the address; null if it is global.
  SecondMemory *find(uint64_t address) {
    return lds.holds(address) ? &lds : scratch.holds(address) ? &scratch : nullptr;
  }
  bool overlap(uint64_t low, uint64_t high) const { return lds.overlaps(low, high) || scratch.overlaps(low, high); }
};

/// The check of one wave.
class InitCheck final : public WaveObserver {
public:
  InitCheck(SecondMemories &memories, CheckMode mode) : memories(memories), mode(mode) {}
  /// At the start of `wave`, whose launch has set `scalars`.
  void start(Wave &wave, const ScalarSet &scalars);

  void execute(Wave &wave, const Inst &inst) override;
  void carryOut(Wave &wave, Pending &pending) override;
  void deliver(Wave &wave, Pending &pending) override;
  bool isPlain(const Wave &wave, const Pending &pending) const override;

private:
  static const isa::Instruction &instructionOf(const Wave &wave, const Inst &inst);
  struct Twin : Pending {
    Origin origin;
  };

  // Instructions; InitCheck.cpp
  bool concerns(const Wave &w, const Inst &i) const;
  void compute(Wave &w, const Inst &i);
  void control(Wave &w, const Inst &i);
  Origin readFrom(const Wave &w, const Inst &i) const;
  void compareDecides(const Wave &w, const Inst &i, uint64_t active);
  void sameState(Wave &w, Origin from);

  // Memory; InitMemory.cpp
  void executeMemory(Wave &w, const Inst &i);
  bool checkAddresses(Wave &w, const Inst &i);
  void checkStored(Wave &w, const Inst &i, const Pending &p, const Pending &q, uint64_t lanes, Origin from);
  void checkTransfer(Wave &w, const Pending &p);
  uint64_t localLanes(const Pending &p) const;
  SecondMemory *memoryOf(const Pending &p) const;
  template <class F> void windows(const Wave &w, const Pending &p, F f) const;
  Origin unsetIn(const Wave &w, const SecondMemory &memory, const Pending &p) const;
  Origin originAt(const Wave &w, const SecondMemory &memory, uint64_t at, uint32_t reader) const;
  Twin &makeTwin(const Pending &from);
  void dropTwin(Pending &p);

  /// What was found: "a store writes v5". `use` ends in what has the value, named `reg` if it is a register. Lane -1: a
  /// scalar.
  void report(Wave &w, const std::string &use, const std::string &reg, Origin from, int lane, uint64_t address = 0,
              bool hasAddress = false);
  std::string describe(Origin from) const;

  SecondRegisters registers;
  SecondMemories &memories;
  const CheckMode mode;
  Workgroup group; ///< of the second run
  std::deque<Twin> twins;
  std::vector<Twin *> idleTwins;
};

/// The check of a unit's waves.
class InitChecks final : public WaveObserver {
public:
  explicit InitChecks(CheckMode mode) : mode(mode) {}
  void begin(Wave &wave, const WaveStart &start) override;

private:
  const CheckMode mode;
  SecondMemories memories;
  std::deque<InitCheck> waves;
  size_t begun = 0; ///< of the current unit's
};

} // namespace fly::emulator
