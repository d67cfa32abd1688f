// What the files of the machine share: questions about operands and instructions that one line answers.
#pragma once

#include "tests/emulator/pseudocode/Machine.h"

namespace fly::pseudocode {

using isa::Form;
using isa::Operand;
using isa::Role;
using isa::Special;
namespace slot = emulator::slot;
constexpr unsigned stride = emulator::laneStride;

inline bool isVector(const Operand &o) { return o.isVgpr() || o.isAgpr(); }
inline bool isMix(const isa::Instruction &inst) {
  std::string_view n = isa::name(inst.op);
  return n.find("_MIX") != n.npos;
}
inline bool isMemory(const isa::Instruction &inst) {
  return inst.cls == isa::Class::VectorMemory || inst.cls == isa::Class::Lds || inst.cls == isa::Class::ScalarMemory;
}
/// Its place among the wave's scalars, -1: nowhere. Throws Unsupported.
int scalarSlot(const Operand &o);

} // namespace fly::pseudocode
