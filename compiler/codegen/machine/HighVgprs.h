// Modes of gfx1250's VGPRs around barriers.
//
// An instruction names 256 VGPRs of 1024. s_set_vgpr_msb says which, per operand, for the instructions that follow.
// Where an instruction after a barrier needs another mode, LLVM 22 changes it before the barrier, but one instruction
// too early (AMDGPULowerVGPREncoding::handleCoissue; llvm-project pull request 176206):
//
//     v_writelane_b32 v257, s4, 11          s_set_vgpr_msb 64         for v257
//     s_barrier_wait -1                     s_set_vgpr_msb 0x4000     for the load: one place too high
//     ds_load_b32 v200, v66                 v_writelane_b32 v1, s4, 11
//                                           s_barrier_wait -1
//                                           ds_load_b32 v200, v66
//
// So where the instruction before a barrier names a VGPR, there is a pseudo instruction without code after the barrier.
// LLVM then changes the mode after the barrier.
#pragma once

namespace fly::codegen {

struct BackendPass;

/// Keeps changes of the mode after barriers.
BackendPass highVgprsPass();

} // namespace fly::codegen
