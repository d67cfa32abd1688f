// The registers that data flow follows, in one row of numbers: VGPRs, AGPRs, numbered SGPRs. VCC, M0, EXEC and the like
// are not among them.
#pragma once

#include "compiler/isa/Instruction.h"

namespace fly::dataflow {

namespace unit {
constexpr unsigned vgprs = 1024, agprs = 256, sgprs = 128;
constexpr unsigned firstAgpr = vgprs, firstSgpr = vgprs + agprs, count = vgprs + agprs + sgprs;
} // namespace unit

/// None for a register that is not followed.
inline std::optional<unsigned> unitOf(isa::RegisterFile file, unsigned index) {
  switch (file) {
  case isa::RegisterFile::VGPR: return index < unit::vgprs ? std::optional(index) : std::nullopt;
  case isa::RegisterFile::AGPR: return index < unit::agprs ? std::optional(unit::firstAgpr + index) : std::nullopt;
  case isa::RegisterFile::SGPR: return index < unit::sgprs ? std::optional(unit::firstSgpr + index) : std::nullopt;
  case isa::RegisterFile::Special: return std::nullopt;
  }
  return std::nullopt;
}

inline isa::RegisterFile fileOf(unsigned number) {
  return number < unit::firstAgpr   ? isa::RegisterFile::VGPR
         : number < unit::firstSgpr ? isa::RegisterFile::AGPR
                                    : isa::RegisterFile::SGPR;
}
/// One more than the last unit of the file that a unit is in.
inline unsigned endOfFile(unsigned number) {
  return number < unit::firstAgpr ? unit::firstAgpr : number < unit::firstSgpr ? unit::firstSgpr : unit::count;
}

/// Operands that are registers, of an instruction and of its halves.
template <class F> void forEachRegister(const isa::Instruction &i, F &&f) {
  for (const isa::Operand &o : i.operands)
    if (o.isRegister())
      f(o);
  for (const isa::Instruction &half : i.components)
    for (const isa::Operand &o : half.operands)
      if (o.isRegister())
        f(o);
}

} // namespace fly::dataflow
