// See HighVgprs.h. The pass runs between the last pass that inserts instructions of its own and the one that lowers
// VGPRs. Its pseudo instruction is a KILL without operands.
#include "compiler/codegen/machine/HighVgprs.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/target/Target.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

struct HighVgprsPass : PassBase<HighVgprsPass, Keeps::Everything> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    const llvm::TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    auto isBarrier = [&](const llvm::MachineInstr &instruction) {
      return instructions.getName(instruction.getOpcode()).starts_with("S_BARRIER");
    };
    auto namesVgpr = [&](const llvm::MachineInstr &instruction) {
      return llvm::any_of(instruction.operands(), [&](const llvm::MachineOperand &each) {
        return each.isReg() && each.getReg().isPhysical() &&
               llvm::StringRef(registers.getName(each.getReg())).starts_with("VGPR");
      });
    };
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function) {
      bool follows = false; // a VGPR's instruction, or a barrier after one
      for (auto at = block.instr_begin(); at != block.instr_end(); ++at) {
        follows = isBarrier(*at) ? follows : namesVgpr(*at);
        if (!isBarrier(*at) || !follows)
          continue;
        at = llvm::BuildMI(block, std::next(at), at->getDebugLoc(), instructions.get(llvm::TargetOpcode::KILL))
                 ->getIterator();
        follows = false;
        changed = true;
      }
    }
    return changed;
  }
};

} // namespace

BackendPass highVgprsPass() { return backendPass<HighVgprsPass>(); }

} // namespace fly::codegen
