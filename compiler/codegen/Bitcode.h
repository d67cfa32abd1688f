// LLVM bitcode that kernels call into: what a file holds, and linking it into a kernel's module.
//
//     auto error = checkBitcode(bytes, "blur", "float (float, <4 x float>)", target);   // "" or what is wrong
//     options.bitcode = {{"filter.bc", bytes}};                                          // compileToObject links it
#pragma once

#include "compiler/codegen/CodeGen.h"

namespace llvm {
class Module;
}

namespace fly::codegen {

enum class BitcodeProblem { None, NoSuchFunction, Other };
struct BitcodeAnswer {
  BitcodeProblem problem = BitcodeProblem::None;
  std::string message;
};

/// Whether the bitcode is for the target and defines the function with exactly this type, as LLVM writes it.
BitcodeAnswer checkBitcode(std::string_view bytes, std::string_view symbol, std::string_view type,
                           const target::Target &target);

/// Links what the module needs, makes it internal to it, and lets it be compiled for the module's processor. The name
/// of a function that stays undefined, or another problem; empty: none.
std::string linkBitcode(llvm::Module &module, const std::vector<Bitcode> &files);

} // namespace fly::codegen
