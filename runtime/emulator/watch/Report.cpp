// A report reads like this:
//
//     kernel `vec_add` on gfx942: read of 4 bytes outside of any allocation
//       instruction: global_load_dword v2, v[2:3], off   (at 0x100000004740)
//       source: vec_add.fly:12
//       workgroup (3, 0, 0), wave 1, lane 17, work-item (81, 0, 0)
//       address 0x100000008400: 0 bytes past the end of `a` (4096 bytes at 0x100000007400)
#include "runtime/emulator/watch/Report.h"

#include "runtime/emulator/watch/Spin.h"
#include "runtime/emulator/ops/scalar/Barrier.h"
#include "runtime/emulator/formats/Text.h"

#include <algorithm>

namespace fly::emulator {

namespace {

std::string triple(uint32_t x, uint32_t y, uint32_t z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

/// "vec_add.fly:12", empty if the line table does not know.
std::string sourceOf(Program &program, uint32_t index, std::string *file = nullptr, unsigned *line = nullptr) {
  const isa::SourceLocation &at = program.instructions[index].location;
  if (!at.valid() || at.file >= program.object.files().size()) return {};
  const std::string &name = program.object.files()[at.file];
  if (file) *file = name;
  if (line) *line = at.line;
  return name + ":" + std::to_string(at.line);
}

std::string instructionLine(Program &program, uint32_t index) {
  return program.text(index) + "   (at " + hex(program.addressOf(index)) + ")";
}

/// Kernel and cause, the instruction with its source, and the other instruction, if there is one.
std::string describe(Program &program, const Wave &w, const Fault &fault, std::string &file, unsigned &line) {
  std::string r = "kernel `" + program.kernel + "` on " + std::string(program.arch.name) + ": " + fault.what + "\n";
  if (w.at) r += "  instruction: " + instructionLine(program, w.at) + "\n";
  std::string source = sourceOf(program, w.at, &file, &line);
  if (!source.empty()) r += "  source: " + source + "\n";
  if (fault.earlier) {
    r += (fault.kind == FaultKind::MissingWait         ? "  not waited for: "
          : fault.kind == FaultKind::Hazard            ? "  earlier instruction: "
          : fault.kind == FaultKind::UninitialisedRead ? "  first read by: "
                                                       : "  other access: ") +
         instructionLine(program, fault.earlier);
    source = sourceOf(program, fault.earlier);
    r += (source.empty() ? "" : ", " + source) + "\n";
  }
  return r;
}

/// Workgroup, wave and lane, and the address.
std::string describePlace(const Wave &w, const Fault &fault, const LaunchConfig &config) {
  std::string r =
      "workgroup " + triple(w.group->id[0], w.group->id[1], w.group->id[2]) + ", wave " + std::to_string(w.index);
  if (fault.lane >= 0) {
    uint32_t thread = w.index * w.lanes + static_cast<uint32_t>(fault.lane);
    r += ", lane " + std::to_string(fault.lane) + ", work-item " +
         triple(thread % config.block[0], thread / config.block[0] % config.block[1],
                thread / config.block[0] / config.block[1]);
  }
  r += "\n";
  if (fault.hasAddress) {
    // LDS has offsets, which are small.
    bool global = (fault.kind == FaultKind::OutOfBounds || fault.kind == FaultKind::Race ||
                   fault.kind == FaultKind::EqualStores || fault.kind == FaultKind::UninitialisedRead) &&
                  fault.address >> 32;
    r += "  address " + hex(fault.address);
    if (global) r += ": " + w.memory->describe(fault.address, 1);
    r += "\n";
  }
  return r;
}

} // namespace

void FindingRecorder::found(const Wave &w, const Fault &fault) {
  Finding *finding =
      list.at({program.addressOf(w.at), fault.earlier ? program.addressOf(fault.earlier) : 0, fault.kind});
  if (!finding) return;
  if (!finding->count++) finding->what = describe(program, w, fault, finding->file, finding->line);
  if (finding->count == 1 || unit < finding->unit) {
    finding->unit = unit;
    finding->first = describePlace(w, fault, config);
  }
}

void reportFault(LaunchResult &result, Program &program, const Wave &w, const LaunchConfig &config) {
  result.ok = false;
  result.fault = w.fault.kind;
  result.faultAddress = w.fault.hasAddress ? w.fault.address : 0;
  result.report =
      describe(program, w, w.fault, result.faultFile, result.faultLine) + "  " + describePlace(w, w.fault, config);
}

/// "waits at s_barrier, x.fly:7, for the workgroup barrier: 1 of 2 waves have signalled, without having signalled"
static std::string describeWait(LaunchResult &result, Program &program, const Wave &w, bool nameBarrier) {
  std::string r = "waits at " + instructionLine(program, w.at);
  std::string source = sourceOf(program, w.at, &result.faultFile, &result.faultLine);
  r += source.empty() ? "" : ", " + source;
  if (w.waitsFor != -1 || nameBarrier) r += ", for the " + describeBarrier(w);
  unsigned kind = w.waitsFor == -1 ? Barrier::WholeWorkgroup : w.waitsFor > 0 ? Barrier::Named : Barrier::WholeCluster;
  if (kind != Barrier::WholeCluster && !w.signalled[kind]) r += ", without having signalled";
  return r;
}

/// "loops at v_cmp_eq_u32 ..., x.fly:7, sleeping, and polls 4 bytes at 0x100000001000, inside `flag` (...): 0"
static std::string describeSpin(LaunchResult &result, Program &program, Wave &w) {
  const Spin spin = findSpin(program, w);
  if (w.stop == Stop::End) return "has just ended";
  if (w.stop == Stop::Barrier) return describeWait(result, program, w, true);
  std::string r = (spin.loop.empty() ? "runs at " : "loops at ") + instructionLine(program, w.at);
  std::string source = sourceOf(program, w.at, &result.faultFile, &result.faultLine);
  if (!source.empty()) r += ", " + source;
  if (spin.sleeps) r += ", and sleeps";
  constexpr size_t atMost = 4; // a loop with more reads works, and does not wait
  if (spin.polled.size() > atMost) return r;
  for (const PolledRead &read : spin.polled) {
    r += "\n      polls " + std::to_string(read.bytes) + " bytes at ";
    r += read.isLds ? "offset " + std::to_string(read.address) + " of LDS"
                    : hex(read.address) + ", " + w.memory->describe(read.address, read.bytes);
    r += ", now " + std::to_string(read.value);
    if (std::string place = sourceOf(program, read.instruction); !place.empty() && place != source) r += ", " + place;
  }
  return r;
}

/// A line for each wave of the workgroup; one for several that do the same.
static std::string describeWaves(LaunchResult &result, Program &program, const Workgroup &g,
                                 const std::vector<Wave *> &waves) {
  std::string r, where; // where: of the waves from `first`, all the same
  unsigned first = 0, count = 0;
  auto flush = [&] {
    if (count == 1) r += "  wave " + std::to_string(first);
    if (count > 1) r += "  waves " + std::to_string(first) + " to " + std::to_string(first + count - 1);
    if (count) r += ": " + where + "\n";
  };
  for (Wave *w : waves) {
    if (w->group != &g) continue;
    std::string now = w->stop == Stop::End                           ? "ended"
                      : w->stop == Stop::Barrier && !passBarrier(*w) ? describeWait(result, program, *w, true)
                                                                     : describeSpin(result, program, *w);
    if (count && now == where) {
      ++count;
      continue;
    }
    flush();
    where = std::move(now), first = w->index, count = 1;
  }
  flush();
  return r;
}

void reportRunaway(LaunchResult &result, Program &program, Wave &last, const std::vector<Wave *> &waves,
                   uint64_t limit) {
  result.ok = false;
  result.fault = FaultKind::Runaway;
  const Workgroup &g = *last.group;
  result.report = "kernel `" + program.kernel + "` on " + std::string(program.arch.name) +
                  ": the kernel has executed " + std::to_string(limit) +
                  " wave instructions without ending\n  workgroup " + triple(g.id[0], g.id[1], g.id[2]) + "\n" +
                  describeWaves(result, program, g, waves);
}

void reportStuck(LaunchResult &result, Program &program, const std::vector<Wave *> &waves) {
  constexpr unsigned most = 4; // workgroups that are told
  result.ok = false;
  result.fault = FaultKind::Deadlock;
  std::string r = "kernel `" + program.kernel + "` on " + std::string(program.arch.name) +
                  ": deadlock: all waves wait, and nothing can change what they wait for\n";
  std::vector<const Workgroup *> groups;
  for (const Wave *w : waves)
    if (std::find(groups.begin(), groups.end(), w->group) == groups.end()) groups.push_back(w->group);
  for (size_t k = 0; k < groups.size() && k < most; ++k)
    r += "  workgroup " + triple(groups[k]->id[0], groups[k]->id[1], groups[k]->id[2]) + "\n" +
         describeWaves(result, program, *groups[k], waves);
  if (groups.size() > most) r += "  and " + std::to_string(groups.size() - most) + " more workgroups\n";
  result.report += r;
}

void reportDeadlock(LaunchResult &result, Program &program, const std::vector<Wave *> &waves, const LaunchConfig &) {
  result.ok = false;
  result.fault = FaultKind::Deadlock;
  const Workgroup &g = *waves[0]->group;
  const bool cluster = g.cluster && g.cluster->groups() > 1;
  std::string r = "kernel `" + program.kernel + "` on " + std::string(program.arch.name) +
                  ": deadlock: no wave of the " + (cluster ? "cluster" : "workgroup") + " can continue\n  workgroup " +
                  triple(g.id[0], g.id[1], g.id[2]) + ", " + std::to_string(g.barrier.signals) + " of " +
                  std::to_string(g.waves - g.ended) + " waves have arrived at the barrier\n";
  for (const Wave *w : waves) {
    r += "  ";
    if (cluster) r += "workgroup " + triple(w->group->id[0], w->group->id[1], w->group->id[2]) + ", ";
    r += "wave " + std::to_string(w->index) + ": ";
    if (w->stop == Stop::End) {
      r += "ended\n";
      continue;
    }
    r += describeWait(result, program, *w, cluster) + "\n";
  }
  result.report = std::move(r);
}

} // namespace fly::emulator
