// Vector clocks over LDS; see RaceCheck.h.
#include "runtime/emulator/watch/RaceCheck.h"

#include "runtime/emulator/wave/Program.h"

#include <algorithm>
#include <bit>

namespace fly::emulator {

namespace {
void join(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
  for (size_t k = 0; k < from.size(); ++k) to[k] = std::max(to[k], from[k]);
}
} // namespace

RaceCheck::RaceCheck(uint32_t ldsBytes, uint32_t waves, CheckMode mode)
    : waves(waves), mode(mode), writes(ldsBytes), reads(size_t(ldsBytes) * waves) {
  reset();
}

void RaceCheck::reset(uint64_t ofUnit, uint32_t ofGroup) {
  unit = ofUnit;
  number = ofGroup;
  clocks.assign(waves, Clock(waves, 0));
  signals.assign(waves, 0);
  underWay.assign(waves, {});
  current.bytes.clear();
  for (uint32_t w = 0; w < waves; ++w) clocks[w][w] = 1;
  barriers.clear();
  atomics.clear();
  objects.clear();
  arrivals.clear();
  otherWrites.clear();
  knownToAll.assign(waves, 0);
  clocksChanged = false;
  std::fill(writes.begin(), writes.end(), Write());
  std::fill(reads.begin(), reads.end(), Read());
}

RaceCheck::Meeting &RaceCheck::meeting(int barrier, uint64_t phase) {
  Meeting &m = barriers[barrier];
  m.arriving.resize(waves);
  m.released.resize(waves);
  if (phase > m.phase) {
    m.released = m.arriving;
    m.phase = phase;
  }
  return m;
}
void RaceCheck::signal(unsigned wave, int barrier, uint64_t completed) {
  if (barrier == -3 && global) global->publish(number, clusterPlace());
  join(meeting(barrier, completed).arriving, clocks[wave]);
  ++clocks[wave][wave];
  ++signals[wave];
}
void RaceCheck::pass(unsigned wave, int barrier, uint64_t completed) {
  if (barrier == -3 && global) global->learn(number, clusterPlace());
  join(clocks[wave], meeting(barrier, completed).released);
  clocksChanged = true;
}

void RaceCheck::issue(Wave &w, const Pending &operation) {
  if (current.bytes.empty()) return;
  current.operation = &operation;
  current.signals = signals[w.index];
  underWay[w.index].push_back(std::move(current));
  if (idle.empty()) current = UnderWay();
  else {
    current = std::move(idle.back());
    idle.pop_back();
  }
}
void RaceCheck::perform(Wave &w, const Pending &operation) {
  std::vector<UnderWay> &all = underWay[w.index];
  const auto known = std::find_if(all.begin(), all.end(), [&](const UnderWay &u) { return u.operation == &operation; });
  if (known == all.end()) return;
  UnderWay done = std::move(*known);
  all.erase(known);
  if (done.signals != signals[w.index] && w.stop != Stop::Fault) again(w, done);
  done.bytes.clear();
  idle.push_back(std::move(done));
}

/// The accesses once more, after a signal.
void RaceCheck::again(Wave &w, const UnderWay &late) {
  const uint32_t at = w.at;
  w.at = late.instruction; // which a report is about
  isLate = true;
  found.clear();
  noted.clear();
  findKnownToAll();
  for (const UnderWay::Bytes &bytes : late.bytes) {
    const MemoryEvent event{Space::Lds, !bytes.write, bytes.write, false, 1, 1ull << bytes.lane, nullptr};
    for (uint32_t k = bytes.begin; k < bytes.end; ++k)
      if (!touch(w, event, bytes.lane, k, unknown)) {
        isLate = false;
        return;
      }
  }
  isLate = false;
  w.at = at;
}

uint32_t RaceCheck::beginArrival(unsigned wave) {
  arrivals[++lastArrival] = clocks[wave];
  ++clocks[wave][wave];
  return lastArrival;
}
void RaceCheck::arrive(uint32_t arrival, uint32_t offset, bool turned) {
  auto known = arrivals.find(arrival);
  if (known == arrivals.end()) return;
  Object &o = objects[offset];
  o.arriving.resize(waves);
  o.released.resize(waves);
  join(o.arriving, known->second);
  if (turned) join(o.released, o.arriving);
}
void RaceCheck::observe(unsigned wave, uint32_t offset) {
  if (auto o = objects.find(offset & ~7u); o != objects.end()) {
    join(clocks[wave], o->second.released);
    clocksChanged = true;
  }
}

void RaceCheck::synchronise(Wave &w, uint32_t offset) {
  Clock &seen = atomics[offset];
  seen.resize(waves);
  join(clocks[w.index], seen);
  seen = clocks[w.index];
  ++clocks[w.index][w.index];
  clocksChanged = true;
}

void RaceCheck::findKnownToAll() {
  if (!clocksChanged) return;
  knownToAll = clocks[0];
  for (const Clock &clock : clocks)
    for (uint32_t k = 0; k < waves; ++k) knownToAll[k] = std::min(knownToAll[k], clock[k]);
  clocksChanged = false;
}

/// Whether the wave continues.
bool RaceCheck::report(Wave &w, const MemoryEvent &event, unsigned lane, uint32_t offset, unsigned other,
                       uint32_t instruction, bool wrote) {
  if (mode == CheckMode::Warn && std::find(found.begin(), found.end(), instruction) != found.end()) return true;
  Fault fault{FaultKind::Race,
              std::string("race on LDS: wave ") + std::to_string(w.index) + (event.write ? " writes" : " reads") +
                  " a byte that wave " + std::to_string(other) + (wrote ? " has written" : " has read") +
                  (isLate ? ", possibly after the barrier: the wait for it before the barrier is missing"
                          : ", with no barrier in between"),
              static_cast<int>(lane),
              offset,
              true,
              instruction};
  if (mode == CheckMode::Warn) {
    found.push_back(instruction);
    w.findings->found(w, fault);
    return true;
  }
  w.fail(std::move(fault));
  return false;
}

/// Once per instruction and instruction that it equals.
void RaceCheck::note(Wave &w, unsigned lane, uint32_t offset, const Write &write) {
  if (!w.findings || std::find(noted.begin(), noted.end(), write.instruction) != noted.end()) return;
  noted.push_back(write.instruction);
  w.findings->found(w, {FaultKind::EqualStores,
                        "equal stores to LDS: wave " + std::to_string(w.index) + " stores to a byte what wave " +
                            std::to_string(write.wave) + " has stored, with no barrier in between",
                        static_cast<int>(lane), offset, true, write.instruction});
}

RaceCheck::Relation RaceCheck::relation(const Wave &w, const MemoryEvent &event, int16_t value,
                                        const Write &write) const {
  const uint32_t heard = clocks[w.index][write.wave];
  if (write.count <= heard || write.wave == w.index) return Relation::Ordered;
  if (event.atomic || !event.write) return write.atomic ? Relation::Ordered : Relation::Different;
  if (write.atomic || value == unknown || write.value != value) return Relation::Different;
  return write.otherCount > heard ? Relation::EqualNow : Relation::Equal;
}

/// Makes this write the last one, and keeps what later writes need of those before it.
void RaceCheck::remember(const Wave &w, const MemoryEvent &event, uint32_t offset, int16_t value) {
  const Write before = writes[offset];
  const auto others = otherWrites.empty() ? otherWrites.end() : otherWrites.find(offset);
  Write &last = writes[offset] = {.count = clocks[w.index][w.index],
                                  .instruction = w.at,
                                  .wave = static_cast<uint16_t>(w.index),
                                  .value = value,
                                  .atomic = event.atomic};
  if (event.atomic || value == unknown) { // a store that races with an earlier write races with this one, too
    if (others != otherWrites.end()) otherWrites.erase(others);
    return;
  }
  std::vector<Write> kept;
  const auto keep = [&](const Write &write) {
    if (!write.count) return;
    const bool equal = write.value == value;
    if (write.wave == w.index) {
      last.otherCount = equal ? write.otherCount : write.count;
      last.otherInstruction = equal ? write.otherInstruction : write.instruction;
    } else if (const bool open = write.count > clocks[w.index][write.wave];
               open ? equal : (equal ? write.otherCount : write.count) > knownToAll[write.wave])
      kept.push_back(write);
  };
  keep(before);
  if (others == otherWrites.end()) {
    if (!kept.empty()) otherWrites.emplace(offset, std::move(kept));
    return;
  }
  for (const Write &write : others->second) keep(write);
  if (kept.empty()) otherWrites.erase(others);
  else others->second = std::move(kept);
}

/// False if the wave has failed.
bool RaceCheck::touch(Wave &w, const MemoryEvent &event, unsigned lane, uint32_t offset, int16_t value) {
  const Write *worst = &writes[offset];
  Relation found = relation(w, event, value, *worst);
  if (!otherWrites.empty() && found != Relation::Different)
    if (auto others = otherWrites.find(offset); others != otherWrites.end())
      for (const Write &other : others->second)
        if (const Relation r = relation(w, event, value, other); r > found) worst = &other, found = r;
  const uint32_t heard = clocks[w.index][w.index];
  if (found == Relation::Equal) note(w, lane, offset, *worst);
  else if (found != Relation::Ordered &&
           !report(w, event, lane, offset, worst->wave,
                   found == Relation::EqualNow ? worst->otherInstruction : worst->instruction, true))
    return false;
  Read *read = reads.data() + size_t(offset) * waves;
  if (event.write) {
    for (uint32_t other = 0; other < waves && !event.atomic; ++other)
      if (read[other].count > clocks[w.index][other] && other != w.index &&
          !report(w, event, lane, offset, other, read[other].instruction, false))
        return false;
    remember(w, event, offset, value);
  } else read[w.index] = {heard, w.at};
  return true;
}

void RaceCheck::access(Wave &w, const Inst &inst, const MemoryEvent &event) {
  if (event.space != Space::Lds && global) global->access(w, inst, event, number);
  if ((event.space != Space::Lds && event.space != Space::Flat) || w.stop == Stop::Fault) return;
  static const isa::Op arrivals[] = {isa::findOp("DS_ATOMIC_ASYNC_BARRIER_ARRIVE_B64"),
                                     isa::findOp("DS_ATOMIC_BARRIER_ARRIVE_RTN_B64")};
  const isa::Op op = w.program->instructions[inst.number].op;
  const bool arrival = op == arrivals[0] || op == arrivals[1];
  if (current.instruction != w.at) current.bytes.clear();
  current.instruction = w.at;
  found.clear();
  noted.clear();
  findKnownToAll();
  const auto valueOf = [&](unsigned lane, unsigned k) -> int16_t {
    if (!event.stored.words) return unknown;
    return event.stored.words[k / 4 * laneStride + lane] >> (8 * (k % 4) + event.stored.shift) & 0xff;
  };
  for (uint64_t m = event.active; m; m &= m - 1) {
    unsigned lane = static_cast<unsigned>(std::countr_zero(m));
    uint64_t address = event.addresses[lane];
    if (event.space == Space::Flat && address >> 32 != sharedAperture) continue;
    uint64_t begin = address & 0xffffffff;
    if (begin + event.bytes > writes.size()) continue; // refused elsewhere
    if (event.atomic && !arrival) synchronise(w, static_cast<uint32_t>(begin));
    if (!event.atomic) {
      const auto first = static_cast<uint32_t>(begin), last = static_cast<uint32_t>(begin + event.bytes);
      if (!current.bytes.empty() && current.bytes.back().end == first && current.bytes.back().write == event.write)
        current.bytes.back().end = last;
      else current.bytes.push_back({first, last, lane, event.write});
    }
    for (unsigned k = 0; k < event.bytes; ++k)
      if (!touch(w, event, lane, static_cast<uint32_t>(begin + k), valueOf(lane, k))) return;
  }
}

} // namespace fly::emulator
