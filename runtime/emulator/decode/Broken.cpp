// The handler is wrapped when the instruction is resolved, so that whole programs pay nothing.
#include "runtime/emulator/decode/Broken.h"

#include "runtime/emulator/ops/matrix/Matrix.h"
#include "runtime/emulator/wave/Pending.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace fly::emulator {

namespace {

void leaveOut(Wave &, const Inst &) {}

[[noreturn]] void hang(Wave &, const Inst &) {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

[[noreturn]] void abortProcess(Wave &, const Inst &) {
  std::fputs("Memory access fault by GPU node-1 on address (nil). Reason: planted.\n", stderr);
  std::abort();
}

/// What was wrapped, with what s_set_gpr_idx changed in the operands.
Inst intact(const Inst &inst) {
  const Inst &whole = *static_cast<const std::vector<Inst> *>(inst.detail)->data();
  Inst original = inst;
  original.run = whole.run;
  original.detail = whole.detail;
  return original;
}

/// Runs the instruction, then complements its results: registers, mask, or SCC if there is nothing else.
void complementResult(Wave &w, const Inst &inst) {
  const uint64_t exec = w.exec() & w.laneMask;
  const Inst original = intact(inst);
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

/// What the wait guarantees is there after the next one like it.
void waitTooLate(Wave &w, const Inst &inst) {
  if (!w.pending) return;
  const Inst original = intact(inst);
  w.pending->isLate = true;
  original.run(w, original);
  w.pending->isLate = false;
}

/// The bits of element v of a lane, in registers from `words` on.
struct ElementBits {
  uint32_t *words;
  unsigned bits;
  uint64_t get(unsigned v, unsigned lane) const {
    const unsigned at = v * bits;
    const uint32_t low = words[at / 32 * laneStride + lane];
    if (bits == 64) return low | static_cast<uint64_t>(words[(at / 32 + 1) * laneStride + lane]) << 32;
    return bits == 32 ? low : low >> at % 32 & ((1u << bits) - 1);
  }
  void set(unsigned v, unsigned lane, uint64_t value) const {
    const unsigned at = v * bits;
    uint32_t &low = words[at / 32 * laneStride + lane];
    if (bits >= 32) low = static_cast<uint32_t>(value);
    else low = (low & ~(((1u << bits) - 1) << at % 32)) | static_cast<uint32_t>(value) << at % 32;
    if (bits == 64) words[(at / 32 + 1) * laneStride + lane] = static_cast<uint32_t>(value >> 32);
  }
};

/// Exchanges rows and columns of a matrix that is held like D; only the order of its rows is turned if it is not
/// square.
void transpose(const Matrix &x, uint32_t *registers, unsigned bits) {
  const unsigned size = static_cast<unsigned>(x.m) * x.n;
  std::vector<uint64_t> values(size_t(size) * x.blocks);
  const ElementBits held{registers, bits};
  const auto each = [&](auto f) {
    for (unsigned v = 0; v < x.elementsD(); ++v)
      for (unsigned l = 0; l < x.lanes; ++l) f(v, l, x.mapD(x, v, l));
  };
  each([&](unsigned v, unsigned l, Place p) { values[p.block * size + p.row * x.n + p.column] = held.get(v, l); });
  each([&](unsigned v, unsigned l, Place p) {
    const unsigned from = x.m == x.n ? p.column * x.n + p.row : (x.m - 1 - p.row) * x.n + p.column;
    held.set(v, l, values[p.block * size + from]);
  });
}

/// The product of a machine whose C and D have other places than the compiler thinks.
void transposeResult(Wave &w, const Inst &inst) {
  const Inst original = intact(inst);
  const auto &plan = *static_cast<const MatrixPlan *>(original.detail);
  const unsigned bitsC = bitsOf(plan.matrix.typeC()), wordsC = plan.registersC * laneStride;
  const bool hasC = inst.source[2].kind == Source::Vector;
  uint32_t *c = hasC ? w.reg(inst.source[2].index) : nullptr, *d = w.reg(inst.dst);
  std::vector<uint32_t> before;
  if (hasC) {
    before.assign(c, c + wordsC);
    transpose(plan.matrix, c, bitsC);
  }
  original.run(w, original);
  const std::vector<uint32_t> result(d, d + plan.registersD * laneStride);
  std::copy(before.begin(), before.end(), c);
  std::copy(result.begin(), result.end(), d);
  if (w.stop != Stop::Fault) transpose(plan.matrix, d, bitsOf(plan.matrix.d));
}

void wrap(Program &program, Inst &inst, Handler run) {
  program.components.push_back({inst});
  inst.detail = &program.components.back();
  inst.run = run;
}

} // namespace

bool isMemoryWait(isa::Op op) {
  const std::string_view name = isa::name(op);
  if (name == "S_WAITCNT") return true;
  if (!name.starts_with("S_WAIT_")) return false;
  for (std::string_view counter : {"LOADCNT", "STORECNT", "DSCNT", "KMCNT", "SAMPLECNT", "BVHCNT", "ASYNCCNT",
                                   "TENSORCNT", "LOADCNT_DSCNT", "STORECNT_DSCNT"})
    if (name.substr(7) == counter) return true;
  return false;
}

bool isCacheControl(isa::Op op) {
  const std::string_view name = isa::name(op);
  return name == "BUFFER_INV" || name == "BUFFER_WBL2" || name == "GLOBAL_INV" || name == "GLOBAL_WB" ||
         name == "GLOBAL_WBINV";
}

bool isMatrixProduct(isa::Op op) {
  for (const auto &names : {mfmaNames(), wmmaNames()})
    if (std::find(names.begin(), names.end(), isa::name(op)) != names.end()) return true;
  return false;
}

void breakInstruction(Program &program, const isa::Instruction &instruction, Inst &inst) {
  using isa::Class;
  const Breakage &broken = program.broken;
  if (broken.how == Breakage::Hangs || broken.how == Breakage::Aborts) {
    inst.run = broken.how == Breakage::Hangs ? hang : abortProcess;
    return;
  }
  if (broken.how == Breakage::Transposed) return wrap(program, inst, transposeResult);
  if (broken.how == Breakage::Lost) {
    if (isMemoryWait(instruction.op)) wrap(program, inst, waitTooLate);
    else if (!broken.reach || reachOf(instruction) == *broken.reach) inst.run = leaveOut;
    return;
  }
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
  wrap(program, inst, complementResult);
}

} // namespace fly::emulator
