// See GlobalRaces.h.
#include "runtime/emulator/watch/GlobalRaces.h"

#include "runtime/emulator/wave/Program.h"

#include <algorithm>
#include <bit>

namespace fly::emulator {

namespace {

constexpr size_t placesAtMost = 256;

/// The largest count of each group.
void raise(std::vector<std::pair<uint32_t, uint32_t>> &to, uint32_t group, uint32_t count) {
  const auto known = std::find_if(to.begin(), to.end(), [&](const auto &each) { return each.first == group; });
  if (known == to.end()) to.push_back({group, count});
  else known->second = std::max(known->second, count);
}

/// Whether the instruction names a scope of more than the workgroup, so that others may rely on it.
bool hasWideScope(const isa::Instruction &instruction) {
  return instruction.modifiers.sc1 || instruction.modifiers.scope >= 2;
}

} // namespace

GlobalRaces::Group &GlobalRaces::groupOf(uint32_t group) {
  if (group >= groups.size()) groups.resize(group + 1);
  return groups[group];
}

GlobalRaces::Word &GlobalRaces::wordAt(uint64_t address) {
  const uint64_t word = address / 4, number = word / wordsOfPage;
  if (number != lastNumber) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page) page = std::make_unique<Page>();
    lastPage = page.get();
    lastNumber = number;
  }
  return lastPage->words[word % wordsOfPage];
}

void GlobalRaces::publish(uint32_t number, uint64_t place) {
  Group &group = groupOf(number);
  Published all = published[place];
  for (uint64_t other : group.places)
    if (const auto known = published.find(other); other != place && known != published.end())
      for (const auto &[from, count] : known->second) raise(all, from, count);
  raise(all, number + 1, group.count);
  published[place] = std::move(all);
}

void GlobalRaces::learn(uint32_t number, uint64_t place) {
  Group &group = groupOf(number);
  if (std::find(group.places.begin(), group.places.end(), place) != group.places.end()) return;
  if (group.places.size() == placesAtMost) group.knowsAll = true;
  else group.places.push_back(place);
}

bool GlobalRaces::isOrdered(const Group &group, const Access &earlier) const {
  if (group.knowsAll) return true;
  for (uint64_t place : group.places)
    if (const auto at = published.find(place); at != published.end())
      for (const auto &[from, count] : at->second)
        if (from == earlier.group && count >= earlier.count) return true;
  return false;
}

bool GlobalRaces::report(Wave &w, const MemoryEvent &event, unsigned lane, uint64_t address, const Access &earlier,
                         bool wrote, bool equal) {
  if (std::find(found.begin(), found.end(), earlier.instruction) != found.end()) return true;
  const std::string other = "workgroup " + std::to_string(earlier.group - 1);
  Fault fault{equal ? FaultKind::EqualStores : FaultKind::Race,
              equal ? "equal stores to global memory: this workgroup stores what " + other +
                          " has stored, and nothing orders the two"
                    : std::string("race on global memory: this workgroup ") + (event.write ? "writes" : "reads") +
                          " a byte that " + other + (wrote ? " has written" : " has read") +
                          ", and nothing orders the two",
              static_cast<int>(lane),
              address,
              true,
              earlier.instruction};
  if (equal || mode == CheckMode::Warn) {
    found.push_back(earlier.instruction);
    if (w.findings) w.findings->found(w, fault);
    return true;
  }
  w.fail(std::move(fault));
  return false;
}

bool GlobalRaces::touch(Wave &w, const MemoryEvent &event, bool atomic, Group &group, uint32_t number, unsigned lane,
                        uint64_t address, uint8_t bytes, const uint32_t *value) {
  Word &word = wordAt(address);
  const auto concerns = [&](const Access &earlier) {
    return earlier.group && earlier.group != number && (earlier.bytes & bytes) && !isOrdered(group, earlier);
  };
  // An atomic, and a plain read, race with plain writes only.
  if (!((atomic || !event.write) && word.write.atomic) && concerns(word.write)) {
    const bool equal = event.write && !atomic && !word.write.atomic && value && word.write.known &&
                       word.write.bytes == bytes && word.value == *value;
    if (!report(w, event, lane, address, word.write, true, equal)) return false;
  }
  if (event.write) {
    for (const Access &read : word.reads)
      if (!atomic && concerns(read) && !report(w, event, lane, address, read, false, false)) return false;
    const bool same = word.write.group == number && word.write.count == group.count && word.write.atomic == atomic;
    const bool whole = !same || word.write.bytes == bytes;
    word.write = {number, group.count,   w.at, static_cast<uint8_t>(same ? word.write.bytes | bytes : bytes),
                  atomic, value && whole};
    if (value) word.value = *value;
  } else if (!atomic) {
    Access &last = word.reads[0].group == number || !word.reads[0].group ? word.reads[0] : word.reads[1];
    const bool same = last.group == number && last.count == group.count;
    last = {number, group.count, w.at, static_cast<uint8_t>(same ? last.bytes | bytes : bytes), false, false};
  }
  return true;
}

void GlobalRaces::access(Wave &w, const Inst &inst, const MemoryEvent &event, uint32_t number) {
  if (event.space == Space::Lds || event.space == Space::Scratch) return;
  const isa::Instruction &instruction = w.program->instructions[inst.number];
  const bool wide = hasWideScope(instruction), atomic = event.atomic || wide;
  found.clear();
  groupOf(number);
  Group &group = groups[number];
  bool publishes = false;
  for (uint64_t m = event.active; m; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    const uint64_t address = event.addresses[lane];
    if (event.space == Space::Flat && (address >> 32 == sharedAperture || isFlatScratch(*w.program, address))) continue;
    if (atomic) {
      if (event.read) learn(number, address);
      if (event.write) publish(number, address), publishes = true;
    }
    for (uint64_t at = address & ~3ull; at < address + event.bytes; at += 4) {
      const unsigned first = at < address ? static_cast<unsigned>(address - at) : 0,
                     last = static_cast<unsigned>(std::min<uint64_t>(4, address + event.bytes - at));
      const auto bytes = static_cast<uint8_t>((1u << last) - (1u << first));
      uint32_t stored = 0;
      const bool known = event.stored.words && (address & 3) + std::min(event.bytes, 4u) <= 4;
      if (known) {
        stored = event.stored.words[(at - (address & ~3ull)) / 4 * laneStride + lane] >> event.stored.shift;
        if (event.bytes < 4) stored &= (1u << 8 * event.bytes) - 1;
      }
      if (!touch(w, event, atomic, group, number + 1, lane, at, bytes, known ? &stored : nullptr)) return;
    }
  }
  if (publishes) ++group.count;
}

} // namespace fly::emulator
