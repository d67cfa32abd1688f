// The hardware's counters of accesses under way, as a table: how each is waited for. How much one holds is in
// compiler/target/Counters.h.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/target/Counters.h"

namespace fly::ir {

struct WaitCounterInfo {
  WaitCounter counter;
  target::Counter hardware;
  /// LLVM's, of the count as an i16; null: a part of gfx9's one instruction (compiler/target/Gfx9Wait.h).
  const char *intrinsic;
  /// The largest count; a wait for it returns immediately.
  int64_t largest() const {
    return target::counterCapacity(hardware, intrinsic ? target::Generation::Gfx12 : target::Generation::Gfx9);
  }
};

/// In the order of the enumeration.
llvm::ArrayRef<WaitCounterInfo> waitCounters();
inline const WaitCounterInfo &info(WaitCounter counter) { return waitCounters()[static_cast<unsigned>(counter)]; }

} // namespace fly::ir
