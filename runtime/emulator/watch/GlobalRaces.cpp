// See GlobalRaces.h.
#include "runtime/emulator/watch/GlobalRaces.h"

#include "runtime/emulator/wave/Pending.h"
#include "runtime/emulator/wave/Program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

namespace fly::emulator {

/// A load or store that names a scope is data and no flag if it has more than 64 bits, of which no machine promises that
/// they are seen at once, or goes through a buffer: LLVM's atomic loads and stores do not. With a hint not to keep it in
/// caches it is a line that holds data and flags.
static bool isData(const isa::Instruction &instruction, unsigned bytes) {
  constexpr uint8_t nonTemporal = 1; // TH_LOAD_NT, TH_STORE_NT
  const isa::Modifiers &m = instruction.modifiers;
  if (m.nt || (m.scope && m.temporalHint == nonTemporal)) return false;
  return bytes > 8 || instruction.form == isa::Form::MUBUF || instruction.form == isa::Form::MTBUF;
}

/// Memory of earlier launches, to be used again: the host clears what it gives anew.
struct StoresKept {
  static constexpr size_t bytes = 1 << 20, most = 64;
  std::mutex mutex;
  std::vector<std::unique_ptr<uint8_t[]>> free;
};
static StoresKept &storesKept() {
  static StoresKept kept;
  return kept;
}

GlobalRaces::~GlobalRaces() {
  StoresKept &kept = storesKept();
  std::lock_guard lock(kept.mutex);
  for (auto &each : stores)
    if (kept.free.size() < StoresKept::most) kept.free.push_back(std::move(each));
}

uint8_t *GlobalRaces::storedAt(Page &page, uint64_t address) {
  if (!page.stored) {
    if (stores.empty() || storesUsed == StoresKept::bytes) {
      StoresKept &kept = storesKept();
      std::lock_guard lock(kept.mutex);
      if (kept.free.empty()) stores.emplace_back(new uint8_t[StoresKept::bytes]);
      else stores.push_back(std::move(kept.free.back())), kept.free.pop_back();
      storesUsed = 0;
    }
    page.stored = stores.back().get() + storesUsed;
    storesUsed += pageBytes;
  }
  return page.stored + address % pageBytes;
}

GlobalRaces::Page &GlobalRaces::pageOf(uint64_t address) {
  const uint64_t number = address / pageBytes;
  if (number != lastNumber) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page) page = std::make_unique<Page>();
    lastPage = page.get();
    lastNumber = number;
  }
  return *lastPage;
}

void GlobalRaces::History::add(const Access &access, bool isWrite) {
  Access &last = isWrite ? write : reads[0].isSameAs(access) || !reads[0].group ? reads[0] : reads[1];
  const bool same = last.isSameAs(access) && last.count == access.count && last.turn == access.turn &&
                    last.atomic == access.atomic && last.through == access.through;
  const auto bytes = static_cast<uint8_t>(same ? last.bytes | access.bytes : access.bytes);
  const bool known = access.known && (!same || last.known);
  last = access;
  last.bytes = bytes;
  last.known = known;
}

