// The barrier instructions; Barrier.h lists the barriers.
//
// Sources: gfx12's pseudocode for signal, isfirst, wait and get_barrier_state of the workgroup's barrier. Named
// barriers and the cluster's: LLVM (numbers, M0 = count << 16 | number, cluster barrier = one signal a workgroup and
// all waves wait), and published notes by users of the hardware: init and a signal with a count set the member count if
// it is not zero; any wave of the workgroup may signal; waiting without having joined does not stop; which named
// barrier s_barrier_wait means is the one joined last, whatever positive number it names. CDNA5 ISA, 5.6: instructions
// for barriers that do not exist do nothing, and leave SCC as it is; so do those of a workgroup of one wave. The
// cluster's isfirst only sets SCC. A count comes with M0, not with a constant. s_barrier_leave takes the wave out of
// the member count and reports in SCC whether it was the last, or had joined none. That s_wakeup_barrier only wakes
// sleepers (nobody sleeps here) rests on one source.
#include "compiler/text/Words.h"
#include "runtime/emulator/ops/scalar/Rows.h"
#include "runtime/emulator/ops/scalar/Barrier.h"

#include "runtime/emulator/ops/scalar/Control.h"
#include "runtime/emulator/wave/Pending.h"
#include "runtime/emulator/wave/Observer.h"
#include "runtime/emulator/lanes/Scalars.h"

#include <algorithm>

