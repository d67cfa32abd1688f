#include "runtime/emulator/timing/Cost.h"

#include "compiler/target/Target.h"

#include <algorithm>

namespace fly::emulator {

namespace {

/// The first word of the disassembly without the encoding's suffix: the assembler's name.
std::string_view mnemonicOf(std::string_view text) {
  std::string_view word = text.substr(0, text.find_first_of(" \t"));
  for (std::string_view suffix : {"_e64", "_e32", "_dpp", "_sdwa"})
    if (word.ends_with(suffix)) word.remove_suffix(suffix.size());
  return word;
}

uint32_t rounded(double cycles) { return cycles <= 0 ? 0 : static_cast<uint32_t>(cycles + 0.5); }

/// Whether all operands of an f8f6f4 product are of the narrow formats that run at twice the rate: below 8 bits on
/// gfx950, of 4 bits on gfx1250. Formats: 0 and 1 have 8 bits, 2 and 3 six, 4 four.
bool isNarrow(const isa::Instruction &i, bool isWmma) {
  const isa::Modifiers &m = i.modifiers;
  const unsigned least = isWmma ? 4 : 2, a = isWmma ? m.matrixAFormat : m.cbsz, b = isWmma ? m.matrixBFormat : m.blgp;
  return a >= least && b >= least;
}

/// Bytes of a lane's A (Src0) or B (Src1).
unsigned sourceBytes(const isa::Instruction &i, isa::Role role) {
  const isa::Operand *o = i.find(role);
  return o && o->isRegister() ? 4u * o->width : 0;
}

void matrixCost(Cost &c, const Machine &m, const isa::Instruction &i, std::string_view mnemonic, bool wide) {
  c.slot = Slot::Vector, c.matrix = true;
  const bool isWmma = i.form == isa::Form::WMMA;
  double cycles = isWmma                                      ? 8
                  : mnemonic.find("_32x32x") != mnemonic.npos ? 32
                  : mnemonic.find("_4x4x") != mnemonic.npos   ? 8
                                                              : 16;
  // What is not in the table takes as long as its relatives of the same shape.
  if (auto found = m.matrixCycles.find(mnemonic); found != m.matrixCycles.end()) {
    const bool narrow = isNarrow(i, isWmma);
    cycles = narrow ? found->second.narrow : found->second.cycles;
    const std::string &window = narrow ? found->second.narrowWindow : found->second.window;
    if (!window.empty()) c.window = &window;
  }
  c.busy = rounded(cycles * (wide ? 2 : 1));
  c.latency = c.busy + rounded(m.matrixLatency);
  const unsigned a = sourceBytes(i, isa::Role::Src0), b = sourceBytes(i, isa::Role::Src1);
  c.head = m.matrixHead < 0 ? c.busy : rounded(m.matrixHead + m.matrixHeadSource * (std::max(a, b) / 16));
  if (m.packedGap >= 0) c.packedGap = c.busy + rounded(m.packedGap + (a >= 16 ? m.packedGapWide : 0));
}

/// Instructions that never start while the matrix unit runs.
bool isPacked(std::string_view mnemonic) {
  const bool isWide = mnemonic.ends_with("_f32") || mnemonic == "v_pk_mov_b32";
  return (mnemonic.starts_with("v_pk_") && isWide) || mnemonic.starts_with("v_dot");
}

void vectorCost(Cost &c, const Machine &m, const isa::Instruction &i, std::string_view mnemonic, bool wide) {
  c.slot = Slot::Vector;
  double busy = m.vectorCycles, latency = m.vectorLatency;
  c.transcendental = i.cls == isa::Class::Transcendental;
  c.packed = m.packedGap >= 0 && isPacked(mnemonic);
  if (c.transcendental) busy = m.transcendentalCycles, latency = m.transcendentalLatency;
  else if (mnemonic.find("_f64") != mnemonic.npos) busy = m.doubleCycles, latency = m.doubleLatency;
  else if (mnemonic.starts_with("v_pk_") && mnemonic.ends_with("_f32")) busy = m.packedCycles;
  else if (mnemonic.starts_with("v_permlane") && mnemonic.find("_swap") != mnemonic.npos) busy = m.swapCycles;
  if (wide) busy *= 2; // wave64 where the unit has 32 lanes
  c.busy = rounded(busy);
  c.issue = c.transcendental ? std::min(rounded(m.transcendentalIssue * (wide ? 2 : 1)), c.busy) : c.busy;
  c.latency = std::max(rounded(latency), c.busy);
}

uint32_t immediateOf(const isa::Instruction &i) {
  const isa::Operand *o = i.find(isa::Role::Simm);
  if (!o) o = i.find(isa::Role::Src0);
  return o && o->isImmediate() ? static_cast<uint32_t>(o->bits) : 0;
}

void hintCost(Cost &c, const Machine &m, const isa::Instruction &i, std::string_view mnemonic) {
  const auto turn = rounded(m.turn);
  if (mnemonic == "s_nop") c.pause = (immediateOf(i) & 15) * turn;
  else if (mnemonic == "s_sleep") c.pause = (immediateOf(i) & 127) * 64;
  else if (mnemonic == "s_setprio") c.special = Cost::Priority, c.priority = immediateOf(i) & 3;
}

} // namespace

std::vector<Cost> costsOf(const Trace &trace, const Machine &machine, unsigned waveSize) {
  std::vector<Cost> costs;
  costs.reserve(trace.code.size());
  const bool wide = machine.turn < 2 && waveSize == 64;
  const bool hasPipe = target::findReadable(machine.architecture)->dmaOnVectorPipe;
  for (const TracedInstruction &t : trace.code) {
    const isa::Instruction &i = t.instruction;
    const std::string_view mnemonic = mnemonicOf(t.text);
    Cost &c = costs.emplace_back();
    c.address = i.address;
    c.line = static_cast<uint32_t>(i.address / 64);
    c.increments = i.increments;
    c.hasUse = t.hasUse;
    c.ranges = &t.ranges;
    switch (i.cls) {
    case isa::Class::Vector:
    case isa::Class::Transcendental:
    case isa::Class::Unknown: vectorCost(c, machine, i, mnemonic, wide); break;
    case isa::Class::Matrix: matrixCost(c, machine, i, mnemonic, wide); break;
    case isa::Class::Scalar: c.slot = Slot::Scalar, c.busy = 1, c.latency = rounded(machine.scalarLatency); break;
    case isa::Class::ScalarMemory: c.slot = Slot::ScalarMemory; break;
    case isa::Class::VectorMemory:
      c.slot = Slot::VectorMemory;
      c.vectorPipe = hasPipe && (mnemonic.starts_with("tensor_") || mnemonic.find("_lds_") != mnemonic.npos ||
                                 mnemonic.find("_async_") != mnemonic.npos);
      break;
    case isa::Class::Lds: c.slot = Slot::Lds; break;
    case isa::Class::Wait:
      c.special = Cost::Wait, c.limits = i.waits;
      c.pause = rounded(std::max(0.0, machine.waitCycles - machine.turn));
      break;
    case isa::Class::Barrier:
      c.special = Cost::Barrier;
      c.signals = mnemonic == "s_barrier" || mnemonic.find("signal") != mnemonic.npos;
      c.waits = mnemonic == "s_barrier" || mnemonic.ends_with("wait");
      break;
    case isa::Class::Branch: {
      c.slot = Slot::Branch, c.branch = true;
      if (auto target = i.target()) c.target = *target;
      break;
    }
    case isa::Class::End: c.special = Cost::End; break;
    case isa::Class::Message: c.slot = Slot::Message; break;
    case isa::Class::Hint: hintCost(c, machine, i, mnemonic); break;
    }
    if (mnemonic == "buffer_inv" || mnemonic.starts_with("buffer_gl") || mnemonic == "global_inv")
      c.special = Cost::Invalidate;
  }
  return costs;
}

Stall stallOf(isa::Counter counter) {
  switch (counter) {
  case isa::Counter::Lgkm:
  case isa::Counter::Ds: return Stall::Lds;
  case isa::Counter::Km: return Stall::ScalarMemory;
  case isa::Counter::Exp: return Stall::Dependency;
  default: return Stall::VectorMemory;
  }
}

} // namespace fly::emulator
