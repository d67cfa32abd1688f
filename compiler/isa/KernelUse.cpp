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

/// Parts of names of what LLVM's backend cannot compile, or what has nothing to do in a kernel.
static const struct {
  const char *part, *why;
} refused[] = {
    {"MOVREL", "addresses registers by their numbers, which LLVM chooses"},
    {"SWAPREL", "addresses registers by their numbers, which LLVM chooses"},
    {"V_SWAP_B16", "is one that LLVM's backend cannot place"},
    {"GLOBAL_LOAD_DWORD_ADDTID", "is one that LLVM's backend cannot place"},
    {"GLOBAL_STORE_DWORD_ADDTID", "is one that LLVM's backend cannot place"},
    {"S_ATC_PROBE", "is one that LLVM's backend cannot place"},
    {"V_CVT_SCALEF32_SR_PK_FP4", "is one whose kept half LLVM's backend does not place"},
    {"_LD_SCALE", "is part of the matrix instruction after it, which LLVM may move away"},
    {"TENSOR_SAVE", "is for trap handlers"},
    {"TENSOR_STOP", "is for trap handlers"},
    {"PARAM_LOAD", "is for graphics"},
};

std::string whyNotInKernel(const Instruction &instruction, size_t results) {
  const std::string_view op = name(instruction.op);
  for (auto &row : refused)
    if (op.find(row.part) != op.npos) return row.why;
  if (instruction.form == Form::EXP) return "is for graphics";
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
    return "has no result except SCC";
  return "";
}

} // namespace fly::isa
