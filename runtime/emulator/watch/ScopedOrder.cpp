// See ScopedOrder.h.
#include "runtime/emulator/watch/ScopedOrder.h"

#include <algorithm>

namespace fly::emulator {

namespace {

constexpr size_t valuesAtMost = 256; // that are known to be loaded already; others are joined again

const ScopedOrder::Entry *find(const ScopedOrder::State &state, uint32_t group) {
  if (!state) return nullptr;
  const auto at = std::lower_bound(state->begin(), state->end(), group,
                                   [](const auto &each, uint32_t number) { return each.group < number; });
  return at != state->end() && at->group == group ? &*at : nullptr;
}

void raise(ScopedOrder::Entry &to, const ScopedOrder::Entry &from) {
  to.agent = std::max(to.agent, from.agent);
  to.system = std::max(to.system, from.system);
  to.done = std::max(to.done, from.done);
  to.loads = std::max(to.loads, from.loads);
  to.landed.resize(std::max(to.landed.size(), from.landed.size()));
  for (size_t k = 0; k < from.landed.size(); ++k) to.landed[k] = std::max(to.landed[k], from.landed[k]);
}

/// Whether nothing of `b` is more than in `a`.
bool covers(const ScopedOrder::Entry &a, const ScopedOrder::Entry &b) {
  bool all = a.agent >= b.agent && a.system >= b.system && a.done >= b.done && a.loads >= b.loads;
  for (size_t k = 0; k < b.landed.size(); ++k) all &= (k < a.landed.size() ? a.landed[k] : 0) >= b.landed[k];
  return all;
}
bool covers(const ScopedOrder::State &a, const ScopedOrder::State &b) {
  if (a->size() < b->size()) return false;
  auto at = a->begin();
  for (const ScopedOrder::Entry &entry : *b) {
    while (at != a->end() && at->group < entry.group) ++at;
    if (at == a->end() || at->group != entry.group || !covers(*at, entry)) return false;
  }
  return true;
}

} // namespace

unsigned ScopedOrder::device(uint32_t group) const {
  return static_cast<unsigned>(std::upper_bound(firstGroups.begin(), firstGroups.end(), group) - firstGroups.begin() -
                               1);
}

bool ScopedOrder::inOneCluster(uint32_t a, uint32_t b) const {
  const unsigned k = device(a);
  return k == device(b) && (a - firstGroups[k]) / groupsPerCluster[k] == (b - firstGroups[k]) / groupsPerCluster[k];
}

/// The scope that order between two workgroups needs.
Reach ScopedOrder::needed(uint32_t a, uint32_t b) const {
  return inOneCluster(a, b) ? Reach::Cluster : device(a) == device(b) ? Reach::Agent : Reach::System;
}

ScopedOrder::Group &ScopedOrder::of(uint32_t group) {
  if (group >= groups.size()) groups.resize(group + 1);
  return groups[group];
}

ScopedOrder::State ScopedOrder::join(const State &a, const State &b) {
  if (!a || a == b) return b;
  if (!b) return a;
  if (last[0] == a && last[1] == b) return last[2];
  State result;
  if (covers(a, b)) result = a;
  else if (covers(b, a)) result = b;
  else {
    auto all = std::make_shared<Entries>();
    all->reserve(a->size() + b->size());
    auto other = b->begin();
    for (const Entry &entry : *a) {
      while (other != b->end() && other->group < entry.group) all->push_back(*other++);
      all->push_back(entry);
      if (other != b->end() && other->group == entry.group) raise(all->back(), *other++);
    }
    all->insert(all->end(), other, b->end());
    result = std::move(all);
  }
  last[0] = a, last[1] = b, last[2] = result;
  return result;
}

/// What a load of that scope, by the workgroup, can carry: of workgroups that need a wider one, only what their loads
/// have done, and what the device has anyway.
ScopedOrder::State ScopedOrder::within(const State &state, uint32_t number, Reach reach) const {
  const bool isWide = reach == Reach::System || (reach == Reach::Agent && firstGroups.size() == 1);
  if (isWide || !state ||
      std::all_of(state->begin(), state->end(), [&](const Entry &e) { return needed(e.group, number) <= reach; }))
    return state;
  auto all = std::make_shared<Entries>(*state);
  for (Entry &entry : *all)
    if (needed(entry.group, number) > reach) entry.agent = entry.system = entry.done = 0;
  return all;
}

void ScopedOrder::writeBack(uint32_t number, Reach reach) {
  if (reach < Reach::Agent) return;
  Group &group = of(number);
  group.agent = group.count;
  if (reach == Reach::System) {
    group.system = group.count;
    // The device's cache goes to memory, with what others have brought there.
    const auto goes = [&](const Entry &e) { return e.agent > e.system && device(e.group) == device(number); };
    if (firstGroups.size() > 1 && group.heard && std::any_of(group.heard->begin(), group.heard->end(), goes)) {
      auto all = std::make_shared<Entries>(*group.heard);
      for (Entry &entry : *all)
        if (goes(entry)) entry.system = entry.agent;
      group.heard = std::move(all);
    }
  }
  ++group.count;
}

void ScopedOrder::invalidate(uint32_t number, Reach reach) {
  if (reach < Reach::Cluster) return;
  Group &group = of(number);
  const unsigned here = device(number);
  // What it has acquired is there for others of the device, too.
  const auto lands = [&](const Entry &e) {
    const Reach scope = needed(e.group, number);
    return scope >= Reach::Agent && scope <= reach && visible(e, scope) > (here < e.landed.size() ? e.landed[here] : 0);
  };
  if ((hasClusters || firstGroups.size() > 1) && group.heard &&
      std::any_of(group.heard->begin(), group.heard->end(), lands)) {
    auto all = std::make_shared<Entries>(*group.heard);
    for (Entry &entry : *all)
      if (lands(entry)) {
        entry.landed.resize(firstGroups.size());
        entry.landed[here] = visible(entry, needed(entry.group, number));
      }
    group.heard = std::move(all);
  }
  for (auto k = static_cast<unsigned>(Reach::Cluster); k <= static_cast<unsigned>(reach); ++k)
    group.acquired[k] = group.heard;
}

void ScopedOrder::learn(uint32_t number, uint64_t place, Reach reach) {
  const auto found = published.find(place);
  if (found == published.end()) return;
  Group &group = of(number);
  if (group.loaded.size() > valuesAtMost) group.loaded.clear();
  auto [known, isNew] = group.loaded.try_emplace(place, Group::Value{found->second.version, reach});
  if (!isNew) {
    if (known->second.version == found->second.version && known->second.reach >= reach) return;
    known->second = {found->second.version, reach};
  }
  group.heard = join(group.heard, within(found->second.state, number, reach));
}

ScopedOrder::State ScopedOrder::release(uint32_t number, Reach reach, uint32_t settled) {
  Group &group = of(number);
  Entry own{number};
  own.done = std::min(group.count, settled);
  own.loads = group.count;
  if (reach >= Reach::Agent) own.agent = std::min(agentWritesBack ? group.agent : group.count, settled);
  if (reach == Reach::System) own.system = std::min(group.system, settled);
  if (!group.heard) return std::make_shared<Entries>(1, std::move(own));
  auto all = std::make_shared<Entries>(*group.heard);
  for (Entry &entry : *all) {
    if (reach < Reach::System && device(entry.group) == device(number)) entry.system = 0;
    if (reach < Reach::Agent && !inOneCluster(entry.group, number)) entry.agent = 0;
  }
  const auto at = std::lower_bound(all->begin(), all->end(), number,
                                   [](const Entry &each, uint32_t group) { return each.group < group; });
  if (at != all->end() && at->group == number) raise(*at, own);
  else all->insert(at, std::move(own));
  return all;
}

void ScopedOrder::publish(uint64_t place, const State &state, bool adds) {
  Place &at = published[place];
  at.state = adds ? join(at.state, state) : state;
  at.version = ++versions;
}

void ScopedOrder::arrive(uint32_t number, uint64_t place, uint32_t settled) {
  publish(place, release(number, Reach::Cluster, settled), true);
  advance(number);
}

/// Up to which count stores are in the memory that workgroups of this scope share.
uint32_t ScopedOrder::visible(const Entry &entry, Reach reach) {
  return reach == Reach::System ? entry.system : reach == Reach::Agent ? entry.agent : entry.done;
}

bool ScopedOrder::sees(uint32_t number, const Earlier &store, Reach reach, bool writes) {
  Group &group = of(number);
  const Reach scope = needed(store.group, number);
  const bool isThrough = store.through >= scope;
  const unsigned here = device(number);
  const auto has = [&](const State &state) {
    const Entry *entry = find(state, store.group);
    return entry && (visible(*entry, scope) >= store.count || (isThrough && entry->done >= store.count));
  };
  const auto isHere = [&](const State &state) {
    const Entry *entry = find(state, store.group);
    return entry && here < entry->landed.size() && entry->landed[here] >= store.count;
  };
  if (has(group.acquired[static_cast<unsigned>(scope)])) return true;
  const Reach least = hasClusters ? Reach::Cluster : Reach::Agent; // that passes what is not the device's memory
  if (isHere(group.acquired[static_cast<unsigned>(least)])) return true;
  return ((writes || reach >= scope) && has(group.heard)) || ((writes || reach >= least) && isHere(group.heard));
}

bool ScopedOrder::follows(uint32_t number, const Earlier &load) {
  const Entry *entry = find(of(number).heard, load.group);
  return entry && entry->loads >= load.count;
}

bool ScopedOrder::hasReturned(uint32_t number, uint32_t count) {
  const Entry *entry = find(of(number).heard, number);
  return entry && entry->done >= count;
}

} // namespace fly::emulator
