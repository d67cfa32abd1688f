// See DppSources.h.
#include "compiler/codegen/faults/DppSources.h"

#include "compiler/codegen/machine/Opcodes.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

struct DppSourcesPass : PassBase<DppSourcesPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    const llvm::TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    llvm::MachineRegisterInfo &values = function.getRegInfo();
    const llvm::MCInstrDesc &move = instructions.get(opcodeNamed(instructions, "V_MOV_B32_dpp")),
                            &nothing = instructions.get(llvm::TargetOpcode::IMPLICIT_DEF);
    constexpr int64_t ownLane = 0xe4, all = 0xf; // quad_perm:[0,1,2,3]
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &each : block) {
        const llvm::StringRef name = instructions.getName(each.getOpcode());
        if (!name.ends_with("_dpp") || name.starts_with("V_MOV_B"))
          continue;
        llvm::MachineOperand *source = firstSource(each);
        if (!source || !mayBeFolded(*source, values, registers, instructions))
          continue;
        const llvm::TargetRegisterClass *type = values.getRegClass(source->getReg());
        const llvm::Register former = values.createVirtualRegister(type), moved = values.createVirtualRegister(type);
        llvm::BuildMI(block, each, each.getDebugLoc(), nothing, former);
        llvm::BuildMI(block, each, each.getDebugLoc(), move, moved)
            .addReg(former)
            .addReg(source->getReg())
            .addImm(ownLane)
            .addImm(all)
            .addImm(all)
            .addImm(1);
        values.clearKillFlags(source->getReg());
        source->setReg(moved);
        changed = true;
      }
    return changed;
  }

  /// The operand that comes from other lanes; the one before it is what lanes without a source keep.
  static llvm::MachineOperand *firstSource(llvm::MachineInstr &instruction) {
    for (unsigned i = instruction.getNumExplicitDefs(); i < instruction.getNumExplicitOperands(); ++i)
      if (llvm::MachineOperand &operand = instruction.getOperand(i); operand.isReg() && !operand.isTied())
        return &operand;
    return nullptr;
  }

  /// Whether it is a whole register of 32 bits that holds a scalar register or a constant.
  static bool mayBeFolded(const llvm::MachineOperand &source, const llvm::MachineRegisterInfo &values,
                          const llvm::TargetRegisterInfo &registers, const llvm::TargetInstrInfo &instructions) {
    if (!source.getReg().isVirtual() || source.getSubReg() ||
        registers.getRegSizeInBits(*values.getRegClass(source.getReg())) != 32)
      return false;
    const llvm::MachineInstr *made = values.getUniqueVRegDef(source.getReg());
    return made && (made->isCopy() || instructions.getName(made->getOpcode()) == "V_MOV_B32_e32");
  }
};

} // namespace

BackendPass dppSourcesPass() { return backendPass<DppSourcesPass>(); }

} // namespace fly::codegen
