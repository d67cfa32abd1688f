// The hardware's counters of accesses under way, as a table: what each can hold, and how it is waited for.
#pragma once

#include "compiler/dialect/FlyOps.h"

namespace fly::ir {

struct WaitCounterInfo {
  WaitCounter counter;
  /// The largest count; a wait for it returns immediately.
  int64_t largest;
  /// LLVM's, of the count as an i16; null: a part of gfx9's one instruction (compiler/target/Gfx9Wait.h).
  const char *intrinsic;
};

/// In the order of the enumeration.
llvm::ArrayRef<WaitCounterInfo> waitCounters();
inline const WaitCounterInfo &info(WaitCounter counter) { return waitCounters()[static_cast<unsigned>(counter)]; }

} // namespace fly::ir
