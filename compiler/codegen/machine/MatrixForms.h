// Private: matrix instructions with D and C in AGPRs, or D and C in different registers. LLVM has a form of each opcode for either file, and names tell
// them apart: the numbers are in headers that it does not install.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineInstr.h"

#include <optional>

namespace llvm {
class TargetInstrInfo;
}

namespace fly::codegen {

class MatrixForms {
public:
  explicit MatrixForms(const llvm::TargetInstrInfo &instructions);

  /// The opcode with D and C in AGPRs. `sameRegisters`: D and C are the same ones. Where LLVM does not let them share
  /// registers in part, it has a second form for that.
  std::optional<unsigned> formInAgprs(const llvm::MachineInstr &product, bool sameRegisters) const;
  /// Makes a product, of which there is such a form, that form. D and C keep their registers.
  void toAgprs(llvm::MachineInstr &product, bool sameRegisters) const;

  /// Makes a product whose D has to be C's registers one whose D is in others. False if there is no such form.
  bool takeApart(llvm::MachineInstr &product) const;

private:
  const llvm::TargetInstrInfo &instructions;
  llvm::StringMap<unsigned> opcodes; ///< of MFMA, SMFMAC and WMMA, by name
};

} // namespace fly::codegen
