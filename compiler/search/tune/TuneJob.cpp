// See TuneJob.h.
#include "compiler/search/tune/TuneJob.h"

#include "compiler/launch/EmulatorOptions.h"
#include "compiler/search/JobProblems.h"
#include "compiler/search/tune/TuneObjective.h"

namespace fly::driver {

namespace {

/// The candidate's values for its kernel; what a bench asks for goes to the row.
class CandidateTuning final : public OwnTuning {
public:
  CandidateTuning(ArchCompilation &compilation, const TuneCandidate *candidate, TuneRow &row)
      : OwnTuning(compilation), candidate(candidate), row(row) {}

protected:
  std::vector<Entry> ofMain(const sema::KernelDefinition &kernel, const Texts &own, const Texts &others) override {
    row.kernels.insert({kernel.name, {own, others, {}}});
    if (!candidate || candidate->kernel != &kernel)
      return {};
    return {Entry{{}, candidate->values, 0}};
  }

private:
  const TuneCandidate *candidate;
  TuneRow &row;
};

class CandidateRun {
public:
  CandidateRun(TuneSearch &search, const TuneJob &job, unsigned threads, TuneRow &row)
      : search(search), each(search.cases[job.caseNumber]),
        candidate(job.candidate ? &search.candidates[*job.candidate] : nullptr), row(row),
        tuning(search.compilation, candidate, row), runner(search.compilation, settingsOf(search.command, threads)) {
    runner.timing = search.timing;
  }

  void run(std::optional<double> below) {
    std::vector<PlannedLaunch> planned;
    runner.planned = &planned;
    const bool ok = runCase(search.compilation, runner, each);
    runner.planned = nullptr;
    if (!ok)
      return end(TuneOutcome::Refused, firstProblem(search.compilation, runner));
    if (candidate && !takes(planned))
      return end(TuneOutcome::Unused, row.kernels.count(candidate->kernel->name)
                                          ? "the bench does not launch `" + candidate->kernel->name +
                                                "` with these values: their preconditions are not met"
                                          : "the bench does not launch `" + candidate->kernel->name + "`");
    for (auto &launch : planned)
      if (std::string problem = readShape(launch); !problem.empty())
        return end(TuneOutcome::Refused, problem);
    if (std::string scratch = scratchProblem(); !scratch.empty())
      return end(TuneOutcome::Refused, scratch);
    auto &definition = *each.definition;
    std::optional<double> flops, bytes;
    if (definition.flops && !(flops = numberOf(search.compilation, each, *definition.flops, "flops")))
      return end(TuneOutcome::Refused, firstProblem(search.compilation, runner));
    if (definition.bytes && !(bytes = numberOf(search.compilation, each, *definition.bytes, "bytes")))
      return end(TuneOutcome::Refused, firstProblem(search.compilation, runner));
    if (search.source.gpu)
      return measure();
    row.bound = boundOf(search.compilation.target, search.timing, planned, flops, bytes);
    if (below && *row.bound > *below) {
      row.outcome = TuneOutcome::Bounded;
      return;
    }
    std::vector<LaunchCounts> launches;
    runner.counts = &launches;
    const bool ran = runCase(search.compilation, runner, each);
    runner.counts = nullptr;
    if (!ran)
      return end(TuneOutcome::Refused, firstProblem(search.compilation, runner));
    for (auto &launch : launches)
      if (launch.timing &&
          !keepModelledPromises(search.session.diags, *launch.promises, *launch.kernel, *launch.timing))
        return end(TuneOutcome::Refused, firstProblem(search.compilation, runner));
    row.outcome = TuneOutcome::Figured;
    // Not below the bound, so that a candidate whose bound is too high for the best was rightly left out.
    row.figure = std::max(figureOf(launches), *row.bound);
  }

private:
  /// Instead of the time model, whose bound and promises are no matter of a GPU.
  void measure() {
    std::vector<MeasuredLaunch> launches;
    runner.gpu = search.source.gpu.get();
    runner.measured = &launches;
    runner.repetitions = {search.command.device.warmUp, search.command.device.repeat};
    const bool ran = runCase(search.compilation, runner, each);
    runner.gpu = nullptr;
    runner.measured = nullptr;
    if (!ran)
      return end(TuneOutcome::Refused, firstProblem(search.compilation, runner));
    row.outcome = TuneOutcome::Figured;
    row.figure = 0;
    for (auto &launch : launches)
      *row.figure += launch.times.median();
  }

  static RunnerSettings settingsOf(const TuneSettings &command, unsigned threads) {
    RunnerSettings settings({{emulator::WaveOrder::Ascending, 0, "ascending"}}, command.emulator);
    settings.threads = threads;
    settings.instructionLimit = command.limit;
    return settings;
  }

  void end(TuneOutcome outcome, std::string reason) {
    row.outcome = outcome;
    row.reason = std::move(reason);
  }

  /// Of the kernel, or of the `@launch` function whose step it is.
  bool isCandidate(const PlannedLaunch &launch) const {
    const bool isFunction = candidate->kernel->isLaunch;
    auto &constants = isFunction ? launch.function.constants : launch.kernel->constants;
    return (isFunction ? launch.function.name : launch.kernel->kernel) == candidate->kernel->name &&
           llvm::all_of(candidate->texts, [&](auto &wanted) {
             return llvm::any_of(constants, [&](auto &constant) {
               return constant.first == wanted.first && constant.second == wanted.second;
             });
           });
  }
  bool takes(const std::vector<PlannedLaunch> &planned) const {
    return llvm::any_of(planned, [&](auto &launch) { return isCandidate(launch); });
  }

  /// Keeps the sizes that tell the launch's shape from others; the text of what is wrong with `key=`.
  std::string readShape(const PlannedLaunch &launch) {
    std::string problem = readShape(launch.kernel->kernel, launch.scalars);
    return problem.empty() ? readShape(launch.function.name, launch.function.scalars) : problem;
  }
  std::string readShape(const std::string &name, const std::map<std::string, int64_t> &scalars) {
    auto asked = row.kernels.find(name);
    if (asked == row.kernels.end() || !asked->second.shape.empty())
      return "";
    auto &kernels = search.compilation.main->kernels;
    auto kernel = llvm::find_if(kernels, [&](auto &k) { return k->name == asked->first; });
    asked->second.shape = scalars;
    if ((*kernel)->tune->key.empty())
      return "";
    asked->second.shape.clear();
    for (auto &name : (*kernel)->tune->key) {
      auto found = scalars.find(name);
      if (found == scalars.end())
        return "`key=` names `" + name + "`, which is not an integer parameter of `" + asked->first + "`";
      asked->second.shape.insert(*found);
    }
    return "";
  }

  /// Scratch memory that nobody asked for has been warned of.
  std::string scratchProblem() const {
    for (auto &diagnostic : search.session.diags.all())
      if (diagnostic.kind == diag::scratch_used::kind || diagnostic.kind == diag::register_spills::kind)
        return std::string(info(diagnostic.kind).code) + ": " + diagnostic.message;
    return "";
  }

  TuneSearch &search;
  const Case &each;
  const TuneCandidate *candidate;
  TuneRow &row;
  CandidateTuning tuning;
  CheckRunner runner;
};

} // namespace

TuneRow runTuneJob(TuneSearch &search, unsigned job, std::optional<double> below, unsigned threads) {
  TuneRow row;
  row.search = search.identity;
  row.arch = search.arch();
  row.job = job;
  CandidateRun(search, search.jobs[job], threads, row).run(below);
  return row;
}

} // namespace fly::driver
