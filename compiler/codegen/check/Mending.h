// Private: waits and distances that LLVM miscounted, as instructions to insert.
//
//     v_exp_f32_e32 v1, v0
//     s_cbranch_execnz A
//     s_branch B
//     A: v_mfma_f32_16x16x16_f16 ...         LLVM counts both branches on the way to A: a state is missing
//
// The code of a compilation is read back, by the rules that builds are held to afterwards (compiler/verify). What is
// missing becomes `s_nop 0`, `s_waitcnt vmcnt(2)` and the like, and MendingStreamer.h puts it in.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace fly::target {
struct Target;
}

namespace fly::codegen {

/// By function and number of an instruction of it: the bytes of the instructions that are to come before it.
using Insertions = std::map<std::string, std::map<uint32_t, std::string>>;

/// What is missing in the functions of a relocatable object, but for the rules by these names (verify/Rules.h). What is
/// missing within a clause comes before the clause, which helps unless the clause itself began the operation.
Insertions findMissing(llvm::StringRef object, const target::Target &target, const std::set<std::string> &rulesOff);

} // namespace fly::codegen
