// The results of a calibration as a file (docs/schema/calibration.schema.json): what a program wrote on a GPU, or the
// time model instead of one.
#include "compiler/calibrate/Calibration.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace fly::driver::calibration {

namespace {

using Json = nlohmann::ordered_json;

/// Reads members of objects, and remembers the first one that is wrong.
struct Reader {
  std::string error;

  const Json *member(const Json &json, const char *key, const std::string &where) {
    if (error.empty() && (!json.is_object() || !json.contains(key)))
      error = where + ": `" + key + "` is missing";
    return error.empty() ? &json[key] : nullptr;
  }
  std::string text(const Json &json, const char *key, const std::string &where) {
    const Json *value = member(json, key, where);
    if (value && !value->is_string())
      error = where + ": `" + key + "` must be a string";
    return error.empty() ? value->get<std::string>() : "";
  }
  double number(const Json &value, const std::string &where, double least) {
    if (error.empty() && (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < least))
      error = where + " must be a number, at least " + std::to_string(static_cast<int>(least));
    return error.empty() ? value.get<double>() : 0;
  }
  std::array<double, 2> pair(const Json &json, const char *key, const std::string &where) {
    const Json *value = member(json, key, where);
    if (value && (!value->is_array() || value->size() != 2))
      error = where + ": `" + key + "` must be two numbers";
    if (!error.empty())
      return {};
    const std::string place = where + ": `" + key + "`";
    return {number((*value)[0], place, 0), number((*value)[1], place, 0)};
  }
};

} // namespace

std::string toJson(const Results &results) {
  Json json{{"schema_version", 1}, {"architecture", results.architecture}, {"device", results.device}};
  json["date"] = results.date.empty() ? Json() : Json(results.date);
  json["clock"] = results.exactClock ? "exact" : "chain";
  json["measurements"] = Json::array();
  for (auto &[name, m] : results.measurements)
    json["measurements"].push_back({{"name", name},
                                    {"trips", {m.few, m.many}},
                                    {"seconds", {m.fewSeconds, m.manySeconds}},
                                    {"spread", {m.fewSpread, m.manySpread}},
                                    {"megahertz", m.megahertz}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Results> parseResults(std::string_view text, std::string &error) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    error = "not a JSON object: it takes what the program of `flyc calibrate` prints";
    return std::nullopt;
  }
  Reader reader;
  Results results;
  if (json.value("schema_version", Json()) != 1)
    reader.error = "`schema_version` must be 1";
  results.architecture = reader.text(json, "architecture", "the file");
  results.device = reader.text(json, "device", "the file");
  if (const Json *date = reader.member(json, "date", "the file"); date && !date->is_null())
    results.date = reader.text(json, "date", "the file");
  const std::string clock = reader.text(json, "clock", "the file");
  if (reader.error.empty() && clock != "exact" && clock != "chain")
    reader.error = "`clock` must be exact or chain";
  results.exactClock = clock == "exact";
  const Json *list = reader.member(json, "measurements", "the file");
  if (list && !list->is_array())
    reader.error = "`measurements` must be a list";
  for (const Json &each : reader.error.empty() ? *list : Json::array()) {
    Measurement m;
    m.name = reader.text(each, "name", "a measurement");
    const std::string where = "measurement `" + m.name.substr(0, 60) + "`";
    const auto trips = reader.pair(each, "trips", where), seconds = reader.pair(each, "seconds", where),
               spread = reader.pair(each, "spread", where);
    const Json *clock = reader.member(each, "megahertz", where);
    m.megahertz = clock ? reader.number(*clock, where + ": `megahertz`", 1) : 0;
    if (reader.error.empty() && !(trips[0] < trips[1]))
      reader.error = where + ": the second number of `trips` must be larger";
    if (reader.error.empty() && results.measurements.count(m.name))
      reader.error = where + " is there twice";
    if (!reader.error.empty())
      break;
    m.few = static_cast<uint64_t>(trips[0]), m.many = static_cast<uint64_t>(trips[1]);
    m.fewSeconds = seconds[0], m.manySeconds = seconds[1];
    m.fewSpread = spread[0], m.manySpread = spread[1];
    results.measurements[m.name] = m;
  }
  error = reader.error;
  if (!error.empty())
    return std::nullopt;
  return results;
}

} // namespace fly::driver::calibration
