// Barriers of a replay: a wave waits for a completion that it has not passed yet, as in the emulator (wave/Barrier.h).
#include "runtime/emulator/timing/Replay.h"

namespace fly::emulator {

namespace {
constexpr int clusterBarrier = -3, workgroupBarrier = -1;
} // namespace

BarrierState &Replay::barrierOf(const WaveState &w, int number) {
  if (number == clusterBarrier) return clusterBarriers[groups[w.group].unit];
  return groups[w.group].barriers[number];
}

/// Waves that must signal. Of a named barrier the trace does not tell; each completion takes as many signals, so it is
/// their number divided by that of the completions, which the wave that waits most often has all seen.
uint64_t Replay::membersOf(const WaveState &w, int number) {
  GroupState &g = groups[w.group];
  if (number == clusterBarrier) return shape.groupsPerUnit;
  if (number <= 0) return number == workgroupBarrier ? std::max<uint32_t>(g.live, 1) : 1;
  if (auto found = g.members.find(number); found != g.members.end()) return found->second;
  uint64_t signals = 0, completions = 0;
  for (uint32_t k = 0; k < g.waves; ++k) {
    uint64_t passes = 0;
    size_t use = 0;
    for (uint32_t n : *g.first[k].path) {
      if (!costs[n].hasUse) continue;
      const MemoryUse &u = g.first[k].uses[use++];
      if (costs[n].special != Cost::Barrier || u.barrier != number) continue;
      signals += costs[n].signals, passes += costs[n].waits;
    }
    completions = std::max(completions, passes);
  }
  return g.members[number] = static_cast<uint32_t>(std::max<uint64_t>(1, signals / std::max<uint64_t>(1, completions)));
}

void Replay::signal(const WaveState &w, int number, uint64_t now) {
  if (number == clusterBarrier && shape.groupsPerUnit <= 1) return;
  BarrierState &b = barrierOf(w, number);
  if (++b.signals >= membersOf(w, number)) complete(b, now);
}

void Replay::complete(BarrierState &b, uint64_t now) {
  b.signals = 0;
  ++b.completed;
  b.completedAt = now + static_cast<uint64_t>(m.barrierLatency);
  for (uint32_t k : b.waiting) wake(waves[k].simd, b.completedAt);
  b.waiting.clear();
}

Replay::Block Replay::blockOfBarrier(uint32_t number, const Cost &c, uint64_t now) {
  WaveState &w = waves[number];
  const int which = w.trace->uses[w.use].barrier;
  if (!c.waits || which == 0 || which == -2 || which == -4) return {0, Stall::Barrier};
  if (which == clusterBarrier && shape.groupsPerUnit <= 1) return {0, Stall::Barrier};
  if (c.signals && !w.signalled) {
    w.signalled = true;
    signal(w, which, now);
  }
  BarrierState &b = barrierOf(w, which);
  const uint64_t passed = w.passed[which];
  if (b.completed > passed + 1) return {0, Stall::Barrier};
  if (b.completed == passed + 1) return {b.completedAt > now ? b.completedAt : 0, Stall::Barrier};
  if (std::find(b.waiting.begin(), b.waiting.end(), number) == b.waiting.end()) b.waiting.push_back(number);
  return {never, Stall::Barrier};
}

/// Completes every barrier that somebody waits at: the trace has told too little.
void Replay::release(uint64_t now) {
  timing.timeDependent = true;
  for (GroupState &g : groups)
    for (auto &[number, b] : g.barriers)
      if (!b.waiting.empty()) complete(b, now);
  for (auto &[unit, b] : clusterBarriers)
    if (!b.waiting.empty()) complete(b, now);
}

} // namespace fly::emulator
