// The state of a replay: waves, workgroups, SIMDs and compute units.
#pragma once

#include "runtime/emulator/timing/Cost.h"
#include "runtime/emulator/timing/MemoryPath.h"

#include <algorithm>
#include <deque>
#include <map>

namespace fly::emulator {

inline constexpr uint64_t never = ~0ull;

/// Operations that a counter counts, in the order of issue.
struct Outstanding {
  struct Entry {
    uint64_t done; ///< never: not known yet
    Stall why;     ///< what a wait for it waits for
  };
  std::deque<Entry> entries;
  uint64_t popped = 0; ///< entries that were in front of the first one
  void push(uint64_t done, Stall why) { entries.push_back({done, why}); }
  void pop(uint64_t now) {
    while (!entries.empty() && entries.front().done <= now) entries.pop_front(), ++popped;
  }
  /// When at most `limit` remain.
  Entry atMost(unsigned limit) const {
    Entry last{0, Stall::VectorMemory};
    for (size_t k = 0; k + limit < entries.size(); ++k)
      if (entries[k].done >= last.done) last = entries[k];
    return last;
  }
};

struct BarrierState {
  uint64_t signals = 0, completed = 0, completedAt = 0; ///< completedAt: the last time
  std::vector<uint32_t> waiting;                        ///< waves
};

struct GroupState {
  uint64_t unit = 0;
  uint32_t computeUnit = 0, live = 0;
  const WaveTrace *first = nullptr;
  uint32_t waves = 0;
  std::map<int, BarrierState> barriers;
  std::map<int, uint32_t> members; ///< of named barriers
};

/// Where a wave is in a loop: when it took the branch backwards last, and what its matrix instructions had cost by then.
struct LoopMark {
  uint64_t taken = never; ///< never: it is not in the loop, or in the first pass through it
  double matrixCycles = 0;
};

struct WaveState {
  const WaveTrace *trace = nullptr;
  uint32_t group = 0, computeUnit = 0, simd = 0; ///< simd: of the replay
  uint64_t age = 0;                              ///< older waves issue first
  size_t next = 0, use = 0, run = 0;             ///< positions in the trace
  uint64_t ready = 0;                            ///< the next instruction is not issued before
  Stall readyWhy = Stall::Issue;
  uint64_t accounted = 0; ///< until when its time has been accounted for
  Stall blockedBy = Stall::Issue;
  std::array<uint64_t, stallCount> waited{}; ///< for the next instruction
  uint8_t priority = 0;
  bool signalled = false;                 ///< at the barrier that is its next instruction
  uint64_t codeLine = never;              ///< that it has
  uint64_t fetching = never, fetched = 0; ///< the line that it waits for, and when that is there
  std::array<Outstanding, isa::counterCount> counters;
  std::map<int, uint64_t> passed; ///< completions of each barrier
  std::vector<uint64_t> vectorReady, scalarReady;
  int64_t line = -1;           ///< in Timing::timeline; -1: not drawn
  double matrixCycles = 0;     ///< of its matrix instructions so far
  std::vector<LoopMark> loops; ///< by number of the branch
};

struct Simd {
  uint32_t computeUnit = 0, index = 0; ///< index: within the compute unit
  uint64_t vectorFree = 0, transcendentalFree = 0, matrixFree = 0, headUntil = 0, packedFrom = 0;
  uint64_t windowBegin = 0; ///< of the last matrix instruction that has one
  const std::string *window = nullptr;
  uint64_t scheduled = never;                            ///< the event that will look at it
  double vectorBusy = 0, matrixBusy = 0, scalarBusy = 0; ///< cycles
  double issueTurns = 0;                                 ///< turns in which some wave issued
  std::vector<uint32_t> waves;
  /// When the last matrix instruction's window lets a VALU instruction start, at `now` or later.
  uint64_t windowAllows(uint64_t now) const {
    if (!window) return now;
    while (now - windowBegin < window->size() && (*window)[now - windowBegin] != 'I') ++now;
    return now;
  }
};

/// A memory instruction that was issued and waits for its turn.
struct Request {
  uint32_t wave = 0;
  uint64_t age = 0; ///< of the wave
  const MemoryUse *use = nullptr;
  const LineRun *runs = nullptr;
  isa::CounterMask counters = 0;
  std::array<uint64_t, isa::counterCount> positions{}; ///< in each counter
  int64_t span = -1;                                   ///< in the wave's line
};

/// Requests in the order in which they are served, at most so many. SIMDs that find it full get their turn in the order
/// in which they came: their turns have fixed phases, and without this the same one would always win.
struct RequestQueue {
  std::deque<Request> requests;
  std::deque<uint32_t> waiting; ///< SIMDs
  uint64_t serviceAt = never;   ///< of the first request
  /// Whether the SIMD may add a request now; if not, it waits.
  bool admits(uint32_t simd, double capacity) {
    const bool first = waiting.empty() || waiting.front() == simd;
    if (first && requests.size() < static_cast<size_t>(capacity)) return true;
    if (std::find(waiting.begin(), waiting.end(), simd) == waiting.end()) waiting.push_back(simd);
    return false;
  }
  void add(const Request &r, uint32_t simd) {
    if (!waiting.empty() && waiting.front() == simd) waiting.pop_front();
    requests.push_back(r);
  }
  Request take() {
    Request r = requests.front();
    requests.pop_front();
    return r;
  }
};

/// A port to LDS with its queue. Reads and writes have their own way.
struct LdsPort {
  Server read, write;
  RequestQueue queue;
  Server &wayOf(const MemoryUse &use) { return use.ldsWrites && !use.ldsReads ? write : read; }
};

struct ComputeUnit {
  ComputeUnit(const Machine &machine, FarMemory &far) : memory(machine, far) {}
  NearMemory memory;
  Server banks;           ///< of LDS
  bool wroteLast = false; ///< the banks
  std::vector<LdsPort> ports;
  uint32_t lastPort = 0; ///< that had the banks
  RequestQueue queue;
  uint32_t groups = 0, nextSimd = 0, firstSimd = 0, xcd = 0;
};

} // namespace fly::emulator
