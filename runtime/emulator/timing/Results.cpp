// What a replay found: sums over the simulated units, scaled to the launch where workgroups were left out.
#include "runtime/emulator/timing/Replay.h"
#include "runtime/emulator/watch/ProfileCounters.h"

namespace fly::emulator {

namespace {

constexpr std::string_view stallNames[] = {
    "vector memory",    "LDS",       "scalar memory", "barrier",   "dependency",
    "matrix unit busy", "VALU busy", "issue slot",    "LDS queue", "memory queue",
    "counter full",     "code",      "sleep"};
static_assert(std::size(stallNames) == stallCount);
constexpr std::string_view resourceNames[] = {"matrix", "VALU", "SALU", "issue", "LDS", "L1", "L2", "MALL", "HBM"};
static_assert(std::size(resourceNames) == resourceCount);

/// Above this share of its time a resource is what bounds a launch.
constexpr double bounding = 0.7;

} // namespace

std::string_view name(Stall stall) { return stallNames[static_cast<unsigned>(stall)]; }
std::string_view name(Resource resource) { return resourceNames[static_cast<unsigned>(resource)]; }

uint64_t TimedInstruction::stalled() const {
  uint64_t sum = 0;
  for (uint64_t s : stalls) sum += s;
  return sum;
}

void Replay::summarise() {
  const double time = std::max<double>(1, static_cast<double>(end));
  auto at = [&](Resource r) -> double & { return timing.busy[static_cast<unsigned>(r)]; };
  for (const Simd &s : simds) {
    at(Resource::Matrix) += s.matrixBusy, at(Resource::Vector) += s.vectorBusy;
    at(Resource::Scalar) += s.scalarBusy, at(Resource::Issue) += s.issueTurns * static_cast<double>(turn);
  }
  for (Resource r : {Resource::Matrix, Resource::Vector, Resource::Scalar, Resource::Issue})
    at(r) /= time * static_cast<double>(simds.size());
  for (const ComputeUnit &u : units)
    at(Resource::Lds) += u.banks.busyUntil(time), at(Resource::L1) += u.memory.path.busyUntil(time);
  for (Resource r : {Resource::Lds, Resource::L1}) at(r) /= time * static_cast<double>(units.size());
  for (const auto &x : xcds) at(Resource::L2) += x->l2Busy(time) / (time * static_cast<double>(xcds.size()));
  at(Resource::MemorySide) = beyond->side.busyUntil(time) / time;
  at(Resource::Memory) = beyond->memory.busyUntil(time) / time;

  timing.simulated = static_cast<unsigned>(units.size());
  timing.computeUnits = static_cast<unsigned>(m.xcds * m.computeUnits);
  timing.replayed = groupEnds.size();
  timing.cycles = end;
  timing.memoryBytes = beyond->bytesUntil(time);
  extrapolate();
  double flops = 0, matrixCycles = 0;
  for (size_t k = 0; k < costs.size(); ++k) {
    TimedInstruction &t = timing.instructions[k];
    const TracedInstruction &from = trace.code[k];
    t.address = from.instruction.address;
    t.text = from.text;
    t.unit = isa::name(from.instruction.cls);
    t.file = from.file;
    t.line = from.instruction.location.line;
    timing.orderDependent |= from.instruction.isAtomic && from.instruction.find(isa::Role::Dst);
    if (!costs[k].matrix) continue;
    flops += static_cast<double>(t.executions * matrixFlops(from.instruction, shape.waveSize));
    matrixCycles += static_cast<double>(t.executions) * costs[k].busy;
  }
  // As if the matrix units were always busy with this mix.
  if (matrixCycles > 0) timing.peakMatrixFlops = flops / matrixCycles * shape.simds * timing.computeUnits;
  timing.matrixFlops =
      timing.replayed ? flops * static_cast<double>(timing.workgroups) / static_cast<double>(timing.replayed) : 0;
  // As if memory were always busy with its part of these bytes, or the memory-side cache with all of them.
  const double all = beyond->bytesUntil(time), ofMemory = beyond->memoryBytesUntil(time);
  const bool isMemory = 2 * ofMemory >= all;
  timing.memoryLevel = name(isMemory ? Resource::Memory : Resource::MemorySide);
  const double peak = std::max(m.memoryPeakBytesPerCycle, m.memoryBytesPerCycle);
  timing.peakMemoryBytes = !isMemory ? m.memorySideBytesPerCycle : ofMemory > 0 ? peak * all / ofMemory : peak;
  findLoops();
  findBound();
  orderInstructions();
}

/// Workgroups that were not replayed: in other XCDs they take the same time. Later rounds follow at the rate of those
/// that were replayed: from the first round's mean end to the last one's; after a single round, at its own.
void Replay::extrapolate() {
  const size_t replayed = groupEnds.size(), round = units.size() * shape.residentGroups;
  if (!replayed) return;
  timing.memoryBytes *= static_cast<double>(timing.workgroups) / static_cast<double>(replayed);
  const double left = static_cast<double>(timing.ofSimulated) - static_cast<double>(replayed);
  if (left < 1) return;
  auto meanEnd = [&](size_t from) {
    double sum = 0;
    for (size_t k = from; k < from + round; ++k) sum += static_cast<double>(groupEnds[k]);
    return sum / static_cast<double>(round);
  };
  const double each = replayed >= 2 * round
                          ? (meanEnd(replayed - round) - meanEnd(0)) / static_cast<double>(replayed - round)
                          : static_cast<double>(end) / static_cast<double>(replayed);
  timing.cycles += static_cast<uint64_t>(left * each);
  // Workgroups end before their last stores do: all of them take at least as long as what they move.
  const auto last = static_cast<double>(end);
  // What the L2 caches hold at the end is written back later, but that is so of the last rounds only.
  const double whole = static_cast<double>(timing.ofSimulated) / static_cast<double>(replayed);
  for (const Server *server : {&beyond->side, &beyond->memory}) {
    const double moved = server->busy * whole - server->lateAfter(last);
    timing.cycles = std::max(timing.cycles, static_cast<uint64_t>(std::ceil(moved)));
  }
}

void Replay::findLoops() {
  for (size_t k = 0; k < loopOf.size(); ++k) {
    TimedLoop loop = loopOf[k];
    if (!loop.iterations) continue;
    loop.last = trace.code[k].instruction.address;
    loop.line = trace.code[k].instruction.location.line;
    loop.file = trace.code[k].file;
    loop.cycles /= static_cast<double>(loop.iterations);
    loop.matrixCycles /= static_cast<double>(loop.iterations);
    const double waves = std::max(1.0, double(std::min<uint64_t>(shape.residentGroups, groupsPerUnit())) *
                                           shape.wavesPerGroup / shape.simds);
    loop.matrixShare = std::min(1.0, loop.matrixCycles * waves / loop.cycles);
    timing.loops.push_back(std::move(loop));
  }
  std::sort(timing.loops.begin(), timing.loops.end(), [](const TimedLoop &a, const TimedLoop &b) {
    const double x = a.cycles * static_cast<double>(a.iterations), y = b.cycles * static_cast<double>(b.iterations);
    return x != y ? x > y : a.last < b.last;
  });
}

/// Workgroups that a compute unit has at once, at most.
uint64_t Replay::groupsPerUnit() const {
  return (timing.replayed + units.size() - 1) / std::max<size_t>(1, units.size());
}

/// The resource that is busy most of the time; if none is, latency, or the lack of workgroups.
void Replay::findBound() {
  if (static_cast<double>(timing.replayed) < bounding * static_cast<double>(units.size())) {
    timing.bound = "too few workgroups";
    return;
  }
  unsigned most = 0;
  for (unsigned k = 0; k < resourceCount; ++k)
    if (k != static_cast<unsigned>(Resource::Issue) && timing.busy[k] > timing.busy[most]) most = k;
  if (timing.busy[most] >= bounding) timing.bound = name(static_cast<Resource>(most));
  else if (timing.busy[static_cast<unsigned>(Resource::Issue)] >= bounding) timing.bound = "issue";
  else timing.bound = "latency";
}

void Replay::orderInstructions() {
  std::vector<uint32_t> order(costs.size()), place(costs.size());
  for (uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return costs[a].address < costs[b].address; });
  std::vector<TimedInstruction> sorted;
  for (uint32_t k = 0; k < order.size(); ++k) {
    place[order[k]] = k;
    sorted.push_back(std::move(timing.instructions[order[k]]));
  }
  timing.instructions = std::move(sorted);
  for (WaveLine &line : timing.timeline)
    for (WaveSpan &span : line.spans) span.instruction = place[span.instruction];
  std::sort(timing.timeline.begin(), timing.timeline.end(), [](const WaveLine &a, const WaveLine &b) {
    return std::tie(a.simd, a.begin, a.workgroup, a.wave) < std::tie(b.simd, b.begin, b.workgroup, b.wave);
  });
}

} // namespace fly::emulator
