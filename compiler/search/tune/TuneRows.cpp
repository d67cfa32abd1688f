// See TuneRows.h.
#include "compiler/search/tune/TuneRows.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

using Json = nlohmann::ordered_json;

static constexpr const char *outcomes[] = {"figured", "bounded", "refused", "died", "unused", "excluded"};

const char *name(TuneOutcome outcome) { return outcomes[size_t(outcome)]; }

std::string TuneRow::line() const {
  Json json{{"search", search}, {"arch", arch}, {"job", job}, {"outcome", name(outcome)}};
  if (!reason.empty())
    json["reason"] = reason;
  if (figure)
    json["figure"] = *figure;
  if (bound)
    json["bound"] = *bound;
  json["kernels"] = Json::object();
  for (auto &[kernel, launch] : kernels)
    json["kernels"][kernel] = {{"own", launch.own}, {"constants", launch.constants}, {"shape", launch.shape}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<TuneRow> TuneRow::parse(const std::string &line) {
  try {
    const Json json = Json::parse(line);
    TuneRow row;
    row.search = json.at("search");
    row.arch = json.at("arch");
    row.job = json.at("job");
    const std::string outcome = json.at("outcome");
    auto *found = std::find(std::begin(outcomes), std::end(outcomes), outcome);
    if (found == std::end(outcomes))
      return std::nullopt;
    row.outcome = TuneOutcome(found - outcomes);
    row.reason = json.value("reason", "");
    if (json.contains("figure"))
      row.figure = json["figure"].get<double>();
    if (json.contains("bound"))
      row.bound = json["bound"].get<double>();
    for (auto &[kernel, launch] : json.at("kernels").items())
      row.kernels[kernel] = {launch.at("own").get<ConstantTexts>(), launch.at("constants").get<ConstantTexts>(),
                             launch.at("shape").get<std::map<std::string, int64_t>>()};
    return row;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

} // namespace fly::driver
