// See DppProducts.h.
#include "compiler/codegen/faults/DppProducts.h"

#include "compiler/codegen/machine/Opcodes.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

struct DppProductsPass : PassBase<DppProductsPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &product : llvm::make_early_inc_range(block)) {
        llvm::StringRef name = instructions.getName(product.getOpcode());
        if (!name.starts_with("V_MAD_") || !name.contains("64_") || !name.consume_back("_dpp"))
          continue;
        if (const unsigned plain = opcodeNamed(instructions, name)) {
          split(product, instructions, plain);
          changed = true;
        }
      }
    return changed;
  }

  /// Operands: the results, the former value of lanes without a source, three sources, clamp, and four of the DPP
  /// control.
  static void split(llvm::MachineInstr &product, const llvm::TargetInstrInfo &instructions, unsigned plain) {
    llvm::MachineBasicBlock &block = *product.getParent();
    llvm::MachineRegisterInfo &registers = block.getParent()->getRegInfo();
    const unsigned results = product.getNumExplicitDefs();
    auto operand = [&](unsigned index) -> const llvm::MachineOperand & { return product.getOperand(results + index); };
    const llvm::TargetRegisterClass *type = registers.getRegClass(operand(1).getReg());
    llvm::Register former = operand(0).getReg(), moved = registers.createVirtualRegister(type);
    if (!former || registers.getRegClass(former) != type) {
      former = registers.createVirtualRegister(type);
      llvm::BuildMI(block, product, product.getDebugLoc(), instructions.get(llvm::TargetOpcode::IMPLICIT_DEF), former);
    }
    llvm::BuildMI(block, product, product.getDebugLoc(), instructions.get(opcodeNamed(instructions, "V_MOV_B32_dpp")),
                  moved)
        .addReg(former)
        .add(operand(1))
        .add(operand(5))
        .add(operand(6))
        .add(operand(7))
        .add(operand(8));
    auto whole = llvm::BuildMI(block, product, product.getDebugLoc(), instructions.get(plain));
    for (unsigned i = 0; i < results; ++i)
      whole.addReg(product.getOperand(i).getReg(), llvm::RegState::Define);
    whole.addReg(moved).add(operand(2)).add(operand(3)).add(operand(4));
    product.eraseFromParent();
  }
};

} // namespace

BackendPass dppProductsPass() { return backendPass<DppProductsPass>(); }

} // namespace fly::codegen
