// Arithmetic on vectors that LLVM would take apart into single elements, in pairs.
//
// CDNA adds, multiplies and fuses two f32 an instruction, and negates operands for nothing (v_pk_add_f32 with neg_lo,
// neg_hi). LLVM uses that for a subtraction of two elements but not of more, and for none of bf16, which it computes in
// f32 element by element: of a vector of eight, eight instructions instead of four. Conversions to bf16 whose bits an
// instruction takes as integers (MFMA of 16x16x16) would be single ones, too, and put together afterwards.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Signs of vectors of bf16 in words: LLVM changes them one by one. Runs after the optimizer, which would undo it.
void changeSignsInWords(llvm::Module &module);

/// Makes pairs of such vectors. For targets with packed f32. Runs after the optimizer, which would join them again.
void packPairs(llvm::Module &module);

} // namespace fly::codegen
