// Private: `x | -1` is -1.
//
//     %c:sreg_64 = S_MOV_B64 -2
//     %h:sreg_32 = COPY %c.sub1
//     %r:vgpr_32 = V_OR_B32_e64 %x, %h           ->      %r:vgpr_32 = V_MOV_B32_e32 %x
//
// si-fold-operands knows the rule, but keeps the wrong operand (llvm-project pull request 189655). Such a sum of bits
// comes from one of 64 bits, the same in all lanes, that has to be done by vector instructions. Here it becomes the move
// of -1 before that pass.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass allOnesPass();

} // namespace fly::codegen
