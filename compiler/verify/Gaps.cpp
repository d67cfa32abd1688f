// What the proof does not follow. Each is a reason for "not proved", with its place; none is passed over in silence.
#include "compiler/isa/Decoder.h"
#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::verify {

namespace {

/// Hardware registers, as s_setreg numbers them.
constexpr uint16_t schedulingMode = 26;

/// `s_trap 2` ends the wave: LLVM's trap of code that is not to be reached (AMDGPUUsage, "Trap Handler ABI").
bool endsByTrap(const isa::Instruction &i) {
  const isa::Operand *number = i.find(isa::Role::Simm);
  return isa::name(i.op) == "S_TRAP" && number && number->bits == 2;
}

/// gfx1250 reaches more than 256 VGPRs through a state. The decoder follows it from instruction to instruction, so its
/// registers are right if on every edge the state at the end of the one block is that at the begin of the other.
void checkRegisterBanks(Program &program) {
  if (!program.target.hasFeature("vgpr_msb"))
    return;
  auto blocks = program.flow.blocks();
  std::vector<uint8_t> begin(blocks.size()), end(blocks.size());
  isa::VgprMsb state;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    begin[b] = state.bits;
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      state.set(program.code[i]);
    end[b] = state.bits;
  }
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t to : blocks[b].successors)
      if (program.flow.reachable(b) && end[b] != begin[to])
        program.gap(blocks[to].first, "paths with different states of s_set_vgpr_msb meet");
}

} // namespace

void findGaps(Program &program) {
  auto blocks = program.flow.blocks();
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!program.flow.reachable(b))
      continue;
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      const isa::Instruction &instruction = program.code[i];
      if (program.isCall(i))
        program.gap(i, "a call");
      else if (instruction.is(isa::Class::Unknown) || instruction.op == isa::Op::Invalid)
        program.gap(i, "an instruction whose effect is not known");
      else if (instruction.modifiers.hardwareRegister == schedulingMode && program.target.generation.schedulingMode &&
               llvm::StringRef(isa::name(instruction.op)).starts_with("S_SETREG"))
        program.gap(i, "a scheduling mode in which the hardware waits for less");
    }
    const uint32_t last = blocks[b].last - 1;
    const isa::Instruction &end = program.code[last];
    if (!blocks[b].leaves || program.isCall(last) || endsByTrap(end))
      continue;
    program.gap(last, end.isBranch() ? end.target() ? "a jump out of the code" : "a jump through a register"
                                     : "execution runs off the end of the code");
  }
  checkRegisterBanks(program);
}

} // namespace fly::verify
