// Which instructions use the value that an instruction leaves in a register.
//
//     0  v_mov_b32 v1, 0
//     1  v_add_f32 v1, v1, v2        0 -> 1 in v1, and 1 -> 1 in v1 by the loop
//     2  s_cbranch 1
//     3  global_store v0, v1         1 -> 3 in v1
//
// A definition reaches a use if some path from one to the other does not overwrite the register. Writes of a part of a
// register (v_mov_b16) or through an index leave former values there, so several definitions may reach
// one use. Registers are those of Liveness.h: VCC, EXEC, SCC and M0 are not followed.
#pragma once

#include "compiler/report/Code.h"

namespace fly::report {

struct ValueUse {
  uint32_t definition = 0, use = 0; ///< instructions
  uint16_t unit = 0, count = 1;     ///< registers from `unit` on (namespace unit)
  auto operator<=>(const ValueUse &) const = default;
};

struct ValueUses {
  std::vector<ValueUse> all; ///< by use, then register, then definition; neighbouring registers together
  /// Of a register with more than `most` definitions that reach one place, only as many are here.
  bool isCut = false;
  static constexpr size_t most = 64;
};
ValueUses valueUses(const Code &code);

} // namespace fly::report
