// What an instruction reads and writes. Operands give most of it, except for registers that are reached through an
// index (s_set_gpr_idx_*, v_movrel*, s_movrel*): such a read may concern any register from the operand's on; so may
// such a write, which ends no live range.
#include "compiler/report/Liveness.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace fly::report {

using isa::Instruction;
using isa::Operand;

namespace {

/// Whether the calling convention may pass something in it.
bool isArgument(unsigned number) {
  return number < 32 || (number >= unit::firstSgpr && number <= unit::firstSgpr + 32);
}

/// What operands of this code write.
llvm::BitVector writtenRegisters(const Code &code) {
  llvm::BitVector out(unit::count);
  for (const Instruction &i : code.instructions)
    i.forEachDef([&](const Operand &o) {
      if (auto first = dataflow::unitOf(o.file, o.index))
        out.set(*first, std::min(*first + o.width, dataflow::endOfFile(*first)));
    });
  return out;
}

/// Whether a callee may overwrite it. It need not: LLVM keeps values there over calls of functions that it knows.
bool isCallerSaved(unsigned number) {
  if (number < unit::firstAgpr)
    return number < 40 || (number / 8) % 2 == 0;
  if (number < unit::firstSgpr)
    return true;
  return number - unit::firstSgpr < 30;
}

/// Between s_set_gpr_idx_on and _off: which operands of vector instructions are indexed is in the mode, so all may be.
bool isIndexed(const Code &code, uint32_t number) {
  const Instruction &i = code.instructions[number];
  llvm::StringRef op = isa::name(i.op);
  if (op.contains("MOVREL") || op.contains("SWAPREL"))
    return true;
  if (!i.is(isa::Class::Vector))
    return false;
  const isa::Block &block = code.flow.blocks()[code.flow.blockOf(number)];
  for (uint32_t k = number; k > block.first; --k) {
    llvm::StringRef earlier = isa::name(code.instructions[k - 1].op);
    if (earlier.starts_with("S_SET_GPR_IDX_ON") || earlier.starts_with("S_SET_GPR_IDX_MODE"))
      return true;
    if (earlier.starts_with("S_SET_GPR_IDX_OFF"))
      return false;
    if (number - k > 64)
      return false;
  }
  return false;
}

} // namespace

RegisterEffects effectsOf(const Code &code, uint32_t number) {
  const Instruction &i = code.instructions[number];
  RegisterEffects out;
  const bool indexed = isIndexed(code, number);
  for (const Operand &o : i.operands) {
    const auto first = o.isRegister() ? dataflow::unitOf(o.file, o.index) : std::nullopt;
    if (!first)
      continue;
    unsigned end = std::min(*first + o.width, dataflow::endOfFile(*first));
    if (indexed && !o.def)
      end = dataflow::endOfFile(*first);
    const bool whole = !indexed && o.half == isa::Half::Whole && !o.opSel;
    for (unsigned k = *first; k < end; ++k) {
      if (!o.def)
        out.reads.push_back(k);
      else if (whole)
        out.writes.push_back(k);
      else
        out.partial.push_back(k);
    }
  }
  if (code.isCall(number)) {
    llvm::BitVector own = writtenRegisters(code) |= initialRegisters(code);
    for (unsigned k = 0; k < unit::count; ++k) {
      if (isArgument(k) && own.test(k))
        out.reads.push_back(k);
      if (isCallerSaved(k))
        out.partial.push_back(k);
    }
  }
  if (code.isReturn(number)) {
    llvm::BitVector own = writtenRegisters(code);
    for (unsigned k = 0; k < 32; ++k)
      if (own.test(k))
        out.reads.push_back(k);
  }
  return out;
}

llvm::BitVector initialRegisters(const Code &code) {
  llvm::BitVector out(unit::count);
  if (!code.kernel)
    return out.set();
  // User SGPRs, then before gfx12 the workgroup's numbers (gfx12 has them in TTMP registers, which are not counted)
  // and, where the set-up of scratch takes user SGPRs, the wave's offset in it. AMDGPUUsage, "Initial Kernel Execution
  // State".
  const isa::KernelDescriptor &d = code.kernel->descriptor;
  unsigned sgprs = d.userSgprs + d.workgroupIdX + d.workgroupIdY + d.workgroupIdZ + d.workgroupInfo;
  sgprs += d.usesPrivateSegment && (d.privateSegmentBuffer || d.flatScratchInit);
  for (unsigned k = 0; k < std::min(sgprs, unit::sgprs); ++k)
    out.set(unit::firstSgpr + k);
  for (unsigned k = 0; k <= (code.separateWorkitemIds ? d.vgprWorkitemId : 0u); ++k)
    out.set(k);
  return out;
}

static std::vector<RegisterEffects> allEffects(const Code &code) {
  std::vector<RegisterEffects> out;
  for (uint32_t i = 0; i < code.instructions.size(); ++i)
    out.push_back(effectsOf(code, i));
  return out;
}

Liveness::Liveness(const Code &code) : dataflow::Liveness(code.flow, allEffects(code), initialRegisters(code)) {}

} // namespace fly::report
