// Private: the operand that DPP takes from other lanes stays the first one.
//
//     %a:vgpr_32 = COPY %s:sreg_32                           a number that is the same in all lanes
//     %r = V_XOR3_B32_e64_dpp %old, %a, %x, %s, quad_perm    ->     V_XOR3_B32_e64_dpp %old, %x, %s, %s, quad_perm
//
// After gcn-dpp-combine LLVM folds %s, for which the second operand has room, and exchanges the first two; but DPP is of
// the first one (llvm-project pull request 218393). Here the number comes by a move with DPP from its own lane, which
// cannot be folded.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass dppSourcesPass();

} // namespace fly::codegen
