// What a kernel of a code object needs beside its own code: functions that it calls, constants.
#pragma once

#include "compiler/assembly/Paths.h"
#include "compiler/isa/CodeObject.h"

namespace fly::assembly {

/// Whether the instruction begins the computation of an address from the program counter.
bool computesAddress(const isa::Instruction &instruction);

/// "refers to `helper`", "jumps to 0x1a00": each once, in the order of the code. `code` has absolute addresses.
std::vector<std::string> findOutside(const isa::CodeObject &object, const isa::Kernel &kernel,
                                     llvm::ArrayRef<isa::Instruction> code, const Paths &paths);

} // namespace fly::assembly
