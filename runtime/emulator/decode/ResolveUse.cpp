// What an instruction has to do with operations that are under way: the registers that it uses, the counters that it
// raises and those that it waits for.
#include "runtime/emulator/decode/Resolve.h"

#include <algorithm>

namespace fly::emulator {

using isa::Instruction;
using isa::Operand;
using isa::Role;
using isa::Special;

/// Registers whose values may be under way or unset: vector registers, SGPRs, VCC, M0, SCC and trap registers.
void Resolver::addRange(std::vector<RegisterRange> &to, const Operand &o, bool memory) const {
  if (!o.isRegister()) return;
  RegisterRange r{};
  r.count = o.width;
  r.written = o.def || (memory && o.role == Role::Old);
  if (o.isVgpr() || o.isAgpr()) {
    unsigned index = o.index + (msb && o.isVgpr() ? highBits(o.role) * 256 : 0);
    r.first = static_cast<uint16_t>(o.isAgpr() ? program.limits.firstAgpr + index : index);
    inst.vectorUse |= vectorFilter(r.first, r.count);
  } else {
    r.scalar = true;
    if (o.isSgpr()) r.first = o.index;
    else if (o.isSpecial(Special::VCC)) r.first = slot::vcc + o.sub;
    else if (o.isSpecial(Special::M0)) r.first = slot::m0;
    else if (o.isSpecial(Special::TTMP)) r.first = slot::ttmp + o.sub;
    else if (o.isSpecial(Special::SCC)) r.first = slot::scc;
    else if (o.isSpecial(Special::VCCZ)) r.first = slot::vcc, r.count = program.waveSize / 32;
    else return;
    inst.scalarUse |= scalarFilter(r.first, r.count);
  }
  to.push_back(r);
}

void Resolver::registerUse() {
  std::vector<RegisterRange> ranges;
  const bool memory = from.increments != 0;
  inst.vectorUse = inst.scalarUse = 0;
  for (const Operand &o : from.operands) addRange(ranges, o, memory);
  for (const Instruction &part : from.components)
    for (const Operand &o : part.operands) addRange(ranges, o, memory);
  if (ranges.empty()) return;
  // A register that is read and written is reported as read.
  std::sort(ranges.begin(), ranges.end(),
            [](const RegisterRange &a, const RegisterRange &b) { return a.written < b.written; });
  program.ranges.push_back(std::move(ranges));
  inst.ranges = program.ranges.back().data();
  inst.rangeCount = static_cast<uint8_t>(std::min<size_t>(program.ranges.back().size(), 255));
}

/// What the instruction is to others that must keep a distance; its registers are those of the state of s_set_vgpr_msb.
void Resolver::hazards() {
  if (inst.number < program.waitStates.size()) {
    inst.keepsDistance = true;
    inst.beginsHazard = program.waitStates[inst.number].first != 0;
  }
  if (!isa::hasHazards(program.arch)) return;
  isa::Instruction whole = from;
  if (whole.op != isa::findOp("S_SET_VGPR_MSB")) isa::VgprMsb{static_cast<uint8_t>(msb)}.apply(whole);
  program.hazards.push_back(isa::hazardUse(whole, program.arch));
  inst.hazard = &program.hazards.back();
  inst.keepsDistance = true;
  inst.beginsHazard = inst.hazard->begins();
  if (isa::SgprUse use = isa::sgprUse(from, program.arch); use.matters()) {
    program.sgprUses.push_back(std::move(use));
    inst.sgprs = &program.sgprUses.back();
    inst.beginsHazard = true;
  }
}

/// Which counters the operation increments, and in which order it decrements them; see Pending.h.
void Resolver::waits() {
  using isa::Counter;
  inst.counters = from.increments & static_cast<uint16_t>(~(isa::maskOf(Counter::X) | isa::maskOf(Counter::Exp)));
  if (from.cls == isa::Class::Wait) {
    program.waits.push_back(from.waits);
    inst.detail = &program.waits.back();
  }
  const bool toStoreCounter = from.increments & isa::maskOf(Counter::Store);
  switch (from.baseForm) {
  case isa::Form::DS:
  case isa::Form::GLOBAL:
  case isa::Form::MUBUF:
  case isa::Form::MTBUF:
  case isa::Form::TENSOR: inst.order = MemoryOrder::InOrder; break;
  case isa::Form::SCRATCH: inst.order = toStoreCounter ? MemoryOrder::ScratchStore : MemoryOrder::InOrder; break;
  case isa::Form::FLAT:
    inst.order = !program.arch.generation.flatInOrder ? MemoryOrder::None
                 : toStoreCounter                     ? MemoryOrder::ScratchStore
                                                      : MemoryOrder::InOrder;
    break;
  default: inst.order = MemoryOrder::None;
  }
}

} // namespace fly::emulator
