// The time model of one launch: which workgroups are recorded, and the replay when all have run.
//
// Workgroups go to the XCDs in turn, so those of the first XCD are the ones whose number is a multiple of the number of
// XCDs. They are recorded; with Options::sample the others are not executed at all. Unless the caller has chosen, the
// first workgroups of all XCDs are recorded, too: if those of the first XCD have more or less to do than the others, all
// workgroups are recorded and replayed.
#pragma once

#include "runtime/emulator/timing/Replay.h"

#include <functional>

namespace fly::emulator {

class TimeModel {
public:
  /// `units`: workgroups or clusters of the launch.
  TimeModel(Timing &timing, std::string_view architecture, const ReplayShape &shape, uint64_t units);
  /// Why there is no model for this launch of `kernel`; empty: there is one.
  std::string error(std::string_view kernel) const { return refusalOf(kernel, why); }
  bool records(uint64_t unit);
  bool executes(uint64_t unit) const { return !timing.options.sample || isOfFirstXcd(unit); }
  /// Empty, or why the model ends: the trace does not fit into memory.
  std::string refusal(const WaveRecorder &recorder);
  std::unique_ptr<WaveRecorder> recorder() {
    return std::make_unique<WaveRecorder>(*this, trace, timing.architecture, shape.waveSize);
  }
  /// `allocated`: bytes of the allocation that contains an address, and its first address.
  using Allocated = std::function<std::pair<uint64_t, uint64_t>(uint64_t address)>;
  /// `executed`: instructions of all waves that ran, whether they were recorded or not.
  void finish(const Allocated &allocated, bool polled, uint64_t executed);

private:
  /// Which workgroups are recorded. `Undecided`: those that tell have not all ended.
  enum class Extent { FirstXcd, Undecided, Everything };
  bool isOfFirstXcd(uint64_t unit) const;
  Extent decide();
  void keepFirstXcd();
  static std::string refusalOf(std::string_view kernel, const std::string &why);
  uint64_t perXcd() const; ///< units of the simulated XCD
  double shareOfWork(uint64_t executed) const;
  Timing &timing;
  std::atomic<Extent> extent{Extent::FirstXcd};
  std::shared_ptr<const Machine> machine;
  ReplayShape shape;
  uint64_t units;
  uint64_t rounds = 0; ///< units of an XCD that are recorded; 0: all
  std::string why;
  Trace trace;
};

} // namespace fly::emulator
