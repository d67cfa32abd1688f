// The report as JSON; see FullReport.h.
#include "compiler/hardware/FullReport.h"

#include "compiler/doctor/SectionJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

namespace fly::hardware {

using Json = nlohmann::ordered_json;

const ReportedGpu *FullReport::gpuOf(const std::string &architecture) const {
  auto found = llvm::find_if(gpus, [&](const ReportedGpu &gpu) { return gpu.architecture == architecture; });
  return found == gpus.end() ? nullptr : &*found;
}

static void replaceAll(std::string &text, const std::string &part, const std::string &by) {
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
}

std::string impersonal(std::string text) {
  const char *home = std::getenv("HOME");
  constexpr size_t shortest = 4; // "/" and "/r" stand for more than a home
  if (home && std::string_view(home).size() >= shortest)
    replaceAll(text, home, "~");
  if (const passwd *user = getpwuid(getuid()); user && *user->pw_name)
    for (const char *end : {"/", "\n", "\"", "'", " "})
      replaceAll(text, "/" + std::string(user->pw_name) + end, std::string("/user") + end);
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) == 0 && std::string_view(host).size() >= shortest &&
      std::string_view(host) != "localhost")
    replaceAll(text, host, "host");
  return text;
}

std::string toJson(const FullReport &report) {
  Json gpus = Json::array(), tasks = Json::array();
  for (const ReportedGpu &gpu : report.gpus)
    gpus.push_back({{"architecture", gpu.architecture}, {"name", gpu.name}, {"compute_units", gpu.computeUnits}});
  for (const ReportedTask &task : report.tasks) {
    Json results = Json::array();
    for (const JournalResult &result : task.results)
      results.push_back({{"name", result.name},
                         {"outcome", result.outcome},
                         {"detail", result.detail},
                         {"ms", result.milliseconds},
                         {"of", result.subject}});
    tasks.push_back({{"name", task.name},
                     {"group", task.group},
                     {"architecture", task.architecture},
                     {"done", task.isDone},
                     {"results", std::move(results)}});
  }
  const Json document{{"schema_version", 1},
                      {"command", "doctor --full"},
                      {"version", report.version},
                      {"date", report.date},
                      {"stopped", report.stopped},
                      {"summary", summaryOf(report)},
                      {"system", doctor::toJson(report.system)},
                      {"gpus", std::move(gpus)},
                      {"tasks", std::move(tasks)}};
  return impersonal(document.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

/// Throws unless it is an array.
static const Json::array_t &listOf(const Json &json, const char *key) {
  return json.at(key).get_ref<const Json::array_t &>();
}

std::optional<FullReport> parseReport(std::string_view text, std::string &error) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("command", Json()) != "doctor --full") {
    error = "it is not a report of `flyc doctor --full`";
    return std::nullopt;
  }
  if (json.value("schema_version", Json()) != 1) {
    error = "it is of another version of flyc, whose reports this one does not know";
    return std::nullopt;
  }
  try {
    FullReport report{
        json.at("version"), json.at("date"), json.at("stopped"), doctor::sectionsOf(json.at("system")), {}, {}};
    for (const Json &gpu : listOf(json, "gpus"))
      report.gpus.push_back({gpu.at("architecture"), gpu.at("name"), gpu.at("compute_units")});
    for (const Json &task : listOf(json, "tasks")) {
      report.tasks.push_back({task.at("group"), task.at("architecture"), task.at("name"), task.at("done"), {}});
      for (const Json &result : listOf(task, "results"))
        report.tasks.back().results.push_back(
            {result.at("name"), result.at("outcome"), result.at("detail"), result.at("ms"), result.at("of")});
    }
    return report;
  } catch (const Json::exception &problem) {
    error = "it does not follow docs/schema/doctor-report.schema.json: " +
            llvm::StringRef(problem.what()).split("] ").second.str();
    return std::nullopt;
  }
}

} // namespace fly::hardware
