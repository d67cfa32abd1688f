// Breaks one instruction on purpose, so that a test can show that it would notice: the rule by which the tests of
// compiled programs say which instructions they check (docs/generated/emulator-coverage.md).
//
//     device.launch(module, ...);                       // as it is: the results are right
//     for (auto [op, cls] : decodedOps(module)) {
//       breakOp(module, op);
//       device.launch(module, ...);                     // results still right: nothing was checked about `op`
//     }
//     breakOp(module, isa::Op::Invalid);
//
// An instruction that computes a value computes its complement; one that has no result register (a store, a branch, a
// wait) or reads memory is left out. Launches of a broken module stop after a small multiple of the instructions that
// the intact module's launches took.
#pragma once

#include "runtime/emulator/launch/Module.h"

#include <string_view>
#include <utility>
#include <vector>

namespace fly::emulator {

/// The instructions of what the kernel's launches have decoded (of all kernels, if none is named), each once. Halves
/// of VOPD pairs count by themselves.
std::vector<std::pair<isa::Op, isa::Class>> decodedOps(const Module &module, std::string_view kernel = {});

/// From now on the instruction is broken in the module's kernels; Op::Invalid repairs it. Not while a launch runs.
void breakOp(const Module &module, const Breakage &breakage);
inline void breakOp(const Module &module, isa::Op op) { breakOp(module, Breakage{op}); }

// What a user plants (FLY_EMULATE_BREAK), to see that a test on a GPU would notice. Losses show as they would there:
// what a wait guarantees comes too late, and where a write-back or an invalidation of caches is lost, there are caches
// (watch/WeakMemory.h).

/// "v_add_f32", "s_waitcnt", "buffer_inv:agent", "v_mfma_f32_16x16x16_f16:layout". What it must be, if it is something
/// else.
std::string parseBreakage(std::string_view text, Breakage &breakage);
/// Whether what the kernels' launches have decoded has the instruction.
bool hasBroken(const Module &module);
/// Whether memory is weak while it is broken; whether the check of waits would end the launch first.
bool needsWeakMemory(const Breakage &breakage);
bool needsNoWaitCheck(const Breakage &breakage);

} // namespace fly::emulator
