// See AllOnes.h.
#include "compiler/codegen/faults/AllOnes.h"

#include "compiler/codegen/machine/Opcodes.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <optional>

namespace fly::codegen {

namespace {

struct AllOnesPass : PassBase<AllOnesPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    const llvm::TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    const llvm::MachineRegisterInfo &values = function.getRegInfo();
    const unsigned sum = opcodeNamed(instructions, "V_OR_B32_e64");
    const llvm::MCInstrDesc &move = instructions.get(opcodeNamed(instructions, "V_MOV_B32_e32"));
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : llvm::make_early_inc_range(block)) {
        if (each.getOpcode() != sum || !(isAllOnes(each.getOperand(1), values, registers, instructions) ||
                                         isAllOnes(each.getOperand(2), values, registers, instructions)))
          continue;
        llvm::BuildMI(block, each, each.getDebugLoc(), move, each.getOperand(0).getReg()).addImm(-1);
        each.eraseFromParent();
        changed = true;
      }
    return changed;
  }

  /// Whether the 32 bits of an operand are known to be ones.
  static bool isAllOnes(const llvm::MachineOperand &operand, const llvm::MachineRegisterInfo &values,
                        const llvm::TargetRegisterInfo &registers, const llvm::TargetInstrInfo &instructions) {
    const llvm::MachineOperand *at = &operand;
    unsigned offset = 0; // in bits, of a register of 64
    while (at->isReg() && at->getReg().isVirtual()) {
      if (at->getSubReg())
        offset += registers.getSubRegIdxOffset(at->getSubReg());
      const llvm::MachineInstr *made = values.getUniqueVRegDef(at->getReg());
      if (!made || made->getOperand(0).getSubReg())
        return false;
      const llvm::StringRef name = instructions.getName(made->getOpcode());
      if (!made->isCopy() && !name.starts_with("S_MOV_B") && !name.starts_with("V_MOV_B32_e32") &&
          !name.starts_with("V_MOV_B64"))
        return false;
      if (made->getNumExplicitOperands() != 2)
        return false;
      at = &made->getOperand(1);
    }
    return at->isImm() && offset <= 32 && uint32_t(uint64_t(at->getImm()) >> offset) == UINT32_MAX;
  }
};

} // namespace

BackendPass allOnesPass() { return backendPass<AllOnesPass>(); }

} // namespace fly::codegen
