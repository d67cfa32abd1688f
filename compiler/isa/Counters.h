// What the counters of outstanding work promise: which operations of one counter complete in the order of issue. How
// many a counter holds is in compiler/target/Counters.h. The emulator implements the same rules
// (docs/emulator-memory.md).
#pragma once

#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"

namespace fly::isa {

/// The queue within a counter in which operations complete in order; 0: in any order. Two operations of the same line
/// complete in the order of issue, so `counter(n)` waits for all of a line but the last n.
unsigned completionLine(const Instruction &operation, Counter counter, const target::Generation &generation);

} // namespace fly::isa
