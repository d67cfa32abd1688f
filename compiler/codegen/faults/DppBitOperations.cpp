// See DppBitOperations.h.
#include "compiler/codegen/faults/DppBitOperations.h"

#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

struct DppBitOperationsPass : PassBase<DppBitOperationsPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block) {
        const llvm::StringRef name = instructions.getName(each.getOpcode());
        if (!name.starts_with("V_BITOP3_B16") || !name.ends_with("_e64_dpp"))
          continue;
        // The last operands: the table, `op_sel`, and four of the DPP control.
        const unsigned count = each.getNumExplicitOperands();
        llvm::MachineOperand &table = each.getOperand(count - 6), &halves = each.getOperand(count - 5);
        if (table.getImm() != 0 || halves.getImm() == 0)
          continue;
        table.setImm(halves.getImm());
        halves.setImm(0);
        changed = true;
      }
    return changed;
  }
};

} // namespace

BackendPass dppBitOperationsPass() { return backendPass<DppBitOperationsPass>(); }

} // namespace fly::codegen
