// Vector clocks over LDS; see RaceCheck.h.
#include "runtime/emulator/watch/RaceCheck.h"

#include "runtime/emulator/wave/Pending.h"
#include "runtime/emulator/wave/Program.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fly::emulator {

namespace {
bool isGlobal(const Wave &w, const Pending &operation) {
  const auto begin = [](const uint8_t *p) { return reinterpret_cast<uint64_t>(p); };
  const HostRange lds{begin(w.group->lds), begin(w.group->lds) + w.group->ldsBytes},
      scratch{begin(w.scratch), begin(w.scratch) + uint64_t(w.lanes) * w.scratchBytes};
  return operation.range.high && !operation.range.overlaps(lds) && !operation.range.overlaps(scratch);
}

void join(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
  for (size_t k = 0; k < from.size(); ++k) to[k] = std::max(to[k], from[k]);
}
} // namespace

void copyStored(const MemoryEvent &event, unsigned lane, uint8_t *to) { copyStored(event, lane, 1, to); }

template <unsigned words> static void copyWords(const uint32_t *from, unsigned count, uint8_t *to) {
  for (unsigned lane = 0; lane < count; ++lane, to += 4 * words)
    for (unsigned k = 0; k < words; ++k) std::memcpy(to + 4 * k, from + k * laneStride + lane, 4);
}

void copyStored(const MemoryEvent &event, unsigned lane, unsigned count, uint8_t *to) {
  const StoredData &from = event.stored;
  if (from.shift == 0) switch (event.bytes) {
    case 4: return copyWords<1>(from.words + lane, count, to);
    case 8: return copyWords<2>(from.words + lane, count, to);
    case 16: return copyWords<4>(from.words + lane, count, to);
    default: break;
    }
  for (const unsigned end = lane + count; lane < end; ++lane)
    for (unsigned k = 0; k < event.bytes; ++k)
      *to++ = from.words[k / 4 * laneStride + lane] >> (8 * (k % 4) + from.shift) & 0xff;
}

bool followEachOther(const MemoryEvent &event) {
  const unsigned count = static_cast<unsigned>(std::countr_one(event.active));
  if (!count || (count < 64 && event.active >> count)) return false;
  uint64_t differs = 0;
  for (unsigned k = 0; k < count; ++k) differs |= event.addresses[k] - event.addresses[0] - uint64_t(k) * event.bytes;
  return !differs;
}

RaceCheck::RaceCheck(uint32_t ldsBytes, uint32_t waves, CheckMode mode, CheckMode ofReleases, Needs needs)
    : waves(waves), mode(mode), ofReleases(std::min(mode, ofReleases)), needs(needs), use(ldsBytes, waves) {
  reset();
}

void RaceCheck::reset(uint64_t ofUnit, uint32_t ofGroup) {
  unit = ofUnit;
  number = ofGroup;
  uint32_t before = 0; // counts of the workgroups before are all older than this one's
  for (uint32_t w = 0; w < clocks.size(); ++w) before = std::max(before, clocks[w][w]);
  if (before > 1u << 31) before = 0, use.clear();
  clocks.assign(waves, Clock(waves, before));
  signals.assign(waves, 0);
  underWay.assign(waves, {});
  stores.assign(waves, {});
  issued.assign(waves, {});
  current.accesses.clear();
  for (uint32_t w = 0; w < waves; ++w) clocks[w][w] = before + 1;
  invalidated = clocks;
  flags.clear();
  barriers.clear();
  atomics.clear();
  objects.clear();
  arrivals.clear();
  waiting.assign(waves, {});
  use.otherWrites.clear();
  knownToAll.assign(waves, before);
  clocksChanged = false;
}

