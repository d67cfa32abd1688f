// Instructions that run twice, and what they decide; see InitCheck.h.
#include "runtime/emulator/watch/InitCheck.h"

#include <algorithm>
#include <bit>

namespace fly::emulator {

using isa::Class;

namespace {

/// A comparison: its result is one bit, which may be the same in both runs by chance.
bool isComparison(std::string_view name) {
  const bool vector = name.starts_with("V_CMP_") || name.starts_with("V_CMPX_");
  const auto rest = name.substr(name.find("CMP") == name.npos ? 0 : name.find('_', 2) + 1);
  const bool constant = rest.starts_with("F_") || rest.starts_with("T_") || rest.starts_with("TRU_");
  return (vector && !constant) || name.starts_with("S_CMP");
}

/// SCC is whether the result is not zero.
bool sccIsNonZero(std::string_view name) {
  for (std::string_view prefix : {"S_AND", "S_OR", "S_XOR", "S_NAND", "S_NOR", "S_XNOR", "S_NOT", "S_LSHL_B", "S_LSHR",
                                  "S_ASHR", "S_BFE", "S_BCNT"})
    if (name.starts_with(prefix)) return true;
  return false;
}

/// The bits of a word that a comparison reads of a source of 32 bits or fewer.
uint32_t bitsRead(const Source &s, std::string_view name) {
  uint32_t bits = s.bits == 16 || name.ends_with("16") ? 0xffffu : ~0u;
  if (s.change & Source::Selected)
    bits = s.select < 4 ? 0xffu << 8 * s.select : s.select < 6 ? 0xffffu << 16 * (s.select - 4) : ~0u;
  if (s.change & Source::HighHalf) bits <<= 16;
  return bits;
}

} // namespace

const isa::Instruction &InitCheck::instructionOf(const Wave &w, const Inst &i) {
  return w.program->instructions[i.number];
}

void InitChecks::begin(Wave &w, const WaveStart &start) {
  if (start.isFirst()) {
    begun = 0;
    memories.lds.begin(start.lds.data(), start.lds.size());
    memories.scratch.begin(start.scratch.data(), start.scratch.size());
  }
  if (begun == waves.size()) waves.emplace_back(memories, mode);
  waves[begun++].start(w, start.scalars);
}

void InitCheck::start(Wave &w, const ScalarSet &scalars) {
  auto pending = std::move(registers.other.pending);
  registers.begin(w, scalars);
  registers.other.pending = std::move(pending);
  if (registers.other.pending) registers.other.pending->reset();
  group = *w.group;
  if (w.group->ldsBytes) group.lds = memories.lds.at(reinterpret_cast<uint64_t>(w.group->lds));
  if (w.scratchBytes) registers.other.scratch = memories.scratch.at(reinterpret_cast<uint64_t>(w.scratch));
  registers.other.group = &group;
  idleTwins.clear();
  for (Twin &t : twins) idleTwins.push_back(&t);
  w.observers.add(*this, {Hook::Execution});
}

bool InitCheck::concerns(const Wave &w, const Inst &i) const {
  const uint64_t lanes = i.lanesApart || i.counters ? w.exec() & w.laneMask : w.laneMask;
  for (const RegisterRange &r : registers.rangesOf(i))
    if (registers.isUnset(r, lanes)) return true;
  return false;
}

void InitCheck::execute(Wave &w, const Inst &i) {
  const isa::Instruction &from = instructionOf(w, i);
  switch (from.cls) {
  case Class::ScalarMemory:
  case Class::VectorMemory:
  case Class::Lds: return executeMemory(w, i);
  default: break;
  }
  if (!concerns(w, i)) return i.run(w, i);
  switch (from.cls) {
  case Class::Branch:
  case Class::Barrier:
  case Class::Wait:
  case Class::End:
  case Class::Message:
  case Class::Hint: return control(w, i);
  default: return compute(w, i);
  }
}

/// Of the unset values that the instruction reads, the origin of the first; that of its results' old values is the
/// last.
Origin InitCheck::readFrom(const Wave &w, const Inst &i) const {
  const uint64_t lanes = i.lanesApart ? w.exec() & w.laneMask : w.laneMask;
  const auto ranges = registers.rangesOf(i);
  const auto isResult = [&](const RegisterRange &r) { // the old value of what is written
    return std::any_of(ranges.begin(), ranges.end(), [&](const RegisterRange &other) {
      return other.written && other.scalar == r.scalar && other.first == r.first;
    });
  };
  for (const bool results : {false, true})
    for (const RegisterRange &r : ranges) {
      if (r.written || isResult(r) != results) continue;
      Origin from = registers.originOf(r, lanes);
      if (from.kind == Origin::None) continue;
      if (!from.reader) from.reader = i.number;
      return from;
    }
  return {};
}

void InitCheck::compute(Wave &w, const Inst &i) {
  const Origin from = readFrom(w, i);
  const auto ranges = registers.rangesOf(i);
  const uint64_t active = w.exec() & w.laneMask;
  Wave &other = registers.other;
  registers.copy(ranges);
  i.run(w, i);
  if (w.stop == Stop::Fault) return;
  i.run(other, i);
  if (from.kind != Origin::None) compareDecides(w, i, active);
  sameState(w, from);
  registers.compare(ranges, from);
}

/// A bit that depends on unset values is another one in the second run.
void InitCheck::compareDecides(const Wave &w, const Inst &i, uint64_t active) {
  Wave &other = registers.other;
  const isa::Instruction &from = instructionOf(w, i);
  const std::string_view name = isa::name(from.op);
  if (isComparison(name)) {
    uint64_t lanes = 0;
    for (unsigned n = 0; n < 2; ++n) {
      const Source &s = i.source[n];
      const uint32_t bits = s.width == 1 ? bitsRead(s, name) : ~0u;
      for (unsigned k = 0; k < s.width; ++k) {
        if (s.kind == Source::Scalar && (w.scalar[s.index + k] ^ other.scalar[s.index + k]) & bits) lanes = ~0ull;
        if (s.kind != Source::Vector || (i.dpp && n == 0)) continue; // lanes that DPP moves are compared as they come
        for (unsigned l = 0; l < w.lanes; ++l)
          if ((w.vector[size_t(s.index + k) * laneStride + l] ^ other.reg(s.index + k)[l]) & bits) lanes |= 1ull << l;
      }
    }
    if (name.starts_with("S_")) {
      if (lanes) other.setScc(!w.scc());
      return;
    }
    lanes &= active;
    const auto flip = [&](unsigned s) { other.setMask(s, (other.mask(s) & ~lanes) | (~w.mask(s) & lanes)); };
    flip(i.sdst);
    if (name.starts_with("V_CMPX_") && i.sdst != slot::exec) flip(slot::exec);
    return;
  }
  if (from.cls != Class::Scalar || !sccIsNonZero(name)) return;
  bool differs = false, certain = false; // a bit that is 1 in both runs
  for (unsigned k = 0; k < i.dstWidth; ++k) {
    const uint32_t a = w.scalar[i.dst + k], b = other.scalar[i.dst + k];
    differs |= a != b;
    certain |= (a & b) != 0;
  }
  if (i.hasDst && differs && !certain) other.setScc(!w.scc());
}

/// EXEC, MODE and the meaning of later instructions are those of the first run.
void InitCheck::sameState(Wave &w, Origin from) {
  Wave &other = registers.other;
  if (const uint64_t different = (w.exec() ^ other.exec()) & w.laneMask) {
    report(w, "EXEC is written", "", from, std::countr_zero(different));
    other.setScalar64(slot::exec, w.exec());
  }
  if (w.mode.bits != other.mode.bits || w.codeState != other.codeState)
    report(w, "a mode of the wave is written", "", from, -1);
}

/// Instructions that decide what runs next, and those that compute nothing. They run once.
void InitCheck::control(Wave &w, const Inst &i) {
  const isa::Instruction &from = instructionOf(w, i);
  const std::string_view name = isa::name(from.op);
  const auto ranges = registers.rangesOf(i);
  if (from.cls == Class::Branch || from.cls == Class::Barrier)
    for (const RegisterRange &r : ranges) {
      if (r.written || !registers.isUnset(r, 0)) continue;
      registers.copy({});
      // Whether VCC is zero does not depend on its unset bits if another one is set.
      const Wave &other = registers.other;
      const bool zero = name.starts_with("S_CBRANCH_VCC");
      const bool certain =
          zero && (w.mask(slot::vcc) == other.mask(slot::vcc) || (w.mask(slot::vcc) & other.mask(slot::vcc)) != 0);
      if (certain) continue;
      Origin origin = registers.originOf(r, 0);
      if (!origin.reader) origin.reader = i.number;
      const std::string reg = registerText(*w.program, true, r.first);
      report(w, std::string(from.cls == Class::Branch ? "a branch" : "a barrier") + " reads " + reg, reg, origin, -1);
      registers.settle(r, 0);
      if (w.stop == Stop::Fault) return;
    }
  i.run(w, i);
  for (const RegisterRange &r : ranges)
    if (r.written) registers.settle(r, w.exec() & w.laneMask);
}

std::string InitCheck::describe(Origin from) const {
  switch (from.kind) {
  case Origin::Vector:
  case Origin::Scalar: return registerText(*registers.other.program, from.kind == Origin::Scalar, from.index);
  case Origin::Lds: return "byte " + std::to_string(from.index) + " of LDS";
  case Origin::Scratch: return "byte " + std::to_string(from.index) + " of scratch";
  case Origin::None: break;
  }
  return "a register";
}

void InitCheck::report(Wave &w, const std::string &use, const std::string &reg, Origin from, int lane, uint64_t address,
                       bool hasAddress) {
  const std::string source = describe(from);
  Fault fault{FaultKind::UninitialisedRead,
              "uninitialised value: " + use +
                  (source == reg ? ", which was never written"
                   : reg.empty() ? " with a value that depends on " + source + ", which was never written"
                                 : ", whose value depends on " + source + ", which was never written"),
              lane, address, hasAddress};
  fault.earlier = from.reader == w.at ? 0 : from.reader;
  if (mode == CheckMode::Error) return w.fail(std::move(fault));
  w.observers.found(w, fault);
}

} // namespace fly::emulator
