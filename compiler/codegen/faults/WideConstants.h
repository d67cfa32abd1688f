// Private: constants of 64 bits that a scalar register gets keep their upper half.
//
//     %c:sreg_64 = S_MOV_B64_IMM_PSEUDO -1048575
//     %s:sreg_64 = COPY %c                                   ->      %s:sreg_64 = S_MOV_B64 -1048575
//
// LLVM makes that move where the number fits in 32 bits with a sign. But the instruction has a literal of 32 bits and
// fills up with zeros: 0x00000000fff00001 (llvm-project pull request 200576 mends another place that makes it). Here it
// becomes the move of any constant again, which is two instructions where one does not do.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass wideConstantsPass();

} // namespace fly::codegen