void RaceCheck::begin(Wave &w, const WaveStart &start) {
  if (start.wave == 0) reset(start.workgroup - start.group, start.workgroup);
  w.observers.add(*this, {Hook::Access, Hook::Operation, Hook::Order});
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
void RaceCheck::signal(Wave &w, int barrier, uint64_t completed) {
  const uint32_t wave = w.index;
  if (barrier == -3 && global) global->scopes().arrive(number, clusterPlace(completed), global->settled(wave, number));
  join(meeting(barrier, completed).arriving, clocks[wave]);
  ++clocks[wave][wave];
  ++signals[wave];
}
void RaceCheck::wait(Wave &w, int barrier, uint64_t passed) { waiting[w.index] = {barrier, passed}; }
/// The first wave that passes tells that all that wait for this completion will: none of them does anything before.
void RaceCheck::pass(Wave &w, int barrier, uint64_t completed) {
  if (barrier == -3 && global) global->scopes().leave(number, clusterPlace(completed - 1));
  const Clock &released = meeting(barrier, completed).released;
  join(clocks[w.index], released);
  for (uint32_t other = 0; other < waves; ++other)
    if (waiting[other].barrier == barrier && waiting[other].passed < completed) {
      join(clocks[other], released);
      waiting[other] = {};
    }
  clocksChanged = true;
}

void RaceCheck::issueStore(Wave &w, const Pending &operation) {
  constexpr size_t many = 64;
  const uint32_t count = clocks[w.index][w.index];
  std::vector<Stores> &all = stores[w.index];
  if (all.size() > many) {
    findKnownToAll();
    std::erase_if(all, [&](const Stores &s) { return !s.underWay && s.complete <= knownToAll[w.index]; });
  }
  const auto known = std::find_if(
      all.rbegin(), all.rend(), [&](const Stores &s) { return s.instruction == operation.number && s.count == count; });
  if (known == all.rend()) all.push_back({.instruction = operation.number, .count = count, .underWay = 1});
  else ++known->underWay;
  issued[w.index].push_back({&operation, count});
}

void RaceCheck::performStore(Wave &w, const Pending &operation) {
  std::vector<Issued> &open = issued[w.index];
  const auto found = std::find_if(open.begin(), open.end(), [&](const Issued &i) { return i.operation == &operation; });
  if (found == open.end()) return;
  std::vector<Stores> &all = stores[w.index];
  const auto known = std::find_if(all.rbegin(), all.rend(), [&](const Stores &s) {
    return s.instruction == operation.number && s.count == found->count;
  });
  if (known != all.rend()) {
    --known->underWay;
    known->complete = clocks[w.index][w.index];
    // Who has heard of it has heard of its end, too: what is not kept counts as that.
    if (!known->underWay && known->complete == known->count) all.erase(std::next(known).base());
  }
  open.erase(found);
}

/// The vector clocks decide, so a finding does not depend on the order in which the waves run.
void RaceCheck::acquire(Wave &w, Reach reach) {
  if (global) global->scopes().invalidate(number, reach);
  if (reach >= Reach::Cluster) invalidated[w.index] = clocks[w.index];
}

GroupOrder::Relation RaceCheck::relation(unsigned wave, const GroupOrder::Earlier &earlier, Reach reach,
                                         bool writes) const {
  const uint32_t heard = clocks[wave][earlier.wave];
  if (earlier.turn > heard) return GroupOrder::Relation::NoBarrier;
  if (!earlier.wrote) return GroupOrder::Relation::Ordered;
  uint32_t complete = earlier.turn;
  if (needs.waits)
    for (const Stores &s : stores[earlier.wave])
      if (s.instruction == earlier.instruction && s.count == earlier.turn) {
        if (s.underWay || s.complete > heard) return GroupOrder::Relation::NotWaited;
        complete = std::max(complete, s.complete);
      }
  if (needs.invalidation && !writes && reach < Reach::Cluster && invalidated[wave][earlier.wave] < complete)
    return GroupOrder::Relation::NotInvalidated;
  return GroupOrder::Relation::Ordered;
}

std::vector<uint32_t> RaceCheck::release(unsigned wave) {
  Clock known = clocks[wave];
  ++clocks[wave][wave];
  return known;
}
void RaceCheck::publish(uint64_t place, const std::vector<uint32_t> &known, bool adds) {
  Clock &flag = flags[place];
  if (adds && !flag.empty()) join(flag, known);
  else flag = known;
}
void RaceCheck::learn(unsigned wave, uint64_t place) {
  if (const auto flag = flags.find(place); flag != flags.end()) {
    join(clocks[wave], flag->second);
    clocksChanged = true;
  }
}

void RaceCheck::release(Wave &w, Reach reach) {
  if (global) global->scopes().writeBack(number, reach);
  found.clear();
  for (uint32_t other = 0; other < waves; ++other)
    for (const Stores &s : stores[other]) {
      const uint32_t heard = clocks[w.index][other];
      if (other == w.index || s.count > heard || (!s.underWay && s.complete <= heard) || w.stop == Stop::Fault)
        continue;
      const std::string name = "wave " + std::to_string(other);
      tell(w,
           {FaultKind::Race,
            "stores of " + name + " to global memory may still be under way at this release of wave " +
                std::to_string(w.index) +
                ": it does not cover them, and the barrier between them waits for no store (" + name +
                " must wait for its stores before the barrier)",
            -1, 0, false, s.instruction},
           ofReleases);
    }
}

void RaceCheck::issue(Wave &w, const Pending &operation) {
  const bool stores = operation.writes && (waves > 1 || global) && isGlobal(w, operation);
  if (stores && waves > 1) issueStore(w, operation);
  if (global && (stores || global->hasFlags())) global->issue(w, operation, number, stores);
  if (current.accesses.empty()) return;
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
  waitedFor(w, operation);
  observe(w, operation);
}

/// Also of what was performed before: for who has seen it since.
void RaceCheck::waitedFor(Wave &w, const Pending &operation) {
  if (operation.writes && waves > 1) performStore(w, operation);
  if (global) global->perform(w, operation, number, waves > 1 ? this : nullptr);
  std::vector<UnderWay> &all = underWay[w.index];
  const auto known = std::find_if(all.begin(), all.end(), [&](const UnderWay &u) { return u.operation == &operation; });
  if (known == all.end()) return;
  UnderWay done = std::move(*known);
  all.erase(known);
  if (done.signals != signals[w.index] && w.stop != Stop::Fault) again(w, done);
  done.accesses.clear();
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
  for (const Lanes &lanes : late.accesses) {
    const MemoryEvent event{Space::Lds, !lanes.writes, lanes.writes, false, 1, 1, nullptr};
    for (unsigned n = 0; n < lanes.count; ++n)
      for (uint32_t k = use.cellOf(lanes.begin[n]); k < use.cellOf(lanes.begin[n] + lanes.bytes); ++k)
        if (!touch(w, event, lanes.number[n], k, nullptr)) {
          isLate = false;
          return;
        }
  }
  isLate = false;
  w.at = at;
}

void RaceCheck::beginArrival(Wave &w, uint32_t arrival) {
  arrivals[arrival] = clocks[w.index];
  ++clocks[w.index][w.index];
}
void RaceCheck::arrive(Wave &, uint32_t arrival, uint32_t offset, bool turned) {
  auto known = arrivals.find(arrival);
  if (known == arrivals.end()) return;
  Object &o = objects[offset];
  o.arriving.resize(waves);
  o.released.resize(waves);
  join(o.arriving, known->second);
  if (turned) join(o.released, o.arriving);
}
/// A read of a barrier object finds the phases that are over.
void RaceCheck::observe(const Wave &w, const Pending &p) {
  if (!p.words || p.scalar || p.range.low == p.range.high || objects.empty()) return;
  const auto see = [&](const uint8_t *at) {
    const ptrdiff_t offset = at - w.group->lds;
    if (offset < 0 || offset >= static_cast<ptrdiff_t>(w.group->ldsBytes)) return;
    if (auto o = objects.find(static_cast<uint32_t>(offset) & ~7u); o != objects.end()) {
      join(clocks[w.index], o->second.released);
      clocksChanged = true;
    }
  };
  if (p.contiguous) // `address` may have lane 0's only
    for (uint64_t at = p.range.low; at < p.range.high; at += 4) see(reinterpret_cast<const uint8_t *>(at));
  else
    for (uint64_t m = p.lanes(); m; m &= m - 1) see(p.at(static_cast<unsigned>(std::countr_zero(m))));
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
  return tell(w,
              {FaultKind::Race,
               std::string("race on LDS: wave ") + std::to_string(w.index) + (event.write ? " writes" : " reads") +
                   " a byte that wave " + std::to_string(other) + (wrote ? " has written" : " has read") +
                   (isLate ? ", possibly after the barrier: the wait for it before the barrier is missing"
                           : ", with no barrier in between"),
               static_cast<int>(lane), offset, true, instruction},
              mode);
}

/// False if the wave has failed. With CheckMode::Warn once per instruction that it is about.
bool RaceCheck::tell(Wave &w, Fault fault, CheckMode how) {
  if (how == CheckMode::Error) {
    w.fail(std::move(fault));
    return false;
  }
  if (how == CheckMode::Off || std::find(found.begin(), found.end(), fault.earlier) != found.end()) return true;
  found.push_back(fault.earlier);
  w.observers.found(w, fault);
  return true;
}

/// Once per instruction and instruction that it equals.
void RaceCheck::note(Wave &w, unsigned lane, uint32_t offset, const LdsUse::Write &write) {
  if (!w.observers.want(Hook::Finding) || std::find(noted.begin(), noted.end(), write.instruction) != noted.end())
    return;
  noted.push_back(write.instruction);
  w.observers.found(w, {FaultKind::EqualStores,
                        "equal stores to LDS: wave " + std::to_string(w.index) + " stores to a byte what wave " +
                            std::to_string(write.wave) + " has stored, with no barrier in between",
                        static_cast<int>(lane), offset, true, write.instruction});
}

/// `written`: the value of the write.
RaceCheck::Clash RaceCheck::clash(const Wave &w, const MemoryEvent &event, uint32_t cell, const uint8_t *value,
                                  const LdsUse::Write &write, const uint8_t *written) const {
  const uint32_t heard = clocks[w.index][write.wave];
  if (write.count <= heard || write.wave == w.index) return Clash::Ordered;
  if (event.atomic || !event.write) return write.atomic ? Clash::Ordered : Clash::Different;
  if (write.atomic || !value || !write.known || std::memcmp(value, written, use.cellBytes()) != 0)
    return Clash::Different;
  return write.otherCount > heard ? Clash::EqualNow : Clash::Equal;
}

/// Makes this write the last one, and keeps what later writes need of those before it.
void RaceCheck::remember(const Wave &w, bool atomic, uint32_t cell, const uint8_t *value) {
  const unsigned bytes = use.cellBytes();
  LdsUse::Write &last = use.write(cell);
  LdsUse::KeptWrite before;
  static_cast<LdsUse::Write &>(before) = last;
  before.otherInstruction = use.otherInstruction(cell);
  last = {.count = clocks[w.index][w.index],
          .instruction = w.at,
          .wave = static_cast<uint16_t>(w.index),
          .atomic = atomic,
          .known = value && !atomic};
  const bool isOld = before.count <= knownToAll[before.wave];
  if (isOld && use.otherWrites.empty()) {
    if (last.known) std::memcpy(use.value(cell), value, bytes);
    return;
  }
  const auto others = use.otherWrites.find(cell);
  if (!last.known) { // a store that races with an earlier write races with this one, too
    if (others != use.otherWrites.end()) use.otherWrites.erase(others);
    return;
  }
  std::memcpy(before.value.data(), use.value(cell), bytes);
  std::memcpy(use.value(cell), value, bytes);
  std::vector<LdsUse::KeptWrite> kept;
  const auto keep = [&](const LdsUse::KeptWrite &write) {
    if (!write.count) return;
    const bool equal = write.known && std::memcmp(write.value.data(), value, bytes) == 0;
    if (write.wave == w.index) {
      last.otherCount = equal ? write.otherCount : write.count;
      use.otherInstruction(cell) = equal ? write.otherInstruction : write.instruction;
      if (!equal) std::memcpy(use.otherValue(cell), write.value.data(), bytes);
    } else if (const bool open = write.count > clocks[w.index][write.wave];
               open ? equal : (equal ? write.otherCount : write.count) > knownToAll[write.wave])
      kept.push_back(write);
  };
  keep(before);
  if (others == use.otherWrites.end()) {
    if (!kept.empty()) use.otherWrites.emplace(cell, std::move(kept));
    return;
  }
  for (const LdsUse::KeptWrite &write : others->second) keep(write);
  if (kept.empty()) use.otherWrites.erase(others);
  else others->second = std::move(kept);
}

/// False if the wave has failed. `value`: of the cell, null if it is not known.
bool RaceCheck::touch(Wave &w, const MemoryEvent &event, unsigned lane, uint32_t cell, const uint8_t *value) {
  const Clock &clock = clocks[w.index];
  const LdsUse::Write *worst = &use.write(cell);
  const uint8_t *written = use.value(cell);
  uint32_t instruction = use.otherInstruction(cell); // of the write before it
  Clash found = clash(w, event, cell, value, *worst, written);
  if (!use.otherWrites.empty() && found != Clash::Different)
    if (auto others = use.otherWrites.find(cell); others != use.otherWrites.end())
      for (const LdsUse::KeptWrite &other : others->second)
        if (const Clash r = clash(w, event, cell, value, other, other.value.data()); r > found)
          worst = &other, found = r, written = other.value.data(), instruction = other.otherInstruction;
  uint32_t offset = use.offsetOf(cell);
  if (found == Clash::Equal) note(w, lane, offset, *worst);
  else if (found != Clash::Ordered) {
    if (found == Clash::Different && event.write && value && worst->known && !worst->atomic)
      while (*value == *written) ++value, ++written, ++offset; // the first byte that differs
    if (!report(w, event, lane, offset, worst->wave, found == Clash::EqualNow ? instruction : worst->instruction, true))
      return false;
    value -= offset - use.offsetOf(cell);
    offset = use.offsetOf(cell);
  }
  if (event.write) {
    for (uint32_t other = 0; other < waves && !event.atomic; ++other) {
      const LdsUse::Read &read = use.readsOf(other)[cell];
      if (read.count > clock[other] && other != w.index &&
          !report(w, event, lane, offset, other, read.instruction, false))
        return false;
    }
    remember(w, event.atomic, cell, value);
    use.blockWrites(offset)[w.index] = clock[w.index];
  } else {
    use.readsOf(w.index)[cell] = {clock[w.index], w.at};
    use.blockReads(offset)[w.index] = clock[w.index];
  }
  return true;
}

void RaceCheck::find(const MemoryEvent &event, Lanes &lanes) const {
  lanes.bytes = event.bytes, lanes.writes = event.write;
  lanes.places = event.bytes;
  uint32_t next = 0;
  lanes.follow = true;
  if (event.space == Space::Lds && followEachOther(event) &&
      event.addresses[0] + uint64_t(std::popcount(event.active)) * event.bytes <= use.bytes()) {
    lanes.count = static_cast<unsigned>(std::popcount(event.active));
    lanes.low = static_cast<uint32_t>(event.addresses[0]), lanes.high = lanes.low + lanes.count * event.bytes;
    lanes.places |= lanes.low;
    for (unsigned k = 0; k < lanes.count; ++k)
      lanes.number[k] = static_cast<uint8_t>(k), lanes.begin[k] = lanes.low + k * event.bytes;
    return;
  }
  for (uint64_t m = event.active; m; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    const uint64_t address = event.addresses[lane], begin = address & 0xffffffff;
    if (event.space == Space::Flat && address >> 32 != sharedAperture) continue;
    if (begin + event.bytes > use.bytes()) continue; // refused elsewhere
    const auto at = static_cast<uint32_t>(begin);
    lanes.places |= at;
    lanes.low = std::min(lanes.low, at), lanes.high = std::max(lanes.high, at + event.bytes);
    lanes.follow &= !lanes.count || at == next;
    next = at + event.bytes;
    lanes.number[lanes.count] = static_cast<uint8_t>(lane);
    lanes.begin[lanes.count++] = at;
  }
}

/// The access where it cannot race, and no earlier write matters any more. False if that is not known.
bool RaceCheck::rememberAll(const Wave &w, const MemoryEvent &event, const Lanes &lanes) {
  if (lanes.high - lanes.low > 64 * LdsUse::blockBytes || mayRace(w, event.write, lanes.low, lanes.high)) return false;
  const uint32_t count = clocks[w.index][w.index];
  const auto forParts = [&](auto f) {
    if (lanes.follow) return f(use.cellOf(lanes.low), use.cellOf(lanes.high));
    for (unsigned n = 0; n < lanes.count; ++n) f(use.cellOf(lanes.begin[n]), use.cellOf(lanes.begin[n] + lanes.bytes));
  };
  if (!event.write) {
    LdsUse::Read *reads = use.readsOf(w.index);
    const LdsUse::Read read{count, w.at};
    forParts([&](uint32_t first, uint32_t last) { std::fill(reads + first, reads + last, read); });
  } else {
    if (!use.otherWrites.empty() || !use.isOld(lanes.low, lanes.high, knownToAll.data())) return false;
    const bool known = event.stored.words;
    const LdsUse::Write write{
        .count = count, .instruction = w.at, .wave = static_cast<uint16_t>(w.index), .known = known};
    forParts([&](uint32_t first, uint32_t last) {
      std::fill(&use.write(first), &use.write(first) + (last - first), write);
    });
    if (known && lanes.follow && lanes.number[lanes.count - 1] - lanes.number[0] + 1u == lanes.count)
      copyStored(event, lanes.number[0], lanes.count, use.value(use.cellOf(lanes.low)));
    else
      for (unsigned n = 0; known && n < lanes.count; ++n)
        copyStored(event, lanes.number[n], use.value(use.cellOf(lanes.begin[n])));
  }
  use.note(w.index, event.write, lanes.low, lanes.high, count);
  return true;
}

/// Whether another wave has used one of the blocks in a way that this one has not synchronised with.
bool RaceCheck::mayRace(const Wave &w, bool writes, uint32_t begin, uint32_t end) {
  const uint32_t *heard = clocks[w.index].data();
  for (uint32_t block = begin / LdsUse::blockBytes; block <= (end - 1) / LdsUse::blockBytes; ++block) {
    const uint32_t *written = use.blockWrites(block * LdsUse::blockBytes),
                   *read = use.blockReads(block * LdsUse::blockBytes);
    bool unheard = false;
    for (uint32_t other = 0; other < waves; ++other)
      unheard |= other != w.index && (written[other] > heard[other] || (writes && read[other] > heard[other]));
    if (unheard) return true;
  }
  return false;
}

void RaceCheck::access(Wave &w, const Inst &inst, const MemoryEvent &event) {
  if (event.space != Space::Lds && global) global->access(w, inst, event, number, waves > 1 ? this : nullptr);
  if ((event.space != Space::Lds && event.space != Space::Flat) || w.stop == Stop::Fault) return;
  static const isa::Op arrivals[] = {isa::findOp("DS_ATOMIC_ASYNC_BARRIER_ARRIVE_B64"),
                                     isa::findOp("DS_ATOMIC_BARRIER_ARRIVE_RTN_B64")};
  if (current.instruction != w.at) current.accesses.clear();
  current.instruction = w.at;
  if (!event.bytes) return;
  Lanes &lanes = current.accesses.emplace_back();
  find(event, lanes);
  const bool isDone = !lanes.count;
  if (!isDone) {
    use.refine(lanes.places);
    found.clear();
    noted.clear();
    findKnownToAll();
  }
  if (isDone || (!event.atomic && rememberAll(w, event, lanes))) {
    if (isDone) current.accesses.pop_back();
    return;
  }
  bool synchronises = event.atomic;
  if (event.atomic) {
    const isa::Op op = w.program->instructions[inst.number].op;
    synchronises = op != arrivals[0] && op != arrivals[1];
  }
  const bool hasValue = event.stored.words && event.bytes <= LdsUse::mostBytes;
  uint8_t stored[LdsUse::mostBytes];
  for (unsigned n = 0; n < lanes.count; ++n) {
    const uint32_t begin = lanes.begin[n];
    if (synchronises) synchronise(w, begin);
    if (hasValue) copyStored(event, lanes.number[n], stored);
    for (unsigned at = 0; at < event.bytes; at += use.cellBytes())
      if (!touch(w, event, lanes.number[n], use.cellOf(begin + at), hasValue ? stored + at : nullptr)) return;
  }
  if (event.atomic) current.accesses.pop_back();
}

} // namespace fly::emulator
