// The operand of gfx9's s_waitcnt, which has a count for each of its three counters:
//
//     bits 3:0 and 15:14   vmcnt      6:4   expcnt      11:8   lgkmcnt
//
// A counter at its largest count is not waited for. Source: CDNA 3 ISA manual, S_WAITCNT, and LLVM's
// AMDGPUBaseInfo.cpp.
#pragma once

#include "compiler/target/Counters.h"

namespace fly::target {

struct Gfx9Wait {
  uint32_t vmcnt = counterCapacity(Counter::Vm, Generation::Gfx9);
  uint32_t expcnt = counterCapacity(Counter::Exp, Generation::Gfx9);
  uint32_t lgkmcnt = counterCapacity(Counter::Lgkm, Generation::Gfx9);

  constexpr bool waitsForVectorMemory() const { return vmcnt != Gfx9Wait().vmcnt; }
};

constexpr uint32_t encode(Gfx9Wait wait) {
  return (wait.vmcnt & 15) | wait.vmcnt >> 4 << 14 | wait.expcnt << 4 | wait.lgkmcnt << 8;
}

constexpr Gfx9Wait decodeGfx9Wait(uint32_t bits) {
  return {(bits & 15) | (bits >> 14 & 3) << 4, bits >> 4 & 7, bits >> 8 & 15};
}

static_assert(encode({.vmcnt = 0}) == 0x0f70 && decodeGfx9Wait(0x0f70).vmcnt == 0);

} // namespace fly::target
