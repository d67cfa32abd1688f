// The hardware's counters of accesses under way, as a table: how each is waited for. How much one holds is in
// compiler/target/Counters.h.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/target/Counters.h"

namespace fly::ir {

struct WaitCounterInfo {
  WaitCounter counter;
  target::Counter hardware;
  /// LLVM's, of the count as an i16; null: a part of s_waitcnt (compiler/target/Waitcnt.h).
  const char *intrinsic;
  /// The largest count that any target has; a wait for it returns immediately.
  int64_t largest() const;
};

/// In the order of the enumeration.
llvm::ArrayRef<WaitCounterInfo> waitCounters();
inline const WaitCounterInfo &info(WaitCounter counter) { return waitCounters()[static_cast<unsigned>(counter)]; }

} // namespace fly::ir