/// The bytes [begin, end) have one more access.
void GlobalRaces::Page::add(uint32_t begin, uint32_t end, const Access &access, bool isWrite) {
  Run fresh;
  fresh.add(access, isWrite);
  fresh.begin = begin, fresh.end = end;
  const auto sameHistory = [](const History &a, const History &b) { return a == b; };
  if (runs.empty() || runs.back().end <= begin) { // the usual order
    if (!runs.empty() && runs.back().end == begin && sameHistory(runs.back(), fresh)) runs.back().end = end;
    else runs.push_back(fresh);
    return;
  }
  const auto first = std::partition_point(runs.begin(), runs.end(), [&](const Run &run) { return run.end <= begin; });
  if (first->begin <= begin && first->end >= end) {
    Run both = *first;
    both.add(access, isWrite);
    if (sameHistory(both, *first)) return;
    if (first->begin == begin && first->end == end) {
      *first = both;
      return;
    }
  }
  static thread_local std::vector<Run> result;
  result.clear();
  const auto put = [&](Run run, uint32_t from, uint32_t to) {
    if (from >= to) return;
    run.begin = from, run.end = to;
    if (!result.empty() && result.back().end == from && sameHistory(result.back(), run)) result.back().end = to;
    else result.push_back(run);
  };
  // Only the runs that it touches, and a neighbour on each side that may have the same history now, are made anew.
  const auto from = first == runs.begin() ? first : first - 1;
  auto to = std::find_if(first, runs.end(), [&](const Run &run) { return run.begin >= end; });
  if (to != runs.end()) ++to;
  uint32_t at = begin; // what lies before it has been put
  for (auto each = from; each != to; ++each) {
    const Run &run = *each;
    put(run, run.begin, std::min(run.end, begin));
    if (run.end > begin && run.begin < end) {
      put(fresh, at, std::max(at, run.begin));
      Run both = run;
      both.add(access, isWrite);
      put(both, std::max(run.begin, begin), std::min(run.end, end));
      at = std::min(run.end, end);
    } else if (run.begin >= end && at < end) {
      put(fresh, at, end);
      at = end;
    }
    put(run, std::max(run.begin, end), run.end);
  }
  put(fresh, at, end);
  const auto room = to - from, count = static_cast<std::ptrdiff_t>(result.size());
  const auto rest = std::copy(result.begin(), result.begin() + std::min(room, count), from);
  if (count < room) runs.erase(rest, to);
  else runs.insert(rest, result.begin() + room, result.end());
}

/// A word's history is that of its bytes; of what differs among them, the later one.
void GlobalRaces::Page::keepWords() {
  if (!words.empty()) return;
  words.resize(pageBytes / 4);
  for (const Run &run : runs)
    for (uint32_t word = run.begin / 4; word <= (run.end - 1) / 4; ++word) {
      const uint32_t first = std::max(run.begin, 4 * word) % 4, last = std::min(run.end - 4 * word, 4u);
      const auto bytes = static_cast<uint8_t>((1u << last) - (1u << first));
      for (unsigned k = 0; k < 3; ++k) {
        Access access = k == 0 ? run.write : run.reads[k - 1];
        access.bytes = bytes;
        if (access.group) words[word].add(access, k == 0);
      }
    }
  runs = {};
}

void GlobalRaces::issue(const Wave &w, const Pending &operation, uint32_t group, bool stores) {
  if (group >= underWay.size()) underWay.resize(group + 1), flags.resize(group + 1);
  if (!current.addresses.empty() || !current.overwritten.empty()) {
    current.operation = &operation;
    if (current.instruction == operation.number) flags[group].push_back(std::move(current));
    current = {};
  }
  if (stores) underWay[group].push_back({&operation, w.index, order.count(group)});
}

void GlobalRaces::perform(const Wave &w, const Pending &operation, uint32_t group, GroupOrder *waves) {
  if (group >= underWay.size()) return;
  if (operation.writes)
    std::erase_if(underWay[group], [&](const UnderWay &each) { return each.operation == &operation; });
  std::vector<Flags> &all = flags[group];
  const auto known = std::find_if(all.begin(), all.end(), [&](const Flags &f) { return f.operation == &operation; });
  if (known == all.end()) return;
  const Flags done = std::move(*known);
  all.erase(known);
  const bool learns = done.reads && (!done.writes || operation.words);
  for (uint64_t address : done.addresses) {
    if (learns) order.learn(group, address, done.reach);
    if (done.writes) order.publish(address, done.released, done.reads);
    if (waves && learns) waves->learn(w.index, address);
    if (waves && done.writes) waves->publish(address, done.known, done.reads);
  }
  for (uint64_t address : done.overwritten) order.clear(address);
}

uint32_t GlobalRaces::settled(unsigned wave, uint32_t group) const {
  uint32_t count = ~0u;
  if (group < underWay.size())
    for (const UnderWay &each : underWay[group])
      if (each.wave == wave) count = std::min(count, each.count - 1);
  return count;
}

/// Data is stored to the bytes [begin, end) of a page, of which flags among them may know.
void GlobalRaces::overwrite(const Wave &w, uint64_t begin, uint64_t end) {
  const Page &page = pageOf(begin);
  if (page.flags.empty()) return;
  for (uint64_t at = begin & ~3ull; at < end; at += 4) {
    const auto word = static_cast<unsigned>(at % pageBytes / 4);
    if (!(page.flags[word / 64] >> word % 64 & 1)) continue;
    current.instruction = w.at;
    for (uint64_t byte = std::max(at, begin); byte < std::min(at + 4, end); ++byte) current.overwritten.push_back(byte);
  }
}

