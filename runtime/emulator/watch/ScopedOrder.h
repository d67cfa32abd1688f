// What workgroups know of each other's accesses to global memory: order and visibility by scope, as machine code has
// them. GlobalRaces asks it about two accesses to the same byte.
//
// A release of a scope is three things: a write-back of caches (`buffer_wbl2`, `global_wb`; some scopes of some targets
// need none), a wait, and a store or an atomic of that scope, the flag. An acquire is a load or an atomic of that scope
// that reads the flag, a wait, and an invalidation of caches (`buffer_inv`, `global_inv`). Each can be missing or too
// narrow, and then memory may hide what was written:
//
//     written by W       is there for its cluster when W's wave has waited for the store; counts as being in the memory
//                        of W's device after a write-back of scope agent or more, and in the memory that all devices see
//                        after one of scope system; a store that names a scope itself is there without
//     published by W     with a flag of scope agent to its device, with one of scope system to all; not what W's wave
//                        has not waited for
//     acquired by R      what the values that it has loaded of flags publish, up to the invalidation that follows; with a
//                        load and an invalidation of scope system for what other devices have written
//
// Each value of a flag publishes something of its own: a store that replaces another one's value ends what that value
// published, and an atomic operation that changes a value adds to it (a release sequence). So order is fixed when an
// operation is issued, and counts when memory performs it: a load acquires what the value publishes that it returns.
//
//     A  data = 1; write-back; wait; flag = 1        B  flag = 2        C  until flag == 2; invalidation; read data
//
// Nothing orders the two accesses of `data`, although A's release comes before C's acquire in time.
//
// An access that names a scope itself passes the caches below it, so it needs no invalidation; a store needs none
// either. R passes on what it has loaded. Sources: LLVM's AMDGPUUsage, "Memory Model", one section per target.
//
// A workgroup counts as one thread: what one of its waves has acquired, all have. It may learn too much that way, never
// too little. What is known is kept in lists that many flags and workgroups share and that nobody changes: a flag costs a
// pointer, and so does a workgroup that knows no more than the flag which it has read.
#pragma once

#include "runtime/emulator/wave/Observer.h"

#include <cstdint>
#include <memory>
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
    for (uint32_t groups : this->groupsPerCluster) hasClusters |= groups > 1;
  }

  /// The workgroup's count now: it grows with each release. An access has the count of its time.
  uint32_t count(uint32_t group) { return of(group).count; }
  unsigned device(uint32_t group) const;
  bool inOneCluster(uint32_t a, uint32_t b) const;

  void writeBack(uint32_t group, Reach reach);
  void invalidate(uint32_t group, Reach reach);

  /// What is known of a workgroup: up to which count its stores are in the memory of its device and of all devices, up
  /// to which they are performed, and its loads.
  struct Entry {
    uint32_t group, agent = 0, system = 0, done = 0, loads = 0;
    /// By device: up to which count one of its workgroups has acquired these stores, which others of it may see then
    /// with a narrower scope. Empty if there are neither several devices nor clusters.
    std::vector<uint32_t> landed = {};
  };
  using Entries = std::vector<Entry>;           ///< by group
  using State = std::shared_ptr<const Entries>; ///< null: nothing
  /// What a flag of that scope publishes which the workgroup stores now. `settled`: its wave has waited for accesses up to
  /// this count.
  State release(uint32_t group, Reach reach, uint32_t settled);
  /// The flag is issued: what follows has the next count.
  void advance(uint32_t group) { ++of(group).count; }
  /// The flag's store is performed at `place`; `adds`: by an atomic operation on the value that was there.
  void publish(uint64_t place, const State &state, bool adds);
  /// Another store is performed at `place`.
  void clear(uint64_t place) { published.erase(place); }
  /// The workgroup's load of `place` is performed.
  void learn(uint32_t group, uint64_t place, Reach reach);
  /// The workgroup signals a barrier of its cluster, and has passed it.
  void arrive(uint32_t group, uint64_t place, uint32_t settled);
  void leave(uint32_t group, uint64_t place) { learn(group, place, Reach::Cluster); }

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
  /// Whether the workgroup has loaded of another one what it had itself released after this count.
  bool hasReturned(uint32_t group, uint32_t count);

private:
  struct Group {
    uint32_t count = 1, agent = 0, system = 0; ///< up to which count caches are written back
    State heard;                               ///< what it has loaded
    State acquired[4];                         ///< of that, what was loaded before the last invalidation, by its scope
    /// Which values of flags it has loaded last, with which scope.
    struct Value {
      uint64_t version;
      Reach reach;
    };
    std::unordered_map<uint64_t, Value> loaded;
  };
  struct Place {
    State state;
    uint64_t version; ///< each store makes a new one
  };

  Group &of(uint32_t group);
  Reach needed(uint32_t a, uint32_t b) const;
  static uint32_t visible(const Entry &entry, Reach reach);
  State join(const State &a, const State &b);
  State within(const State &state, uint32_t group, Reach reach) const;

  std::vector<uint32_t> firstGroups, groupsPerCluster;
  bool agentWritesBack, hasClusters = false;
  std::vector<Group> groups;
  std::unordered_map<uint64_t, Place> published;
  uint64_t versions = 0;
  State last[3]; ///< two that were joined, and the result: lanes of an instruction repeat them
};

} // namespace fly::emulator
