// Private: a sum that its instruction overwrites is in a vector register.
//
//     %3:sgpr_32 = S_FMAC_F16 %0, %1, %2                       a uniform sum of products
//     %3:vgpr_32 = V_FMAC_F16_fake16_e64 0, %0, 0, %1, 0, %2   %2 stays scalar
//
// Where a factor turns out to be in a vector register, LLVM (SIFixSGPRCopies) takes the vector form. The former value
// of the result is tied to it there, so it has to be in a vector register, too. For f32 LLVM copies it; for f16 it
// forgets to, since the 16-bit forms of gfx11 and later have names of their own. A later pass copies it after all,
// but what runs in between may rely on the operand's class, and LLVM's verifier refuses it. Here each tied operand
// whose register cannot be of its instruction's class gets the copy at once.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass tiedOperandsPass();

} // namespace fly::codegen
