#include "compiler/dataflow/RegisterUse.h"

#include "compiler/dataflow/Units.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace fly::dataflow {

void RegisterUse::add(const isa::Operand &reg) {
  const unsigned end = unsigned(reg.index) + reg.width;
  if (reg.isVgpr())
    vgprs = std::max(vgprs, end);
  if (reg.isAgpr())
    agprs = std::max(agprs, end);
  if (reg.isSgpr())
    sgprs = std::max(sgprs, end);
  vcc |= reg.isSpecial(isa::Special::VCC);
}

void RegisterUse::add(const isa::Instruction &i) {
  const llvm::StringRef op = isa::name(i.op);
  atLeast |= op.contains("MOVREL") || op.contains("SWAPREL") || op.starts_with("S_SET_GPR_IDX_ON");
  forEachRegister(i, [&](const isa::Operand &o) { add(o); });
}

} // namespace fly::dataflow
