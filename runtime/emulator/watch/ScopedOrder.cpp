// See ScopedOrder.h.
#include "runtime/emulator/watch/ScopedOrder.h"

#include <algorithm>

namespace fly::emulator {

namespace {

constexpr size_t placesAtMost = 256;

/// Where the group's element is, or would be, in a list that is ordered by group.
template <typename List> auto placeOf(List &list, uint32_t group) {
  return std::lower_bound(list.begin(), list.end(), group,
                          [](const auto &each, uint32_t number) { return each.group < number; });
}
template <typename List> auto find(List &list, uint32_t group) {
  const auto at = placeOf(list, group);
  return at != list.end() && at->group == group ? &*at : nullptr;
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

ScopedOrder::Group &ScopedOrder::of(uint32_t group) {
  if (group >= groups.size()) groups.resize(group + 1);
  return groups[group];
}

void ScopedOrder::join(Entries &to, const Entry &entry) {
  auto at = placeOf(to, entry.group);
  if (at == to.end() || at->group != entry.group) {
    to.insert(at, entry);
    return;
  }
  at->agent = std::max(at->agent, entry.agent);
  at->system = std::max(at->system, entry.system);
  at->done = std::max(at->done, entry.done);
  at->loads = std::max(at->loads, entry.loads);
  at->landed.resize(std::max(at->landed.size(), entry.landed.size()));
  for (size_t k = 0; k < entry.landed.size(); ++k) at->landed[k] = std::max(at->landed[k], entry.landed[k]);
}

void ScopedOrder::acquire(std::vector<Acquired> &to, const Acquired &entry) {
  auto at = placeOf(to, entry.group);
  if (at == to.end() || at->group != entry.group) {
    to.insert(at, entry);
    return;
  }
  at->visible = std::max(at->visible, entry.visible);
  at->done = std::max(at->done, entry.done);
}

void ScopedOrder::writeBack(uint32_t number, Reach reach) {
  if (reach < Reach::Agent) return;
  Group &group = of(number);
  group.agent = group.count;
  if (reach == Reach::System) group.system = group.count;
  ++group.count;
}

void ScopedOrder::acquireAt(uint32_t number, const Place &place, Reach reach) {
  const auto found = published.find(place.address);
  if (found == published.end()) return;
  Group &group = of(number);
  const unsigned own = device(number);
  for (const Entry &entry : found->second) {
    if (entry.group == number) continue;
    const bool isNear = device(entry.group) == own;
    uint32_t visible = inOneCluster(entry.group, number) ? entry.done
                       : isNear && reach >= Reach::Agent ? entry.agent
                                                         : 0;
    if (own < entry.landed.size() && reach >= Reach::Agent) visible = std::max(visible, entry.landed[own]);
    if (!isNear && reach == Reach::System && place.reach == Reach::System) visible = std::max(visible, entry.system);
    acquire(group.acquired, {entry.group, visible, entry.done});
  }
}

void ScopedOrder::invalidate(uint32_t number, Reach reach) {
  if (reach < Reach::Cluster) return;
  for (Place &place : of(number).places) {
    if (!place.isNew) continue;
    acquireAt(number, place, reach);
    // What others have published there beyond the scope is still to be acquired.
    place.isNew = reach < place.reach && (reach == Reach::Cluster || firstGroups.size() > 1);
  }
}

void ScopedOrder::learn(uint32_t number, uint64_t address, Reach reach) {
  Group &group = of(number);
  const auto known = std::find_if(group.places.begin(), group.places.end(),
                                  [&](const Place &place) { return place.address == address; });
  if (known != group.places.end()) {
    known->isNew = true;
    known->reach = std::max(known->reach, reach);
  } else if (group.places.size() == placesAtMost) {
    group.knowsAll = true;
  } else {
    group.places.push_back({address, reach, true});
  }
}

/// At the place is then what the workgroup itself has done, and what it knows of others.
void ScopedOrder::passOn(uint32_t number, uint64_t address, Reach reach, const Entry &own) {
  Group &group = of(number);
  const unsigned here = device(number), devices = static_cast<unsigned>(firstGroups.size());
  Entries all = published[address];
  for (const Place &place : group.places) {
    const auto known = published.find(place.address);
    if (place.address == address || known == published.end()) continue;
    for (Entry entry : known->second) {
      if (entry.group == number) continue;
      const bool isNear = device(entry.group) == here;
      if (isNear && group.system) entry.system = std::max(entry.system, entry.agent);
      if (devices > 1 && !isNear) {
        entry.landed.resize(devices);
        if (const Acquired *acquired = find(group.acquired, entry.group))
          entry.landed[here] = std::max(entry.landed[here], acquired->visible);
      }
      if (reach < Reach::System) entry.system = isNear ? 0 : entry.system;
      join(all, entry);
    }
  }
  join(all, own);
  published[address] = std::move(all);
}

void ScopedOrder::publish(uint32_t number, uint64_t place, Reach reach, uint32_t settled) {
  if (reach < Reach::Cluster) return;
  Group &group = of(number);
  Entry own{number};
  if (reach >= Reach::Agent) own.agent = std::min(agentWritesBack ? group.agent : group.count, settled);
  own.system = reach == Reach::System ? std::min(group.system, settled) : 0;
  own.done = std::min(group.count, settled);
  own.loads = group.count;
  passOn(number, place, reach, own);
}

void ScopedOrder::arrive(uint32_t number, uint64_t place) {
  Group &group = of(number);
  Entry own{number};
  own.agent = own.done = own.loads = group.count;
  passOn(number, place, Reach::Agent, own);
  ++group.count;
}

void ScopedOrder::leave(uint32_t number, uint64_t place) {
  learn(number, place, Reach::Agent);
  acquireAt(number, {place, Reach::Agent, true}, Reach::Agent);
}

bool ScopedOrder::sees(uint32_t number, const Earlier &store, Reach reach, bool writes) {
  Group &group = of(number);
  if (group.knowsAll) return true;
  const Reach needed = inOneCluster(store.group, number)       ? Reach::Cluster
                       : device(store.group) == device(number) ? Reach::Agent
                                                               : Reach::System;
  const bool isThrough = store.through >= needed;
  if (const Acquired *acquired = find(group.acquired, store.group))
    if (acquired->visible >= store.count || (isThrough && acquired->done >= store.count)) return true;
  if (!writes && reach < needed) return false;
  for (const Place &place : group.places)
    if (const auto at = published.find(place.address); at != published.end() && place.reach >= needed)
      if (const Entry *entry = find(at->second, store.group))
        if ((needed == Reach::Cluster ? entry->done
             : needed == Reach::Agent ? entry->agent
                                      : entry->system) >= store.count ||
            (isThrough && entry->done >= store.count))
          return true;
  return false;
}

bool ScopedOrder::follows(uint32_t number, const Earlier &load) {
  Group &group = of(number);
  if (group.knowsAll) return true;
  for (const Place &place : group.places)
    if (const auto at = published.find(place.address); at != published.end())
      if (const Entry *entry = find(at->second, load.group))
        if (entry->loads >= load.count) return true;
  return false;
}

} // namespace fly::emulator
