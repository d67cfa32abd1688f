// The handler is wrapped when the instruction is resolved, so that whole programs pay nothing.
#include "runtime/emulator/decode/Broken.h"

namespace fly::emulator {

namespace {

void leaveOut(Wave &, const Inst &) {}

/// Runs the instruction, then complements its results: registers, mask, or SCC if there is nothing else.
void complementResult(Wave &w, const Inst &inst) {
  const Inst &whole = *static_cast<const std::vector<Inst> *>(inst.detail)->data();
  const uint64_t exec = w.exec() & w.laneMask;
  Inst original = inst; // with what s_set_gpr_idx changed in the operands
  original.run = whole.run;
  original.detail = whole.detail;
  original.run(w, original);
  if (w.stop == Stop::Fault) return;
  bool changed = false;
  if (inst.hasDst && !inst.dstScalar) {
    const uint32_t bits = inst.half == Half16::WriteHigh                        ? 0xffff0000u
                          : inst.half == Half16::KeepHigh && inst.dstWidth == 1 ? 0xffffu
                                                                                : ~0u;
    for (unsigned r = 0; r < inst.dstWidth; ++r)
      for (unsigned l = 0; l < w.lanes; ++l)
        if (exec >> l & 1) w.vector[(inst.dst + r) * laneStride + l] ^= bits;
    changed = inst.dstWidth != 0;
  } else if (inst.hasDst) {
    for (unsigned r = 0; r < inst.dstWidth; ++r) w.scalar[inst.dst + r] ^= inst.dst + r == slot::scc ? 1 : ~0u;
    changed = true;
  }
  if (inst.sdst != slot::sink) {
    w.setMask(inst.sdst, ~w.mask(inst.sdst) & w.laneMask);
    changed = true;
  }
  if (!changed) w.setScc(!w.scc());
}

} // namespace

void breakInstruction(Program &program, const isa::Instruction &instruction, Inst &inst) {
  using isa::Class;
  const bool computes = instruction.cls == Class::Vector || instruction.cls == Class::Transcendental ||
                        instruction.cls == Class::Matrix || instruction.cls == Class::Scalar;
  // A wrong MODE or M0 is one that was not written.
  bool result = false;
  for (const isa::Operand &o : instruction.operands)
    result |= o.def && o.isRegister() &&
              (!o.isSpecial() || o.isSpecial(isa::Special::VCC) || o.isSpecial(isa::Special::EXEC) ||
               o.isSpecial(isa::Special::SCC));
  if (!computes || !result) {
    inst.run = leaveOut;
    return;
  }
  program.components.push_back({inst});
  inst.detail = &program.components.back();
  inst.run = complementResult;
}

} // namespace fly::emulator
