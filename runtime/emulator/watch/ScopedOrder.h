// What workgroups know of each other's accesses to global memory: order and visibility by scope, as machine code has
// them. GlobalRaces asks it about two accesses to the same byte.
//
// A release of a scope is three things: a write-back of caches (`buffer_wbl2`, `global_wb`; some scopes of some targets
// need none), a wait, and a store or an atomic of that scope, the flag. An acquire is a load or an atomic of that scope
// that reads the flag, a wait, and an invalidation of caches (`buffer_inv`, `global_inv`). Each can be missing or too
// narrow, and then memory may hide what was written:
//
//     written by W       is there for its cluster when W's wave has waited for the store; counts as being in the memory of W's device after a write-back of scope agent or more, and in
//                        the memory that all devices see after one of scope system; a store that names a scope itself
//                        is there without
//     published by W     with a flag of scope agent to its device, with one of scope system to all; not what W's wave
//                        has not waited for
//     acquired by R      what flags that it has read publish, up to the invalidation that follows; one of scope system
//                        for what other devices have written
//
// An access that names a scope itself passes the caches below it, so it needs no invalidation; a store needs none
// either. R passes on what it has acquired. Sources: LLVM's AMDGPUUsage, "Memory Model", one section per target.
//
// A workgroup counts as one thread, and what a flag publishes is looked up when the caches are invalidated, not when it
// was read: a workgroup may learn too much that way, never too little.
#pragma once

#include "runtime/emulator/wave/Watcher.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fly::emulator {

class ScopedOrder {
public:
  /// `firstGroups`: the number of the first workgroup of each device, ascending. `agentWritesBack`: releases of scope
  /// agent need a write-back. `groupsPerCluster`: of each device; empty: 1.
  ScopedOrder(std::vector<uint32_t> firstGroups, bool agentWritesBack, std::vector<uint32_t> groupsPerCluster = {})
      : firstGroups(std::move(firstGroups)), groupsPerCluster(std::move(groupsPerCluster)),
        agentWritesBack(agentWritesBack) {
    this->groupsPerCluster.resize(this->firstGroups.size(), 1);
  }

  /// The workgroup's count now: it grows with each release. An access has the count of its time.
  uint32_t count(uint32_t group) { return of(group).count; }
  unsigned device(uint32_t group) const;
  bool inOneCluster(uint32_t a, uint32_t b) const;

  void writeBack(uint32_t group, Reach reach);
  void invalidate(uint32_t group, Reach reach);
  /// The workgroup stores to `place`. `settled`: its wave has waited for accesses up to this count.
  void publish(uint32_t group, uint64_t place, Reach reach, uint32_t settled);
  /// The store is issued: what follows has the next count.
  void advance(uint32_t group) { ++of(group).count; }
  /// The workgroup reads `place`.
  void learn(uint32_t group, uint64_t place, Reach reach);
  /// All workgroups of a device meet at `place`: what they have done is visible to whoever has met them.
  void arrive(uint32_t group, uint64_t place);
  void leave(uint32_t group, uint64_t place);

  /// An earlier access, by the workgroup `group`; `through`: the scope that it named itself.
  struct Earlier {
    uint32_t group, count;
    Reach through;
  };
  /// Whether what the earlier store has written is there for an access of the workgroup. `reach`: the scope that the
  /// access names itself; a store passes the caches, too.
  bool sees(uint32_t group, const Earlier &store, Reach reach, bool writes);
  /// Whether the earlier load is over.
  bool follows(uint32_t group, const Earlier &load);

private:
  /// What is known of a workgroup: up to which count its stores are in the memory of its device and of all devices, up
  /// to which they are performed, and its loads.
  struct Entry {
    uint32_t group, agent = 0, system = 0, done = 0, loads = 0;
    std::vector<uint32_t> landed = {}; ///< by device, if there are several: up to which count it has these stores
  };
  using Entries = std::vector<Entry>; ///< by group
  struct Place {
    uint64_t address;
    Reach reach;
    bool isNew; ///< since caches were invalidated
  };
  /// What the workgroup has acquired of another: up to which count stores are visible, and performed.
  struct Acquired {
    uint32_t group, visible, done;
  };
  struct Group {
    uint32_t count = 1, agent = 0, system = 0; ///< up to which count caches are written back
    bool knowsAll = false;                     ///< it has learned at more places than are kept
    std::vector<Place> places;                 ///< where it has learned
    std::vector<Acquired> acquired;            ///< by group
  };

  Group &of(uint32_t group);
  static void join(Entries &to, const Entry &entry);
  static void acquire(std::vector<Acquired> &to, const Acquired &entry);
  void passOn(uint32_t group, uint64_t place, Reach reach, const Entry &own);
  void acquireAt(uint32_t group, const Place &place, Reach reach);

  std::vector<uint32_t> firstGroups, groupsPerCluster;
  bool agentWritesBack;
  std::vector<Group> groups;
  std::unordered_map<uint64_t, Entries> published;
};

} // namespace fly::emulator
