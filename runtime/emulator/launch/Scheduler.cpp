// Schedules units (workgroups, or clusters of them) over host threads, and the waves of a unit in turn.
//
// Within a unit waves run in the chosen order, each until its next blocking point (a barrier, its end) or until a
// long quantum is over or it sleeps, so that a wave which spins on another's progress does not hang the emulator.
// When no wave of a unit can run and some have not ended, that is a deadlock.
//
// Units start in order. A unit whose waves still run after a quantum each may be waiting for a unit that has not
// started (a grid-wide barrier, a split reduction): the runner then starts one more and cycles through all it has, as
// the hardware does with resident workgroups.
//
// Threads: each has a Runner with its own registers, LDS and Program; only device memory is shared. The calling thread
// begins alone, since most launches in tests end before a second thread would have decoded the code. Helpers join after
// `aloneTime`, or when a unit only spins, possibly waiting for one that they will take. Of several faults, that of the
// lowest unit is reported: units after it are not started any more, those before it run to their end. With one thread
// everything is deterministic.
#include "compiler/target/Target.h"
#include "runtime/emulator/wave/Barrier.h"
#include "runtime/emulator/launch/Launch.h"
#include "runtime/emulator/wave/Pending.h"
#include "runtime/emulator/watch/InitCheck.h"
#include "runtime/emulator/timing/TimeModel.h"
#include "runtime/emulator/watch/ProfileCounters.h"
#include "runtime/emulator/watch/RaceCheck.h"
#include "runtime/emulator/watch/Report.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>

