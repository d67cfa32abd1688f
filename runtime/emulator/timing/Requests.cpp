// What instructions that access memory do: scalar loads at once, vector memory through the compute unit's queue.
#include "runtime/emulator/timing/Replay.h"

namespace fly::emulator {

/// That data from memory fills per cycle: a write of 32 banks.
static constexpr double ldsDmaBytes = 128;

uint64_t Replay::loadScalar(const WaveState &w, const MemoryUse &use, uint64_t now) {
  ComputeUnit &unit = units[w.computeUnit];
  Tags &cache = scalarCaches[w.computeUnit / std::max<size_t>(1, static_cast<size_t>(m.cacheSharers))];
  double done = static_cast<double>(now) + m.scalarMemoryLatency;
  for (unsigned k = 0; k < use.runs; ++k) {
    const uint64_t line = w.trace->runs[w.run + k].first;
    double there = cache.find(line);
    if (there < 0) {
      there = xcds[unit.xcd]->read(static_cast<double>(now), line);
      cache.insert(line, there);
    }
    done = std::max(done, there);
  }
  return static_cast<uint64_t>(done);
}

Request Replay::requestOf(uint32_t number, const Cost &c, const MemoryUse &use, int64_t span) {
  WaveState &w = waves[number];
  Request r;
  r.wave = number;
  r.age = w.age;
  r.use = &use;
  r.runs = w.trace->runs.data() + w.run;
  r.counters = c.increments;
  r.span = span;
  for (unsigned k = 0; k < isa::counterCount; ++k)
    if (c.increments >> k & 1) {
      r.positions[k] = w.counters[k].popped + w.counters[k].entries.size();
      w.counters[k].push(never, c.slot == Slot::Lds ? Stall::Lds : Stall::VectorMemory);
    }
  return r;
}

void Replay::requestMemory(const Request &r, uint64_t now) {
  const uint32_t number = waves[r.wave].computeUnit;
  RequestQueue &queue = units[number].queue;
  queue.add(r, waves[r.wave].simd);
  if (queue.requests.size() == 1) scheduleService(number, now + turn);
}

/// The request's data is there, or it is acknowledged.
void Replay::complete(const Request &r, uint64_t there, uint64_t now) {
  end = std::max(end, there);
  WaveState &w = waves[r.wave];
  if (w.age != r.age) return; // the wave has ended, and another one is in its place
  for (unsigned c = 0; c < isa::counterCount; ++c) {
    if (!(r.counters >> c & 1) || r.positions[c] < w.counters[c].popped) continue;
    auto &entries = w.counters[c].entries;
    const size_t position = r.positions[c] - w.counters[c].popped;
    if (position >= entries.size()) continue;
    // They complete in order.
    const uint64_t before = position ? entries[position - 1].done : 0;
    entries[position].done = before == never ? there : std::max(there, before);
    // Addresses have been translated when the request is served.
    if (static_cast<isa::Counter>(c) == isa::Counter::X) entries[position].done = now + turn;
  }
  wake(w.simd, now + 1);
  if (r.span >= 0) timing.timeline[static_cast<size_t>(w.line)].spans[static_cast<size_t>(r.span)].end = there;
}

/// When the queue's first request can have the L1 cache: it is free, and the lines in flight leave room.
void Replay::scheduleService(uint32_t number, uint64_t now) {
  ComputeUnit &unit = units[number];
  RequestQueue &queue = unit.queue;
  queue.serviceAt = never;
  if (queue.requests.empty()) return;
  const MemoryUse &use = *queue.requests.front().use;
  double at = std::max(static_cast<double>(now), unit.memory.path.freeAt);
  if (use.reads) {
    unsigned lines = 0;
    for (unsigned k = 0; k < use.runs; ++k) lines += queue.requests.front().runs[k].count;
    at = unit.memory.roomAt(at, lines);
  }
  queue.serviceAt = std::max(now, static_cast<uint64_t>(std::ceil(at)));
  events.push({queue.serviceAt, Event::Memory, number, 0});
}

void Replay::serve(uint32_t number, uint64_t now) {
  ComputeUnit &unit = units[number];
  const Request r = unit.queue.take();
  const MemoryUse &use = *r.use;
  const double service = unit.memory.serviceOf(use.requests, use.laneBytes, use.reads && !use.writes);
  const double begin = unit.memory.path.take(static_cast<double>(now), service);
  unsigned lines = 0, k = 0;
  for (unsigned n = 0; n < use.runs; ++n) lines += r.runs[n].count;
  double done = begin + m.l1Latency; // nothing was in range
  if (lines) done = 0;
  for (unsigned n = 0; n < use.runs; ++n)
    for (unsigned j = 0; j < r.runs[n].count; ++j, ++k) {
      const uint64_t line = r.runs[n].first + j;
      const double at = begin + service * k / lines;
      const double bytes = 64.0 * use.requests / lines;
      done = std::max(done, use.atomic   ? unit.memory.atomic(at, line)
                            : use.writes ? unit.memory.store(at, line, bytes)
                                         : unit.memory.load(at, line));
    }
  auto there = static_cast<uint64_t>(std::ceil(done));
  if (use.ldsWrites && use.reads) { // straight to LDS
    const double cycles = std::max<double>(use.ldsCycles, use.ldsBytes / ldsDmaBytes) * m.ldsPhaseCycles;
    events.push({there, Event::Arrival, number, static_cast<uint32_t>(cycles)});
    there += static_cast<uint64_t>(cycles);
  }
  complete(r, there, now);
  // Waves that found the queue full.
  for (uint32_t s = 0; s < shape.simds; ++s) wake(unit.firstSimd + s, now + 1);
  scheduleService(number, now);
}

} // namespace fly::emulator
