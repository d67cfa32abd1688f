// A profile for programs, as docs/schema/profile.schema.json describes it. Keys have a fixed order, and nothing depends
// on the machine or the time, so the same launch gives the same bytes.
#include "runtime/emulator/watch/Profile.h"
#include "runtime/emulator/watch/ReportText.h"

#include <nlohmann/json.hpp>

namespace fly::emulator {

namespace {

using Json = nlohmann::ordered_json;
constexpr int schemaVersion = 1;

Json countsOf(const ProfileCounts &counts) {
  Json json;
  for (const ProfileCountName &n : profileCountNames()) json[n.name] = counts.*n.member;
  return json;
}

double share(uint64_t part, uint64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

} // namespace

std::string profileJson(const Profile &p) {
  ProfileCounts total = p.total();
  Json json;
  json["schema_version"] = schemaVersion;
  json["kernel"] = p.kernel;
  json["architecture"] = p.architecture;
  json["wave_size"] = p.waveSize;
  json["grid"] = p.grid;
  json["block"] = p.block;
  json["workgroups"] = p.workgroups;
  json["waves"] = p.waves;
  json["total"] = countsOf(total);
  Json mix = Json::object(), waits = Json::object();
  for (const char *unit : {"vector", "transcendental", "matrix", "scalar", "scalar_memory", "vector_memory", "lds",
                           "wait", "barrier", "branch", "end", "message", "hint", "unknown"})
    mix[unit] = 0;
  for (const ProfiledInstruction &i : p.instructions) {
    mix[jsonKey(i.unit)] = mix.value(jsonKey(i.unit), uint64_t{0}) + i.counts.executions;
    for (const std::string &c : i.counters) waits[c] = waits.value(c, uint64_t{0}) + i.counts.executions;
  }
  json["mix"] = mix;
  json["waits"] = waits;
  json["derived"] = {
      {"active_lane_share", p.activeLaneShare()},
      {"matrix_instruction_share", share(mix["matrix"].get<uint64_t>(), total.executions)},
      {"lds_conflict_share", share(total.ldsConflictCycles, total.ldsCycles)},
      {"global_bytes_per_64_byte_line", share(total.globalReadBytes + total.globalWrittenBytes, total.transactions64)}};
  json["lines"] = Json::array();
  for (const ProfiledLine &line : p.lines())
    json["lines"].push_back({{"file", line.file}, {"line", line.line}, {"counts", countsOf(line.counts)}});
  json["code"] = Json::array();
  for (const ProfiledInstruction &i : p.instructions)
    json["code"].push_back({{"address", i.address},
                            {"function", i.function},
                            {"file", i.file},
                            {"line", i.line},
                            {"text", i.text},
                            {"name", i.name},
                            {"unit", jsonKey(i.unit)},
                            {"waits_for", i.counters},
                            {"counts", countsOf(i.counts)}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace fly::emulator
