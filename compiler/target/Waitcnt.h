// The operand of s_waitcnt, which has a count for each of three counters. Where they stand is a column of the
// generation (Generations.h):
//
//     gfx9    vmcnt 3:0 and 15:14   expcnt 6:4   lgkmcnt 11:8
//     gfx11   vmcnt 15:10           expcnt 2:0   lgkmcnt 9:4
//
// A counter at its largest count is not waited for.
#pragma once

#include "compiler/target/Counters.h"

namespace fly::target {

constexpr uint32_t fieldOf(WaitField field, uint32_t bits) {
  return (bits >> field.shift & ((1u << field.bits) - 1)) | (bits >> field.highShift & ((1u << field.highBits) - 1))
                                                                << field.bits;
}
constexpr uint32_t inField(WaitField field, uint32_t count) {
  return (count & ((1u << field.bits) - 1)) << field.shift | count >> field.bits << field.highShift;
}

struct Waitcnt {
  uint32_t vmcnt, expcnt, lgkmcnt;

  /// Waits for nothing.
  constexpr explicit Waitcnt(const Generation &of)
      : vmcnt(of.vmcnt.largest()), expcnt(of.expcnt.largest()), lgkmcnt(of.lgkmcnt.largest()) {}
  constexpr Waitcnt(const Generation &of, uint32_t bits)
      : vmcnt(fieldOf(of.vmcnt, bits)), expcnt(fieldOf(of.expcnt, bits)), lgkmcnt(fieldOf(of.lgkmcnt, bits)) {}

  constexpr uint32_t encode(const Generation &of) const {
    return inField(of.vmcnt, vmcnt) | inField(of.expcnt, expcnt) | inField(of.lgkmcnt, lgkmcnt);
  }
};

} // namespace fly::target
