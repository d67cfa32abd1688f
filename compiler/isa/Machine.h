// Private: LLVM's MC objects for one architecture, made once and shared by decoder, encoder and assembler.
#pragma once

#include "compiler/target/Target.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <string>

namespace fly::isa {

using target::Encodings;

struct Machine {
  const target::Target *row = nullptr;
  unsigned waveSize = 0;
  const llvm::Target *target = nullptr;
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asmInfo;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;

  /// The first instruction of `code`; false if there is none. Everything that reads machine code comes through here.
  /// Fields that the instruction ignores may have any value (IgnoredFields.h).
  bool disassemble(llvm::ArrayRef<uint8_t> code, uint64_t address, llvm::MCInst &inst, uint64_t &size) const;
  /// The same by LLVM's decoder alone: to find out which instructions LLVM has.
  bool disassembleExactly(llvm::ArrayRef<uint8_t> code, uint64_t address, llvm::MCInst &inst, uint64_t &size) const;

  /// `targetId`: "gfx942" or "gfx942:xnack-".
  static llvm::Expected<std::unique_ptr<Machine>> create(llvm::StringRef targetId, unsigned waveSize);

private:
  bool hasRegisters(const llvm::MCInst &inst) const;
};

/// The same table whatever the subtarget: for questions about all opcodes.
std::unique_ptr<llvm::MCInstrInfo> createInstructionTable();

llvm::Error makeError(const llvm::Twine &text);

} // namespace fly::isa