namespace fly::emulator {

namespace {

constexpr int workgroupBarrier = -1, clusterBarrier = -3;

/// Null for barriers that do nothing: 0, trap barriers, those of a single wave, and the cluster barrier without a
/// cluster. `failed`: the wave faulted.
Barrier *find(Wave &w, int number, bool &failed) {
  failed = false;
  Workgroup &g = *w.group;
  if (g.waves == 1 && number != clusterBarrier) return nullptr;
  if (number == workgroupBarrier) return &g.barrier;
  if (number == clusterBarrier) return g.cluster && g.cluster->groups() > 1 ? &g.cluster->barrier : nullptr;
  if (number <= 0) return nullptr;
  if (static_cast<uint32_t>(number) <= std::min(g.namedBarriers, maxNamedBarriers)) return &g.named[number];
  failed = true;
  w.fail(FaultKind::RegisterOutOfRange, "named barrier " + std::to_string(number) + " is beyond the " +
                                            std::to_string(g.namedBarriers) +
                                            " that the kernel's descriptor allocates");
  return nullptr;
}

/// Whether it is complete now.
bool completeIfFull(Barrier &b, uint32_t members) {
  if (members == 0 || b.signals < members) return false;
  b.signals = 0;
  ++b.completed;
  return true;
}
/// The workgroup's barrier is complete without the waves that have ended: by what this wave does. False if that is a
/// fault.
bool mayLackWaves(Wave &w, bool ends) {
  if (w.checkBarriers == CheckMode::Off) return true;
  const Workgroup &g = *w.group;
  Fault fault{FaultKind::SkippedBarrier,
              "skipped barrier: " +
                  (ends ? "this wave ends, and " + counted(g.waves - g.ended, "wave") + " of its workgroup " +
                              plural(g.waves - g.ended, "waits", "wait") + " at a barrier that it has not reached"
                        : "this wave is the last one at a barrier that " + counted(g.ended, "wave") +
                              " of its workgroup did not reach before the end")};
  if (w.checkBarriers == CheckMode::Error) {
    w.fail(std::move(fault));
    return false;
  }
  w.observers.found(w, fault);
  return true;
}
uint32_t membersOf(const Wave &w, const Barrier &b) {
  return &b == &w.group->barrier ? w.group->waves - w.group->ended : b.members;
}
Barrier::Kind kindOf(int number) {
  return number == workgroupBarrier ? Barrier::WholeWorkgroup : number > 0 ? Barrier::Named : Barrier::WholeCluster;
}

/// The barrier that an operand names: a constant, or M0 with the number and a member count.
struct Named {
  int number;
  uint32_t count;
};
Named operandOf(Wave &w, const Inst &i) {
  const Source &s = i.source[0];
  if (s.kind == Source::None) { // M0 is not encoded
    uint32_t m0 = w.scalar[slot::m0];
    return {static_cast<int>(m0 & 31), m0 >> 16 & 127};
  }
  return {static_cast<int>(readScalar<int32_t>(w, s)), 0};
}

void setCount(Barrier *b, uint32_t count) {
  if (!b || !count) return;
  b->members = count;
  b->valid = true;
}

void signal(Wave &w, const Inst &i) {
  Named named = operandOf(w, i);
  bool failed;
  Barrier *b = find(w, named.number, failed);
  if (named.number > 0) setCount(b, named.count);
  if (!failed) signalBarrier(w, named.number);
}
void signalIsFirst(Wave &w, const Inst &i) {
  Named named = operandOf(w, i);
  bool failed;
  Barrier *b = find(w, named.number, failed);
  if (!b) return;
  if (named.number > 0) setCount(b, named.count);
  const bool first = b->signals == 0;
  if (first || named.number != clusterBarrier) w.setScc(first);
  signalBarrier(w, named.number);
}
void stopAtBarrier(Wave &w) {
  w.stop = Stop::Barrier;
  w.observers.tell(Hook::Order, &WaveObserver::wait, w, w.waitsFor > 0 ? w.joined : w.waitsFor,
                   w.passed[kindOf(w.waitsFor)]);
}
void wait(Wave &w, const Inst &i) {
  w.waitsFor = static_cast<int8_t>(static_cast<int16_t>(i.immediate));
  if (!passBarrier(w)) stopAtBarrier(w);
}
/// gfx9's: both halves.
/// gfx9: the waves of a workgroup share a cache that does everything in the order of its issue. So what a wave has sent
/// off before the barrier comes before what others do after it, without a wait (AMDGPUUsage, "Memory Model GFX942":
/// releases of scope workgroup omit vmcnt(0)). Flags, and what goes to LDS, keep to the waits.
void performInGroup(Wave &w) {
  if (!w.pending || w.group->waves == 1) return;
  const auto lds = reinterpret_cast<uint64_t>(w.group->lds);
  const HostRange own{lds, lds + w.group->ldsBytes};
  const std::vector<Pending *> &all = w.pending->records();
  for (size_t k = 0; k < all.size(); ++k) {
    Pending &p = *all[k];
    if (p.performed || !(p.remaining & isa::maskOf(isa::Counter::Vm)) || !p.ordered || !p.range.high ||
        p.ldsRange.high || p.range.overlaps(own))
      continue;
    const isa::Instruction &instruction = w.program->instructions[p.number];
    if (reachOf(instruction) != Reach::Group ||
        (p.writes && isa::name(instruction.op).find("ATOMIC") != std::string_view::npos))
      continue;
    const auto holdsBack = [&](const Pending *older) {
      return !older->performed && older->ordered && older->range.overlaps(p.range);
    };
    if (std::any_of(all.begin(), all.begin() + static_cast<ptrdiff_t>(k), holdsBack)) continue;
    p.performed = true;
    if (WaveObserver *executor = w.observers.executor()) executor->carryOut(w, p);
    else if (p.actions->perform) p.actions->perform(w, p);
  }
}
void signalAndWait(Wave &w, const Inst &) {
  performInGroup(w);
  if (!signalBarrier(w, workgroupBarrier)) return;
  w.waitsFor = workgroupBarrier;
  stopAtBarrier(w);
}
void init(Wave &w, const Inst &i) {
  const Named named = operandOf(w, i);
  bool failed;
  Barrier *b = find(w, named.number, failed);
  if (!b || named.number <= 0) return;
  b->signals = 0;
  setCount(b, named.count);
}
void join(Wave &w, const Inst &i) {
  int number = operandOf(w, i).number;
  bool failed;
  Barrier *b = find(w, number, failed);
  if (failed || number < 0) return;
  w.joined = static_cast<uint8_t>(number);
  w.passed[Barrier::Named] = b ? b->completed : 0;
  w.signalled[Barrier::Named] = false;
}
void leave(Wave &w, const Inst &) {
  if (w.group->waves == 1) return;
  bool last = true;
  if (w.joined) {
    Barrier &b = w.group->named[w.joined];
    last = b.members && --b.members == 0;
    completeIfFull(b, b.members);
    w.joined = 0;
  }
  w.setScc(last);
}
void getState(Wave &w, const Inst &i) {
  bool failed;
  Barrier *b = find(w, operandOf(w, i).number, failed);
  if (failed) return;
  uint32_t state = 0;
  if (b) {
    bool valid = b->valid || b == &w.group->barrier || (w.group->cluster && b == &w.group->cluster->barrier);
    const uint32_t allocated = std::min(w.group->namedBarriers, maxNamedBarriers) / 4;
    state = allocated << 24 | (b->signals & 127) << 16 | (membersOf(w, *b) & 127) << 4 | valid;
  }
  deliverScalarLater(w, i, state, 1);
}

// clang-format off
constexpr Row rows[] = {
    {"S_BARRIER", signalAndWait, Row::Other}, {"S_BARRIER_SIGNAL", signal, Row::Other},
    {"S_BARRIER_SIGNAL_ISFIRST", signalIsFirst, Row::Other}, {"S_BARRIER_WAIT", wait, Row::Other},
    {"S_BARRIER_INIT", init, Row::Other}, {"S_BARRIER_JOIN", join, Row::Other}, {"S_BARRIER_LEAVE", leave, Row::Other},
    {"S_GET_BARRIER_STATE", getState, Row::Other}, {"S_WAKEUP_BARRIER", nothing, Row::Other},
};
// clang-format on

} // namespace

bool signalBarrier(Wave &w, int number) {
  bool failed;
  Barrier *b = find(w, number, failed);
  if (!b) return !failed;
  if (number > 0 && !b->valid) {
    w.fail(FaultKind::Deadlock, "signal to named barrier " + std::to_string(number) + ", which was not initialised");
    return false;
  }
  w.signalled[kindOf(number)] = true;
  w.observers.tell(Hook::Order, &WaveObserver::signal, w, number, b->completed);
  ++b->signals;
  const bool completes = completeIfFull(*b, membersOf(w, *b));
  return !completes || b != &w.group->barrier || !w.group->ended || mayLackWaves(w, false);
}

bool passBarrier(Wave &w) {
  const int number = w.waitsFor;
  Workgroup &g = *w.group;
  const Barrier *b = nullptr;
  if (g.waves == 1 && number != clusterBarrier) return true;
  if (number == workgroupBarrier) b = &g.barrier;
  else if (number == clusterBarrier) b = g.cluster && g.cluster->groups() > 1 ? &g.cluster->barrier : nullptr;
  else if (number > 0 && w.joined) b = &g.named[w.joined];
  if (!b) return true;
  Barrier::Kind kind = kindOf(number);
  if (b->completed == w.passed[kind]) return false;
  w.passed[kind] = b->completed;
  w.signalled[kind] = false;
  w.observers.tell(Hook::Order, &WaveObserver::pass, w, number > 0 ? w.joined : number, b->completed);
  return true;
}

/// Of a cluster that ends: all workgroups that a multicast load names have issued it, equally often.
static void mayLackLoads(Wave &w) {
  const Cluster &cluster = *w.group->cluster;
  for (const auto &[key, counts] : cluster.multicasts) {
    const uint32_t mask = key[0] & 0xffff;
    uint32_t most = 0, least = ~0u, who = 0;
    for (uint32_t rank = 0; rank < cluster.groups(); ++rank) {
      most = std::max(most, counts[rank]);
      if ((mask >> rank & 1) && counts[rank] < least) least = counts[rank], who = rank;
    }
    if (least == most) continue;
    Fault fault{FaultKind::SkippedBarrier,
                "skipped multicast: a tensor load for several workgroups of the cluster names the one of rank " +
                    std::to_string(who) + ", which has issued it " + counted(least, "time") + ", another one " +
                    counted(most, "time")};
    if (w.checkBarriers == CheckMode::Error) return w.fail(std::move(fault));
    w.observers.found(w, fault);
  }
}

void endWave(Wave &w) {
  Workgroup &g = *w.group;
  ++g.ended;
  if (completeIfFull(g.barrier, g.waves - g.ended) && !w.signalled[Barrier::WholeWorkgroup]) mayLackWaves(w, true);
  if (!g.cluster || g.ended < g.waves) return;
  Barrier &b = g.cluster->barrier;
  if (b.members) --b.members;
  completeIfFull(b, b.members);
  if (!b.members) mayLackLoads(w);
}

std::string describeBarrier(const Wave &w) {
  auto counts = [](const Barrier &b, uint32_t members, const char *who) {
    return std::to_string(b.signals) + " of " + std::to_string(members) + " " + who + " signalled";
  };
  const Workgroup &g = *w.group;
  if (w.waitsFor == workgroupBarrier) return "workgroup barrier: " + counts(g.barrier, g.waves - g.ended, "waves have");
  if (w.waitsFor == clusterBarrier && g.cluster)
    return "cluster barrier: " + counts(g.cluster->barrier, g.cluster->barrier.members, "workgroups have");
  if (w.waitsFor > 0 && w.joined)
    return "named barrier " + std::to_string(w.joined) + ": " +
           counts(g.named[w.joined], g.named[w.joined].members, "members have");
  return "barrier " + std::to_string(w.waitsFor);
}

std::span<const Row> barrierRows() { return rows; }

} // namespace fly::emulator
