// See WholePacked.h. The mark is a flag of machine instructions that LLVM gives to calls alone, and that all passes keep.
#include "compiler/codegen/machine/WholePacked.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/machine/Opcodes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <map>

namespace fly::codegen {

namespace {

constexpr llvm::MachineInstr::MIFlag mark = llvm::MachineInstr::NoMerge;

/// The name of the opcode's encoding; empty for other ones.
llvm::StringRef encodingOf(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("V_PK_ADD_F32", "V_PK_ADD_F32_vi")
      .Case("V_PK_MUL_F32", "V_PK_MUL_F32_vi")
      .Case("V_PK_FMA_F32", "V_PK_FMA_F32_vi")
      .Default({});
}

const llvm::TargetInstrInfo &instructionsOf(const llvm::MachineFunction &function) {
  return *function.getSubtarget().getInstrInfo();
}

template <bool hides> struct PackedPass : PassBase<PackedPass<hides>, Keeps::Everything> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = instructionsOf(function);
    std::map<unsigned, unsigned> others; ///< opcodes by opcode
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block.instrs()) {
        if (!each.getFlag(mark))
          continue;
        auto [other, isNew] = others.try_emplace(each.getOpcode(), 0);
        if (isNew)
          other->second = otherOf(instructions, instructions.getName(each.getOpcode()));
        if (other->second) {
          each.setDesc(instructions.get(other->second));
          changed = true;
        }
      }
    return changed;
  }

private:
  /// 0 if there is none.
  static unsigned otherOf(const llvm::TargetInstrInfo &instructions, llvm::StringRef name) {
    if (hides)
      return opcodeNamed(instructions, encodingOf(name));
    return name.consume_back("_vi") && !encodingOf(name).empty() ? opcodeNamed(instructions, name) : 0;
  }
};
using HidePackedPass = PackedPass<true>;
using ShowPackedPass = PackedPass<false>;

} // namespace

void keepWhole(llvm::MachineInstr &exact) {
  if (!encodingOf(instructionsOf(*exact.getMF()).getName(exact.getOpcode())).empty())
    exact.setFlag(mark);
}

BackendPass hidePackedPass() { return backendPass<HidePackedPass>(); }
BackendPass showPackedPass() { return backendPass<ShowPackedPass>(); }

} // namespace fly::codegen
