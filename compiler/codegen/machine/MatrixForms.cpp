// See MatrixForms.h.
#include "compiler/codegen/machine/MatrixForms.h"

#include "compiler/codegen/machine/AccumulatorChains.h"

#include "llvm/CodeGen/TargetInstrInfo.h"

namespace fly::codegen {

namespace {
constexpr llvm::StringRef vgprForm = "_vgprcd", sameForm = "_mac";
/// Of WMMA.
constexpr llvm::StringRef sameWave32Form = "twoaddr", apartWave32Form = "threeaddr";
}

MatrixForms::MatrixForms(const llvm::TargetInstrInfo &instructions) : instructions(instructions) {
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode)
    if (llvm::StringRef name = instructions.getName(opcode);
        name.starts_with("V_MFMA_") || name.starts_with("V_SMFMAC_") || name.starts_with("V_WMMA_"))
      opcodes[name] = opcode;
}

std::optional<unsigned> MatrixForms::formInAgprs(const llvm::MachineInstr &product, bool sameRegisters) const {
  std::string name = instructions.getName(product.getOpcode()).str();
  if (size_t at = name.find(vgprForm); at != name.npos)
    name.erase(at, vgprForm.size());
  if (sameRegisters && product.getOperand(0).isEarlyClobber())
    if (size_t end = name.rfind("_e64"); end != name.npos)
      name.insert(end, sameForm);
  auto found = opcodes.find(name);
  return found == opcodes.end() ? std::nullopt : std::optional(found->second);
}

void MatrixForms::toAgprs(llvm::MachineInstr &product, bool sameRegisters) const {
  const unsigned c = accumulatorOperand(product), form = *formInAgprs(product, sameRegisters);
  product.setDesc(instructions.get(form));
  product.getOperand(0).setIsEarlyClobber(instructions.get(form).getOperandConstraint(0, llvm::MCOI::EARLY_CLOBBER) !=
                                          -1);
  if (instructions.get(form).getOperandConstraint(c, llvm::MCOI::TIED_TO) == 0 && !product.getOperand(c).isTied())
    product.tieOperands(0, c);
}

bool MatrixForms::takeApart(llvm::MachineInstr &product) const {
  std::string name = instructions.getName(product.getOpcode()).str();
  if (size_t at = name.find(sameForm); at != name.npos)
    name.erase(at, sameForm.size());
  else if (size_t at = name.find(sameWave32Form); at != name.npos)
    name.replace(at, sameWave32Form.size(), apartWave32Form);
  else
    return false;
  auto found = opcodes.find(name);
  if (found == opcodes.end())
    return false;
  product.untieRegOperand(unsigned(accumulatorOperand(product)));
  product.setDesc(instructions.get(found->second));
  product.getOperand(0).setIsEarlyClobber(true);
  return true;
}

} // namespace fly::codegen
