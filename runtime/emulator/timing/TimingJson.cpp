// A timing for programs, as docs/schema/timing.schema.json describes it. Keys have a fixed order.
#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/watch/ReportText.h"

#include <nlohmann/json.hpp>

namespace fly::emulator {

namespace {

using Json = nlohmann::ordered_json;
constexpr int schemaVersion = 1;

Json stallsOf(const std::array<uint64_t, stallCount> &stalls) {
  Json json = Json::object();
  for (unsigned k = 0; k < stallCount; ++k)
    if (stalls[k]) json[jsonKey(name(static_cast<Stall>(k)))] = stalls[k];
  return json;
}

Json ratesOf(const Timing &t, double megahertz) {
  const double seconds = static_cast<double>(t.cycles) / (megahertz * 1e6);
  return {{"megahertz", megahertz},
          {"seconds", seconds},
          {"flops_per_second", t.matrixFlops / seconds},
          {"bytes_per_second", t.memoryBytes / seconds}};
}

} // namespace

std::string timingJson(const Timing &t) {
  Json json;
  json["schema_version"] = schemaVersion;
  json["kernel"] = t.kernel;
  json["architecture"] = t.architecture;
  json["machine"] = t.machine;
  json["cycles"] = t.cycles;
  json["uncertainty"] = t.uncertainty > 0 ? Json(t.uncertainty) : Json();
  json["uncertainty_note"] = t.uncertaintyNote;
  json["maximum_clock"] = ratesOf(t, t.maximumClock);
  json["sustained_clock"] = ratesOf(t, t.sustainedClock);
  json["launch_microseconds"] = t.launchTime > 0 ? Json(t.launchTime) : Json();
  json["bound"] = t.bound;
  json["busy"] = Json::object();
  for (unsigned k = 0; k < resourceCount; ++k) json["busy"][jsonKey(name(static_cast<Resource>(k)))] = t.busy[k];
  json["workgroups"] = t.workgroups;
  json["replayed"] = t.replayed;
  json["compute_units"] = t.computeUnits;
  json["simulated_compute_units"] = t.simulated;
  json["waves_per_simd"] = t.wavesPerSimd;
  json["occupancy_limit"] = t.occupancyLimit;
  json["share_of_work"] = t.shareOfWork;
  json["time_dependent"] = t.timeDependent;
  json["order_dependent"] = t.orderDependent;
  json["matrix_flops"] = t.matrixFlops;
  json["read_bytes"] = t.readBytes;
  json["written_bytes"] = t.writtenBytes;
  json["memory_bytes"] = t.memoryBytes;
  json["peak_matrix_flops_per_cycle"] = t.peakMatrixFlops;
  json["memory_level"] = t.memoryLevel;
  json["peak_memory_bytes_per_cycle"] = t.peakMemoryBytes;
  json["loops"] = Json::array();
  for (const TimedLoop &l : t.loops)
    json["loops"].push_back({{"first", l.first},
                             {"last", l.last},
                             {"file", l.file},
                             {"line", l.line},
                             {"iterations", l.iterations},
                             {"cycles", l.cycles},
                             {"matrix_cycles", l.matrixCycles},
                             {"matrix_share", l.matrixShare}});
  json["instructions"] = Json::array();
  for (const TimedInstruction &i : t.instructions)
    json["instructions"].push_back({{"address", i.address},
                                    {"text", i.text},
                                    {"unit", i.unit},
                                    {"file", i.file},
                                    {"line", i.line},
                                    {"executions", i.executions},
                                    {"issue_cycles", i.issueCycles},
                                    {"lds_conflict_cycles", i.conflictCycles},
                                    {"stalls", stallsOf(i.stalls)}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace fly::emulator
