// Which wait ensures that which memory operation has completed.
//
//     WaitCoverage coverage(code, gfx12);
//     for (const Covered &c : coverage.by(wait)) ...          // operation, counter, how many passes ago
//
// A counter is incremented when an operation is issued and decremented when it completes; `counter(n)` waits until n
// are left. Some operations of a counter complete in the order of issue (a line), others in any order, so that only n =
// 0 is meaningful for them. In a line, n left means that all but the last n have completed: a wait covers the
// operations after which at least n of their line were issued on every path.
//
//     global_load_dword v1, ...     1: one newer load
//     global_load_dword v2, ...     2: none
//     s_waitcnt vmcnt(1)            covers 1
//     s_waitcnt vmcnt(0)            covers 2
//
// In a loop, an operation may be issued again before its previous instance is waited for (pipelined loads); iterations
// are distinguished, up to three back. The lines are the ones that the emulator implements and LLVM assumes
// (docs/emulator-memory.md). The wait counter of address translation (xcnt) is not tracked, because it does not concern
// data. A call counts as a wait: LLVM's functions begin with one for all counters except those of stores, asynchronous
// and tensor operations.
#pragma once

#include "compiler/report/Code.h"

namespace fly::report {

struct Covered {
  uint32_t operation = 0;                    ///< instruction
  isa::Counter counter = isa::Counter::Vm;
  uint8_t passesAgo = 0;                     ///< 0: as it was issued last; 1: the time before; 3: that or earlier
  auto operator<=>(const Covered &) const = default;
};

/// The queue within a counter in which operations complete in order; 0: any order.
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
