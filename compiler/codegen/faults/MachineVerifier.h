// Private: LLVM's own verifier of machine code, where its passes break it. What it finds, flyc must not deliver.
//
// It works in a release build of LLVM. After gcn-dpp-combine it finds instructions that the target does not have, after
// si-pre-emit-peephole reads of registers that nothing defines.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass machineVerifierPass();
BackendPass lastMachineVerifierPass();

} // namespace fly::codegen
