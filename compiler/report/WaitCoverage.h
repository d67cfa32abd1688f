// Which wait ensures that which memory operation has completed.
//
//     WaitCoverage coverage(code, target);
//     for (const Covered &c : coverage.by(wait)) ...          // operation, counter, how many passes ago
//
// A counter is incremented when an operation is issued and decremented when it completes; `counter(n)` waits until n
// are left. Some operations of a counter complete in the order of issue (a line), others in any order, so that only n =
// 0 is meaningful for them. In a line, n left means that all but the last n have completed: a wait covers the
// operations after which at least n of their line were issued on every path (compiler/dataflow/InFlight.h).
//
//     global_load_dword v1, ...     1: one newer load
//     global_load_dword v2, ...     2: none
//     s_waitcnt vmcnt(1)            covers 1
//     s_waitcnt vmcnt(0)            covers 2
//
// In a loop, an operation may be issued again before its previous instance is waited for (pipelined loads); iterations
// are distinguished, up to three back. The lines are the ones that the emulator implements and LLVM assumes
// (docs/emulator-memory.md). The wait counter of address translation (xcnt) is not tracked, because it does not concern
// data.
//
// Which waits are missing is the verifier's question, too, and both have its answer from compiler/dataflow/EarlyUses.h.
#pragma once

#include "compiler/dataflow/EarlyUses.h"
#include "compiler/report/Code.h"

namespace fly::report {

struct Covered {
  uint32_t operation = 0; ///< instruction
  isa::Counter counter = isa::Counter::Vm;
  uint8_t passesAgo = 0; ///< 0: as it was issued last; 1: the time before; 3: that or earlier
  auto operator<=>(const Covered &) const = default;
};

/// An instruction that reads or overwrites the registers of an operation which may still be under way there: as it was
/// issued last, since what covers that covers what was issued before.
struct MissingWait {
  uint32_t instruction = 0, operation = 0;
  isa::Counter counter = isa::Counter::Vm; ///< of those that the operation raises, the first
  uint8_t atMost = 0;                      ///< a wait for `counter(atMost)` in front of the instruction covers it
  isa::Operand reg;                        ///< the registers that both concern
  bool reads = false;                      ///< else it overwrites them
  /// Blocks on a shortest way from the operation to the instruction, without the operation's own block at the start; of
  /// the first shownMissing.
  std::vector<uint32_t> path;
};

/// So many of them are described; the rest is counted. Code without any waits has one for each load.
constexpr size_t shownMissing = 100;

class WaitCoverage {
public:
  WaitCoverage(const Code &code, const target::Target &target);
  /// What a wait or a call covers, by address of the operation; empty for other instructions.
  llvm::ArrayRef<Covered> by(uint32_t wait) const { return covered[wait]; }
  /// The waits that cover an operation: `operation` is the wait here.
  llvm::ArrayRef<Covered> of(uint32_t operation) const { return waits[operation]; }
  /// By instruction, then operation. An operation whose registers a block touches several times is named once there.
  llvm::ArrayRef<MissingWait> missing() const { return missingWaits; }
  /// Whether it raises a counter that waits are followed for.
  static bool isFollowed(const isa::Instruction &operation) { return dataflow::countersOf(operation) != 0; }
  /// Whether it waits for one of them.
  static bool waitsFor(const isa::Instruction &wait);

private:
  std::vector<std::vector<Covered>> covered, waits;
  std::vector<MissingWait> missingWaits;
};

} // namespace fly::report
