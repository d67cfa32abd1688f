// Rows of `flyc sweep` as JSON; see SweepJob.h.
#include "compiler/search/sweep/SweepJob.h"

namespace fly::driver {

using Json = nlohmann::ordered_json;

static constexpr const char *sweepOutcomes[] = {"good", "wrong", "refused", "died", "excluded"};

const char *name(SweepOutcome outcome) { return sweepOutcomes[size_t(outcome)]; }

std::optional<double> SweepRow::cycles() const {
  double all = 0;
  for (auto &bench : benches) {
    if (!bench.cycles)
      return std::nullopt;
    all += *bench.cycles;
  }
  return benches.empty() ? std::nullopt : std::optional(all);
}

static Json figureJson(double value) { return value == double(int64_t(value)) ? Json(int64_t(value)) : Json(value); }

static Json kernelJson(const SweepKernel &kernel) {
  Json json{{"kernel", kernel.kernel}, {"constants", kernel.constants}};
  json["llvm_options"] = kernel.llvmOptions;
  json["shape"] = kernel.shape;
  json["cycles"] = kernel.cycles ? figureJson(*kernel.cycles) : Json();
  json["figures"] = Json::object();
  for (auto &[figure, value] : kernel.figures)
    json["figures"][figure] = figureJson(value);
  return json;
}

Json SweepRow::toJson() const {
  Json json{{"outcome", name(outcome)}};
  if (!reason.empty())
    json["reason"] = reason;
  const auto all = cycles();
  json["cycles"] = all ? figureJson(*all) : Json();
  json["checks"] = {{"passed", passed}, {"failed", failed}};
  json["benches"] = Json::array();
  for (auto &bench : benches) {
    Json one{{"bench", bench.title}};
    one["cycles"] = bench.cycles ? figureJson(*bench.cycles) : Json();
    one["kernels"] = Json::array();
    for (auto &kernel : bench.kernels)
      one["kernels"].push_back(kernelJson(kernel));
    json["benches"].push_back(std::move(one));
  }
  return json;
}

std::string SweepRow::line() const {
  Json json = headJson(*this, name(outcome));
  json.update(toJson());
  return lineOf(json);
}

static std::optional<double> numberOrNull(const Json &json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

std::optional<SweepRow> SweepRow::parse(const std::string &line) {
  return parseRow<SweepRow>(line, sweepOutcomes, [](const Json &json, size_t outcome, SweepRow &row) {
    row.outcome = SweepOutcome(outcome);
    if (row.outcome == SweepOutcome::Died)
      return;
    row.passed = json.at("checks").at("passed");
    row.failed = json.at("checks").at("failed");
    for (auto &one : json.at("benches")) {
      SweepBench bench{one.at("bench"), {}, numberOrNull(one.at("cycles"))};
      for (auto &each : one.at("kernels"))
        bench.kernels.push_back({each.at("kernel"), each.at("constants").get<ConstantTexts>(),
                                 each.at("llvm_options").get<std::map<std::string, std::string>>(),
                                 each.at("shape").get<std::map<std::string, int64_t>>(),
                                 each.at("figures").get<std::map<std::string, double>>(),
                                 numberOrNull(each.at("cycles"))});
      row.benches.push_back(std::move(bench));
    }
  });
}

} // namespace fly::driver
