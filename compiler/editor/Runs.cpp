// See Runs.h.
#include "compiler/editor/Runs.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace fly::editor {

namespace json = llvm::json;

std::vector<std::string> sourceArguments(const driver::Options &options) {
  std::vector<std::string> result;
  auto add = [&](const char *name, const std::vector<std::string> &values) {
    for (auto &value : values)
      result.insert(result.end(), {name, value});
  };
  add("-D", options.defines);
  add("-I", options.includeDirs);
  add("--llvm", options.llvm);
  add("--without", options.without);
  add("--link", options.bitcode);
  add("-W", options.warnings);
  if (!options.plantFault.empty())
    add("--plant-fault", {options.plantFault});
  if (!options.prefixMap.empty())
    add("--file-prefix-map", {options.prefixMap});
  return result;
}

ToolRun::ToolRun(const driver::Options &options, const target::Target &target, RunJob given, unsigned timeout)
    : job(std::move(given)), arch(target.name) {
  std::vector<std::string> arguments{
      job.isBench ? "bench" : "test", job.path, "--only", job.name, "--arch", arch, "--json", "--color=never"};
  for (auto &each : sourceArguments(options))
    arguments.push_back(each);
  child = std::make_unique<driver::ChildProcess>(arguments, timeout);
}

/// "FILE:LINE:COLUMN: text" or, after some lines, "--> FILE:LINE:COLUMN"; what is left of the text.
static llvm::StringRef readPlace(llvm::StringRef text, FilePlace &place) {
  auto read = [&](llvm::StringRef written) {
    auto [head, column] = written.rsplit(':');
    auto [path, line] = head.rsplit(':');
    uint32_t lineNumber = 0, columnNumber = 0;
    if (path.empty() || line.getAsInteger(10, lineNumber) || column.getAsInteger(10, columnNumber))
      return false;
    place = {path.str(), lineNumber, columnNumber};
    return true;
  };
  const llvm::StringRef first = text.split('\n').first;
  for (size_t at = first.find(": "); at != llvm::StringRef::npos; at = first.find(": ", at + 1))
    if (read(first.take_front(at)))
      return text.drop_front(at + 2);
  if (auto [before, after] = text.split("--> "); !after.empty())
    read(after.split('\n').first.trim());
  return text;
}

/// The number of the failures of one case is what a person reads.
static CheckResult::Failure failureOf(llvm::StringRef name, llvm::StringRef detail, llvm::StringRef said) {
  CheckResult::Failure failure;
  llvm::StringRef text = readPlace(detail, failure.place);
  if (failure.place.line == 0) // an error of the check itself: standard error has its place
    if (auto [code, message] = text.split(": "); !message.empty())
      if (size_t at = said.find("]: " + message.split('\n').first.str()); at != llvm::StringRef::npos)
        readPlace(said.drop_front(at + 2), failure.place);
  if (text.trim().empty())
    text = "no expectation was evaluated";
  failure.text = (name + ": " + text.trim()).str();
  return failure;
}

/// The array of that name in what a run printed; none if it did not come so far, with the reason in `problem`.
static std::optional<json::Array> printed(const driver::ChildProcess &child, llvm::StringRef name, bool isGood,
                                          std::string &problem) {
  auto read = json::parse(child.output());
  const json::Object *all = read ? read->getAsObject() : nullptr;
  const json::Array *array = all ? all->getArray(name) : nullptr;
  if (!read)
    llvm::consumeError(read.takeError());
  if (array && isGood)
    return *array;
  const std::string said = child.errors();
  const llvm::StringRef line = llvm::StringRef(said).trim().split('\n').first;
  problem = child.status() > 0 && !line.empty() ? line.str() : child.cause("--run-timeout");
  return std::nullopt;
}

