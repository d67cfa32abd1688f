// Private: divisions of integers of 23 and 24 bits.
//
// LLVM divides numbers of up to 24 bits in f32, by a reciprocal, and adds one where the remainder is not below the
// divisor. The quotient can also be too large by one: 12582914 // 3 became 4194305, with a remainder of -1, and where
// the reciprocal is off by the one ulp that the manual allows, this begins at a dividend of 4222799. (llvm-project pull
// requests 201186, 202753: later versions divide up to 22 bits so.) The expansion here corrects both ways.
//
// LLVM's choice depends on what it knows about the operands' bits. So the pass runs right before LLVM's own.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass divisionsPass();
BackendPass unoptimizedDivisionsPass();

} // namespace fly::codegen
