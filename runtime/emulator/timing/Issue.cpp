// Whether a wave can issue its next instruction, and what happens when it does.
#include "runtime/emulator/timing/Replay.h"

namespace fly::emulator {

/// A SIMD's turn.
void Replay::visit(uint32_t number, uint64_t now) {
  Simd &simd = simds[number];
  simd.scheduled = never;
  std::vector<uint32_t> order = simd.waves;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return waves[a].priority != waves[b].priority ? waves[a].priority > waves[b].priority : waves[a].age < waves[b].age;
  });
  unsigned taken = 0;
  bool issues = false;
  uint64_t next = never;
  for (uint32_t k : order) {
    WaveState &w = waves[k];
    account(w, now);
    const Block block = blockOf(k, now);
    const Cost &c = costs[(*w.trace->path)[w.next]];
    const unsigned slot = 1u << static_cast<unsigned>(c.slot);
    if (block.until > now) {
      w.blockedBy = block.why;
      next = std::min(next, block.until);
    } else if (c.slot != Slot::None && (taken & slot)) {
      w.blockedBy = Stall::Issue;
      next = std::min(next, now + turn);
    } else {
      taken |= slot;
      issues = true;
      const bool ends = c.special == Cost::End;
      issue(k, now);
      if (!ends) next = std::min(next, waves[k].ready);
    }
  }
  simd.issueTurns += issues;
  if (next != never) wake(number, std::max(next, now + 1));
}

/// What the time since the last visit was spent with.
void Replay::account(WaveState &w, uint64_t now) {
  if (now <= w.accounted) return;
  w.waited[static_cast<unsigned>(w.blockedBy)] += now - w.accounted;
  w.accounted = now;
}

Replay::Block Replay::blockOf(uint32_t number, uint64_t now) {
  WaveState &w = waves[number];
  if (now < w.ready) return {w.ready, w.readyWhy};
  const Cost &c = costs[(*w.trace->path)[w.next]];
  if (c.line != w.codeLine) {
    // It asks once, and has the line when it comes, even if others have replaced it in the cache by then.
    if (w.fetching != c.line) w.fetching = c.line, w.fetched = fetch(units[w.computeUnit], c.line, now);
    if (w.fetched > now) return {w.fetched, Stall::Fetch};
    w.codeLine = c.line, w.fetching = never;
  }
  if (const Block b = dependencyOf(w, c, now); b.until > now) return b;
  if (c.special == Cost::Wait) {
    Block block{0, Stall::VectorMemory};
    for (unsigned k = 0; k < isa::counterCount; ++k) {
      if (c.limits.limit[k] == isa::Waits::none) continue;
      w.counters[k].pop(now);
      const Outstanding::Entry last = w.counters[k].atMost(c.limits.limit[k]);
      if (last.done > block.until) block = {last.done, last.why};
    }
    return block;
  }
  if (c.special == Cost::Barrier && c.hasUse) return blockOfBarrier(number, c, now);
  for (unsigned k = 0; k < isa::counterCount; ++k) {
    if (!(c.increments >> k & 1)) continue;
    w.counters[k].pop(now);
    const unsigned most = target::counterCapacity(static_cast<isa::Counter>(k), generation);
    if (w.counters[k].entries.size() < most) continue;
    const uint64_t first = w.counters[k].entries.front().done;
    return {first, Stall::Counter};
  }
  return blockOfUnit(w, c, now);
}

/// Registers that it reads. Those of memory instructions are guarded by waits.
Replay::Block Replay::dependencyOf(const WaveState &w, const Cost &c, uint64_t now) const {
  uint64_t until = 0;
  const RegisterRange *own = nullptr;
  for (const RegisterRange &r : *c.ranges)
    if (r.written && !r.scalar) own = &r;
  for (const RegisterRange &r : *c.ranges) {
    // An accumulation follows its predecessor at the rate of the matrix unit.
    if (c.matrix && own && r.first == own->first && r.count == own->count) continue;
    const auto &ready = r.scalar ? w.scalarReady : w.vectorReady;
    const size_t last = std::min<size_t>(r.first + size_t(r.count), ready.size());
    for (size_t k = r.first; k < last; ++k) until = std::max(until, ready[k]);
  }
  return {until > now ? until : 0, Stall::Dependency};
}

