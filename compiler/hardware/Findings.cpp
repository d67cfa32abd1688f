// What a report tells: counts, suspects, coverage, a summary. See FullReport.h.
#include "compiler/hardware/FullReport.h"

#include "compiler/hardware/Constants.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace fly::hardware {

namespace {

bool ran(const JournalResult &result) { return result.outcome != "left out" && result.outcome != "refused"; }

/// "gemm/any_tile.fly" of "gfx942 kernels gemm/any_tile.fly"; empty for a task that is its whole group.
std::string partOf(const ReportedTask &task) {
  llvm::StringRef rest = task.name;
  rest.consume_front(task.architecture + " " + task.group);
  return rest.trim().str();
}

} // namespace

std::vector<GroupCount> countsOf(const FullReport &report) {
  std::vector<GroupCount> counts;
  for (const ReportedTask &task : report.tasks) {
    auto count = llvm::find_if(counts, [&](const GroupCount &known) {
      return known.architecture == task.architecture && known.group == task.group;
    });
    if (count == counts.end())
      count = counts.insert(counts.end(), {task.architecture, task.group, {}});
    ++count->tasks;
    count->done += task.isDone;
    for (const JournalResult &result : task.results) {
      auto known = llvm::find_if(count->outcomes, [&](auto &outcome) { return outcome.first == result.outcome; });
      if (known == count->outcomes.end())
        count->outcomes.push_back({result.outcome, 1});
      else
        ++known->second;
    }
  }
  return counts;
}

std::vector<Suspect> suspectsOf(const FullReport &report) {
  std::vector<Suspect> suspects;
  for (const ReportedTask &task : report.tasks) {
    const std::string part = partOf(task);
    // An instruction with its forms, or a check with its cases.
    auto titleOf = [&](const JournalResult &result) {
      const std::string check = result.name.substr(0, result.name.find(' '));
      return !result.subject.empty() ? result.subject : (part.empty() ? "" : part + ": ") + check;
    };
    std::map<std::string, size_t> all, known;
    for (const JournalResult &result : task.results)
      all[titleOf(result)] += ran(result);
    for (const JournalResult &result : task.results) {
      if (!isSuspect(result.outcome))
        continue;
      const std::string title = titleOf(result);
      if (auto [at, isNew] = known.try_emplace(title, suspects.size()); isNew)
        suspects.push_back(
            {task.architecture, task.group, title, result.outcome, 1, all[title], result.name, result.detail});
      else
        ++suspects[at->second].count;
    }
  }
  return suspects;
}

std::vector<Coverage> coverageOf(const FullReport &report) {
  std::vector<Coverage> all;
  for (const ReportedTask &task : report.tasks) {
    if (task.group != "instructions")
      continue;
    Coverage coverage{task.architecture, {}, {}};
    for (const JournalResult &result : task.results) {
      if (!ran(result))
        continue;
      ++coverage.forms;
      const bool isRight = result.outcome == "same" || result.outcome == "approximate";
      (isRight ? coverage.matched : coverage.others).insert(result.subject);
    }
    for (const std::string &wrong : coverage.others)
      coverage.matched.erase(wrong);
    all.push_back(std::move(coverage));
  }
  return all;
}

std::vector<MeasuredConstants> constantsOf(const FullReport &report) {
  std::vector<MeasuredConstants> all;
  for (const ReportedTask &task : report.tasks) {
    const ReportedGpu *gpu = report.gpuOf(task.architecture);
    const auto machine = emulator::machineOf(task.architecture);
    if (task.group != "constants" || !gpu || !machine)
      continue;
    auto results = resultsOf(task.results, task.architecture, gpu->name, report.date);
    if (!results)
      continue;
    auto findings = driver::calibration::derive(*results, *machine);
    all.push_back({std::move(*results), std::move(findings)});
  }
  return all;
}

std::vector<std::string> summaryOf(const FullReport &report) {
  std::vector<std::string> lines;
  const std::vector<GroupCount> counts = countsOf(report);
  const std::vector<Coverage> coverage = coverageOf(report);
  const std::vector<Suspect> suspects = suspectsOf(report);
  if (!report.stopped.empty())
    lines.push_back("not complete: " + report.stopped);
  for (const ReportedGpu &gpu : report.gpus) {
    lines.push_back(gpu.architecture + ", " + gpu.name + ", " + counted(gpu.computeUnits, "compute unit"));
    for (const GroupCount &count : counts) {
      if (count.architecture != gpu.architecture)
        continue;
      std::string text;
      for (auto &[outcome, number] : count.outcomes)
        text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + outcome;
      if (count.done < count.tasks)
        text +=
            (text.empty() ? "" : "; ") + std::to_string(count.done) + " of " + counted(count.tasks, "part") + " done";
      constexpr size_t column = 14;
      const std::string blanks(column - std::min(column, count.group.size()) + 1, ' ');
      lines.push_back("  " + count.group + blanks + text);
    }
    for (const Coverage &one : coverage)
      if (one.architecture == gpu.architecture && one.forms)
        lines.push_back("  " + counted(one.matched.size(), "instruction") + " matched in " +
                        counted(one.forms, "form") +
                        (one.others.empty() ? "" : ", " + std::to_string(one.others.size()) + " not"));
  }
  lines.push_back(suspects.empty() ? "no suspects" : counted(suspects.size(), "suspect"));
  return lines;
}

} // namespace fly::hardware
