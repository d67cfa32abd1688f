// The list of observers, and the objects that a thread makes of it; see LaunchObservers.h.
#include "runtime/emulator/launch/LaunchObservers.h"

#include "runtime/emulator/launch/Mutation.h"
#include "runtime/emulator/timing/TimeModel.h"
#include "runtime/emulator/watch/InitCheck.h"
#include "runtime/emulator/watch/ProfileCounters.h"
#include "runtime/emulator/watch/RaceCheck.h"
#include "runtime/emulator/watch/WeakMemory.h"

namespace fly::emulator {

namespace {

using Made = std::unique_ptr<WaveObserver>;

Made findings(const ObservedLaunch &launch) {
  return std::make_unique<FindingRecorder>(launch.program, launch.plan.config, &launch.gathered.findings);
}

/// gfx9's waves share a cache that works in order; gfx12's must wait for their stores, and in WGP mode they may be on
/// two compute units with a cache each, which gfx1250 has no more.
RaceCheck::Needs orderNeeds(const LaunchPlan &plan) {
  return {!plan.arch.generation.barriersOrderMemory, plan.arch.splitWorkgroups && plan.kernel.descriptor.wgpMode};
}

Made races(const ObservedLaunch &launch) {
  const LaunchPlan &plan = launch.plan;
  const Checks &checks = plan.config.checks;
  if (checks.races == CheckMode::Off) return nullptr;
  auto check =
      std::make_unique<RaceCheck>(plan.ldsBytes, plan.waveCount, checks.races, checks.releases, orderNeeds(plan));
  check->global = launch.gathered.races;
  return check;
}

Made profile(const ObservedLaunch &launch) {
  if (!launch.gathered.profile) return nullptr;
  return std::make_unique<ProfileCounters>(launch.plan.arch.name, launch.plan.waveSize, launch.plan.config.owned,
                                           *launch.gathered.profile);
}

Made recorder(const ObservedLaunch &launch) {
  return launch.gathered.times ? launch.gathered.times->recorder() : nullptr;
}

Made init(const ObservedLaunch &launch) {
  const CheckMode mode = launch.plan.config.checks.init;
  return mode == CheckMode::Off ? nullptr : std::make_unique<InitChecks>(mode);
}

Made weakMemory(const ObservedLaunch &launch) {
  const LaunchPlan &plan = launch.plan;
  if (!needsWeakMemory(plan.module.broken)) return nullptr;
  return std::make_unique<WeakMemory>(WeakMemory::Shape{plan.arch.severalL2, orderNeeds(plan).invalidation});
}

struct ListedObserver {
  ObserverScope scope;
  Made (*make)(const ObservedLaunch &);
};
/// In the order in which they are told.
constexpr ListedObserver listed[] = {
    {ObserverScope::Thread, findings}, {ObserverScope::Workgroup, races}, {ObserverScope::Thread, profile},
    {ObserverScope::Wave, recorder},   {ObserverScope::Unit, init},       {ObserverScope::Thread, weakMemory},
};

} // namespace

LaunchObservers::LaunchObservers(const ObservedLaunch &launch) : launch(launch) {
  for (const ListedObserver &each : listed) rows.push_back({each.scope, each.make});
  if (launch.plan.config.observers)
    rows.insert(rows.end(), launch.plan.config.observers->begin(), launch.plan.config.observers->end());
  for (const ObserverRow &row : rows) ofThread.push_back(make(row, row.scope == ObserverScope::Thread ? 1 : 0));
}

LaunchObservers::~LaunchObservers() {
  const auto finish = [&](UnitObservers &observers) {
    for (auto &row : observers)
      for (auto &each : row) each->finish(launch.program);
  };
  for (auto &unit : units) finish(*unit);
  finish(ofThread);
}

std::vector<std::unique_ptr<WaveObserver>> LaunchObservers::make(const ObserverRow &row, size_t count) const {
  std::vector<std::unique_ptr<WaveObserver>> made;
  while (made.size() < count) {
    Made next = row.make(launch);
    if (!next) return {};
    made.push_back(std::move(next));
  }
  return made;
}

UnitObservers &LaunchObservers::makeUnit() {
  const size_t groups = launch.plan.groupsPerUnit();
  UnitObservers &unit = *units.emplace_back(std::make_unique<UnitObservers>());
  for (const ObserverRow &row : rows)
    unit.push_back(make(row, row.scope == ObserverScope::Unit        ? 1
                             : row.scope == ObserverScope::Workgroup ? groups
                             : row.scope == ObserverScope::Wave      ? groups * launch.plan.waveCount
                                                                     : 0));
  return unit;
}

void LaunchObservers::begin(UnitObservers &unit, Wave &wave, const WaveStart &start) {
  for (size_t k = 0; k < rows.size(); ++k) {
    const size_t at = rows[k].scope == ObserverScope::Workgroup ? start.group
                      : rows[k].scope == ObserverScope::Wave    ? start.group * launch.plan.waveCount + start.wave
                                                                : 0;
    auto &made = rows[k].scope == ObserverScope::Thread ? ofThread[k] : unit[k];
    if (!made.empty()) made[at]->begin(wave, start);
  }
}

} // namespace fly::emulator
