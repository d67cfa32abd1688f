// Which instructions a kernel may call that LLVM compiles. Its code uses SCC, VCC, M0, EXEC and MODE as it likes, and it
// alone branches, so an instruction that touches them without saying so by an operand is for ISA mode alone.
#pragma once

#include "compiler/isa/Instruction.h"

#include <string>

namespace fly::isa {

/// What keeps the instruction out of such a kernel, to be read behind "it": "branches", "writes EXEC"; empty if nothing.
/// `results` is how many of its operands it only writes.
std::string whyNotInKernel(const Instruction &instruction, size_t results);

} // namespace fly::isa
