// The waits that are missing, as a program that is to be completed needs them: for each instruction what must be waited
// for before it, as late and with counts as large as the verifier's rules `wait-read`, `wait-overwrite` and
// `wait-source` allow. Before a barrier these are also the wave's own stores to LDS, but not its copies from memory to
// LDS: pipelines leave them under way on purpose.
//
//     global_load_dword v1, v0, s[2:3]
//     global_load_dword v2, v0, s[4:5]
//                                             vmcnt(1)
//     v_add_f32_e32 v3, v1, v1
//
// An operation is covered by the first wait on a path that is needed for it. Where paths join, a place gets what any of
// them needs, so a loop's head waits for what its end leaves under way.
#pragma once

#include "compiler/isa/ControlFlow.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace fly::dataflow {

/// One for each instruction; without limits where nothing is missing. None for those that `isWanted` leaves out.
std::vector<isa::Waits> findNeededWaits(llvm::ArrayRef<isa::Instruction> instructions, const isa::ControlFlow &flow,
                                        const target::Target &target, llvm::function_ref<bool(uint32_t)> isWanted);

} // namespace fly::dataflow
