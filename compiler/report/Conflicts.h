// Whether an instruction may not run before a memory operation has returned its registers.
//
//     global_load_dword v1, v0, s[0:1]
//     v_add_f32 v2, v1, v1            reads v1
//     v_mov_b32 v1, 0                 overwrites v1, and the load overwrites that
//     global_load_dword v1, v0, ...   no conflict: operations of one unit and counter return in order
//
// Registers that a store reads are not looked at, because it has read them when later instructions run. AGPRs and VGPRs
// that share a register are taken for different ones.
#pragma once

#include "compiler/isa/Instruction.h"

#include <optional>

namespace fly::report {

struct Conflict {
  isa::Operand reg;   ///< the registers that both concern
  bool reads = false; ///< else it overwrites them
};
/// `counter` is one that the operation raises and that has not been waited for.
std::optional<Conflict> conflictOf(const isa::Instruction &instruction, const isa::Instruction &operation,
                                   isa::Counter counter);

} // namespace fly::report
