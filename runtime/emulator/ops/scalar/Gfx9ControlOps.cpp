// Program control that only gfx9 has: VSKIP, register indexing by M0, fork and join.
//
// All three are kept in MODE (CDNA4 ISA, table of MODE): 27 GPR_IDX_EN, 28 VSKIP, 31:29 CSP. The first two change what
// the code means: each has a variant of the decoded code (Wave::codeState), in which vector instructions have other
// handlers.
//
// Fork and join walk both sides of a divergent branch. s_cbranch_*_fork continues with the side that has fewer lanes
// and pushes the other one, EXEC and address, on a stack in SGPRs: CSP entries of four registers each. s_cbranch_join
// pops it if CSP differs from its value before the fork.
#include "runtime/emulator/ops/scalar/Rows.h"
#include "runtime/emulator/ops/scalar/Control.h"
#include "runtime/emulator/lanes/Scalars.h"

#include <bit>

namespace fly::emulator {

namespace {

enum ModeBits : uint32_t { indexEnable = 1u << 27, vectorSkip = 1u << 28 };
constexpr unsigned stackShift = 29;

void setModeBit(Wave &w, uint32_t bit, bool value) { writeMode(w, value ? w.mode.bits | bit : w.mode.bits & ~bit); }

//===--------------------------------------------------------------------------------------------------------===//
// Register indexing: M0 7:0 the index, 15:12 to which operands it is added
//===--------------------------------------------------------------------------------------------------------===//

void setIndex(Wave &w, const Inst &i) {
  w.scalar[slot::m0] = (w.scalar[slot::m0] & ~0xffu) | (readScalar<uint32_t>(w, i.source[0]) & 0xff);
}
void setIndexedOperands(Wave &w, const Inst &i) {
  w.scalar[slot::m0] = (w.scalar[slot::m0] & ~0xf000u) | (i.immediate & 15) << 12;
}
void indexOn(Wave &w, const Inst &i) {
  setIndex(w, i);
  setIndexedOperands(w, i);
  setModeBit(w, indexEnable, true);
}

//===--------------------------------------------------------------------------------------------------------===//
// Fork and join
//===--------------------------------------------------------------------------------------------------------===//

/// The first SGPR of a stack entry; a fault, and false, if the kernel does not have it.
bool findEntry(Wave &w, unsigned depth, unsigned &sgpr) {
  sgpr = slot::sgpr + 4 * depth;
  if (sgpr + 4 <= w.program->limits.sgprs) return true;
  w.fail(FaultKind::RegisterOutOfRange, "the stack of forks reaches s" + std::to_string(sgpr + 3) +
                                            ", but the kernel has " + std::to_string(w.program->limits.sgprs) +
                                            " SGPRs");
  return false;
}
void setDepth(Wave &w, unsigned depth) {
  w.mode.bits = (w.mode.bits & ~(7u << stackShift)) | (depth & 7) << stackShift;
}

void fork(Wave &w, const Inst &i, uint64_t mask, uint64_t target) {
  const uint64_t exec = w.exec(), pass = mask & exec, fail = ~mask & exec;
  if (pass == exec) return jumpTo(w, target);
  if (fail == exec) return;
  const unsigned depth = w.mode.bits >> stackShift;
  unsigned entry;
  if (!findEntry(w, depth, entry)) return;
  const bool failFirst = std::popcount(fail) < std::popcount(pass);
  w.setScalar64(entry, failFirst ? pass : fail);
  w.setScalar64(entry + 2, failFirst ? target : nextAddress(w, i));
  w.setScalar64(slot::exec, failFirst ? fail : pass);
  setDepth(w, depth + 1);
  if (!failFirst) jumpTo(w, target);
}
void join(Wave &w, const Inst &i) {
  unsigned depth = w.mode.bits >> stackShift, entry;
  if (depth == readScalar<uint32_t>(w, i.source[0])) return;
  depth = (depth - 1) & 7;
  if (!findEntry(w, depth, entry)) return;
  setDepth(w, depth);
  w.setScalar64(slot::exec, w.scalar64(entry));
  jumpTo(w, w.scalar64(entry + 2));
}

// clang-format off
constexpr Row rows[] = {
    {"S_SETVSKIP", [](Wave &w, const Inst &i) {
       setModeBit(w, vectorSkip,
        readScalar<uint32_t>(w, i.source[0]) >> (readScalar<uint32_t>(w, i.source[1]) & 31) & 1); }, Row::Other},
    {"S_SET_GPR_IDX_ON", indexOn, Row::Other}, {"S_SET_GPR_IDX_IDX", setIndex, Row::Other},
    {"S_SET_GPR_IDX_MODE", setIndexedOperands, Row::Other},
    {"S_SET_GPR_IDX_OFF", [](Wave &w, const Inst &) { setModeBit(w, indexEnable, false); }, Row::Other},
    {"S_CBRANCH_G_FORK", [](Wave &w, const Inst &i) {
       fork(w, i, readScalar<uint64_t>(w, i.source[0]), readScalar<uint64_t>(w, i.source[1])); }, Row::Other},
    {"S_CBRANCH_I_FORK",
     [](Wave &w, const Inst &i) { fork(w, i, readScalar<uint64_t>(w, i.source[0]), relativeTarget(w, i)); },
     Row::Other},
    {"S_CBRANCH_JOIN", join, Row::Other},
};
// clang-format on

} // namespace

void writeMode(Wave &w, uint32_t value) {
  w.mode.set(value);
  if (!w.program->arch.generation.skipsAndIndexes) return;
  w.codeState = (value & indexEnable ? codeIndexed : 0) | (value & vectorSkip ? codeSkipping : 0);
  w.code = w.program->code(w.codeState);
}

/// "When VSKIP is enabled, no VOP*/M*BUF/MIMG/DS/FLAT instructions are issued", and they count in no counter (CDNA4
/// ISA).
void runSkipped(Wave &, const Inst &) {}

void runIndexed(Wave &w, const Inst &i) {
  Inst moved = static_cast<const std::vector<Inst> *>(i.detail)->front();
  const uint32_t index = w.scalar[slot::m0] & 0xff, operands = w.scalar[slot::m0] >> 12 & 15;
  const unsigned limit = w.program->limits.vgprs;
  auto move = [&](uint16_t &first, unsigned count) {
    first = static_cast<uint16_t>(first + index);
    if (first + count > limit)
      w.fail(FaultKind::RegisterOutOfRange,
             "indexed register v" + std::to_string(first) + " is beyond the kernel's " + std::to_string(limit));
  };
  for (unsigned n = 0; n < 3; ++n)
    if ((operands >> n & 1) && moved.source[n].kind == Source::Vector)
      move(moved.source[n].index, moved.source[n].width);
  if ((operands >> 3 & 1) && moved.hasDst && !moved.dstScalar) move(moved.dst, moved.dstWidth);
  if (w.stop != Stop::Fault) moved.run(w, moved);
}

std::span<const Row> gfx9ControlRows() { return rows; }

} // namespace fly::emulator
