// See SweepResults.h.
#include "compiler/search/sweep/SweepResults.h"

#include "compiler/search/sweep/SweepFigures.h"
#include "compiler/search/tune/TuneObjective.h"
#include "compiler/text/Words.h"

#include "llvm/Support/Format.h"

namespace fly::driver {

using Json = nlohmann::ordered_json;

/// The kernel whose figures stand for the row: the grid's, or the one that takes most, or the largest.
static const SweepKernel *shownKernel(const SweepSearch &search, const SweepRow &row) {
  const SweepKernel *shown = nullptr;
  auto weight = [](const SweepKernel &kernel) {
    auto bytes = kernel.figures.find("code_bytes");
    return std::pair(kernel.cycles.value_or(0), bytes == kernel.figures.end() ? 0 : bytes->second);
  };
  for (auto &bench : row.benches)
    for (auto &kernel : bench.kernels)
      if ((search.grid.kernel.empty() || kernel.kernel == search.grid.kernel) &&
          (!shown || weight(kernel) > weight(*shown)))
        shown = &kernel;
  return shown;
}

static std::optional<double> rankOf(const SweepSearch &search, const SweepRow &row) {
  const std::string &by = search.command.by;
  if (row.outcome != SweepOutcome::Good)
    return std::nullopt;
  if (by == "cycles")
    return row.cycles();
  const SweepKernel *kernel = shownKernel(search, row);
  auto found = kernel ? kernel->figures.find(by) : std::map<std::string, double>::const_iterator{};
  if (!kernel || found == kernel->figures.end())
    return std::nullopt;
  return findSweepFigure(by)->moreIsBetter ? -found->second : found->second;
}

std::vector<SweepResult> sweepResults(const SweepSearch &search, const std::map<unsigned, SweepRow> &rows) {
  std::vector<SweepResult> results;
  size_t job = 0;
  for (size_t point = 0; point < search.grid.points(); ++point) {
    auto &result = results.emplace_back();
    result.point = point;
    if (job < search.jobs.size() && search.jobs[job] == point) {
      if (auto found = rows.find(unsigned(job)); found != rows.end())
        result.row = found->second;
      else
        result.row.reason = "it was not run";
      ++job;
    } else {
      result.row.outcome = SweepOutcome::Excluded;
      result.row.reason = "`where` excludes it";
    }
    result.rank = rankOf(search, result.row);
  }
  llvm::stable_sort(results, [](auto &a, auto &b) {
    return std::tuple(a.row.outcome, !a.rank, a.rank.value_or(0)) <
           std::tuple(b.row.outcome, !b.rank, b.rank.value_or(0));
  });
  return results;
}

void printSweep(const SweepSearch &search, const std::vector<SweepResult> &results) {
  auto &os = llvm::outs();
  const bool timed = llvm::any_of(results, [](auto &result) { return result.row.cycles().has_value(); });
  os << search.arch() << "  " << search.command.path << ": " << counted(results.size(), "point");
  if (timed)
    os << ", cycles by time model (" << uncertaintyOf(search.compilation.target, search.timing) << ")";
  os << '\n';
  std::string head = timed ? "      cycles" : "";
  for (auto &figure : sweepFigures())
    llvm::raw_string_ostream(head) << llvm::format("%8s", figure.head);
  os << head << "  checks\n";
  size_t printed = 0;
  for (auto &result : results) {
    if (search.command.top && ++printed > search.command.top)
      break;
    const SweepRow &row = result.row;
    const SweepKernel *kernel = shownKernel(search, row);
    const bool full = kernel && (row.outcome == SweepOutcome::Good || row.outcome == SweepOutcome::Wrong);
    if (!full) {
      os << llvm::right_justify("-", head.size());
    } else {
      if (auto cycles = row.cycles())
        os << llvm::format("%12.0f", *cycles);
      else if (timed)
        os << llvm::right_justify("-", 12);
      for (auto &figure : sweepFigures()) {
        auto found = kernel->figures.find(figure.name);
        if (found == kernel->figures.end())
          os << llvm::right_justify("-", 8);
        else if (llvm::StringRef(figure.name).ends_with("_share"))
          os << llvm::format("%6.1f %%", 100 * found->second);
        else
          os << llvm::format("%8.0f", found->second);
      }
    }
    std::string checks = row.failed   ? std::to_string(row.failed) + " fail"
                         : row.passed ? std::to_string(row.passed) + " ok"
                                      : "-";
    os << "  " << llvm::left_justify(checks, 6) << "  " << search.grid.title(result.point);
    if (!row.reason.empty())
      os << "  " << name(row.outcome) << ": " << row.reason;
    os << '\n';
  }
}

static Json pointJson(const SweepSearch &search, size_t number, bool isLlvm) {
  Json json = Json::object();
  auto values = search.grid.point(number);
  for (size_t i = 0; i < values.size(); ++i)
    if (search.grid.axes[i].isLlvm == isLlvm && values[i])
      json[search.grid.axes[i].name] = *values[i];
  return json;
}

Json sweepJson(const SweepSearch &search, const std::vector<SweepResult> &results) {
  Json json{{"arch", search.arch()}, {"unit", "cycles"}, {"how", "time model"}, {"by", search.command.by}};
  json["points"] = Json::array();
  for (auto &result : results) {
    Json one{{"constants", pointJson(search, result.point, false)}, {"llvm", pointJson(search, result.point, true)}};
    one.update(result.row.toJson());
    json["points"].push_back(std::move(one));
  }
  return json;
}

} // namespace fly::driver
