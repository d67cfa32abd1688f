// See TuneRows.h.
#include "compiler/search/tune/TuneRows.h"

namespace fly::driver {

using Json = nlohmann::ordered_json;

static constexpr const char *tuneOutcomes[] = {"figured", "bounded", "refused", "died", "unused", "excluded"};

const char *name(TuneOutcome outcome) { return tuneOutcomes[size_t(outcome)]; }

std::string TuneRow::line() const {
  Json json = headJson(*this, name(outcome));
  if (figure)
    json["figure"] = *figure;
  if (bound)
    json["bound"] = *bound;
  json["kernels"] = Json::object();
  for (auto &[kernel, launch] : kernels)
    json["kernels"][kernel] = {{"own", launch.own}, {"constants", launch.constants}, {"shape", launch.shape}};
  return lineOf(json);
}

std::optional<TuneRow> TuneRow::parse(const std::string &line) {
  return parseRow<TuneRow>(line, tuneOutcomes, [](const Json &json, size_t outcome, TuneRow &row) {
    row.outcome = TuneOutcome(outcome);
    if (json.contains("figure"))
      row.figure = json["figure"].get<double>();
    if (json.contains("bound"))
      row.bound = json["bound"].get<double>();
    for (auto &[kernel, launch] : json.at("kernels").items())
      row.kernels[kernel] = {launch.at("own").get<ConstantTexts>(), launch.at("constants").get<ConstantTexts>(),
                             launch.at("shape").get<std::map<std::string, int64_t>>()};
  });
}

} // namespace fly::driver
