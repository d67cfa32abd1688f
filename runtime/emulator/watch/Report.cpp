// From the state of waves to reports; see Report.h.
#include "runtime/emulator/watch/Report.h"

#include "runtime/emulator/ops/scalar/Barrier.h"
#include "runtime/emulator/watch/Spin.h"

#include <algorithm>

namespace fly::emulator {

namespace {

GridIndex indexOf(const Workgroup &g) { return {g.id[0], g.id[1], g.id[2]}; }

ReportedInstruction describeInstruction(Program &program, uint32_t index) {
  ReportedInstruction result{program.text(index), program.addressOf(index), {}, 0};
  const isa::SourceLocation &at = program.instructions[index].location;
  if (!at.valid() || at.file >= program.object.files().size()) return result;
  result.file = program.object.files()[at.file];
  result.line = at.line;
  return result;
}

ReportedPlace describePlace(const Wave &w, int lane, const LaunchConfig &config) {
  ReportedPlace place{indexOf(*w.group), w.index, lane, {}};
  if (lane < 0) return place;
  const uint32_t item = w.index * w.lanes + static_cast<uint32_t>(lane);
  place.workItem = {item % config.block[0], item / config.block[0] % config.block[1],
                    item / config.block[0] / config.block[1]};
  return place;
}

ReportedAddress describeAddress(const Wave &w, const Fault &fault) {
  // LDS has offsets, which are small.
  const bool isGlobal = (fault.kind == FaultKind::OutOfBounds || fault.kind == FaultKind::Race ||
                         fault.kind == FaultKind::EqualStores || fault.kind == FaultKind::UninitialisedRead) &&
                        fault.address >> 32;
  return {fault.address, isGlobal ? w.memory->describe(fault.address, 1) : ""};
}

FaultReport about(const Program &program, FaultKind kind, std::string what) {
  return {.kind = kind, .kernel = program.kernel, .arch = std::string(program.arch.name), .what = std::move(what)};
}

ReportedWaves::State describeWait(Program &program, const Wave &w, bool nameBarrier) {
  ReportedWaves::State state{.doing = ReportedWaves::Doing::Waits, .at = describeInstruction(program, w.at)};
  if (w.waitsFor != -1 || nameBarrier) state.barrier = describeBarrier(w);
  const unsigned kind = w.waitsFor == -1 ? Barrier::WholeWorkgroup
                        : w.waitsFor > 0 ? Barrier::Named
                                         : Barrier::WholeCluster;
  state.hasSignalled = kind == Barrier::WholeCluster || w.signalled[kind];
  return state;
}

/// Runs the wave on a little.
ReportedWaves::State describeSpin(Program &program, Wave &w) {
  const Spin spin = findSpin(program, w);
  if (w.stop == Stop::End) return {.doing = ReportedWaves::Doing::HasJustEnded};
  if (w.stop == Stop::Barrier) return describeWait(program, w, true);
  ReportedWaves::State state{.doing = spin.loop.empty() ? ReportedWaves::Doing::Runs : ReportedWaves::Doing::Loops,
                             .at = describeInstruction(program, w.at),
                             .sleeps = spin.sleeps};
  constexpr size_t atMost = 4; // a loop with more reads works, and does not wait
  if (spin.polled.size() > atMost) return state;
  for (const PolledRead &read : spin.polled)
    state.polls.push_back({read.bytes, read.isLds, read.address,
                           read.isLds ? "" : w.memory->describe(read.address, read.bytes), read.value,
                           describeInstruction(program, read.instruction).source()});
  return state;
}

/// Neighbours that do the same are told together.
ReportedGroup describeGroup(Program &program, const Workgroup &g, const std::vector<Wave *> &waves) {
  ReportedGroup group{indexOf(g), {}, {}};
  for (Wave *w : waves) {
    if (w->group != &g) continue;
    ReportedWaves::State now = w->stop == Stop::End                           ? ReportedWaves::State()
                               : w->stop == Stop::Barrier && !passBarrier(*w) ? describeWait(program, *w, true)
                                                                              : describeSpin(program, *w);
    if (!group.waves.empty() && group.waves.back().state == now) group.waves.back().last = w->index;
    else group.waves.push_back({w->index, w->index, {}, std::move(now)});
  }
  return group;
}

} // namespace

FaultReport describeFault(Program &program, const Wave &w, const Fault &fault, const LaunchConfig &config) {
  FaultReport report = about(program, fault.kind, fault.what);
  if (w.at) report.instruction = describeInstruction(program, w.at);
  if (fault.earlier) report.other = describeInstruction(program, fault.earlier);
  report.place = describePlace(w, fault.lane, config);
  if (fault.hasAddress) report.address = describeAddress(w, fault);
  return report;
}

void FindingRecorder::finish(Program &) {
  if (!shared || list.empty()) return;
  std::lock_guard lock(shared->mutex);
  shared->list.merge(list);
}

void FindingRecorder::found(const Wave &w, const Fault &fault) {
  Finding *finding =
      list.at({program.addressOf(w.at), fault.earlier ? program.addressOf(fault.earlier) : 0, fault.kind});
  if (!finding) return;
  const uint64_t unit = w.group->unit;
  if (finding->count++ && unit >= finding->unit) return;
  FaultReport report = describeFault(program, w, fault, config);
  if (finding->count > 1) return finding->keepFirst(unit, report);
  finding->unit = unit;
  finding->report = std::move(report);
}

FaultReport describeRunaway(Program &program, Wave &last, const std::vector<Wave *> &waves, uint64_t limit) {
  FaultReport report = about(program, FaultKind::Runaway,
                             "the kernel has executed " + std::to_string(limit) + " wave instructions without ending");
  report.groups.push_back(describeGroup(program, *last.group, waves));
  return report;
}

FaultReport describeStuck(Program &program, const std::vector<Wave *> &waves) {
  constexpr size_t most = 4; // workgroups that are told
  FaultReport report =
      about(program, FaultKind::Deadlock, "deadlock: all waves wait, and nothing can change what they wait for");
  std::vector<const Workgroup *> groups;
  for (const Wave *w : waves)
    if (std::find(groups.begin(), groups.end(), w->group) == groups.end()) groups.push_back(w->group);
  for (size_t k = 0; k < groups.size() && k < most; ++k)
    report.groups.push_back(describeGroup(program, *groups[k], waves));
  report.moreGroups = groups.size() - report.groups.size();
  return report;
}

FaultReport describeDeadlock(Program &program, const std::vector<Wave *> &waves) {
  const Workgroup &g = *waves[0]->group;
  const bool isCluster = g.cluster && g.cluster->groups() > 1;
  FaultReport report =
      about(program, FaultKind::Deadlock,
            std::string("deadlock: no wave of the ") + (isCluster ? "cluster" : "workgroup") + " can continue");
  ReportedGroup &all = report.groups.emplace_back();
  all.workgroup = indexOf(g);
  all.arrived = {g.barrier.signals, g.waves - g.ended};
  for (const Wave *w : waves) {
    ReportedWaves &one = all.waves.emplace_back();
    one.first = one.last = w->index;
    if (isCluster) one.workgroup = indexOf(*w->group);
    if (w->stop != Stop::End) one.state = describeWait(program, *w, isCluster);
  }
  return report;
}

} // namespace fly::emulator
