#include "runtime/emulator/timing/Replay.h"

namespace fly::emulator {

Replay::Replay(const Trace &trace, const Machine &machine, const ReplayShape &shape, Timing &timing)
    : trace(trace), m(machine), generation(target::findReadable(machine.architecture)->generation), shape(shape),
      timing(timing), costs(costsOf(trace, machine, shape.waveSize)),
      turn(std::max<uint64_t>(1, static_cast<uint64_t>(machine.turn))) {
  build();
}

void Replay::build() {
  const auto xcdCount = static_cast<uint32_t>(m.xcds);
  const uint32_t simulatedXcds = shape.wholeChip ? xcdCount : 1;
  const auto all = static_cast<uint32_t>(m.computeUnits);
  const uint32_t perXcd =
      timing.options.computeUnits && !shape.wholeChip ? std::min(timing.options.computeUnits, all) : all;
  const double part = double(perXcd) * simulatedXcds / (m.computeUnits * m.xcds);
  std::unordered_set<uint64_t> lines;
  for (const WaveTrace &w : trace.waves)
    for (const LineRun &r : w.runs)
      for (unsigned k = 0; k < r.count; ++k) lines.insert(r.first + k);
  const double own = static_cast<double>(lines.size()) * lineBytes;
  const double ownShare = part >= 1 || own == 0 ? 1 : std::min(1.0, shape.footprint * part / own);
  const double warmShare =
      timing.options.warm && m.memorySideBytes > 0 ? shareLeft(shape.footprint, m.memorySideBytes) : 0;
  beyond = std::make_unique<Beyond>(m, part, ownShare, warmShare, lines.size());
  units.reserve(size_t(perXcd) * simulatedXcds);
  for (uint32_t x = 0; x < simulatedXcds; ++x) {
    xcds.push_back(std::make_unique<FarMemory>(m, perXcd, *beyond));
    for (uint32_t k = 0; k < perXcd; ++k) {
      ComputeUnit &u = units.emplace_back(m, *xcds.back());
      u.xcd = x;
      u.firstSimd = static_cast<uint32_t>(simds.size());
      u.ports.resize(static_cast<size_t>(m.ldsPorts));
      for (uint32_t s = 0; s < shape.simds; ++s) {
        Simd &simd = simds.emplace_back();
        simd.computeUnit = static_cast<uint32_t>(units.size() - 1);
        simd.index = s;
      }
    }
  }
  const size_t sharers = std::max<size_t>(1, static_cast<size_t>(m.cacheSharers));
  code.resize(units.size() / sharers + 1);
  scalarCaches.assign(units.size() / sharers + 1, Tags(m.scalarCacheBytes, 4));
  pending.resize(simulatedXcds);
  dispatched.resize(simulatedXcds, 0);
  dispatchAt.resize(simulatedXcds, 0);
  for (size_t k = 0; k < trace.waves.size(); k += shape.wavesPerGroup)
    pending[simulatedXcds == 1 ? 0 : trace.waves[k].unit % simulatedXcds].push_back(&trace.waves[k]);
  loopOf.resize(costs.size());
  timing.instructions.resize(costs.size());
}

void Replay::run() {
  for (uint32_t x = 0; x < xcds.size(); ++x) events.push({0, Event::Dispatch, x, 0});
  for (;;) {
    if (events.empty()) {
      if (!liveWaves) break;
      release(end); // barriers whose members the trace does not tell
      if (events.empty()) break;
    }
    const Event e = events.top();
    events.pop();
    switch (e.kind) {
    case Event::Dispatch: dispatch(e.index, e.time); break;
    case Event::Memory:
      if (units[e.index].queue.serviceAt == e.time) serve(e.index, e.time);
      break;
    case Event::Lds:
      if (units[e.index].ports[e.cycles].queue.serviceAt == e.time) serveLds(e.index, e.cycles, e.time);
      break;
    case Event::Arrival: units[e.index].banks.take(static_cast<double>(e.time), e.cycles); break;
    case Event::Issue:
      if (simds[e.index].scheduled == e.time) visit(e.index, e.time);
      break;
    }
  }
  summarise();
}

/// Starts what has room on an XCD.
void Replay::dispatch(uint32_t x, uint64_t now) {
  while (dispatched[x] < pending[x].size()) {
    ComputeUnit *best = nullptr;
    for (ComputeUnit &u : units)
      if (u.xcd == x && u.groups < shape.residentGroups && (!best || u.groups < best->groups)) best = &u;
    if (!best) return; // until a workgroup ends
    if (dispatchAt[x] > now) return events.push({dispatchAt[x], Event::Dispatch, x, 0});
    dispatchAt[x] = now + static_cast<uint64_t>(m.workgroupCycles);
    uint32_t number;
    if (!idleGroups.empty()) number = idleGroups.back(), idleGroups.pop_back();
    else number = static_cast<uint32_t>(groups.size()), groups.emplace_back();
    GroupState &g = groups[number];
    g = GroupState();
    g.first = pending[x][dispatched[x]++];
    g.unit = g.first->unit;
    g.computeUnit = static_cast<uint32_t>(best - units.data());
    g.live = g.waves = shape.wavesPerGroup;
    ++best->groups;
    for (uint32_t k = 0; k < shape.wavesPerGroup; ++k) startWave(number, g.first[k], now);
  }
}

void Replay::startWave(uint32_t group, const WaveTrace &waveTrace, uint64_t now) {
  uint32_t number;
  if (!idleWaves.empty()) number = idleWaves.back(), idleWaves.pop_back();
  else number = static_cast<uint32_t>(waves.size()), waves.emplace_back();
  ComputeUnit &unit = units[groups[group].computeUnit];
  uint32_t best = unit.nextSimd % shape.simds;
  for (uint32_t k = 0; k < shape.simds; ++k) {
    const uint32_t s = (unit.nextSimd + k) % shape.simds;
    if (simds[unit.firstSimd + s].waves.size() < simds[unit.firstSimd + best].waves.size()) best = s;
  }
  unit.nextSimd = best + 1;
  WaveState &w = waves[number];
  w = WaveState();
  w.trace = &waveTrace;
  w.group = group;
  w.computeUnit = groups[group].computeUnit;
  w.simd = unit.firstSimd + best;
  w.age = age++;
  w.ready = w.accounted = now + static_cast<uint64_t>(m.waveCycles);
  w.readyWhy = Stall::Fetch;
  w.loops.assign(costs.size(), {});
  if (timing.options.timelineCycles && w.computeUnit == 0) {
    w.line = static_cast<int64_t>(timing.timeline.size());
    WaveLine &line = timing.timeline.emplace_back();
    line.workgroup = waveTrace.unit * shape.groupsPerUnit + waveTrace.group;
    line.wave = waveTrace.wave;
    line.simd = best;
    line.begin = now;
  }
  simds[w.simd].waves.push_back(number);
  ++liveWaves;
  wake(w.simd, w.ready);
}

void Replay::endWave(uint32_t number, uint64_t now) {
  WaveState &w = waves[number];
  std::erase(simds[w.simd].waves, number);
  --liveWaves;
  end = std::max(end, now);
  if (w.line >= 0) timing.timeline[static_cast<size_t>(w.line)].end = now;
  GroupState &g = groups[w.group];
  --g.live;
  if (auto found = g.barriers.find(-1); found != g.barriers.end() && g.live && found->second.signals >= g.live)
    complete(found->second, now);
  idleWaves.push_back(number);
  if (g.live) return;
  groupEnds.push_back(now);
  --units[g.computeUnit].groups;
  idleGroups.push_back(w.group);
  if (dispatched[units[g.computeUnit].xcd] < pending[units[g.computeUnit].xcd].size())
    events.push({now + 1, Event::Dispatch, units[g.computeUnit].xcd, 0});
}

/// The SIMD's first turn at `time` or later. The SIMDs of a compute unit have theirs one after another.
uint64_t Replay::turnOf(const Simd &simd, uint64_t time) const {
  const uint64_t phase = simd.index % turn;
  return time <= phase ? phase : (time - phase + turn - 1) / turn * turn + phase;
}

void Replay::wake(uint32_t number, uint64_t time) {
  if (time == never) return;
  Simd &simd = simds[number];
  time = turnOf(simd, time);
  if (time >= simd.scheduled) return;
  simd.scheduled = time;
  events.push({time, Event::Issue, number, 0});
}

} // namespace fly::emulator
