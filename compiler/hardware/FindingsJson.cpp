// What a report tells, as JSON: docs/schema/doctor-findings.schema.json.
#include "compiler/hardware/FullReport.h"

#include <nlohmann/json.hpp>

namespace fly::hardware {

using Json = nlohmann::ordered_json;

static Json coverageJson(const FullReport &report, const Coverage &coverage) {
  const ReportedGpu *gpu = report.gpuOf(coverage.architecture);
  // As an entry of tests/facts/coverage_notes.json: the column "matched" of docs/generated/emulator-coverage.md.
  const Json note{{"architectures", {coverage.architecture}},
                  {"instructions", coverage.matched},
                  {"who", "flyc doctor --full, " + (gpu ? gpu->name : coverage.architecture)},
                  {"what", "all forms that have operands of their own, random and special values, all bits (" +
                               report.date + ", " + report.version + ")"},
                  {"link", ""}};
  return {{"architecture", coverage.architecture},
          {"forms", coverage.forms},
          {"matched_to_hardware_by", note},
          {"not_matched", coverage.others}};
}

std::string findingsJson(const FullReport &report) {
  Json counts = Json::array(), coverage = Json::array(), constants = Json::array(), suspects = Json::array();
  for (const GroupCount &count : countsOf(report)) {
    Json outcomes = Json::object();
    for (auto &[outcome, number] : count.outcomes)
      outcomes[outcome] = number;
    counts.push_back({{"architecture", count.architecture},
                      {"group", count.group},
                      {"parts", count.tasks},
                      {"done", count.done},
                      {"outcomes", std::move(outcomes)}});
  }
  for (const Coverage &one : coverageOf(report))
    coverage.push_back(coverageJson(report, one));
  for (const MeasuredConstants &one : constantsOf(report))
    for (const driver::calibration::Finding &finding : one.findings)
      constants.push_back({{"architecture", one.results.architecture},
                           {"constant", finding.constant},
                           {"built_in", finding.builtIn},
                           {"measured", finding.problem.empty() ? Json(finding.value) : Json()},
                           {"told_by", finding.told},
                           {"problem", finding.problem}});
  for (const Suspect &suspect : suspectsOf(report))
    suspects.push_back({{"architecture", suspect.architecture},
                        {"group", suspect.group},
                        {"what", suspect.what},
                        {"outcome", suspect.outcome},
                        {"count", suspect.count},
                        {"of", suspect.of},
                        {"first", suspect.first},
                        {"detail", suspect.detail}});
  return Json({{"schema_version", 1},
               {"command", "doctor --read"},
               {"version", report.version},
               {"date", report.date},
               {"stopped", report.stopped},
               {"counts", std::move(counts)},
               {"coverage", std::move(coverage)},
               {"constants", std::move(constants)},
               {"suspects", std::move(suspects)}})
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace fly::hardware