bool GlobalRaces::isUnordered(const Current &now, const Access &earlier, bool wrote) {
  if (!earlier.group) return false;
  if (earlier.group == now.number) return relation(now, earlier, wrote) != GroupOrder::Relation::Ordered;
  const ScopedOrder::Earlier other{earlier.group - 1, earlier.count, earlier.through};
  return wrote ? !order.sees(now.number - 1, other, now.reach, now.writes) : !order.follows(now.number - 1, other);
}

/// Of two accesses of one workgroup.
GroupOrder::Relation GlobalRaces::relation(const Current &now, const Access &earlier, bool wrote) {
  if (!now.waves || earlier.wave == now.wave) return GroupOrder::Relation::Ordered;
  const GroupOrder::Relation relation =
      now.waves->relation(now.wave, {earlier.wave, earlier.turn, earlier.instruction, wrote}, now.reach, now.writes);
  // Another workgroup may have brought it back.
  return relation == GroupOrder::Relation::NoBarrier && order.hasReturned(now.number - 1, earlier.count)
             ? GroupOrder::Relation::Ordered
             : relation;
}

GlobalRaces::Access GlobalRaces::accessOf(const Wave &w, const Current &now, uint8_t bytes, bool known) {
  Access access;
  access.group = now.number, access.count = order.count(now.number - 1), access.instruction = w.at;
  access.turn = now.turn, access.wave = now.wave;
  access.bytes = bytes & 15, access.atomic = now.writes && now.atomic, access.known = known, access.through = now.reach;
  return access;
}

bool GlobalRaces::report(Wave &w, const MemoryEvent &event, const Current &now, unsigned lane, uint64_t address,
                         const Access &earlier, bool wrote, bool equal) {
  if (std::find(found.begin(), found.end(), earlier.instruction) != found.end()) return true;
  std::string other = "workgroup " + (nameOf ? nameOf(earlier.group - 1) : std::to_string(earlier.group - 1)),
              self = "this workgroup", why = ", and nothing orders the two";
  if (earlier.group == now.number) {
    other = "wave " + std::to_string(earlier.wave), self = "wave " + std::to_string(w.index);
    const GroupOrder::Relation how = relation(now, earlier, wrote);
    why =
        how == GroupOrder::Relation::NotWaited
            ? ", possibly after the barrier: the wait for it before the barrier is missing"
        : how == GroupOrder::Relation::NotInvalidated
            ? ", and its compute unit may still have what was there before: the invalidation after the barrier is missing"
            : ", with no barrier in between";
  }
  Fault fault{equal ? FaultKind::EqualStores : FaultKind::Race,
              equal ? "equal stores to global memory: " + self + " stores what " + other + " has stored" + why
                    : "race on global memory: " + self + (event.write ? " writes" : " reads") + " a byte that " +
                          other + (wrote ? " has written" : " has read") + why,
              static_cast<int>(lane),
              address,
              true,
              earlier.instruction};
  if (equal || mode == CheckMode::Warn) {
    found.push_back(earlier.instruction);
    w.observers.found(w, fault);
    return true;
  }
  w.fail(std::move(fault));
  return false;
}

/// A word's part that a lane accesses. `value`: what it stores, null if that is not known.
bool GlobalRaces::touch(Wave &w, const MemoryEvent &event, const Current &now, unsigned lane, uint64_t address,
                        uint8_t bytes, const uint32_t *value) {
  const bool atomic = now.atomic;
  Page &page = pageOf(address);
  History &word = page.words[address % pageBytes / 4];
  const auto concerns = [&](const Access &earlier, bool wrote) {
    return (earlier.bytes & bytes) && isUnordered(now, earlier, wrote);
  };
  const auto first = static_cast<unsigned>(std::countr_zero(bytes));
  const auto isEqual = [&] {
    for (unsigned k = first; k < 4; ++k)
      if ((word.write.bytes & bytes) >> k & 1 && storedAt(page, address)[k] != (*value >> 8 * (k - first) & 0xff))
        return false;
    return true;
  };
  // An atomic, and a plain read, race with plain writes only.
  if (!((atomic || !event.write) && word.write.atomic) && concerns(word.write, true)) {
    const bool equal = event.write && !atomic && !word.write.atomic && value && word.write.known && isEqual();
    if (!report(w, event, now, lane, address, word.write, true, equal)) return false;
  }
  if (event.write && !atomic)
    for (const Access &read : word.reads)
      if (concerns(read, false) && !report(w, event, now, lane, address, read, false, false)) return false;
  if (event.write || !atomic) word.add(accessOf(w, now, bytes, value != nullptr), event.write);
  if (event.write && value) std::memcpy(storedAt(page, address) + first, value, std::popcount(bytes));
  return true;
}

