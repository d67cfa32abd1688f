// See SuiteResults.h. The XML is what Jenkins, GitLab and GitHub's actions read: a suite per file and architecture, a
// case per combination of parameters. A unit without results is a case `flyc` with an error.
#include "compiler/search/SuiteResults.h"

#include "compiler/search/JobRows.h"
#include "compiler/compilation/Session.h"
#include "compiler/text/Markup.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

using Json = nlohmann::ordered_json;

static size_t count(const SuiteUnit &unit, llvm::StringRef outcome) {
  return llvm::count_if(unit.cases, [&](auto &each) { return each.outcome == outcome; });
}

size_t SuiteUnit::failures() const { return cases.size() - count(*this, "passed") + !died.empty(); }

void SuiteCounts::add(const SuiteUnit &unit) {
  if (unit.hasNone)
    return;
  ++units;
  passed += count(unit, "passed");
  failed += count(unit, "failed");
  empty += count(unit, "empty");
  died += !unit.died.empty();
  differing += llvm::count_if(unit.cases, [](auto &each) { return each.outcome == "passed" && !each.detail.empty(); });
}

std::string SuiteCounts::text() const {
  std::string text = std::to_string(passed) + " passed, " + std::to_string(failed + empty) + " failed";
  if (differing)
    text += ", " + std::to_string(differing) + " with other bits";
  if (died)
    text += ", " + std::to_string(died) + " did not run";
  return text + "; " + counted(units, "run of a file", "runs of files");
}

std::optional<ReferenceCounts> referenceOf(const std::vector<SuiteUnit> &units) {
  std::optional<ReferenceCounts> all;
  for (auto &unit : units)
    for (auto &each : unit.cases)
      if (each.reference) {
        all = all.value_or(ReferenceCounts());
        all->add(*each.reference);
      }
  return all;
}

std::string resultsText(const std::vector<CaseResult> &results) {
  Json json = Json::array();
  for (auto &each : results) {
    json.push_back(
        {{"name", each.name}, {"outcome", each.outcome}, {"detail", each.detail}, {"milliseconds", each.milliseconds}});
    if (!each.reference)
      continue;
    const ReferenceCounts &counts = *each.reference;
    Json &reference = json.back()["reference"] = {{"launches", counts.launches},
                                                  {"compared", counts.compared},
                                                  {"bytes_written", counts.bytesWritten},
                                                  {"bytes_compared", counts.bytesCompared},
                                                  {"not_compared", Json::array()}};
    for (auto &[reason, times] : counts.reasons)
      reference["not_compared"].push_back({{"kernel", reason.first}, {"why", reason.second}, {"launches", times}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool writeResults(Session &session, const std::string &path, const std::vector<CaseResult> &results) {
  return writeWhole(session, path, resultsText(results));
}

bool readResults(const std::string &text, SuiteUnit &unit) {
  try {
    const Json json = Json::parse(text);
    for (auto &each : json) {
      unit.cases.push_back({each.at("name"), each.at("outcome"), each.at("detail"), each.at("milliseconds")});
      auto reference = each.find("reference");
      if (reference == each.end())
        continue;
      ReferenceCounts &counts = unit.cases.back().reference.emplace();
      counts.launches = reference->at("launches"), counts.compared = reference->at("compared");
      counts.bytesWritten = reference->at("bytes_written"), counts.bytesCompared = reference->at("bytes_compared");
      for (auto &open : reference->at("not_compared"))
        counts.reasons[{open.at("kernel"), open.at("why")}] = open.at("launches");
    }
    return true;
  } catch (const Json::exception &) {
    return false;
  }
}

/// Text and attributes of XML, which has no place for control characters.
static std::string escaped(llvm::StringRef text) {
  std::string out;
  for (char c : escapeMarkup(text))
    if (c == '\n')
      out += "&#10;";
    else
      out += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
  return out;
}

static std::string secondsText(double milliseconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3f", milliseconds / 1000);
  return text;
}

static std::string caseXml(const std::string &suite, const std::string &name, double milliseconds,
                           llvm::StringRef element, llvm::StringRef detail) {
  std::string out = "    <testcase classname=\"" + escaped(suite) + "\" name=\"" + escaped(name) + "\" time=\"" +
                    secondsText(milliseconds) + "\"";
  if (element.empty())
    return out + "/>\n";
  return out + ">\n      <" + element.str() + " message=\"" + escaped(detail.split('\n').first) + "\">" +
         escaped(detail) + "</" + element.str() + ">\n    </testcase>\n";
}

std::string toJUnit(const std::vector<SuiteUnit> &units) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (auto &unit : units) {
    if (unit.hasNone)
      continue;
    const std::string name = unit.file + " " + unit.arch;
    double all = 0;
    for (auto &each : unit.cases)
      all += each.milliseconds;
    const size_t died = !unit.died.empty();
    out += "  <testsuite name=\"" + escaped(name) + "\" tests=\"" + std::to_string(unit.cases.size() + died) +
           "\" failures=\"" + std::to_string(unit.failures() - died) + "\" errors=\"" + std::to_string(died) +
           "\" time=\"" + secondsText(all) + "\">\n";
    for (auto &each : unit.cases)
      out += caseXml(name, each.name, each.milliseconds, each.outcome == "passed" ? "" : "failure", each.detail);
    if (died)
      out += caseXml(name, "flyc", 0, "error", unit.errors.empty() ? unit.died : unit.errors);
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

std::string toJson(const std::string &command, const std::vector<SuiteUnit> &units) {
  Json json{{"schema_version", 1}, {"command", command}, {"runs", Json::array()}};
  for (auto &unit : units) {
    if (unit.hasNone)
      continue;
    Json run{{"file", unit.file}, {"arch", unit.arch}};
    if (!unit.died.empty())
      run["error"] = unit.errors.empty() ? unit.died : unit.errors;
    run["cases"] = Json::parse(resultsText(unit.cases));
    json["runs"].push_back(std::move(run));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace fly::driver