CheckResult ToolRun::check() const {
  CheckResult result;
  result.arch = arch;
  result.textHash = job.textHash;
  const std::string said = child->errors();
  const auto runs = printed(*child, "runs", child->status() >= 0, result.problem);
  if (!runs)
    return result;
  for (const json::Value &each : *runs) {
    const json::Object *run = each.getAsObject();
    if (auto error = run ? run->getString("error") : std::nullopt; error && !error->empty())
      result.problem = error->split('\n').first.str();
    for (const json::Value &value : run && run->getArray("cases") ? *run->getArray("cases") : json::Array()) {
      const json::Object &made = *value.getAsObject();
      const bool isGood = made.getString("outcome").value_or("") == "passed";
      ++(isGood ? result.passed : result.failed);
      result.milliseconds += made.getNumber("milliseconds").value_or(0);
      if (!isGood)
        result.failures.push_back(
            failureOf(made.getString("name").value_or(""), made.getString("detail").value_or(""), said));
    }
  }
  if (result.passed + result.failed == 0 && result.problem.empty())
    result.problem = said.empty() ? "it has no case on " + arch : llvm::StringRef(said).split('\n').first.str();
  return result;
}

BenchResult ToolRun::bench() const {
  BenchResult result;
  result.arch = arch;
  result.textHash = job.textHash;
  const auto benches = printed(*child, "benches", child->status() == 0, result.problem);
  if (!benches)
    return result;
  for (const json::Value &value : *benches) {
    const json::Object &bench = *value.getAsObject();
    std::string parameters;
    if (auto *given = bench.getObject("parameters"))
      for (auto &[name, text] : *given)
        parameters += (parameters.empty() ? "" : " ") + name.str() + "=" + text.getAsString().value_or("").str();
    if (auto *launches = bench.getArray("launches"))
      for (const json::Value &launch : *launches)
        if (auto *timing = launch.getAsObject()->getObject("timing"))
          if (auto *clock = timing->getObject("sustained_clock"))
            result.launches.push_back(
                {launch.getAsObject()->getString("kernel").value_or("").str(),
                 timing->getString("kernel").value_or("").str(), parameters,
                 timing->getString("machine").value_or("").str(), timing->getNumber("cycles").value_or(0),
                 clock->getNumber("megahertz").value_or(0), clock->getNumber("seconds").value_or(0) * 1e6});
  }
  if (result.launches.empty())
    result.problem = "it launches nothing on " + arch;
  return result;
}

// ---------------------------------------------------------------------------------------------------------
// For people

static std::string counted(unsigned count, const char *thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string CheckResult::title() const {
  if (!problem.empty())
    return "not run on " + arch + ": " + problem;
  std::string text = failed ? std::to_string(failed) + " of " + counted(passed + failed, "case") + " failed"
                            : counted(passed, "case") + " passed";
  return text + " on " + arch + ", " +
         (milliseconds < 1000 ? llvm::formatv("{0:f0} ms", milliseconds).str()
                              : llvm::formatv("{0:f1} s", milliseconds / 1000).str());
}

/// Three digits, without an exponent.
static std::string digits(double value) {
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  return decimals == 2   ? llvm::formatv("{0:f2}", value).str()
         : decimals == 1 ? llvm::formatv("{0:f1}", value).str()
                         : llvm::formatv("{0:f0}", value).str();
}

std::string timeText(const std::vector<const BenchResult::Launch *> &launches) {
  auto isLess = [](auto *a, auto *b) { return a->microseconds < b->microseconds; };
  auto [least, most] = std::minmax_element(launches.begin(), launches.end(), isLess);
  const std::string from = digits((*least)->microseconds), to = digits((*most)->microseconds);
  return from + (from == to ? "" : " to " + to) + " us";
}

std::string BenchResult::title() const {
  if (!problem.empty())
    return "not run on " + arch + ": " + problem;
  // The launches of a case follow each other: their times add up.
  std::vector<Launch> cases;
  for (const Launch &launch : launches)
    if (!cases.empty() && cases.back().parameters == launch.parameters)
      cases.back().microseconds += launch.microseconds;
    else
      cases.push_back(launch);
  std::vector<const Launch *> all;
  for (const Launch &each : cases)
    all.push_back(&each);
  return timeText(all) + " modelled on " + arch + ", " + counted(unsigned(cases.size()), "case");
}

} // namespace fly::editor
