// Private: LLVM's AMDGPU opcodes and registers by name, since the headers with their numbers are not installed.
#pragma once

#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"

namespace fly::codegen {

/// 0, which is PHI, if there is none.
inline unsigned opcodeNamed(const llvm::TargetInstrInfo &instructions, llvm::StringRef name) {
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode)
    if (instructions.getName(opcode) == name)
      return opcode;
  return 0;
}

/// No register if there is none.
inline llvm::MCRegister registerNamed(const llvm::TargetRegisterInfo &registers, llvm::StringRef name) {
  for (unsigned number = 1; number < registers.getNumRegs(); ++number)
    if (registers.getName(number) == name)
      return number;
  return {};
}

} // namespace fly::codegen
