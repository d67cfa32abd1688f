#include "compiler/isa/KernelUse.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace fly::isa {

bool readsM0(const Instruction &instruction) {
  if (llvm::none_of(instruction.operands, [](const Operand &o) { return !o.def && o.isSpecial(Special::M0); }))
    return false;
  if (instruction.cls != Class::Lds) return true;
  const llvm::StringRef op(name(instruction.op).data(), name(instruction.op).size());
  return op.contains("ADDTID") || op.contains("APPEND") || op.contains("CONSUME") || op.contains("GWS") ||
         op.contains("ORDERED");
}

std::string whyNotInKernel(const Instruction &instruction, size_t results) {
  switch (instruction.cls) {
  case Class::Branch: return "branches";
  case Class::End: return "ends the wave";
  case Class::Barrier: return "is a barrier that flyc does not know; `barrier()` and `barrier(wait=False)` are known";
  case Class::Message: return "sends a message";
  default: break;
  }
  for (const Operand &operand : instruction.operands) {
    if (!operand.isSpecial()) continue;
    const Special special = operand.special();
    const std::string which(name(special));
    if (operand.def &&
        llvm::is_contained({Special::EXEC, Special::M0, Special::MODE, Special::VCC, Special::FlatScratch}, special))
      return "writes " + which;
    if (!operand.def && (special == Special::SCC || special == Special::VCC))
      return "reads " + which + ", which LLVM uses for other values";
  }
  if (results == 0 && instruction.cls == Class::Scalar &&
      llvm::any_of(instruction.operands, [](const Operand &o) { return o.def && o.isSpecial(Special::SCC); }))
    return "has no result but SCC";
  return "";
}

} // namespace fly::isa
