// Private: products of 32 bits with sums of 64 take no DPP operand.
//
// gcn-dpp-combine makes V_MAD_U64_U32_e64_dpp and its kin, which no machine has an encoding for. LLVM then writes bytes
// that are another instruction or none. Here they become a move with DPP and the product again.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass dppProductsPass();

} // namespace fly::codegen
