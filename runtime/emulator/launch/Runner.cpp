// See Runner.h.
#include "runtime/emulator/launch/Runner.h"

#include "runtime/emulator/watch/Spin.h"
#include "runtime/emulator/ops/scalar/Barrier.h"
#include "runtime/emulator/wave/Pending.h"

#include <algorithm>
#include <numeric>

namespace fly::emulator {

namespace {

constexpr uint64_t quantum = 1 << 17;
constexpr uint64_t spinsPerMicrosecond = 20;      ///< instructions of a wave that waits
constexpr uint64_t interleavedSlice = 8;          ///< at most this many instructions: races are often no longer open
constexpr size_t residentBytes = size_t(1) << 30; ///< of units that wait for others, a thread

uint64_t mix(uint64_t z) { // splitmix64
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

std::vector<Wave *> wavesOf(const Unit &unit) {
  std::vector<Wave *> waves;
  for (const auto &w : unit.waves) waves.push_back(w.get());
  return waves;
}

/// Instructions of one thread, which the others learn when it ends: an atomic addition per turn of a wave would cost
/// more than a short turn.
struct Executed {
  Progress &progress;
  uint64_t count = 0;
  ~Executed() { progress.executed.fetch_add(count, std::memory_order_relaxed); }
};

} // namespace

bool mayBeStuck(unsigned rounds) { return rounds >= 8 && !(rounds & (rounds - 1)); }

Runner::Runner(const LaunchPlan &plan, Program &program, Progress &progress)
    : plan(plan), program(program), progress(progress), observers({plan, program, progress.gathered}) {
  plan.memory.standstill().enter(member);
  ++progress.begun;
}
Runner::~Runner() { plan.memory.standstill().leave(member); }
size_t Runner::unitBytes() const {
  size_t waves = size_t(plan.waveCount) * plan.groupsPerUnit();
  return waves * (sizeof(Wave) + program.registerCount() * laneStride * 4 + size_t(plan.scratchBytes) * plan.waveSize) +
         size_t(plan.ldsBytes) * plan.groupsPerUnit();
}

/// Starts the next unit; false when there is none left.
bool Runner::start() {
  uint64_t next = progress.nextUnit.load(), number;
  do {
    number = next;
    while (progress.times && number < progress.unitCount && !progress.times->executes(number)) ++number;
    if (number >= progress.unitCount || number > progress.faultUnit.load()) return false;
  } while (!progress.nextUnit.compare_exchange_weak(next, number + 1));
  std::unique_ptr<Unit> unit;
  const uint32_t groups = plan.groupsPerUnit(), waves = groups * plan.waveCount;
  const size_t registers = size_t(program.registerCount()) * laneStride,
               scratch = size_t(plan.scratchBytes) * plan.waveSize;
  if (!unused.empty()) {
    unit = std::move(unused.back());
    unused.pop_back();
  } else {
    unit = std::make_unique<Unit>();
    unit->groups.resize(groups);
    unit->registers.resize(registers * waves);
    unit->scratch.resize(scratch * waves);
    unit->lds.resize(size_t(plan.ldsBytes) * groups);
    for (uint32_t k = 0; k < waves; ++k) unit->waves.push_back(std::make_unique<Wave>());
    unit->observers = &observers.makeUnit();
  }
  unit->number = number;
  unit->seed = plan.config.seed + mix(number + 1);
  std::fill(unit->lds.begin(), unit->lds.end(), poisonByte);
  unit->order.resize(waves);
  unit->sinceStop.assign(waves, 0);
  std::iota(unit->order.begin(), unit->order.end(), 0u);
  if (plan.config.order == WaveOrder::Descending) std::reverse(unit->order.begin(), unit->order.end());
  unit->cluster = Cluster();
  unit->cluster.barrier.members = groups;
  auto firstId = plan.workgroupId(number, 0);
  for (unsigned k = 0; k < 3; ++k) {
    unit->cluster.dims[k] = plan.cluster[k];
    unit->cluster.id[k] = firstId[k] / plan.cluster[k];
  }
  for (uint32_t g = 0; g < groups; ++g) {
    Workgroup &group = unit->groups[g];
    group = Workgroup();
    group.waves = plan.waveCount;
    group.lds = unit->lds.data() + size_t(plan.ldsBytes) * g;
    group.ldsBytes = plan.ldsBytes;
    auto id = plan.workgroupId(number, g);
    std::copy(id.begin(), id.end(), group.id);
    group.cluster = &unit->cluster;
    group.unit = number;
    group.namedBarriers = plan.kernel.descriptor.namedBarriers;
    for (unsigned k = 0; k < 3; ++k) group.member[k] = id[k] % plan.cluster[k];
    for (uint32_t k = 0; k < plan.waveCount; ++k) {
      uint32_t n = g * plan.waveCount + k;
      Wave &w = *unit->waves[n];
      w.vector = unit->registers.data() + registers * n;
      w.scratch = unit->scratch.data() + scratch * n;
      const ScalarSet scalars = startWave(plan, program, w, group, k);
      const auto workgroup = static_cast<uint32_t>(plan.firstGroup + number * groups + g);
      observers.begin(*unit->observers, w, {number, g, k, workgroup, scalars, unit->lds, unit->scratch});
    }
  }
  running.push_back(std::move(unit));
  return true;
}

/// One turn of each wave that can run, again and again until the unit has ended or only spins.
Runner::Outcome Runner::turn(Unit &unit) {
  size_t ended = 0;
  for (const auto &w : unit.waves) ended += w->stop == Stop::End;
  while (ended < unit.waves.size()) {
    const bool interleaved = plan.config.order == WaveOrder::Interleaved;
    if (interleaved || plan.config.order == WaveOrder::Seeded)
      for (size_t k = unit.order.size(); k > 1; --k)
        std::swap(unit.order[k - 1], unit.order[mix(unit.seed += 0x9e3779b97f4a7c15ull) % k]);
    bool advanced = false, spinning = false;
    Executed executed{progress};
    for (unsigned k : unit.order) {
      Wave &w = *unit.waves[k];
      if (w.stop == Stop::End) continue;
      if (w.stop == Stop::Barrier && !passBarrier(w)) continue;
      uint64_t before = w.executed, soFar = progress.executed.load(std::memory_order_relaxed) + executed.count + waited;
      const uint64_t slice = interleaved ? 1 + mix(unit.seed += 0x9e3779b97f4a7c15ull) % interleavedSlice : quantum;
      w.poll.gaveWay = false;
      if (w.stop != Stop::Fault) // a store that was performed late may have raced
        runWave(w, std::min(slice, progress.limit - std::min(progress.limit, soFar) + 1));
      executed.count += w.executed - before;
      uint64_t all = soFar + w.executed - before;
      if (w.stop != Stop::Fault && all > progress.limit) {
        record(unit, describeRunaway(program, w, wavesOf(unit), progress.limit));
        return Outcome::Fault;
      }
      for (WaveObserver *each : w.observers.of(Hook::Turn))
        if (std::string why = each->refusal(w); !why.empty()) {
          record(unit, {.kind = FaultKind::BadLaunch, .what = std::move(why)});
          return Outcome::Fault;
        }
      if (w.stop == Stop::End) {
        ++ended;
        endWave(w);
        if (w.stop == Stop::End) w.observers.tell(Hook::End, &WaveObserver::end, w);
      }
      if (w.stop == Stop::Fault) {
        record(unit, describeFault(program, w, w.fault, plan.config));
        return Outcome::Fault;
      }
      unit.sinceStop[k] = w.stop == Stop::Quantum ? unit.sinceStop[k] + w.executed - before : 0;
      // A short slice that is over says nothing; only a wave that goes on for a whole quantum may be spinning.
      if (w.stop == Stop::Quantum && (!interleaved || w.poll.gaveWay || unit.sinceStop[k] >= quantum)) spinning = true;
      else advanced = true;
    }
    if (!advanced && spinning) {
      std::fill(unit.sinceStop.begin(), unit.sinceStop.end(), 0);
      // They may be waiting for what one of them has sent off.
      bool arrived = false;
      for (const auto &w : unit.waves) arrived |= w->pending && w->stop != Stop::End && w->pending->performWrites(*w);
      if (arrived) continue;
      progress.polled = true;
      return Outcome::Spinning;
    }
    if (!advanced) {
      record(unit, describeDeadlock(program, wavesOf(unit)));
      return Outcome::Fault;
    }
  }
  return Outcome::Ended;
}

/// Keeps the fault of the lowest unit.
void Runner::record(const Unit &unit, FaultReport fault) {
  std::lock_guard lock(progress.mutex);
  if (unit.number >= progress.faultUnit.load()) return;
  progress.faultUnit = unit.number;
  progress.result->ok = false;
  progress.result->report = std::move(fault);
}

bool Runner::round() {
  const size_t residents = std::max<size_t>(1, residentBytes / std::max<size_t>(unitBytes(), 1));
  hasGoneOn = false;
  // All that run only spin: one more may be what they wait for.
  if (more && running.size() < residents && (running.empty() || wentRound)) hasGoneOn = more = start();
  wentRound = true;
  for (size_t k = 0; k < running.size();) {
    Outcome outcome = running[k]->number > progress.faultUnit.load() ? Outcome::Fault : turn(*running[k]);
    if (outcome == Outcome::Spinning) {
      ++k;
      continue;
    }
    hasGoneOn = true;
    unused.push_back(std::move(running[k]));
    running.erase(running.begin() + static_cast<ptrdiff_t>(k));
  }
  return more || !running.empty();
}

void Runner::run(Time until) {
  unsigned spun = 0; // rounds
  do {
    if (until != Time::max() && (!running.empty() || std::chrono::steady_clock::now() >= until)) return;
    if (!round()) break;
    spun = onlySpun() ? spun + 1 : 0;
    if (!mayBeStuck(spun) || running.empty() || !isStuck()) continue;
    if (waitsForEver()) {
      // Not if one that has failed is what they wait for.
      if (progress.faultUnit.load() == ~0ull) record(*running.front(), describeStuck());
      break;
    }
    spun = 0;
  } while (more || !running.empty());
  plan.memory.standstill().leave(member);
}

/// Runs waves that wait until one of them goes on; true if none ever will.
bool Runner::waitsForEver() {
  auto last = std::chrono::steady_clock::now();
  const auto stillWaits = [&] {
    const auto now = std::chrono::steady_clock::now();
    waited += static_cast<uint64_t>((now - last) / std::chrono::microseconds(1)) * spinsPerMicrosecond;
    last = now;
    const uint64_t faultUnit = progress.faultUnit.load();
    const bool isOver =
        std::any_of(running.begin(), running.end(), [&](const auto &unit) { return unit->number > faultUnit; }) ||
        progress.executed.load(std::memory_order_relaxed) + waited > progress.limit;
    return !isOver && progress.begun.load() >= progress.expected.load() && isStuck();
  };
  return plan.memory.standstill().wait(member, stillWaits,
                                       [&](const auto &threads) { return plan.memory.isClosed(threads); });
}

bool Runner::isStuck() {
  for (const auto &unit : running)
    for (const auto &w : unit->waves)
      if (w->stop != Stop::End && !(w->stop == Stop::Barrier && !passBarrier(*w)) && !goesRound(program, *w))
        return false;
  return true;
}

FaultReport Runner::describeStuck() {
  std::vector<Wave *> waves;
  for (const auto &unit : running)
    for (Wave *w : wavesOf(*unit)) waves.push_back(w);
  return emulator::describeStuck(program, waves);
}

} // namespace fly::emulator
