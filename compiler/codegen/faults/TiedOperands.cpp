// See TiedOperands.h.
#include "compiler/codegen/faults/TiedOperands.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

struct TiedOperandsPass : PassBase<TiedOperandsPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    const llvm::TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    llvm::MachineRegisterInfo &values = function.getRegInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block)
        for (unsigned i = each.getNumExplicitDefs(); i < each.getDesc().getNumOperands(); ++i) {
          llvm::MachineOperand &operand = each.getOperand(i);
          if (!operand.isReg() || !operand.isTied() || !operand.getReg().isVirtual())
            continue;
          const llvm::TargetRegisterClass *wanted = each.getRegClassConstraint(i, &instructions, &registers),
                                          *has = values.getRegClassOrNull(operand.getReg());
          if (!wanted || !has || fits(*has, operand.getSubReg(), *wanted, registers))
            continue;
          const llvm::Register copy = values.createVirtualRegister(wanted);
          values.clearKillFlags(operand.getReg());
          llvm::BuildMI(block, each, each.getDebugLoc(), instructions.get(llvm::TargetOpcode::COPY), copy)
              .addReg(operand.getReg(), llvm::getUndefRegState(operand.isUndef()), operand.getSubReg());
          operand.setReg(copy);
          operand.setSubReg(0);
          operand.setIsUndef(false);
          changed = true;
        }
    return changed;
  }

  static bool fits(const llvm::TargetRegisterClass &has, unsigned part, const llvm::TargetRegisterClass &wanted,
                   const llvm::TargetRegisterInfo &registers) {
    return part ? registers.getMatchingSuperRegClass(&has, &wanted, part) : registers.getCommonSubClass(&has, &wanted);
  }
};

} // namespace

BackendPass tiedOperandsPass() { return backendPass<TiedOperandsPass>(); }

} // namespace fly::codegen
