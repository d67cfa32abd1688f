// Which observers a launch has, and whose they are. The list is in LaunchObservers.cpp: a new check is a class and a row
// there. Each wave's set (wave/Observer.h) is made from the list when the wave starts.
#pragma once

#include "runtime/emulator/launch/Launch.h"
#include "runtime/emulator/watch/Report.h"

#include <functional>

namespace fly::emulator {

class GlobalRaces;
class ProfileCollector;
class TimeModel;

/// What the threads of a launch gather together, and where observers hand over what they have.
struct Gathered {
  ProfileCollector *profile = nullptr; ///< if wanted
  GlobalRaces *races = nullptr;        ///< if wanted; then there is one thread
  TimeModel *times = nullptr;          ///< if wanted
  SharedFindings findings;
};

/// One thread of a launch.
struct ObservedLaunch {
  const LaunchPlan &plan;
  Program &program;
  Gathered &gathered;
};

/// Whose waves one observer sees: those of all units that a thread runs, or of one unit (a workgroup, or a cluster), one
/// workgroup, or one wave at a time. Objects are used again, for what the thread runs next.
enum class ObserverScope : uint8_t { Thread, Unit, Workgroup, Wave };

struct ObserverRow {
  ObserverScope scope;
  /// Null: this launch does not want it.
  std::function<std::unique_ptr<WaveObserver>(const ObservedLaunch &)> make;
};

/// Those of one unit: by row, then by workgroup or wave.
using UnitObservers = std::vector<std::vector<std::unique_ptr<WaveObserver>>>;

/// The observers of one thread of a launch.
class LaunchObservers {
public:
  explicit LaunchObservers(const ObservedLaunch &launch);
  ~LaunchObservers(); ///< all hand over what they have gathered
  LaunchObservers(const LaunchObservers &) = delete;

  /// For a unit beside those that have observers.
  UnitObservers &makeUnit();
  /// A wave of the unit starts.
  void begin(UnitObservers &unit, Wave &wave, const WaveStart &start);

private:
  std::vector<std::unique_ptr<WaveObserver>> make(const ObserverRow &row, size_t count) const;

  ObservedLaunch launch;
  std::vector<ObserverRow> rows;
  UnitObservers ofThread; ///< by row; no more than one each
  std::vector<std::unique_ptr<UnitObservers>> units;
};

} // namespace fly::emulator
