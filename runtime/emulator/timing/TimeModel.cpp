#include "runtime/emulator/timing/TimeModel.h"

#include <set>

namespace fly::emulator {

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
  timing.workgroups = units * shape.groupsPerUnit;
  const auto unitsOfRound = static_cast<uint64_t>(machine->computeUnits * shape.residentGroups) / shape.groupsPerUnit;
  if (options.rounds) rounds = options.rounds * std::max<uint64_t>(1, unitsOfRound);
}

bool TimeModel::records(uint64_t unit) const {
  if (timing.options.wholeChip) return true;
  const auto xcds = static_cast<uint64_t>(machine->xcds);
  if (unit % xcds) return false;
  const uint64_t place = unit / xcds;
  if (rounds && place >= rounds) return false;
  const unsigned wanted = timing.options.computeUnits;
  return !wanted || place % static_cast<uint64_t>(machine->computeUnits) < wanted;
}

std::string TimeModel::refusal(const WaveRecorder &recorder) const {
  const uint64_t limit = timing.options.traceLimit;
  if (trace.bytes() + recorder.bytes() <= limit) return {};
  return "its trace needs more than " + std::to_string(limit >> 20) + " MiB; `--rounds N` simulates fewer workgroups";
}

uint64_t TimeModel::perXcd() const {
  if (timing.options.wholeChip) return units;
  const auto xcds = static_cast<uint64_t>(machine->xcds), all = static_cast<uint64_t>(machine->computeUnits);
  const uint64_t count = (units + xcds - 1) / xcds, wanted = timing.options.computeUnits;
  return wanted && wanted < all ? count / all * wanted + std::min(count % all, wanted) : count;
}

double TimeModel::shareOfWork(uint64_t executed) const {
  if (timing.options.sample || trace.waves.empty() || !executed) return 1;
  uint64_t recorded = 0, recordedUnits = 0, last = ~uint64_t(0);
  for (const WaveTrace &w : trace.waves) { // by unit
    recorded += w.path->size();
    recordedUnits += w.unit != last;
    last = w.unit;
  }
  return static_cast<double>(recorded) / static_cast<double>(recordedUnits) * static_cast<double>(units) /
         static_cast<double>(executed);
}

void TimeModel::finish(const Allocated &allocated, bool polled, uint64_t executed) {
  trace.sort();
  timing.shareOfWork = shareOfWork(executed);
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
  timing.readBytes = static_cast<double>(trace.laneReadBytes) * whole;
  timing.writtenBytes = static_cast<double>(trace.laneWrittenBytes) * whole;
}

} // namespace fly::emulator