namespace fly::emulator {

namespace {

constexpr uint64_t defaultInstructionLimit = 4'000'000'000, quantum = 1 << 17;
constexpr uint64_t interleavedSlice = 8; ///< at most this many instructions: races are often no longer open
constexpr auto aloneTime = std::chrono::milliseconds(2);
constexpr size_t residentBytes = size_t(1) << 30; ///< of units that wait for others, a thread

using Time = std::chrono::steady_clock::time_point;

uint64_t mix(uint64_t z) { // splitmix64
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

/// What the threads of a launch share.
struct Progress {
  std::atomic<uint64_t> nextUnit{0}, executed{0}, faultUnit{~0ull};
  uint64_t unitCount = 0, limit = 0;
  std::mutex mutex;
  LaunchResult *result; ///< under `mutex`
  ProfileCollector *profile = nullptr;
  FindingList findings;               ///< under `mutex`
  std::unique_ptr<GlobalRaces> races; ///< if wanted; then there is one thread
  std::unique_ptr<TimeModel> times;   ///< if wanted
  std::atomic<bool> polled{false};    ///< a unit only spun for a while
};

/// Instructions of one thread, which the others learn when it ends: an atomic addition per turn of a wave would cost
/// more than a short turn.
struct Executed {
  Progress &progress;
  uint64_t count = 0;
  ~Executed() { progress.executed.fetch_add(count, std::memory_order_relaxed); }
};

/// A unit that is running: its workgroups' LDS and its waves' registers.
struct Unit {
  uint64_t number = 0, seed = 0;
  Cluster cluster;
  std::vector<Workgroup> groups;
  std::vector<std::unique_ptr<Wave>> waves;
  std::vector<unsigned> order;
  std::vector<uint64_t> sinceStop; ///< Interleaved: what each wave has executed since it came to a blocking point
  std::vector<uint32_t> registers;
  std::vector<uint8_t> scratch, lds;
  std::vector<std::unique_ptr<RaceCheck>> races;        ///< of each workgroup, if wanted
  std::vector<WatcherPair> watchers;                    ///< of each workgroup: races and counters
  std::vector<TimingWatcher> timed;                     ///< of each workgroup
  std::vector<std::unique_ptr<WaveRecorder>> recorders; ///< of each wave, if wanted
  SecondMemories second;
  std::vector<std::unique_ptr<InitCheck>> inits; ///< of each wave, if wanted
};

enum class Outcome { Ended, Fault, Spinning };

class Runner {
public:
  Runner(const LaunchPlan &plan, Program &program, Progress &progress)
      : plan(plan), program(program), progress(progress) {
    if (progress.profile) counters = std::make_unique<ProfileCounters>(plan.arch.name, plan.waveSize);
    const Checks &checks = plan.config.checks;
    if (checks.waits == CheckMode::Warn || checks.hazards == CheckMode::Warn || checks.races != CheckMode::Off ||
        checks.init == CheckMode::Warn || checks.barriers == CheckMode::Warn)
      findings = std::make_unique<FindingRecorder>(program, plan.config);
  }
  ~Runner() {
    if (counters) progress.profile->add(program, *counters);
    if (findings && !findings->list.empty()) {
      std::lock_guard lock(progress.mutex);
      progress.findings.merge(findings->list);
    }
  }
  /// Takes units until there are none left. With a time limit, also stops between two units when it has passed, or when
  /// a unit only spins.
  void run(Time until);
  bool idle() const { return running.empty(); }

private:
  bool start();
  Outcome turn(Unit &unit);
  void record(const Unit &unit, const LaunchResult &fault);
  size_t unitBytes() const;

  const LaunchPlan &plan;
  Program &program;
  Progress &progress;
  std::vector<std::unique_ptr<Unit>> running, unused;
  std::unique_ptr<ProfileCounters> counters;
  std::unique_ptr<FindingRecorder> findings; ///< if a check warns or takes notes
};

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
    unit->watchers.resize(groups);
    unit->registers.resize(registers * waves);
    unit->scratch.resize(scratch * waves);
    unit->lds.resize(size_t(plan.ldsBytes) * groups);
    for (uint32_t g = 0; g < groups && plan.config.checks.races != CheckMode::Off; ++g)
      unit->races.push_back(std::make_unique<RaceCheck>(plan.ldsBytes, plan.waveCount, plan.config.checks.races,
                                                        plan.config.checks.releases));
    for (uint32_t k = 0; k < waves; ++k) unit->waves.push_back(std::make_unique<Wave>());
    unit->timed.resize(progress.times ? groups : 0);
    for (uint32_t k = 0; k < waves && progress.times; ++k) unit->recorders.push_back(progress.times->recorder());
    for (uint32_t k = 0; k < waves && plan.config.checks.init != CheckMode::Off; ++k)
      unit->inits.push_back(std::make_unique<InitCheck>(unit->second, plan.config.checks.init));
  }
  unit->number = number;
  unit->seed = plan.config.seed + mix(number + 1);
  std::fill(unit->lds.begin(), unit->lds.end(), poisonByte);
  if (!unit->inits.empty()) {
    unit->second.lds.begin(unit->lds.data(), unit->lds.size());
    unit->second.scratch.begin(unit->scratch.data(), unit->scratch.size());
  }
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
    if (!unit->races.empty()) {
      group.races = unit->races[g].get();
      unit->races[g]->global = progress.races.get();
      unit->races[g]->reset(number, static_cast<uint32_t>(number * groups + g));
    }
    unit->watchers[g].first = group.races ? unit->races[g].get() : nullptr;
    unit->watchers[g].second = counters.get();
    group.namedBarriers = plan.kernel.descriptor.namedBarriers;
    for (unsigned k = 0; k < 3; ++k) group.member[k] = id[k] % plan.cluster[k];
    for (uint32_t k = 0; k < plan.waveCount; ++k) {
      uint32_t n = g * plan.waveCount + k;
      Wave &w = *unit->waves[n];
      w.vector = unit->registers.data() + registers * n;
      w.scratch = unit->scratch.data() + scratch * n;
      const ScalarSet scalars = startWave(plan, program, w, group, k);
      w.counters = counters.get();
      w.findings = findings.get();
      w.watcher = counters && group.races ? &unit->watchers[g]
                  : counters              ? static_cast<Watcher *>(counters.get())
                                          : unit->watchers[g].first;
      w.recorder = nullptr;
      if (progress.times && progress.times->records(number)) {
        w.recorder = unit->recorders[n].get();
        w.recorder->begin(number, g, k);
        unit->timed[g].next = w.watcher;
        w.watcher = &unit->timed[g];
      }
      if (unit->inits.empty()) continue;
      unit->inits[n]->begin(w, scalars);
      w.init = unit->inits[n].get();
    }
  }
  if (counters) counters->workgroups += groups, counters->waves += waves;
  running.push_back(std::move(unit));
  return true;
}

