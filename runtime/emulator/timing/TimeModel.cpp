#include "runtime/emulator/timing/TimeModel.h"

#include <chrono>
#include <set>

namespace fly::emulator {

/// Workgroups of each XCD that tell whether workgroups differ.
static constexpr uint64_t tellingUnits = 8;
/// Bytes that the traces of all workgroups may take, by those that tell.
static constexpr double everythingLimit = 1 << 30;

TimeModel::TimeModel(Timing &timing, std::string_view architecture, const ReplayShape &shape, uint64_t units)
    : timing(timing), machine(timing.options.machine), shape(shape), units(units) {
  const Timing::Options options = timing.options;
  timing = Timing();
  timing.options = options;
  timing.architecture = architecture;
  if (!machine) machine = machineOf(architecture);
  if (!machine || machine->architecture != architecture) {
    why = machine ? "the machine " + machine->name + " is a " + machine->architecture + ", not a " +
                        std::string(architecture)
                  : "there is no time model for " + std::string(architecture);
    return;
  }
  if (shape.residentGroups == 0) why = "no workgroup fits on a compute unit";
  timing.machine = machine->name;
  timing.uncertainty = machine->uncertainty;
  timing.uncertaintyNote = machine->uncertaintyNote;
  timing.maximumClock = machine->maximumClock;
  timing.sustainedClock = machine->sustainedClock;
  timing.launchTime = machine->launchTime;
  timing.workgroups = units * shape.groupsPerUnit;
  const auto unitsOfRound = static_cast<uint64_t>(machine->computeUnits * shape.residentGroups) / shape.groupsPerUnit;
  const bool mayWiden = options.allIfDifferent && !options.wholeChip && !options.sample && !options.rounds &&
                        !options.computeUnits && machine->xcds > 1;
  if (mayWiden) {
    extent = Extent::Undecided;
    trace.probe = std::min<uint64_t>(units, tellingUnits * static_cast<uint64_t>(machine->xcds));
  }
  if (options.rounds) rounds = options.rounds * std::max<uint64_t>(1, unitsOfRound);
}

bool TimeModel::isOfFirstXcd(uint64_t unit) const {
  if (timing.options.wholeChip) return true;
  const auto xcds = static_cast<uint64_t>(machine->xcds);
  if (unit % xcds) return false;
  const uint64_t place = unit / xcds;
  if (rounds && place >= rounds) return false;
  const unsigned wanted = timing.options.computeUnits;
  return !wanted || place % static_cast<uint64_t>(machine->computeUnits) < wanted;
}

bool TimeModel::records(uint64_t unit) {
  if (isOfFirstXcd(unit)) return true;
  // The same units for any number of threads: later ones are only left out once it is known that they may be.
  Extent now = extent.load();
  if (now == Extent::Undecided && unit >= trace.probe) now = decide();
  return now != Extent::FirstXcd;
}

/// Undecided while a workgroup that tells still runs.
TimeModel::Extent TimeModel::decide() {
  const auto told = trace.probed(static_cast<uint64_t>(machine->xcds));
  if (told.waves < trace.probe * shape.wavesPerGroup * shape.groupsPerUnit) return Extent::Undecided;
  const double first = told.instructionsOfFirst * machine->xcds, all = told.instructions;
  const bool isMuch = told.bytes * static_cast<double>(units) / static_cast<double>(trace.probe) > everythingLimit;
  const bool differ = first < all * (1 - differenceOfWork) || first > all * (1 + differenceOfWork);
  extent = differ && !isMuch ? Extent::Everything : Extent::FirstXcd;
  return extent;
}

void TimeModel::keepFirstXcd() {
  trace.removeIf([&](uint64_t unit) { return !isOfFirstXcd(unit); });
}

std::string TimeModel::refusalOf(std::string_view kernel, const std::string &why) {
  return why.empty() ? why : "cannot model the time of kernel `" + std::string(kernel) + "`: " + why;
}

std::string TimeModel::refusal(const WaveRecorder &recorder) {
  const uint64_t limit = timing.options.traceLimit;
  if (trace.bytes() + recorder.bytes() <= limit) return {};
  if (extent.exchange(Extent::FirstXcd) == Extent::Everything) return keepFirstXcd(), "";
  return refusalOf(timing.kernel, "its trace needs more than " + std::to_string(limit >> 20) +
                                      " MiB; `--rounds N` simulates fewer workgroups");
}

uint64_t TimeModel::perXcd() const {
  if (shape.wholeChip) return units;
  const auto xcds = static_cast<uint64_t>(machine->xcds), all = static_cast<uint64_t>(machine->computeUnits);
  const uint64_t count = (units + xcds - 1) / xcds, wanted = timing.options.computeUnits;
  return wanted && wanted < all ? count / all * wanted + std::min(count % all, wanted) : count;
}

double TimeModel::shareOfWork(uint64_t executed) const {
  if (timing.options.sample || trace.waves.empty() || !executed) return 1;
  uint64_t recorded = 0, recordedUnits = 0, last = ~uint64_t(0);
  for (const WaveTrace &w : trace.waves) { // by unit
    if (!isOfFirstXcd(w.unit)) continue;
    recorded += w.path->size();
    recordedUnits += w.unit != last;
    last = w.unit;
  }
  return static_cast<double>(recorded) / static_cast<double>(recordedUnits) * static_cast<double>(units) /
         static_cast<double>(executed);
}

void TimeModel::finish(const Allocated &allocated, bool polled, uint64_t executed) {
  const auto started = std::chrono::steady_clock::now();
  trace.sort();
  timing.shareOfWork = shareOfWork(executed);
  if (extent == Extent::Undecided) decide();
  shape.wholeChip = timing.options.wholeChip;
  if (extent == Extent::Everything && timing.workgroupsDiffer()) shape.wholeChip = true, timing.shareOfWork = 1;
  else keepFirstXcd();
  std::set<std::pair<uint64_t, uint64_t>> touched;
  uint64_t begin = 0, end = 0; // of the allocation found last
  for (const WaveTrace &w : trace.waves)
    for (const LineRun &r : w.runs) {
      const uint64_t address = r.first * lineBytes;
      if (address >= begin && address < end) continue;
      const auto [first, bytes] = allocated(address);
      begin = first, end = first + bytes;
      if (bytes) touched.insert({first, bytes});
    }
  shape.footprint = 0;
  for (const auto &[first, bytes] : touched) shape.footprint += static_cast<double>(bytes);
  timing.ofSimulated = perXcd() * shape.groupsPerUnit;
  timing.wavesPerSimd =
      static_cast<unsigned>((shape.residentGroups * shape.wavesPerGroup + shape.simds - 1) / shape.simds);
  timing.occupancyLimit = shape.occupancyLimit;
  timing.timeDependent = polled;
  Replay(trace, *machine, shape, timing).run();
  const double whole =
      timing.replayed ? static_cast<double>(timing.workgroups) / static_cast<double>(timing.replayed) : 0;
  for (const WaveTrace &w : trace.waves) {
    timing.readBytes += static_cast<double>(w.readBytes) * whole;
    timing.writtenBytes += static_cast<double>(w.writtenBytes) * whole;
  }
  timing.replaySeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

} // namespace fly::emulator
