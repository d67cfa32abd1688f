// See Remarks.h.
#include "compiler/report/Remarks.h"

#include "compiler/target/Target.h"

#include <set>

namespace fly::report {

namespace {

/// gfx942 and gfx950 have one file of vector registers: aN is the register accum_offset + N, and so is v(accum_offset +
/// N).
std::string twoNames(const isa::CodeObject &object, const Code &code) {
  const target::Target *target = target::findReadable(object.architecture());
  if (!target || !target->unifiedRegisters)
    return "";
  const unsigned offset = code.kernel->descriptor.accumOffset;
  std::set<unsigned> asVgpr, asAgpr;
  for (const isa::Instruction &instruction : code.instructions)
    for (const isa::Operand &operand : instruction.operands)
      for (unsigned i = 0; i < operand.width; ++i) {
        if (operand.isVgpr() && operand.index + i >= offset)
          asVgpr.insert(operand.index + i);
        else if (operand.isAgpr())
          asAgpr.insert(offset + operand.index + i);
      }
  unsigned both = 0, first = 0;
  for (unsigned reg : asVgpr)
    if (asAgpr.count(reg) && both++ == 0)
      first = reg;
  if (!both)
    return "";
  return (both == 1 ? "1 register has two names in this code"
                    : std::to_string(both) + " registers have two names in this code, the first of them") +
         ": v" + std::to_string(first) + " is a" + std::to_string(first - offset) + ", because accum_offset is " +
         std::to_string(offset);
}

/// gfx1250 fetches instructions beyond the end of the code.
std::string padding(const isa::CodeObject &object, const Code &code) {
  constexpr uint64_t needed = 256;
  const target::Target *target = target::findReadable(object.architecture());
  const uint64_t end = code.kernel->entry + code.kernel->codeSize;
  if (!target || !target->cdna5Arithmetic || !object.bytesAt(end, needed).empty())
    return "";
  return "less than " + std::to_string(needed) +
         " bytes follow the code, so instruction prefetch may read past its memory (CDNA5 ISA 2.4)";
}

} // namespace

std::vector<std::string> remarksOf(const isa::CodeObject &object, const Code &code) {
  std::vector<std::string> remarks;
  if (!code.kernel)
    return remarks;
  for (const isa::Contradiction &c : code.kernel->contradictions)
    remarks.push_back("`." + c.field + "` of the metadata is " + std::to_string(c.note) +
                      ", the kernel descriptor says " + std::to_string(c.descriptor) +
                      "; the hardware follows the descriptor, and so do these figures");
  for (const std::string &remark : code.kernel->remarks)
    remarks.push_back(remark);
  for (auto remark : {twoNames, padding})
    if (std::string text = remark(object, code); !text.empty())
      remarks.push_back(std::move(text));
  return remarks;
}

} // namespace fly::report
