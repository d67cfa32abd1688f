// The registers of a wave as the second run of InitCheck.h sees them. A lane of a register either holds the same in
// both runs, and then only the wave's own counts, or it is unset, and then it has a value of its own in `other`, a wave
// with registers of its own in which the handlers of instructions run.
//
// Scalar registers are unset as a whole.
#pragma once

#include "runtime/emulator/watch/SecondMemory.h"
#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

class SecondRegisters {
public:
  /// At the start of `w`: `scalars` and the first vector register are set, the rest is not.
  void begin(Wave &w, const ScalarSet &scalars);

  /// The second run's wave.
  Wave other;

  /// Lanes of a vector register that are unset.
  uint64_t unset(unsigned r) const { return wave->laneMask & ~same[r]; }
  bool isUnset(const RegisterRange &range, uint64_t lanes) const;
  bool isScalarUnset(unsigned slot) const { return !sameScalar[slot]; }
  /// The registers that an instruction names; all, if that is only known when it runs.
  std::span<const RegisterRange> rangesOf(const Inst &inst) const;

  /// Before an instruction runs twice: `other` gets what is the same in both of these registers, and of the wave's
  /// state.
  void copy(std::span<const RegisterRange> ranges);
  /// After that: what differs in the registers that were written is unset, and comes from `from`.
  void compare(std::span<const RegisterRange> ranges, Origin from);
  /// Both runs have the same in these lanes.
  void settle(const RegisterRange &range, uint64_t lanes);

  Origin originOf(const RegisterRange &range, uint64_t lanes) const;

private:
  void setSame(unsigned r, uint64_t lanes);
  void setScalar(unsigned slot, bool isSame);
  void setOrigin(Origin &origin, Origin from, bool scalar, unsigned index);
  Wave *wave = nullptr;
  std::vector<uint32_t> registers;
  std::vector<uint64_t> same;       ///< lanes of each vector register
  uint32_t sameScalar[slot::count]; ///< 0 or ~0
  std::vector<Origin> origins;
  Origin scalarOrigins[slot::count];
  uint16_t unsetVectors[64] = {}, unsetScalars[64] = {}; ///< by bit of the wave's filters
  std::vector<RegisterRange> all;
};

} // namespace fly::emulator
