// See EmptyStack.h.
#include "compiler/codegen/machine/EmptyStack.h"

#include "compiler/codegen/BackendPass.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"

namespace fly::codegen {

namespace {

/// Whether no object of the stack is the program's: what is there is for spills, and nothing else can have its address.
bool hasOnlySpills(const llvm::MachineFrameInfo &frame) {
  if (frame.hasCalls() || frame.hasVarSizedObjects() || frame.getNumFixedObjects() != 0)
    return false;
  for (int slot = 0; slot < frame.getObjectIndexEnd(); ++slot)
    if (!frame.isDeadObjectIndex(slot) && frame.getObjectAllocation(slot))
      return false;
  return true;
}

bool usesScratch(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &instructions) {
  if (instruction.isInlineAsm())
    return llvm::StringRef(instruction.getOperand(llvm::InlineAsm::MIOp_AsmString).getSymbolName()).contains("scratch");
  return instruction.isCall() || instructions.getName(instruction.getOpcode()).starts_with("SCRATCH_");
}

struct EmptyStackPass : PassBase<EmptyStackPass, Keeps::Everything> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    llvm::MachineFrameInfo &frame = function.getFrameInfo();
    if (frame.getStackSize() == 0 || !hasOnlySpills(frame))
      return false;
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    for (const llvm::MachineBasicBlock &block : function)
      for (const llvm::MachineInstr &each : block.instrs())
        if (usesScratch(each, instructions))
          return false;
    frame.setStackSize(0);
    return true;
  }
};

} // namespace

BackendPass emptyStackPass() { return backendPass<EmptyStackPass>(); }

} // namespace fly::codegen
