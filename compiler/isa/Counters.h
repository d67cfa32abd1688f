// What the counters of outstanding work promise: how much they hold, and which operations of one counter complete in
// the order of issue. Reports (compiler/report/WaitCoverage.h) and the verifier (compiler/verify) read both here; the
// emulator implements the same rules (docs/emulator-memory.md).
#pragma once

#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"

namespace fly::isa {

/// The queue within a counter in which operations complete in order; 0: in any order. Two operations of the same line
/// complete in the order of issue, so `counter(n)` waits for all of a line but the last n.
unsigned completionLine(const Instruction &operation, Counter counter, target::Generation generation);

/// How many operations a counter holds. One that is full delays the next operation until the oldest is done.
uint8_t counterCapacity(Counter counter, target::Generation generation);

} // namespace fly::isa
