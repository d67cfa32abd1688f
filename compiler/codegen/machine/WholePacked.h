// Packed arithmetic of f32 that is written by name stays packed.
//
// On gfx942 and gfx950 a packed instruction does not start while a matrix instruction executes, two single ones do. So
// LLVM's last peephole takes those that follow a matrix instruction apart:
//
//     v_mfma_f32_32x32x8_f16 ...           v_mfma_f32_32x32x8_f16 ...
//     v_pk_fma_f32 v[0:1], ...             v_fma_f32 v0, ...
//                                          v_fma_f32 v1, ...
//
// An exact instruction is what its author has written, and LLVM has no switch for it. But it looks for three opcodes. Each
// of them has a second one, of the encoding, which the assembler's printer takes as well: around the peephole exact
// instructions have that.
#pragma once

#include "llvm/CodeGen/MachineInstr.h"

namespace fly::codegen {

struct BackendPass;

/// Marks an exact instruction, if it is one of those.
void keepWhole(llvm::MachineInstr &exact);

BackendPass hidePackedPass();
BackendPass showPackedPass();

} // namespace fly::codegen
