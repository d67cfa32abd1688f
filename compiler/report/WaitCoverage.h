// Which wait makes sure that which memory operation has come to its end.
//
//     WaitCoverage coverage(code, gfx12);
//     for (const Covered &c : coverage.by(wait)) ...          // operation, counter, how many passes ago
//
// A counter goes up when an operation is issued and down when it is done; `counter(n)` waits until n are left. Some
// operations of a counter go down in the order of their issue (a line); others in any order, so that only n = 0 says
// something about them. In a line, n left means that all are done but the last n: a wait covers those operations behind
// which at least n of their line were issued, on every path.
//
//     global_load_dword v1, ...     1: one newer load
//     global_load_dword v2, ...     2: none
//     s_waitcnt vmcnt(1)            covers 1
//     s_waitcnt vmcnt(0)            covers 2
//
// In a loop an operation is issued again before the last time's is waited for (pipelined loads): each pass is told apart, up
// to the third ago. The lines are those that the emulator executes by and LLVM assumes (docs/emulator-memory.md). Not
// followed: the wait counter of address translation (xcnt), which says nothing about data. A call counts as a wait: functions of
// LLVM begin with one for all counters but those of stores, asynchronous and tensor operations.
#pragma once

#include "compiler/report/Code.h"

namespace fly::report {

struct Covered {
  uint32_t operation = 0;                    ///< instruction
  isa::Counter counter = isa::Counter::Vm;
  uint8_t passesAgo = 0;                     ///< 0: as it was issued last; 1: the time before; 3: that or earlier
  auto operator<=>(const Covered &) const = default;
};

/// The queue within a counter in which an operation goes down in order; 0: in any order.
unsigned lineOf(const isa::Instruction &operation, isa::Counter counter, bool gfx12);

class WaitCoverage {
public:
  WaitCoverage(const Code &code, bool gfx12);
  /// What a wait or a call covers, by address of the operation; empty for other instructions.
  llvm::ArrayRef<Covered> by(uint32_t wait) const { return covered[wait]; }
  /// The waits that cover an operation: `operation` is the wait here.
  llvm::ArrayRef<Covered> of(uint32_t operation) const { return waits[operation]; }
  /// The counters that an operation raises and that waits are followed for.
  static isa::CounterMask followed(const isa::Instruction &operation);
  /// Whether it waits for one of them.
  static bool waitsFor(const isa::Instruction &wait);

private:
  std::vector<std::vector<Covered>> covered, waits;
};

} // namespace fly::report