/// One turn of each wave that can run, again and again until the unit has ended or only spins.
Outcome Runner::turn(Unit &unit) {
  if (findings) findings->unit = unit.number;
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
      uint64_t before = w.executed, soFar = progress.executed.load(std::memory_order_relaxed) + executed.count;
      const uint64_t slice = interleaved ? 1 + mix(unit.seed += 0x9e3779b97f4a7c15ull) % interleavedSlice : quantum;
      if (w.stop != Stop::Fault) // a store that was performed late may have raced
        runWave(w, std::min(slice, progress.limit - std::min(progress.limit, soFar) + 1));
      executed.count += w.executed - before;
      uint64_t all = soFar + w.executed - before;
      if (w.stop != Stop::Fault && all > progress.limit) {
        LaunchResult fault;
        std::vector<Wave *> waves;
        for (const auto &each : unit.waves) waves.push_back(each.get());
        reportRunaway(fault, program, w, waves, progress.limit);
        record(unit, fault);
        return Outcome::Fault;
      }
      if (const std::string why = w.recorder ? progress.times->refusal(*w.recorder) : ""; !why.empty()) {
        LaunchResult fault;
        fault.fault = FaultKind::BadLaunch;
        fault.report = "cannot model the time of kernel `" + plan.name() + "`: " + why;
        record(unit, fault);
        return Outcome::Fault;
      }
      if (w.stop == Stop::End) {
        ++ended;
        endWave(w);
        if (w.recorder && w.stop == Stop::End) w.recorder->end();
      }
      if (w.stop == Stop::Fault) {
        LaunchResult fault;
        reportFault(fault, program, w, plan.config);
        record(unit, fault);
        return Outcome::Fault;
      }
      unit.sinceStop[k] = w.stop == Stop::Quantum ? unit.sinceStop[k] + w.executed - before : 0;
      // A short slice that is over says nothing; only a wave that goes on for a whole quantum may be spinning.
      if (w.stop == Stop::Quantum && (!interleaved || unit.sinceStop[k] >= quantum)) spinning = true;
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
      LaunchResult fault;
      std::vector<Wave *> waves;
      for (const auto &w : unit.waves) waves.push_back(w.get());
      reportDeadlock(fault, program, waves, plan.config);
      record(unit, fault);
      return Outcome::Fault;
    }
  }
  return Outcome::Ended;
}

/// Keeps the fault of the lowest unit.
void Runner::record(const Unit &unit, const LaunchResult &fault) {
  std::lock_guard lock(progress.mutex);
  if (unit.number >= progress.faultUnit.load()) return;
  progress.faultUnit = unit.number;
  *progress.result = fault;
}

void Runner::run(Time until) {
  const size_t residents = std::max<size_t>(1, residentBytes / std::max<size_t>(unitBytes(), 1));
  bool more = true, wentRound = false;
  while (more || !running.empty()) {
    if (until != Time::max() && (!running.empty() || std::chrono::steady_clock::now() >= until)) return;
    // All that run only spin: one more may be what they wait for.
    if (more && running.size() < residents && (running.empty() || wentRound)) more = start();
    wentRound = true;
    for (size_t k = 0; k < running.size();) {
      Outcome outcome = running[k]->number > progress.faultUnit.load() ? Outcome::Fault : turn(*running[k]);
      if (outcome == Outcome::Spinning) {
        ++k;
        continue;
      }
      unused.push_back(std::move(running[k]));
      running.erase(running.begin() + static_cast<ptrdiff_t>(k));
    }
  }
}

} // namespace

uint64_t LaunchPlan::unitCount() const {
  if (!chosen.empty()) return chosen.size();
  uint64_t n = 1;
  for (unsigned k = 0; k < 3; ++k) n *= config.grid[k] / cluster[k];
  return n;
}

