// The hardware's counters of memory operations under way: how much each holds, and which targets have it.
//
// A counter is raised when an operation is issued, and lowered when it completes. Waits count down to a number; waiting
// for as many as the counter holds waits for nothing, and that number is all ones in the encoding of a wait.
#pragma once

#include "compiler/target/Target.h"

namespace fly::target {

/// gfx9 has Vm, Lgkm, Exp; gfx10 and gfx11 Vs, too; gfx12 the others (and Exp).
enum class Counter : uint8_t { Vm, Lgkm, Exp, Load, Store, Ds, Km, Sample, Bvh, Async, Tensor, X, Vs, Count };
inline constexpr unsigned counterCount = static_cast<unsigned>(Counter::Count);
std::string_view name(Counter counter); ///< "vmcnt", "lgkmcnt", "loadcnt", ...

/// How many operations a counter holds. One that is full delays the next operation until the oldest is done. Source:
/// CDNA3 ISA, S_WAITCNT; AMDGPUBaseInfo.cpp of LLVM 22 (getVmcntBitMask and the like).
constexpr uint8_t counterCapacity(Counter counter, const Generation &generation) {
  switch (counter) {
  case Counter::Vm: return generation.vmcnt.largest();
  case Counter::Lgkm: return generation.lgkmcnt.largest();
  case Counter::Exp: return generation.expcnt.largest();
  case Counter::Bvh: return 7;
  case Counter::Km: return 31;
  default: return 63;
  }
}

bool hasCounter(const Target &target, Counter counter);

} // namespace fly::target