/// A lane's access, word by word.
bool GlobalRaces::touchWords(Wave &w, const MemoryEvent &event, const Current &now, unsigned lane) {
  const uint64_t address = event.addresses[lane];
  for (uint64_t at = address, end = address + event.bytes, next; event.write && !now.atomic && at < end; at = next) {
    next = std::min(end, (at / pageBytes + 1) * pageBytes);
    overwrite(w, at, next);
  }
  for (uint64_t at = address & ~3ull; at < address + event.bytes; at += 4) {
    const unsigned first = at < address ? static_cast<unsigned>(address - at) : 0,
                   last = static_cast<unsigned>(std::min<uint64_t>(4, address + event.bytes - at));
    const auto bytes = static_cast<uint8_t>((1u << last) - (1u << first));
    uint32_t stored = 0;
    const bool known = event.stored.words && (address & 3) + std::min(event.bytes, 4u) <= 4;
    if (known) stored = event.stored.words[(at - (address & ~3ull)) / 4 * laneStride + lane] >> event.stored.shift;
    pageOf(at).keepWords();
    if (!touch(w, event, now, lane, at, bytes, known ? &stored : nullptr)) return false;
  }
  return true;
}

/// Whether an access to the bytes [begin, end) of a page may race with what it was used for.
bool GlobalRaces::mayRace(const Current &now, const Page &page, uint32_t begin, uint32_t end) {
  const auto first =
      std::partition_point(page.runs.begin(), page.runs.end(), [&](const Run &run) { return run.end <= begin; });
  for (auto at = first; at != page.runs.end() && at->begin < end; ++at) {
    const Run &run = *at;
    if (!((now.atomic || !now.writes) && run.write.atomic) && isUnordered(now, run.write, true)) return true;
    for (const Access &read : run.reads)
      if (now.writes && !now.atomic && isUnordered(now, read, false)) return true;
  }
  return false;
}

/// Lanes that access whole words of one page: which words.
struct GlobalRaces::Words {
  static constexpr unsigned count = pageBytes / 64 / 4;
  uint64_t page = ~0ull, lanes = 0;
  uint64_t bits[count] = {};
  void add(uint64_t address, unsigned bytes, unsigned lane) {
    lanes |= 1ull << lane;
    const auto word = static_cast<unsigned>(address % pageBytes / 4), words = bytes / 4, shift = word % 64;
    const uint64_t mask = (1ull << words) - 1;
    bits[word / 64] |= mask << shift;
    if (shift + words > 64) bits[word / 64 + 1] |= mask >> (64 - shift);
  }
  Piece piece() const {
    Piece p{page, lanes};
    for (unsigned end, begin = find(0, 0); begin < 64 * count; begin = find(end, 0)) {
      end = find(begin, ~0ull);
      if (p.count == mostRuns) p.isWhole = false;
      else p.runs[p.count++] = {4 * begin, 4 * end};
    }
    return p;
  }

private:
  /// The first word at `at` or later whose bit, exchanged by `flip`, is set.
  unsigned find(unsigned at, uint64_t flip) const {
    for (unsigned k = at / 64; k < count; ++k, at = 64 * k)
      if (const uint64_t left = (bits[k] ^ flip) >> at % 64) return at + static_cast<unsigned>(std::countr_zero(left));
    return 64 * count;
  }
};

