// Schedules the units of a launch over host threads; Runner.h has what one thread does.
//
// Threads: each has a Runner with its own registers, LDS and Program; only device memory is shared. The calling thread
// begins alone, since most launches in tests end before a second thread would have decoded the code. Helpers join after
// `aloneTime`, or when a unit only spins, possibly waiting for one that they will take. Of several faults, that of the
// lowest unit is reported: units after it are not started any more, those before it run to their end. With one thread
// everything is deterministic.
//
// Kernels of several devices at once have one thread, and a Runner each: they take turns, as units do.
#include "compiler/target/Target.h"
#include "runtime/emulator/launch/Runner.h"
#include "runtime/emulator/watch/GlobalRaces.h"
#include "runtime/emulator/watch/ProfileCounters.h"

#include <algorithm>
#include <thread>

namespace fly::emulator {

namespace {

constexpr uint64_t defaultInstructionLimit = 4'000'000'000;
constexpr auto aloneTime = std::chrono::milliseconds(2);

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

/// What the threads of a launch begin with.
static void begin(Progress &progress, const LaunchPlan &plan, LaunchResult &result, ProfileCollector &collector) {
  progress.unitCount = plan.unitCount();
  progress.limit = plan.config.instructionLimit ? plan.config.instructionLimit : defaultInstructionLimit;
  progress.result = &result;
  if (plan.config.profile) progress.gathered.profile = &collector;
  result.ok = true;
}

static Program &programOf(const LaunchPlan &plan, unsigned thread) {
  Program &program = plan.module.program(plan.kernel, plan.waveSize, thread);
  program.kernel = plan.name();
  return program;
}

/// What messages call a workgroup, counted from 0 over those that are executed.
static std::string nameOf(const LaunchPlan &plan, uint32_t group) {
  return std::to_string(plan.numberInGrid(group / plan.groupsPerUnit(), group % plan.groupsPerUnit()));
}

void runPlan(const LaunchPlan &plan, LaunchResult &result) {
  Progress progress;
  ProfileCollector collector;
  begin(progress, plan, result, collector);
  std::unique_ptr<GlobalRaces> races;
  if (plan.config.checks.races != CheckMode::Off && progress.unitCount * plan.groupsPerUnit() * plan.waveCount > 1)
    races = std::make_unique<GlobalRaces>(plan.config.checks.races,
                                          ScopedOrder({0}, plan.arch.severalL2, {plan.groupsPerUnit()}),
                                          [&plan](uint32_t group) { return nameOf(plan, group); });
  progress.gathered.races = races.get();
  if (plan.config.timing) {
    const target::Target *target = target::find(plan.arch.name);
    ReplayShape shape{plan.waveSize, plan.waveCount, plan.groupsPerUnit(), plan.resident.workgroups,
                      target ? target->simdsPerComputeUnit : 4};
    shape.occupancyLimit = plan.resident.limit;
    progress.times = std::make_unique<TimeModel>(*plan.config.timing, plan.arch.name, shape, progress.unitCount);
    plan.config.timing->kernel = plan.name();
    progress.gathered.times = progress.times.get();
    if (std::string why = progress.times->error(plan.name()); !why.empty()) {
      result.ok = false;
      result.report.kind = FaultKind::BadLaunch;
      result.report.what = std::move(why);
      return;
    }
  }
  const unsigned all = plan.config.threads ? plan.config.threads : std::max(1u, std::thread::hardware_concurrency()),
                 threads = progress.gathered.races ? 1 : all; // in the order in which workgroups publish and learn
  {
    Runner first(plan, programOf(plan, 0), progress);
    if (threads > 1) first.run(std::chrono::steady_clock::now() + aloneTime);
    std::vector<std::thread> helpers;
    const uint64_t busy = first.idle() ? 0 : 1, left = progress.unitCount - progress.nextUnit.load() + busy;
    const auto runners = static_cast<unsigned>(std::clamp<uint64_t>(left, 1, threads));
    progress.expected = runners;
    for (unsigned k = 1; k < runners; ++k) programOf(plan, k); // before any thread starts
    for (unsigned k = 1; k < runners; ++k)
      helpers.emplace_back([&plan, &progress, k] { Runner(plan, programOf(plan, k), progress).run(Time::max()); });
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
  result.findings = std::move(progress.gathered.findings.list);
}

void runTogether(const std::vector<const LaunchPlan *> &plans, LaunchResult &result) {
  struct Part {
    Progress progress;
    ProfileCollector collector;
    LaunchResult result;
    std::unique_ptr<Runner> runner;
  };
  const LaunchPlan &first = *plans.front();
  std::vector<uint32_t> firstGroups, clusters;
  for (const LaunchPlan *plan : plans) {
    firstGroups.push_back(plan->firstGroup);
    clusters.push_back(plan->groupsPerUnit());
  }
  std::unique_ptr<GlobalRaces> races;
  if (first.config.checks.races != CheckMode::Off)
    races = std::make_unique<GlobalRaces>(
        first.config.checks.races, ScopedOrder(firstGroups, first.arch.severalL2, clusters), [&](uint32_t group) {
          size_t k = plans.size() - 1;
          while (plans[k]->firstGroup > group) --k;
          return nameOf(*plans[k], group - plans[k]->firstGroup) + " of device " + std::to_string(plans[k]->device);
        });
  std::vector<std::unique_ptr<Part>> parts;
  for (const LaunchPlan *plan : plans) {
    Part &part = *parts.emplace_back(std::make_unique<Part>());
    begin(part.progress, *plan, part.result, part.collector);
    part.progress.gathered.races = races.get();
    part.runner = std::make_unique<Runner>(*plan, programOf(*plan, plan->device), part.progress);
  }
  result.ok = true;
  bool goesOn = true;
  for (unsigned spun = 0; goesOn && result.ok;) {
    goesOn = false;
    bool onlySpun = true;
    for (auto &part : parts) {
      goesOn |= part->runner->round();
      onlySpun &= part->runner->onlySpun();
      if (!part->result.ok) {
        result = part->result;
        goesOn = false;
        break;
      }
    }
    spun = onlySpun && goesOn ? spun + 1 : 0;
    if (!mayBeStuck(spun) ||
        !std::all_of(parts.begin(), parts.end(), [](auto &part) { return part->runner->isStuck(); }))
      continue;
    for (auto &part : parts) {
      if (part->runner->idle()) continue;
      FaultReport stuck = part->runner->describeStuck();
      if (result.ok) result.report = std::move(stuck);
      else result.report.others.push_back(std::move(stuck));
      result.ok = false;
    }
  }
  for (size_t k = 0; k < parts.size(); ++k) {
    Part &part = *parts[k];
    part.runner.reset(); // which hands over what it has counted
    if (plans[k]->config.profile) part.collector.finish(*plans[k]->config.profile, plans[k]->config);
    result.waveInstructions += part.progress.executed;
    result.findings.merge(part.progress.gathered.findings.list);
  }
}

} // namespace fly::emulator
