// See WideConstants.h.
#include "compiler/codegen/faults/WideConstants.h"

#include "compiler/codegen/machine/Opcodes.h"

#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"

namespace fly::codegen {

namespace {

struct WideConstantsPass : PassBase<WideConstantsPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    const unsigned move = opcodeNamed(instructions, "S_MOV_B64");
    const llvm::MCInstrDesc &whole = instructions.get(opcodeNamed(instructions, "S_MOV_B64_IMM_PSEUDO"));
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block) {
        if (each.getOpcode() != move || !each.getOperand(1).isImm())
          continue;
        const int64_t value = each.getOperand(1).getImm();
        if ((value >= -16 && value < 0) || llvm::isUInt<32>(uint64_t(value)))
          continue;
        each.setDesc(whole);
        changed = true;
      }
    return changed;
  }
};

} // namespace

BackendPass wideConstantsPass() { return backendPass<WideConstantsPass>(); }

} // namespace fly::codegen
