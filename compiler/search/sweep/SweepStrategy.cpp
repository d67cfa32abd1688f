// See SweepStrategy.h.
#include "compiler/search/sweep/SweepStrategy.h"

#include "compiler/launch/Arguments.h"
#include "compiler/search/sweep/SweepFigures.h"
#include "compiler/search/sweep/SweepPin.h"
#include "compiler/text/Words.h"

#include <numeric>

namespace fly::driver {

namespace {

class SweepOnArch final : public ArchSearch {
public:
  SweepOnArch(Session &session, const target::Target &target, const SweepSettings &settings, const SweepGrid &grid,
              bool &areBestGood)
      : settings(settings), areBestGood(areBestGood), search(session, target, settings, grid) {}

  bool open() override { return search.open(); }
  JobSearch list() const override { return search.list(); }
  std::string rowOf(unsigned job, unsigned threads) override { return runSweepJob(search, job, threads).line(); }
  void take(const JobRow &row) override {
    if (auto parsed = SweepRow::parse(row.line))
      rows[row.job] = std::move(*parsed);
  }
  void runAll(LocalJobs &jobs, const JobArguments &arguments) override {
    std::vector<unsigned> all(search.jobs.size());
    std::iota(all.begin(), all.end(), 0);
    jobs.run(search.list(), all, [&](unsigned job) {
      JobRequest each = request(job);
      each.threads = jobs.threads;
      return LocalJobs::Job{arguments(each), search.grid.title(search.jobs[job])};
    });
  }
  bool report(nlohmann::ordered_json *json, std::vector<FoundEntries> &found) override {
    auto results = sweepResults(search, rows);
    areBestGood &= results.front().row.outcome == SweepOutcome::Good;
    if (json)
      json->push_back(sweepJson(search, results));
    else if (!settings.quiet)
      printSweep(search, results);
    if (!settings.pin)
      return true;
    auto entries = pinned(search, results);
    if (entries)
      llvm::append_range(found, *entries);
    return entries.has_value();
  }

private:
  const SweepSettings &settings;
  bool &areBestGood;
  SweepSearch search;
  std::map<unsigned, SweepRow> rows;
};

} // namespace

bool SweepStrategy::checkOptions(Session &session) {
  if (settings.by == "cycles" || findSweepFigure(settings.by))
    return true;
  std::string names = "cycles";
  for (auto &figure : sweepFigures())
    names += std::string(", ") + figure.name;
  session.diags.report(diag::bad_option, {}).arg("--by " + settings.by).arg("choose one of " + names);
  return false;
}

bool SweepStrategy::readInputs(Session &session) {
  auto text = readFile(settings.grid);
  if (!text.ok()) {
    session.diags.report(diag::cannot_read, {}).arg(settings.grid).arg(text.error);
    return false;
  }
  std::string error;
  grid = SweepGrid::parse(text.value, error);
  if (!grid)
    session.diags.report({}, diag::bad_sweep_grid{.grid = settings.grid, .problem = error});
  return grid.has_value();
}

std::unique_ptr<ArchSearch> SweepStrategy::on(Session &session, const target::Target &target) {
  return std::make_unique<SweepOnArch>(session, target, settings, *grid, areBestGood);
}

void SweepStrategy::conclude(const std::string &path, size_t entries) {
  if (settings.pin)
    llvm::outs() << "wrote " << path << ": " << counted(entries, "entry", "entries") << '\n';
}

} // namespace fly::driver