/// What the lanes of a piece do; false if the wave has failed.
bool GlobalRaces::touchPage(Wave &w, const MemoryEvent &event, const Current &now, const Piece &piece) {
  if (!piece.lanes) return true;
  Page &page = pageOf(piece.page * pageBytes);
  bool byWords = !piece.isWhole || page.runs.size() > mostPageRuns || !page.words.empty();
  for (unsigned k = 0; k < piece.count && !byWords; ++k)
    byWords = mayRace(now, page, piece.runs[k].first, piece.runs[k].second);
  if (byWords) {
    for (uint64_t m = piece.lanes; m; m &= m - 1)
      if (!touchWords(w, event, now, static_cast<unsigned>(std::countr_zero(m)))) return false;
    return true;
  }
  for (unsigned k = 0; k < piece.count && event.write; ++k)
    overwrite(w, piece.page * pageBytes + piece.runs[k].first, piece.page * pageBytes + piece.runs[k].second);
  const bool known = event.write && event.stored.words;
  const Access access = accessOf(w, now, 15, known);
  for (unsigned k = 0; k < piece.count && (event.write || !now.atomic); ++k)
    page.add(piece.runs[k].first, piece.runs[k].second, access, event.write);
  if (!known) return true;
  const auto first = static_cast<unsigned>(std::countr_zero(piece.lanes)),
             lanes = static_cast<unsigned>(std::popcount(piece.lanes));
  if (piece.count == 1 && piece.runs[0].second - piece.runs[0].first == lanes * event.bytes &&
      event.addresses[first] % pageBytes == piece.runs[0].first && followEachOther(event)) {
    copyStored(event, first, lanes, storedAt(page, event.addresses[first]));
    return true;
  }
  for (uint64_t m = piece.lanes; m; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    copyStored(event, lane, storedAt(page, event.addresses[lane]));
  }
  return true;
}

void GlobalRaces::access(Wave &w, const Inst &inst, const MemoryEvent &event, uint32_t group, GroupOrder *waves) {
  if (event.space == Space::Lds || event.space == Space::Scratch || !event.bytes) return;
  current.addresses.clear(), current.overwritten.clear();
  const isa::Instruction &instruction = w.program->instructions[inst.number];
  const Reach reach = reachOf(instruction, event.atomic);
  const bool atomic = event.atomic || (reach != Reach::Group && !isData(instruction, event.bytes));
  const Current now{
      group + 1, atomic, event.write, reach, static_cast<uint16_t>(w.index), waves ? waves->turnOf(w.index) : 0, waves};
  found.clear();
  if (const uint64_t begin = event.addresses[0]; !atomic && event.space != Space::Flat && event.bytes <= mostBytes &&
                                                 followEachOther(event) && (begin | event.bytes) % 4 == 0) {
    const auto count = static_cast<unsigned>(std::popcount(event.active)),
               first = static_cast<unsigned>(begin % pageBytes);
    if (const unsigned end = first + count * event.bytes; end <= pageBytes) {
      Piece piece{begin / pageBytes, event.active, 1};
      piece.runs[0] = {first, end};
      touchPage(w, event, now, piece);
      return;
    }
  }
  Words words;
  for (uint64_t left = event.active; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const uint64_t address = event.addresses[lane], page = address / pageBytes;
    if (event.space == Space::Flat && (address >> 32 == sharedAperture || isFlatScratch(*w.program, address))) continue;
    const bool isWhole = (address | event.bytes) % 4 == 0 && (address + event.bytes - 1) / pageBytes == page &&
                         event.bytes <= mostBytes && !atomic;
    if (!isWhole || page != words.page) {
      if (words.lanes && !touchPage(w, event, now, words.piece())) return;
      words = {page};
    }
    if (atomic) {
      if (current.addresses.empty() || current.addresses.back() != address) current.addresses.push_back(address);
      if (event.write) {
        Page &flagged = pageOf(address);
        flagged.flags.resize(pageBytes / 4 / 64);
        flagged.flags[address % pageBytes / 4 / 64] |= 1ull << address % pageBytes / 4 % 64;
      }
    }
    if (isWhole) words.add(address, event.bytes, lane);
    else if (!touchWords(w, event, now, lane)) return;
  }
  if (words.lanes && !touchPage(w, event, now, words.piece())) return;
  if (current.addresses.empty()) return;
  current.instruction = w.at, current.reach = reach;
  current.reads = event.read, current.writes = event.write;
  if (!event.write) return;
  current.released = order.release(group, reach, settled(w.index, group));
  if (waves) current.known = waves->release(w.index);
  order.advance(group);
}

} // namespace fly::emulator