Replay::Block Replay::blockOfUnit(const WaveState &w, const Cost &c, uint64_t now) {
  const Simd &simd = simds[w.simd];
  ComputeUnit &unit = units[w.computeUnit];
  switch (c.slot) {
  case Slot::Vector:
    if (c.matrix && simd.matrixFree > now) return {simd.matrixFree, Stall::Matrix};
    if (simd.vectorFree > now) return {simd.vectorFree, Stall::Vector};
    if (c.matrix) break;
    if (c.transcendental && simd.transcendentalFree > now) return {simd.transcendentalFree, Stall::Vector};
    if (const uint64_t from = besideMatrix(simd, c, now); from > now) return {from, Stall::Matrix};
    break;
  case Slot::Lds: {
    RequestQueue &queue = unit.ports[portOf(w.computeUnit, w.simd)].queue;
    if (!queue.admits(w.simd, m.ldsQueue)) return {std::max(queue.serviceAt, now + 1), Stall::LdsQueue};
    break;
  }
  case Slot::VectorMemory:
    if (c.vectorPipe && simd.vectorFree > now) return {simd.vectorFree, Stall::Vector};
    if (const uint64_t from = c.vectorPipe ? besideMatrix(simd, c, now) : now; from > now) return {from, Stall::Matrix};
    if (!unit.queue.admits(w.simd, m.memoryQueue)) return {std::max(unit.queue.serviceAt, now + 1), Stall::MemoryQueue};
    break;
  default: break;
  }
  return {0, Stall::Issue};
}

/// When a VALU instruction can start beside what the matrix unit does, at `now` or later.
uint64_t Replay::besideMatrix(const Simd &simd, const Cost &c, uint64_t now) {
  return simd.windowAllows(std::max({now, simd.headUntil, c.packed ? simd.packedFrom : 0}));
}

void Replay::issue(uint32_t number, uint64_t now) {
  WaveState &w = waves[number];
  const uint32_t instruction = (*w.trace->path)[w.next];
  const Cost &c = costs[instruction];
  Simd &simd = simds[w.simd];
  TimedInstruction &t = timing.instructions[instruction];
  ++t.executions;
  t.issueCycles += turn;
  uint64_t begin = now;
  unsigned longest = 0;
  for (unsigned k = 0; k < stallCount; ++k) {
    t.stalls[k] += w.waited[k];
    begin -= w.waited[k];
    if (w.waited[k] > w.waited[longest]) longest = k;
  }
  w.waited = {};
  int64_t span = -1;
  WaveLine *line = w.line < 0 ? nullptr : &timing.timeline[static_cast<size_t>(w.line)];
  if (line && now >= timing.options.timelineFrom && now - timing.options.timelineFrom < timing.options.timelineCycles) {
    span = static_cast<int64_t>(line->spans.size());
    line->spans.push_back({instruction, begin, now, now + turn, static_cast<Stall>(longest)});
  }

  ++w.next;
  w.ready = w.accounted = now + turn + c.pause;
  w.readyWhy = Stall::Sleep;
  if (c.pause) {
    w.accounted = now + turn;
    w.blockedBy = Stall::Sleep;
  }
  const MemoryUse *use = c.hasUse ? &w.trace->uses[w.use++] : nullptr;
  uint64_t done = now + turn;
  if (c.slot == Slot::Vector) {
    if (c.matrix) {
      simd.matrixFree = now + c.busy;
      simd.headUntil = c.window ? now : now + c.head;
      simd.packedFrom = now + c.packedGap;
      simd.window = c.window, simd.windowBegin = now;
      simd.vectorFree = now + turn;
      simd.matrixBusy += c.busy;
      w.matrixCycles += c.busy;
    } else {
      simd.vectorFree = now + c.issue;
      if (c.transcendental) simd.transcendentalFree = now + c.busy;
      simd.vectorBusy += c.issue;
    }
    done = now + c.busy;
  } else if (c.vectorPipe) {
    simd.vectorFree = now + turn;
    simd.vectorBusy += static_cast<double>(turn);
  } else if (c.slot == Slot::Scalar) {
    simd.scalarBusy += static_cast<double>(turn);
  }
  if (c.latency)
    for (const RegisterRange &r : *c.ranges) {
      if (!r.written) continue;
      auto &ready = r.scalar ? w.scalarReady : w.vectorReady;
      if (r.first + size_t(r.count) > ready.size()) ready.resize(r.first + size_t(r.count), 0);
      std::fill_n(ready.begin() + r.first, r.count, now + c.latency);
    }
  Stall why = Stall::VectorMemory;
  bool known = true;
  if (use && c.special != Cost::Barrier) {
    if (c.slot == Slot::ScalarMemory) {
      done = loadScalar(w, *use, now);
      why = Stall::ScalarMemory;
    } else {
      known = false;
      const Request r = requestOf(number, c, *use, span);
      if (c.slot == Slot::Lds) {
        t.conflictCycles += use->ldsCycles - use->ldsIdeal;
        requestLds(r, now);
        if (use->ldsWrites && !use->ldsReads && m.ldsWriteHold > 0) { // its data is read from the registers
          const double dwords = use->ldsBytes / 4.0 / shape.waveSize;
          w.ready += static_cast<uint64_t>(dwords * m.ldsWriteHold);
          w.readyWhy = w.blockedBy = Stall::LdsQueue;
          w.accounted = now + turn;
        }
      } else {
        requestMemory(r, now);
      }
    }
    w.run += use->runs;
  }
  if (known)
    for (unsigned k = 0; k < isa::counterCount; ++k)
      if (c.increments >> k & 1)
        w.counters[k].push(c.slot == Slot::Message ? now + static_cast<uint64_t>(m.scalarMemoryLatency) : done, why);
  if (span >= 0 && known) line->spans[static_cast<size_t>(span)].end = std::max(done, now + turn);
  end = std::max(end, done);
  if (c.special == Cost::Priority) w.priority = c.priority;
  if (c.special == Cost::Invalidate) units[w.computeUnit].memory.invalidate();
  if (c.special == Cost::Barrier) {
    if (c.signals && !w.signalled && use) signal(w, use->barrier, now);
    if (c.waits && use) ++w.passed[use->barrier];
    w.signalled = false;
  }
  if (c.branch) takeBranch(w, instruction, c, now);
  if (c.special == Cost::End || w.next >= w.trace->path->size()) endWave(number, now + turn);
}

