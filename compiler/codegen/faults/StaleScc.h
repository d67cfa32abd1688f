// Private: a compare of 64 bits that is selected by and branched on keeps the SCC that the select reads.
//
//     s_and_b64 vcc, exec, s[4:5]      SCC is what the select reads
//     s_cselect_b32 s6, s7, s8
//     s_cbranch_vccnz L                VCC is what the branch reads
//
// LLVM's last peephole (si-pre-emit-peephole) makes a branch on EXEC or on another register of it, and removes the
// `s_and` although its SCC is read: the select reads what an earlier instruction left (llvm-project issue 215745). Here
// the SCC gets an instruction of its own before that pass: `s_cmp_lg_u64 vcc, 0`. It costs nothing where the `s_and`
// goes, and one instruction where it stays.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass staleSccPass();

} // namespace fly::codegen
