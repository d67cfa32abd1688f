// Instructions that are wrong on purpose; launch/Mutation.h says what for.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

/// Waits for counters of memory operations.
bool isMemoryWait(isa::Op op);
/// Write-backs and invalidations of caches.
bool isCacheControl(isa::Op op);
bool isMatrixProduct(isa::Op op);

/// Wraps the handler of an instruction that is to be wrong.
void breakInstruction(Program &program, const isa::Instruction &instruction, Inst &inst);

} // namespace fly::emulator
