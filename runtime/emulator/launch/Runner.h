// Runs the units (workgroups, or clusters of them) of a launch, and the waves of a unit in turn.
//
// Within a unit waves run in the chosen order, each until its next blocking point (a barrier, its end) or until a
// long quantum is over or it sleeps or polls, so that a wave which spins on another's progress does not hang the
// emulator. When no wave of a unit can run and some have not ended, that is a deadlock.
//
// Units start in order. A unit whose waves still run after a quantum each may be waiting for a unit that has not
// started (a grid-wide barrier, a split reduction): the runner then starts one more and cycles through all it has, as
// the hardware does with resident workgroups.
#pragma once

#include "runtime/emulator/launch/LaunchObservers.h"
#include "runtime/emulator/timing/TimeModel.h"

#include <atomic>
#include <chrono>
#include <mutex>

namespace fly::emulator {

using Time = std::chrono::steady_clock::time_point;

/// What the threads of a launch share.
struct Progress {
  std::atomic<uint64_t> nextUnit{0}, executed{0}, faultUnit{~0ull};
  uint64_t unitCount = 0, limit = 0;
  std::mutex mutex;
  LaunchResult *result; ///< under `mutex`
  Gathered gathered;
  std::unique_ptr<TimeModel> times; ///< if wanted
  std::atomic<bool> polled{false};  ///< a unit only spun for a while
  /// Threads that have begun, and those that will: they may change what a unit waits for.
  std::atomic<unsigned> begun{0}, expected{1};
};

/// A unit that is running: its workgroups' LDS and its waves' registers.
struct Unit {
  uint64_t number = 0, seed = 0;
  Cluster cluster;
  std::vector<Workgroup> groups;
  std::vector<std::unique_ptr<Wave>> waves;
  std::vector<unsigned> order;
  std::vector<uint64_t> sinceStop; ///< Interleaved: what each wave has executed since it came to a blocking point
  std::vector<uint32_t> registers;
  std::vector<uint8_t> scratch, lds;
  UnitObservers *observers = nullptr; ///< the Runner's
};

class Runner {
public:
  Runner(const LaunchPlan &plan, Program &program, Progress &progress);
  ~Runner();
  /// Takes units until there are none left. With a time limit, also stops between two units when it has passed, or when
  /// a unit only spins.
  void run(Time until);
  bool idle() const { return running.empty(); }

  /// Starts a unit if none runs or all only spin, and gives each one that runs its turn. False if nothing is left.
  bool round();
  /// In the last round no unit started, went on or ended.
  bool onlySpun() const { return !hasGoneOn; }
  /// Whether every wave goes round without changing anything, or waits for one that does. They run on meanwhile.
  bool isStuck();
  /// Of waves that are stuck.
  FaultReport describeStuck();

private:
  enum class Outcome { Ended, Fault, Spinning };
  bool start();
  Outcome turn(Unit &unit);
  bool waitsForEver();
  void record(const Unit &unit, FaultReport fault);
  size_t unitBytes() const;

  const LaunchPlan &plan;
  Program &program;
  Progress &progress;
  std::vector<std::unique_ptr<Unit>> running, unused;
  LaunchObservers observers;
  Standstill::Member member;
  uint64_t waited = 0; ///< what its waves would have executed if it had run them while they waited
  bool more = true, wentRound = false, hasGoneOn = false;
};

/// Whether waves that have only spun for so many rounds are to be looked at: that takes a while.
bool mayBeStuck(unsigned rounds);

} // namespace fly::emulator
