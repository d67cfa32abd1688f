// A kernel descriptor as the arguments of `isa.descriptor` that make it again.
#pragma once

#include "compiler/isa/CodeObject.h"
#include "compiler/target/Target.h"

namespace fly::assembly {

/// "user_sgpr_kernarg_segment_ptr=1, user_sgpr_count=2, ...". LDS and the size of the arguments are not among them.
std::string descriptorArguments(const isa::Kernel &kernel, const target::Target &target);
/// Vector registers that the descriptor allocates, as the assembler counts them: with AGPRs, where they are one file.
unsigned vectorRegistersOf(const isa::Kernel &kernel, const target::Target &target);

} // namespace fly::assembly
