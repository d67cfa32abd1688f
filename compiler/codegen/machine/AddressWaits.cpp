// See AddressWaits.h. The pass runs before blocks are placed; LLVM's own waits are inserted later and build on these.
#include "compiler/codegen/machine/AddressWaits.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/machine/Opcodes.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <optional>

namespace fly::codegen {

namespace {

/// What counts in XCNT.
enum Kind : uint8_t { Scalar = 1, Vector = 2 };

/// 0: neither.
uint8_t kindOf(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &instructions) {
  if (!instruction.mayLoadOrStore())
    return 0;
  const llvm::StringRef name = instructions.getName(instruction.getOpcode());
  if (name.starts_with("S_"))
    return name.starts_with("S_LOAD") || name.starts_with("S_BUFFER_LOAD") ? Scalar : 0;
  return name.starts_with("DS_") ? 0 : Vector;
}

/// What the block's own operations leave counted; none if it has none. Where a scalar load's result is used, LLVM will
/// wait for all of them.
std::optional<uint8_t> leftBy(const llvm::MachineBasicBlock &block, const llvm::TargetInstrInfo &instructions) {
  const llvm::TargetRegisterInfo &registers = *block.getParent()->getSubtarget().getRegisterInfo();
  std::optional<uint8_t> left;
  llvm::SmallVector<llvm::MCRegister> results; // of scalar loads under way
  for (const llvm::MachineInstr &each : block) {
    const bool uses = llvm::any_of(each.operands(), [&](const llvm::MachineOperand &operand) {
      return operand.isReg() && operand.getReg().isPhysical() && llvm::any_of(results, [&](llvm::MCRegister result) {
               return registers.regsOverlap(operand.getReg(), result);
             });
    });
    if (uses) {
      results.clear();
      left = 0;
    }
    if (const uint8_t kind = kindOf(each, instructions)) {
      left = kind;
      if (kind == Vector)
        results.clear();
      else
        for (const llvm::MachineOperand &operand : each.defs())
          results.push_back(operand.getReg().asMCReg());
    }
  }
  return left;
}

struct AddressWaitsPass : PassBase<AddressWaitsPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    if (!function.getSubtarget().checkFeatures("+wait-xcnt"))
      return false;
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    const unsigned wait = opcodeNamed(instructions, "S_WAIT_XCNT");

    std::vector<std::optional<uint8_t>> own(function.getNumBlockIDs());
    for (const llvm::MachineBasicBlock &block : function)
      own[block.getNumber()] = leftBy(block, instructions);
    // What may be counted at the end of each block. A wait at its end removes what is scalar.
    std::vector<uint8_t> ends(function.getNumBlockIDs());
    std::vector<bool> waits(function.getNumBlockIDs());
    const auto before = [&](const llvm::MachineBasicBlock &block) {
      uint8_t all = 0;
      for (const auto *from : block.predecessors())
        all |= ends[from->getNumber()];
      return all;
    };
    const auto atEnd = [&](const llvm::MachineBasicBlock &block) -> uint8_t {
      return own[block.getNumber()] ? *own[block.getNumber()] : before(block);
    };
    const auto settle = [&] {
      llvm::fill(ends, 0);
      for (bool changed = true; std::exchange(changed, false);)
        for (const llvm::MachineBasicBlock &block : function)
          if (uint8_t now = atEnd(block) & (waits[block.getNumber()] ? ~Scalar : ~0); now != ends[block.getNumber()]) {
            ends[block.getNumber()] = now;
            changed = true;
          }
    };
    // A wait at one join may make others needless: first those blocks that end with scalar loads alone.
    bool changed = false;
    for (bool added = true; std::exchange(added, false); changed |= added) {
      settle();
      for (const uint8_t unwanted : {uint8_t(Scalar), uint8_t(Scalar | Vector)})
        for (const llvm::MachineBasicBlock &block : function)
          if (!added && before(block) == (Scalar | Vector))
            for (const auto *from : block.predecessors())
              if (ends[from->getNumber()] == unwanted)
                waits[from->getNumber()] = added = true;
    }
    for (llvm::MachineBasicBlock &block : function)
      if (waits[block.getNumber()]) {
        const auto at = block.getFirstTerminator();
        llvm::BuildMI(block, at, block.findDebugLoc(at), instructions.get(wait)).addImm(0);
      }
    return changed;
  }
};

} // namespace

BackendPass addressWaitsPass() { return backendPass<AddressWaitsPass>(); }

} // namespace fly::codegen
