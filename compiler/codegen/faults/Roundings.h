// Private: arithmetic in f32 and f64 keeps its precision, and each rounding of the source takes place, although LLVM
// would compute in 16 bits or round once where the source rounds twice.
//
// InstCombine computes `fptrunc(op(fpext x, fpext y))` in the narrow format if that has enough bits of mantissa. It
// does not look at exponents: f16(f32(x) / 2.0) of a bf16 x becomes f16(x) * 0.5, and 65536 is an infinity in f16. For
// a remainder it even takes bf16 and f16 for the same type. So the optimizer does not see that a bf16 is widened: it
// sees a shift (llvm-project issues 76000, 82493, 202489; not mended upstream as of LLVM 22).
//
// Instruction selection makes one mix instruction of a product and its rounding. That adds +0 to the product, so that
// -0 becomes +0; on gfx1250 it rounds once, and its bf16 form takes an f16 operand for a bf16 (issue 224912). So a
// product is written as a sum with -0, or the rounding has a barrier before it.
#pragma once

namespace llvm {
class Module;
}

namespace fly::target {
struct Target;
}

namespace fly::codegen {

/// Before the optimizer: bf16 is widened by shifts in modules with f16, and remainders are not narrowed.
void hideNarrowSources(llvm::Module &module);
/// After it: conversions again.
void showNarrowSources(llvm::Module &module);
/// After it: roundings that no mix instruction may take.
void keepRoundings(llvm::Module &module, const target::Target &target);

} // namespace fly::codegen
