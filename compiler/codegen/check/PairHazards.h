// Whether code needs to be compiled again without VOPD pairs.
//
// LLVM 22 forgets that a pair has results: it does not keep one away from a transcendental instruction or a WMMA whose
// result or sources the pair overwrites (gfx1250; isa::HazardBound).
//
//     v_exp_f32_e32 v40, v1
//     v_dual_add_f32 v1, v38, v39 :: v_dual_lshlrev_b32 v38, 3, v36     the manual wants one instruction in between
//
// It is rare, so what has it is compiled once more.
#pragma once

#include "compiler/target/Target.h"

#include "llvm/ADT/StringRef.h"

namespace fly::codegen {

/// Whether there are pairs, and rules for them.
bool mayHavePairHazards(const target::Target &target);
/// Whether pairs in the functions of a relocatable object keep less distance than the manual demands.
bool hasPairHazards(llvm::StringRef object, const target::Target &target);

} // namespace fly::codegen
