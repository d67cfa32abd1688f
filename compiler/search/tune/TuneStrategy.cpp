// See TuneStrategy.h.
#include "compiler/search/tune/TuneStrategy.h"

#include "compiler/search/tune/TuneJob.h"
#include "compiler/search/tune/TuneResults.h"
#include "compiler/text/Words.h"

namespace fly::driver {

namespace {

class TuneOnArch final : public ArchSearch {
public:
  TuneOnArch(Session &session, const target::Target &target, const TuneSettings &settings, TuneCounts &counts)
      : settings(settings), counts(counts), search(session, target, settings) {}

  bool open() override { return search.open(); }
  JobSearch list() const override { return search.list(); }
  JobRequest request(unsigned job) const override {
    return {.arch = search.arch(), .job = job, .device = search.source.gpu ? "gpu" : "model"};
  }
  std::string rowOf(unsigned job, unsigned threads) override {
    const auto below = settings.below >= 0 ? std::optional(settings.below) : std::nullopt;
    return runTuneJob(search, job, below, threads).line();
  }
  void take(const JobRow &row) override {
    if (auto parsed = TuneRow::parse(row.line))
      rows[row.job] = std::move(*parsed);
  }
  void runAll(LocalJobs &jobs, const JobArguments &arguments) override;
  bool report(nlohmann::ordered_json *json, std::vector<FoundEntries> &found) override;

private:
  /// The jobs of candidates whose kernel the bench launches with other values than its own.
  std::vector<unsigned> worthRunning() const;

  const TuneSettings &settings;
  TuneCounts &counts;
  TuneSearch search;
  TuneRowsByJob rows;
};

void TuneOnArch::runAll(LocalJobs &jobs, const JobArguments &arguments) {
  auto next = [&](unsigned number) {
    auto &job = search.jobs[number];
    JobRequest each = request(number);
    each.threads = jobs.threads;
    std::string title = search.cases[job.caseNumber].title + ": ";
    title += job.candidate ? search.candidates[*job.candidate].title : "own values";
    if (job.candidate)
      if (auto least = leastFigure(search, rows, job.caseNumber, *search.candidates[*job.candidate].kernel))
        each.below = *least;
    return LocalJobs::Job{arguments(each), title};
  };
  std::vector<unsigned> own;
  for (unsigned i = 0; i < search.cases.size(); ++i)
    own.push_back(i);
  jobs.run(search.list(), own, next);
  jobs.run(search.list(), worthRunning(), next);
}

std::vector<unsigned> TuneOnArch::worthRunning() const {
  std::vector<unsigned> out;
  for (unsigned i = unsigned(search.cases.size()); i < search.jobs.size(); ++i) {
    auto &job = search.jobs[i];
    auto &candidate = search.candidates[*job.candidate];
    auto own = rows.find(unsigned(job.caseNumber));
    if (!mayLaunch(rows, job.caseNumber, *candidate.kernel))
      continue;
    if (auto asked = own->second.kernels.find(candidate.kernel->name);
        asked != own->second.kernels.end() && asked->second.own == candidate.texts)
      continue; // it has run with its own values
    out.push_back(i);
  }
  return out;
}

bool TuneOnArch::report(nlohmann::ordered_json *json, std::vector<FoundEntries> &found) {
  auto results = resultsOf(search, rows);
  for (unsigned i = 0; i < search.cases.size(); ++i) {
    const TuneRow &own = rows.at(i);
    if (own.outcome == TuneOutcome::Figured || llvm::any_of(results, [&](auto &r) { return r.caseNumber == i; }))
      continue;
    ++counts.all, ++counts.without; // it failed before it came to a kernel
    (json ? llvm::errs() : llvm::outs()) << search.cases[i].title << ": " << name(own.outcome) << ": " << own.reason
                                         << '\n';
  }
  for (auto &result : results) {
    ++counts.all;
    counts.without += !result.best && !(result.own && result.own->figure);
    if (json)
      json->push_back(resultJson(search, result));
    else if (!settings.quiet)
      printResult(search, result);
  }
  for (auto &kernel : search.compilation.main->kernels)
    if (auto entries = entriesOf(search, results, *kernel); !entries.empty())
      found.push_back({search.arch(), kernel->name, {search.hash, std::move(entries)}});
  return true;
}

} // namespace

std::unique_ptr<ArchSearch> TuneStrategy::on(Session &session, const target::Target &target) {
  return std::make_unique<TuneOnArch>(session, target, settings, counts);
}

void TuneStrategy::conclude(const std::string &path, size_t entries) {
  if (counts.all == 0)
    llvm::outs() << "no bench launches a kernel that leaves the parameters of its `@tune` open\n";
  if (entries == 0)
    llvm::outs() << "no entry for " << path << '\n';
  else
    llvm::outs() << (settings.dryRun ? "would write " : "wrote ") << path << ": "
                 << counted(entries, "entry", "entries") << '\n';
}

} // namespace fly::driver
