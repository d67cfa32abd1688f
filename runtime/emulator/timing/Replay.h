// Assigns times to a trace: which wave issues what when, on the compute units of one XCD or of the whole chip.
//
// The replay goes from event to event, in the order of time, so that what is shared serves requests in the order in
// which they come:
//
//     dispatch   the next workgroup goes to the compute unit with the fewest, if one has room
//     SIMD       of its waves, by priority and age, each looks whether its next instruction can be issued (Issue.cpp):
//                the code is there, operands and counters are, and the unit is free. At most one instruction of a kind
//                is issued in a turn. Otherwise the wave says until when it is blocked, and by what.
//     memory     the first request of a compute unit's queue gets its turn at the L1 cache (Requests.cpp)
//     LDS        the first request of a port gets its turn at the banks (LdsRequests.cpp)
//     arrival    data that a load brings straight to LDS takes its banks
//
// All ties are resolved by numbers, so a replay is deterministic.
#pragma once

#include "compiler/target/Counters.h"
#include "runtime/emulator/timing/Units.h"

#include <cmath>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace fly::emulator {

/// What the launch and its kernel determine.
struct ReplayShape {
  unsigned waveSize = 64, wavesPerGroup = 1, groupsPerUnit = 1;
  unsigned residentGroups = 1; ///< of a compute unit
  unsigned simds = 4;
  std::string_view occupancyLimit; ///< what allows no more resident workgroups
  bool wholeChip = false;          ///< the trace has the workgroups of all XCDs
  double footprint = 0;            ///< bytes of the allocations that the launch touches
};

class Replay {
public:
  /// `trace` is sorted.
  Replay(const Trace &trace, const Machine &machine, const ReplayShape &shape, Timing &timing);
  /// Fills in the timing's results.
  void run();

private:
  struct Event {
    uint64_t time;
    enum Kind : uint8_t { Dispatch, Memory, Arrival, Lds, Issue } kind;
    uint32_t index;
    uint32_t cycles; ///< Arrival: of the banks. Lds: the port
    bool operator>(const Event &o) const {
      return std::tie(time, kind, index, cycles) > std::tie(o.time, o.kind, o.index, o.cycles);
    }
  };
  struct Block {
    uint64_t until;
    Stall why;
  };

  // Replay.cpp
  void build();
  void dispatch(uint32_t xcd, uint64_t now);
  void startWave(uint32_t group, const WaveTrace &trace, uint64_t now);
  void endWave(uint32_t wave, uint64_t now);
  void wake(uint32_t simd, uint64_t time);
  void release(uint64_t now);
  uint64_t turnOf(const Simd &simd, uint64_t time) const;
  // Issue.cpp
  void visit(uint32_t simd, uint64_t now);
  Block blockOf(uint32_t wave, uint64_t now);
  Block blockOfUnit(const WaveState &w, const Cost &c, uint64_t now);
  static uint64_t besideMatrix(const Simd &simd, const Cost &c, uint64_t now);
  Block dependencyOf(const WaveState &w, const Cost &c, uint64_t now) const;
  void issue(uint32_t wave, uint64_t now);
  void account(WaveState &w, uint64_t now);
  uint64_t fetch(const ComputeUnit &unit, uint64_t line, uint64_t now);
  void takeBranch(WaveState &w, uint32_t number, const Cost &c, uint64_t now);
  void leaveLoops(WaveState &w, uint64_t from, uint64_t to) const;
  // Barriers.cpp
  Block blockOfBarrier(uint32_t wave, const Cost &c, uint64_t now);
  void signal(const WaveState &w, int number, uint64_t now);
  void complete(BarrierState &b, uint64_t now);
  BarrierState &barrierOf(const WaveState &w, int number);
  uint64_t membersOf(const WaveState &w, int number);
  // Requests.cpp
  uint64_t loadScalar(const WaveState &w, const MemoryUse &use, uint64_t now);
  Request requestOf(uint32_t wave, const Cost &c, const MemoryUse &use, int64_t span);
  void complete(const Request &r, uint64_t there, uint64_t now);
  void requestMemory(const Request &r, uint64_t now);
  void scheduleService(uint32_t unit, uint64_t now);
  void serve(uint32_t unit, uint64_t now);
  // LdsRequests.cpp
  void requestLds(const Request &r, uint64_t now);
  void scheduleLds(uint32_t unit, uint32_t port, uint64_t now);
  void serveLds(uint32_t unit, uint32_t port, uint64_t now);
  uint32_t portOf(uint32_t unit, uint32_t simd) const;
  // Results.cpp
  void summarise();
  void extrapolate();
  void findLoops();
  void findBound();
  void orderInstructions();
  uint64_t groupsPerUnit() const;

  const Trace &trace;
  const Machine &m;
  const target::Generation &generation; ///< of the machine
  const ReplayShape shape;
  Timing &timing;
  const std::vector<Cost> costs;
  uint64_t turn;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::unique_ptr<Beyond> beyond;
  std::vector<std::unique_ptr<FarMemory>> xcds;
  std::vector<ComputeUnit> units;
  std::vector<Simd> simds;
  std::vector<WaveState> waves;
  std::vector<uint32_t> idleWaves, idleGroups;
  std::vector<GroupState> groups;
  std::map<uint64_t, BarrierState> clusterBarriers;         ///< by unit
  std::vector<std::vector<const WaveTrace *>> pending;      ///< by XCD: first waves of groups, in order
  std::vector<size_t> dispatched;                           ///< by XCD
  std::vector<uint64_t> dispatchAt;                         ///< by XCD: when its dispatcher is free
  std::vector<std::unordered_map<uint64_t, uint64_t>> code; ///< by instruction cache: when each line is there
  std::vector<Tags> scalarCaches;
  std::vector<uint64_t> groupEnds; ///< when each group ended, in that order
  std::vector<TimedLoop> loopOf;   ///< by number of the branch
  std::vector<uint32_t> loops;     ///< those branches that were taken backwards
  uint64_t end = 0, age = 0, liveWaves = 0;
};

} // namespace fly::emulator
