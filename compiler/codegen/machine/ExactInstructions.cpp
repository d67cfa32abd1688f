// See ExactInstructions.h. In SSA form an INLINEASM is its text, a number of flags, and then groups: a number that says
// how many registers follow and how they are used, and the registers.
#include "compiler/codegen/machine/ExactInstructions.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/machine/ExactAssembly.h"
#include "compiler/protocol/Assembly.h"
#include "compiler/protocol/Opcode.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LLVMContext.h"

#include <optional>

namespace fly::codegen {

namespace {

/// Numbers of instructions by name, for one function.
class OpcodesByName {
public:
  explicit OpcodesByName(const llvm::TargetInstrInfo &instructions) : instructions(instructions) {}
  const llvm::MCInstrDesc *find(llvm::StringRef name) {
    if (byName.empty())
      for (unsigned i = 0; i < instructions.getNumOpcodes(); ++i)
        byName.try_emplace(instructions.getName(i), i);
    auto found = byName.find(name);
    return found == byName.end() ? nullptr : &instructions.get(found->second);
  }

private:
  const llvm::TargetInstrInfo &instructions;
  llvm::StringMap<unsigned> byName;
};

/// What touches no register (s_nop, s_wait_alu, v_nop, s_delay_alu) would be deleted as dead, since LLVM's tables know
/// of no effect. So it is replaced after all passes that delete, and the rest at once.
template <bool late> struct ExactInstructionsAt : PassBase<ExactInstructionsAt<late>, Keeps::Nothing> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const bool hasLate = optimizes(function.getTarget());
    OpcodesByName opcodes(*function.getSubtarget().getInstrInfo());
    std::optional<ExactAssembly> assembly;
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &statement : llvm::make_early_inc_range(block)) {
        if (!statement.isInlineAsm() || (hasLate && registersOf(statement).empty() != late))
          continue;
        llvm::StringRef text = statement.getOperand(llvm::InlineAsm::MIOp_AsmString).getSymbolName();
        std::string wrong;
        if (auto words = protocol::assemblyWords(text)) {
          if (!assembly)
            assembly.emplace(function);
          wrong = assembly->build(statement, *words, registersOf(statement));
        } else if (!protocol::isOpcode(text)) {
          continue;
        } else if (auto wanted = protocol::parseOpcode(text); !wanted || !replace(statement, *wanted, opcodes)) {
          wrong = "LLVM has no such instruction";
        }
        if (!wrong.empty())
          function.getFunction().getContext().emitError("no exact instruction `" + text + "`: " + wrong);
        statement.eraseFromParent();
        changed = true;
      }
    return changed;
  }

private:
  /// The registers of the statement's operands, in their order; none where an operand is not needed.
  static llvm::SmallVector<llvm::Register> registersOf(const llvm::MachineInstr &statement) {
    llvm::SmallVector<llvm::Register> registers;
    for (unsigned at = llvm::InlineAsm::MIOp_FirstOperand; at < statement.getNumOperands();) {
      const llvm::MachineOperand &flags = statement.getOperand(at);
      if (!flags.isImm())
        break; // what is implicit
      const unsigned count = llvm::InlineAsm::Flag(flags.getImm()).getNumOperandRegisters();
      if (count != 0 && statement.getOperand(at + 1).isReg())
        registers.push_back(statement.getOperand(at + 1).getReg());
      at += count + 1;
    }
    return registers;
  }

  /// Builds the instruction in front of the statement; false: there is no such instruction or operand.
  static bool replace(llvm::MachineInstr &statement, const protocol::OpcodeStatement &wanted, OpcodesByName &opcodes) {
    const llvm::MCInstrDesc *description = opcodes.find(wanted.name);
    if (!description || wanted.operands.size() != description->getNumOperands() - description->getNumDefs())
      return false;
    const auto registers = registersOf(statement);
    llvm::MachineFunction &function = *statement.getMF();
    llvm::MachineRegisterInfo &all = function.getRegInfo();
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    llvm::MachineInstrBuilder built =
        llvm::BuildMI(*statement.getParent(), statement, statement.getDebugLoc(), *description);
    /// The next operand; a copy where its register can be in other classes than the instruction's.
    auto add = [&](size_t index, bool isResult) {
      if (index >= registers.size())
        return false;
      const auto *fitting = instructions.getRegClass(*description, built->getNumExplicitOperands());
      llvm::Register reg = registers[index];
      if (fitting && !all.constrainRegClass(reg, fitting)) {
        llvm::Register other = all.createVirtualRegister(fitting);
        auto at = isResult ? std::next(statement.getIterator()) : built.getInstr()->getIterator();
        llvm::BuildMI(*statement.getParent(), at, statement.getDebugLoc(), instructions.get(llvm::TargetOpcode::COPY),
                      isResult ? reg : other)
            .addReg(isResult ? other : reg);
        reg = other;
      }
      built.addReg(reg, isResult ? llvm::RegState::Define : 0);
      return true;
    };
    bool fits = true;
    for (unsigned i = 0; i < description->getNumDefs(); ++i)
      fits = fits && add(i, true);
    for (const protocol::OpcodeOperand &operand : wanted.operands)
      if (operand.isOfStatement)
        fits = fits && add(size_t(operand.value), false);
      else
        built.addImm(operand.value);
    if (!fits)
      built->eraseFromParent();
    return fits;
  }
};
using ExactInstructionsPass = ExactInstructionsAt<false>;
using LateExactInstructionsPass = ExactInstructionsAt<true>;

} // namespace

BackendPass exactInstructionsPass() { return backendPass<ExactInstructionsPass>(); }
BackendPass lateExactInstructionsPass() { return backendPass<LateExactInstructionsPass>(); }

} // namespace fly::codegen