/// Whether it was taken shows in what follows.
void Replay::takeBranch(WaveState &w, uint32_t number, const Cost &c, uint64_t now) {
  if (w.next >= w.trace->path->size()) return;
  const isa::Instruction &branch = trace.code[number].instruction;
  const uint64_t following = costs[(*w.trace->path)[w.next]].address;
  leaveLoops(w, c.address, following);
  if (following == branch.next()) return;
  w.ready = std::max(w.ready, now + static_cast<uint64_t>(m.branchCycles));
  w.readyWhy = w.blockedBy = Stall::Fetch;
  w.accounted = now + turn;
  if (following > c.address) return;
  TimedLoop &loop = loopOf[number];
  if (!loop.first) loops.push_back(number);
  loop.first = following;
  LoopMark &mark = w.loops[number];
  if (mark.taken != never) {
    ++loop.iterations;
    loop.cycles += static_cast<double>(now - mark.taken);
    loop.matrixCycles += w.matrixCycles - mark.matrixCycles;
  }
  mark = {now, w.matrixCycles};
}

/// What follows of the loops that a branch leads out of, by its end or from its middle, is no iteration.
void Replay::leaveLoops(WaveState &w, uint64_t from, uint64_t to) const {
  for (uint32_t loop : loops) {
    auto isInside = [&](uint64_t address) { return address >= loopOf[loop].first && address <= costs[loop].address; };
    if (w.loops[loop].taken != never && isInside(from) && !isInside(to)) w.loops[loop].taken = never;
  }
}

/// When a line of code is in the instruction cache. The lines after it are requested, too.
uint64_t Replay::fetch(const ComputeUnit &unit, uint64_t line, uint64_t now) {
  const auto index =
      static_cast<size_t>(&unit - units.data()) / std::max<size_t>(1, static_cast<size_t>(m.cacheSharers));
  auto &lines = code[index];
  if (static_cast<double>(lines.size()) * 64 > m.instructionCacheBytes) lines.clear();
  const uint64_t late = now + static_cast<uint64_t>(m.fetchLatency);
  const uint64_t there = lines.try_emplace(line, late).first->second;
  for (uint64_t k = 1; k <= static_cast<uint64_t>(m.fetchAhead); ++k) lines.try_emplace(line + k, late);
  return there;
}

} // namespace fly::emulator
