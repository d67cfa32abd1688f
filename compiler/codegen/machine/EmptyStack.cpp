// See EmptyStack.h.
#include "compiler/codegen/machine/EmptyStack.h"

#include "compiler/codegen/BackendPass.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

/// Whether memory on the stack is only for spills: no other instruction can have its address.
bool hasOnlySpills(const llvm::MachineFrameInfo &frame) {
  if (frame.hasCalls() || frame.hasVarSizedObjects() || frame.getNumFixedObjects() != 0)
    return false;
  for (int slot = 0; slot < frame.getObjectIndexEnd(); ++slot)
    if (!frame.isDeadObjectIndex(slot) && !frame.isSpillSlotObjectIndex(slot))
      return false;
  return true;
}

struct EmptyStackPass : llvm::MachineFunctionPass {
  static char ID;
  EmptyStackPass() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "stacks that nothing uses"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    llvm::MachineFrameInfo &frame = function.getFrameInfo();
    if (frame.getStackSize() == 0 || !hasOnlySpills(frame))
      return false;
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    for (const llvm::MachineBasicBlock &block : function)
      for (const llvm::MachineInstr &each : block.instrs())
        if (each.isCall() || each.isInlineAsm() || instructions.getName(each.getOpcode()).starts_with("SCRATCH_"))
          return false;
    frame.setStackSize(0);
    return true;
  }
};
char EmptyStackPass::ID;

} // namespace

BackendPass emptyStackPass() { return backendPass<EmptyStackPass>(); }

} // namespace fly::codegen
