// Private: the decoder's state.
#pragma once

#include "compiler/isa/Decoder.h"
#include "compiler/isa/OperandRoles.h"

#include "llvm/MC/MCInst.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::isa {

struct Decoder::Impl {
  std::unique_ptr<Machine> machine;
  std::string name;
  RegisterTable registers;
  std::vector<std::unique_ptr<OpcodeRow>> rows; ///< by LLVM opcode, worked out when first met

  Impl(std::unique_ptr<Machine> m, std::string architecture)
      : machine(std::move(m)), name(std::move(architecture)), registers(*machine->registers),
        rows(machine->instructions->getNumOpcodes()) {}

  const OpcodeRow &rowOf(const llvm::MCInst &inst, llvm::ArrayRef<uint8_t> bytes);
  Instruction convert(const llvm::MCInst &inst, llvm::ArrayRef<uint8_t> bytes, uint64_t address);
  void splitDual(Instruction &pair, const OpcodeRow &row, llvm::ArrayRef<uint8_t> component);
};

} // namespace fly::isa
