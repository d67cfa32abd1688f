// See StaleScc.h.
#include "compiler/codegen/faults/StaleScc.h"

#include "compiler/codegen/machine/Opcodes.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

struct StaleSccPass : PassBase<StaleSccPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    const llvm::TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    const llvm::MCRegister vcc = registerNamed(registers, "VCC"), scc = registerNamed(registers, "SCC");
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &branch : block.terminators())
        if (instructions.getName(branch.getOpcode()).starts_with("S_CBRANCH_VCC"))
          if (llvm::MachineInstr *last = lastWriter(block, branch, vcc, registers)) {
            const llvm::StringRef name = instructions.getName(last->getOpcode());
            if ((name != "S_AND_B64" && name != "S_AND_B32") || last->registerDefIsDead(scc, &registers))
              continue;
            const unsigned compare = opcodeNamed(instructions, name == "S_AND_B64" ? "S_CMP_LG_U64" : "S_CMP_LG_U32");
            llvm::BuildMI(block, std::next(last->getIterator()), last->getDebugLoc(), instructions.get(compare))
                .addReg(last->getOperand(0).getReg())
                .addImm(0);
            last->addRegisterDead(scc, &registers);
            changed = true;
          }
    return changed;
  }

  static llvm::MachineInstr *lastWriter(llvm::MachineBasicBlock &block, llvm::MachineInstr &before,
                                        llvm::MCRegister reg, const llvm::TargetRegisterInfo &registers) {
    for (auto at = std::next(before.getReverseIterator()); at != block.instr_rend(); ++at)
      if (at->modifiesRegister(reg, &registers))
        return &*at;
    return nullptr;
  }
};

} // namespace

BackendPass staleSccPass() { return backendPass<StaleSccPass>(); }

} // namespace fly::codegen
