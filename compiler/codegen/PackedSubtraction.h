// A number subtracted from a vector of f32 in packed instructions.
//
// The hardware adds two f32 an instruction, and negates operands for nothing, but LLVM takes `v - splat(x)` apart: it has no
// packed subtraction, and makes one of any `v + -x` that it sees. So softmax and layernorm subtracted their maximum or mean
// element by element.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Makes `v - splat(x)` additions of a negated number that LLVM does not recognise as such. For a target with packed f32, behind
/// the optimizer.
void packSubtractions(llvm::Module &module);

} // namespace fly::codegen
