// Which instructions a kernel may call that LLVM compiles. Its code uses SCC, VCC, EXEC and MODE as it likes, and it
// alone branches, so an instruction that touches them without saying so by an operand is for ISA mode alone; so are a
// few that its backend fails with. M0 is given with the call.
#pragma once

#include "compiler/isa/Instruction.h"

#include <string>

namespace fly::isa {

/// What keeps the instruction out of such a kernel, to be read after "it": "branches", "writes EXEC"; empty if
/// nothing. `results` is how many of its operands it only writes.
std::string whyNotInKernel(const Instruction &instruction, size_t results);

/// Whether what it does depends on M0. (LLVM's tables say that of all LDS instructions, as it was before gfx9.)
bool readsM0(const Instruction &instruction);

} // namespace fly::isa
