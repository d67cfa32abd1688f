// Private: an instruction in the assembler's words becomes an instruction of LLVM's backend.
//
//     v_fma_f32 $0, -$1, $2, 1.0 clamp        with $0, $1, $2 in VGPRs, not yet chosen (compiler/protocol/Assembly.h)
//
//   1. the operands are spelled as registers of their files and widths that stand for them: v0, v32, v64
//   2. LLVM's assembler matches the text, and so checks kinds of operands and modifiers
//   3. the backend's instruction for it is found (BackendForm.h)
//   4. where a register stands for an operand, that operand is put
#pragma once

#include "compiler/isa/Assembler.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineMemOperand.h"

#include <memory>
#include <string>

namespace llvm {
class MachineFunction;
class TargetInstrInfo;
class TargetRegisterInfo;
} // namespace llvm

namespace fly::codegen {

class ExactAssembly {
public:
  explicit ExactAssembly(llvm::MachineFunction &function);

  /// Builds the instruction in front of a statement. `registers` are those of the statement's operands in the order of
  /// their numbers; null where it has none. Returns why it cannot be built, or an empty text.
  std::string build(llvm::MachineInstr &statement, llvm::StringRef text, llvm::ArrayRef<llvm::Register> registers);

private:
  /// The register that stands for operand `number`, in the assembler's spelling.
  std::string spelled(llvm::Register reg, unsigned number) const;
  std::string spell(llvm::StringRef text, llvm::ArrayRef<std::string> spellings, std::string &wrong,
                    llvm::DenseMap<unsigned, unsigned> &former);
  bool keepsText(const llvm::MCInstrDesc &description) const;
  void buildText(llvm::MachineInstr &statement, llvm::StringRef text) const;
  unsigned backendRegister(unsigned encoded) const;
  unsigned registerCalled(llvm::StringRef name) const;
  unsigned subregister(llvm::StringRef name) const;
  unsigned takeHalf(std::string &spelling) const;
  void addMemoryOperands(llvm::MachineInstr &instruction) const;
  llvm::MachinePointerInfo anywhere(unsigned space) const;

  llvm::MachineFunction &function;
  const llvm::TargetInstrInfo &instructions;
  const llvm::TargetRegisterInfo &registers;
  std::unique_ptr<isa::Assembler> assembler;
};

} // namespace fly::codegen
