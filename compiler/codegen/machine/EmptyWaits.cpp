// See EmptyWaits.h. Within a block: what a block begins with is not known.
#include "compiler/codegen/machine/EmptyWaits.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/machine/TargetOf.h"
#include "compiler/target/Waitcnt.h"

#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

enum class Effect {
  None,      ///< on the counter of LDS
  Counts,    ///< or may
  Waits,     ///< until it is 0, and for more
  OnlyWaits, ///< until it is 0, and for nothing else
};

Effect effectOf(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &instructions,
                const target::Generation &generation) {
  const llvm::StringRef name = instructions.getName(instruction.getOpcode());
  if (name == "S_WAITCNT") {
    const target::Waitcnt wait(generation, uint32_t(instruction.getOperand(0).getImm())), none(generation);
    if (wait.lgkmcnt)
      return Effect::None;
    return wait.vmcnt == none.vmcnt && wait.expcnt == none.expcnt ? Effect::OnlyWaits : Effect::Waits;
  }
  if (name == "S_WAIT_DSCNT")
    return instruction.getOperand(0).getImm() ? Effect::None : Effect::OnlyWaits;
  // LLVM says that exchanges between lanes, such as DS_BPERMUTE, touch no memory. They count all the same.
  if (name.starts_with("DS_"))
    return Effect::Counts;
  // These count elsewhere, or nowhere.
  for (const char *other : {"BUFFER_", "GLOBAL_", "S_BARRIER", "S_SETPRIO", "S_NOP", "S_WAIT", "S_DELAY_ALU"})
    if (name.starts_with(other))
      return Effect::None;
  return instruction.mayLoadOrStore() || instruction.isBundle() || instruction.isCall() || instruction.isInlineAsm() ||
                 instruction.hasUnmodeledSideEffects()
             ? Effect::Counts
             : Effect::None;
}

struct EmptyWaitsPass : PassBase<EmptyWaitsPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    llvm::SmallVector<llvm::MachineInstr *> empty;
    for (llvm::MachineBasicBlock &block : function) {
      bool isZero = false;
      for (llvm::MachineInstr &each : block) {
        if (each.isMetaInstruction())
          continue;
        const Effect effect = effectOf(each, instructions, generationOf(function));
        if (effect == Effect::OnlyWaits && isZero) {
          auto next = std::next(each.getIterator());
          while (next != block.end() && next->isMetaInstruction())
            ++next;
          if (next != block.end() && instructions.getName(next->getOpcode()).starts_with("S_BARRIER"))
            empty.push_back(&each);
        }
        if (effect != Effect::None)
          isZero = effect != Effect::Counts;
      }
    }
    for (llvm::MachineInstr *each : empty)
      each->eraseFromParent();
    return !empty.empty();
  }
};

} // namespace

BackendPass emptyWaitsPass() { return backendPass<EmptyWaitsPass>(); }

} // namespace fly::codegen
