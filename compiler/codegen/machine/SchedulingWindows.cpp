// See SchedulingWindows.h. LLVM's pseudo-instructions for the scheduler are known by name: their numbers are in headers
// that it does not install.
#include "compiler/codegen/machine/SchedulingWindows.h"

#include "compiler/codegen/BackendPass.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

constexpr unsigned smallFunction = 2500, whole = 64, window = 16, longest = 2 * window; // instructions

struct SchedulingWindowsPass : PassBase<SchedulingWindowsPass, Keeps::Nothing> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    if (function.getInstructionCount() < smallFunction)
      return false;
    instructions = function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (auto begin = block.begin(); begin != block.end();) {
        auto end = begin;
        unsigned length = 0;
        for (; end != block.end() && !instructions->isSchedulingBoundary(*end, &block, function); ++end)
          length += isCounted(*end);
        if (length > whole) {
          cut(block, begin, end);
          changed = true;
        }
        begin = end == block.end() ? end : std::next(end);
      }
    return changed;
  }

private:
  bool isCounted(const llvm::MachineInstr &instruction) const {
    return !instruction.isMetaInstruction() && !isGroup(instruction);
  }
  bool isGroup(const llvm::MachineInstr &instruction) const {
    return instructions->getName(instruction.getOpcode()) == "SCHED_GROUP_BARRIER";
  }
  bool isMatrix(const llvm::MachineInstr &instruction) const {
    const llvm::StringRef name = instructions->getName(instruction.getOpcode());
    return name.starts_with("V_MFMA_") || name.starts_with("V_SMFMAC_") || name.starts_with("V_WMMA_") ||
           name.starts_with("V_SWMMAC_");
  }
  unsigned barrier() {
    while (instructions->getName(barrierOpcode) != "SCHED_BARRIER")
      ++barrierOpcode;
    return barrierOpcode;
  }

  void cut(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::iterator begin,
           llvm::MachineBasicBlock::iterator end) {
    unsigned length = 0;
    for (llvm::MachineInstr &instruction : llvm::make_early_inc_range(llvm::make_range(begin, end))) {
      if (isGroup(instruction)) {
        instruction.eraseFromParent();
      } else if (length >= longest || (length >= window && isMatrix(instruction))) {
        llvm::BuildMI(block, instruction, instruction.getDebugLoc(), instructions->get(barrier())).addImm(0);
        length = 1;
      } else {
        length += isCounted(instruction);
      }
    }
  }

  const llvm::TargetInstrInfo *instructions = nullptr;
  unsigned barrierOpcode = 0;
};

} // namespace

BackendPass schedulingWindowsPass() { return backendPass<SchedulingWindowsPass>(); }

} // namespace fly::codegen