void LaunchPlan::choose() {
  for (const std::array<uint32_t, 3> &id : config.only) {
    uint64_t unit = 0;
    for (unsigned k = 3; k-- > 0;) unit = unit * (config.grid[k] / cluster[k]) + id[k] / cluster[k];
    chosen.push_back(unit);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
}

uint64_t LaunchPlan::numberInGrid(uint64_t unit, uint32_t member) const {
  const std::array<uint32_t, 3> id = workgroupId(unit, member);
  return id[0] + config.grid[0] * (id[1] + uint64_t(config.grid[1]) * id[2]);
}

std::array<uint32_t, 3> LaunchPlan::workgroupId(uint64_t unit, uint32_t member) const {
  std::array<uint32_t, 3> id;
  if (!chosen.empty()) unit = chosen[unit];
  for (unsigned k = 0; k < 3; ++k) {
    uint32_t count = config.grid[k] / cluster[k];
    id[k] = static_cast<uint32_t>(unit % count) * cluster[k] + member % cluster[k];
    unit /= count;
    member /= cluster[k];
  }
  return id;
}

void runPlan(const LaunchPlan &plan, LaunchResult &result) {
  Progress progress;
  progress.unitCount = plan.unitCount();
  progress.limit = plan.config.instructionLimit ? plan.config.instructionLimit : defaultInstructionLimit;
  progress.result = &result;
  ProfileCollector collector;
  if (plan.config.profile) progress.profile = &collector;
  if (plan.config.checks.races != CheckMode::Off && progress.unitCount * plan.groupsPerUnit() > 1)
    progress.races = std::make_unique<GlobalRaces>(plan.config.checks.races, [&plan](uint32_t group) {
      return plan.numberInGrid(group / plan.groupsPerUnit(), group % plan.groupsPerUnit());
    });
  result.ok = true;
  if (plan.config.timing) {
    const target::Target *target = target::find(plan.arch.name);
    ReplayShape shape{plan.waveSize, plan.waveCount, plan.groupsPerUnit(), plan.resident.workgroups,
                      target ? target->simdsPerComputeUnit : 4};
    shape.occupancyLimit = plan.resident.limit;
    progress.times = std::make_unique<TimeModel>(*plan.config.timing, plan.arch.name, shape, progress.unitCount);
    plan.config.timing->kernel = plan.name();
    if (!progress.times->error().empty()) {
      result.ok = false;
      result.fault = FaultKind::BadLaunch;
      result.report = "cannot model the time of kernel `" + plan.name() + "`: " + progress.times->error();
      return;
    }
  }
  const unsigned all = plan.config.threads ? plan.config.threads : std::max(1u, std::thread::hardware_concurrency()),
                 threads = progress.races ? 1 : all; // in the order in which workgroups publish and learn
  {
    auto programOf = [&](unsigned thread) -> Program & {
      Program &program = plan.module.program(plan.kernel, plan.waveSize, thread);
      program.kernel = plan.name();
      return program;
    };
    Runner first(plan, programOf(0), progress);
    if (threads > 1) first.run(std::chrono::steady_clock::now() + aloneTime);
    std::vector<std::thread> helpers;
    const uint64_t busy = first.idle() ? 0 : 1, left = progress.unitCount - progress.nextUnit.load() + busy;
    for (unsigned k = 1; k < threads && k < left; ++k) {
      Program &program = programOf(k);
      helpers.emplace_back([&plan, &program, &progress] { Runner(plan, program, progress).run(Time::max()); });
    }
    first.run(Time::max());
    for (std::thread &t : helpers) t.join();
  } // runners hand over what they have counted
  if (plan.config.profile) collector.finish(*plan.config.profile, plan.config);
  if (progress.times && result.ok)
    progress.times->finish(
        [&](uint64_t address) -> std::pair<uint64_t, uint64_t> {
          const Allocation *a = plan.memory.find(address, 1);
          return a ? std::pair(a->address, a->bytes) : std::pair(address, uint64_t(0));
        },
        progress.polled, progress.executed);
  result.waveInstructions = progress.executed;
  result.findings = std::move(progress.findings);
}

} // namespace fly::emulator
