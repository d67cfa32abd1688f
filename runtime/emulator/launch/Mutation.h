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

/// From now on `op` is broken in the module's kernels; Op::Invalid repairs it. Not while a launch runs.
void breakOp(const Module &module, isa::Op op);

} // namespace fly::emulator
