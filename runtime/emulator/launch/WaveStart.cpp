// Registers as the hardware's dispatcher leaves them; everything else is poison, so that a value that was never
// written is seen as one.
#include "runtime/emulator/launch/Launch.h"
#include "runtime/emulator/wave/Pending.h"

#include <algorithm>

namespace fly::emulator {

namespace {

/// User SGPRs, in the order of the kernel code properties, then what the hardware appends. Returns which were set.
ScalarSet startScalars(const LaunchPlan &plan, Wave &w) {
  const isa::KernelDescriptor &d = plan.kernel.descriptor;
  unsigned s = 0;
  ScalarSet set;
  auto put32 = [&](uint32_t v) {
    if (s < 106) w.scalar[s] = v, set[s] = true;
    ++s;
  };
  auto put64 = [&](uint64_t v) {
    put32(static_cast<uint32_t>(v));
    put32(static_cast<uint32_t>(v >> 32));
  };
  if (d.privateSegmentBuffer) {
    put64(0);
    put64(0);
  }
  if (d.dispatchPtr) put64(plan.dispatch);
  if (d.queuePtr) put64(plan.queue);
  if (d.kernargSegmentPtr) put64(plan.kernarg);
  if (d.dispatchId) put64(1);
  if (d.flatScratchInit) put64(0);
  if (d.privateSegmentSize) put32(plan.scratchBytes);
  for (unsigned k = 0; k < d.preloadLength; ++k) {
    uint32_t v = 0;
    if (const uint8_t *p = plan.memory.host(plan.kernarg + 4ull * (d.preloadOffset + k), 4)) std::memcpy(&v, p, 4);
    put32(v);
  }
  s = std::max<unsigned>(s, d.userSgprs);
  const uint32_t *id = w.group->id;
  if (plan.arch.generation.idsInTtmp) {
    // In a cluster TTMP9 and TTMP7 hold the cluster's id and TTMP6 the workgroup's place in it, each dimension's
    // largest place and the largest flat one; LLVM computes the workgroup's id from these.
    const Cluster *c = w.group->cluster;
    const bool clustered = c && c->groups() > 1;
    const uint32_t *grid = clustered ? c->id : id, *m = w.group->member;
    w.scalar[slot::ttmp + 9] = grid[0];
    // "If GridZ is not programmed in an entry function then the hardware will set it to all zeros" (LLVM,
    // SIISelLowering.cpp): code that does not use z takes the whole register for y.
    w.scalar[slot::ttmp + 7] = d.workgroupIdZ ? (grid[1] & 0xffff) | grid[2] << 16 : grid[1];
    w.scalar[slot::ttmp + 8] = (w.index & 31) << 25;
    w.scalar[slot::ttmp + 6] = !clustered
                                   ? 0
                                   : m[0] | m[1] << 4 | m[2] << 8 | (c->dims[0] - 1) << 12 | (c->dims[1] - 1) << 16 |
                                         (c->dims[2] - 1) << 20 | (c->groups() - 1) << 24;
  } else {
    if (d.workgroupIdX) put32(id[0]);
    if (d.workgroupIdY) put32(id[1]);
    if (d.workgroupIdZ) put32(id[2]);
    if (d.workgroupInfo) put32(0);
  }
  return set;
}

} // namespace

ScalarSet startWave(const LaunchPlan &plan, Program &program, Wave &w, Workgroup &group, unsigned index) {
  const isa::KernelDescriptor &d = plan.kernel.descriptor;
  uint32_t *vector = w.vector;
  uint8_t *scratch = w.scratch;
  auto pending = std::move(w.pending);
  auto observers = std::move(w.observers);
  w = Wave();
  w.observers = std::move(observers);
  w.observers.clear();
  w.pending = std::move(pending);
  if (w.pending) w.pending->reset();
  w.checkWaits = plan.config.checks.waits;
  w.checkHazards = plan.config.checks.hazards;
  w.checkDoubts = std::min(plan.config.checks.hazards, plan.config.checks.doubts);
  w.checkBarriers = plan.config.checks.barriers;
  w.hazards = isa::HazardState(program.arch.cdna5Arithmetic);
  w.sgprs = isa::SgprState(plan.waveSize);
  w.waitStates = isa::WaitStateQueue(isa::WaitStateQueue::machineOf(program.arch));
  w.vector = vector;
  w.scratch = scratch;
  w.scratchBytes = plan.scratchBytes;
  w.index = index;
  w.program = &program;
  w.group = &group;
  w.memory = &plan.memory;
  w.lanes = plan.waveSize;
  w.laneMask = plan.waveSize == 64 ? ~0ull : 0xffffffffull;
  std::fill(std::begin(w.scalar), std::end(w.scalar), poisonWord);
  std::memset(w.scalar + slot::zero, 0, 32 * 4);
  std::fill_n(vector, program.registerCount() * laneStride, poisonWord);
  if (w.scratchBytes) std::memset(w.scratch, poisonByte, static_cast<size_t>(w.lanes) * w.scratchBytes);

  const ScalarSet scalars = startScalars(plan, w);
  w.setScalar64(slot::flatScratch, static_cast<uint64_t>(plan.arch.globalScratch ? globalScratchBase : privateAperture)
                                       << 32);
  w.scalar[slot::scc] = 0;

  const auto &block = plan.config.block;
  uint64_t exec = 0;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t item = index * w.lanes + l;
    uint32_t x = item % block[0], y = item / block[0] % block[1], z = item / block[0] / block[1];
    if (item < plan.workItems) exec |= 1ull << l;
    vector[l] = x | y << 10 | z << 20;
  }
  w.setScalar64(slot::exec, exec);
  w.mode.useRulesOf(plan.arch.generation);
  w.mode.approximation = static_cast<int8_t>(plan.config.approximation);
  w.mode.fastMatrix = plan.config.matrix == MatrixArithmetic::Fast;
  w.mode.set(d.roundMode32 | d.roundMode16_64 << 2 | d.denormMode32 << 4 | d.denormMode16_64 << 6 |
             (d.fp16Overflow ? 1u << 23 : 0) | (d.dx10Clamp ? 1u << 8 : 0) | (d.ieeeMode ? 1u << 9 : 0));
  uint64_t entry = plan.kernel.entry + plan.module.bias;
  if (plan.arch.preloadPrologue && d.preloadLength) entry += 256;
  w.pc = program.indexOf(entry);
  return scalars;
}

} // namespace fly::emulator
