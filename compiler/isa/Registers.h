// Private: what LLVM's registers are in our terms.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/MC/MCRegisterInfo.h"

#include <vector>

namespace fly::isa {

/// Resolves registers by their names in LLVM's table ("VGPR4_VGPR5", "VGPR3_HI16", "TTMP4_gfx9plus", "VCC_LO"),
/// each once.
class RegisterTable {
public:
  explicit RegisterTable(const llvm::MCRegisterInfo &info) : info(info), rows(info.getNumRegs()) {}
  /// An operand with file, index, width, sub and half filled in; the rest is default.
  const Operand &operator[](llvm::MCRegister reg);

private:
  const llvm::MCRegisterInfo &info;
  struct Row {
    bool known = false;
    Operand operand;
  };
  std::vector<Row> rows;
};

} // namespace fly::isa
