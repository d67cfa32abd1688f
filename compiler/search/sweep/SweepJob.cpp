// See SweepJob.h.
#include "compiler/search/sweep/SweepJob.h"

#include "compiler/launch/Cases.h"
#include "compiler/launch/EmulatorOptions.h"
#include "compiler/search/JobProblems.h"
#include "compiler/search/sweep/SweepFigures.h"

namespace fly::driver {

namespace {

/// Ends the job: the row has what is known.
struct Ended {};

class PointRun {
public:
  PointRun(const SweepSearch &search, size_t point, unsigned threads, SweepRow &row)
      : search(search), values(search.grid.point(point)), row(row), session(search.optionsOf(point)),
        compilation((open(), session), search.compilation.target), tuning(compilation),
        runner(compilation, settingsOf(search.command, threads)) {
    runner.timing = search.timing;
  }

  void run() {
    if (!compilation.run())
      end(SweepOutcome::Refused, firstError(session.diags));
    listCases();
    compile();
    requireUse();
    if (!search.command.skips("checks"))
      check();
    if (!search.command.skips("time"))
      time();
    if (row.failed == 0)
      row.outcome = SweepOutcome::Good;
  }

private:
  void open() {
    if (!session.open(search.command.path))
      end(SweepOutcome::Refused, firstError(session.diags));
  }

  static RunnerSettings settingsOf(const SweepSettings &command, unsigned threads) {
    RunnerSettings settings({{emulator::WaveOrder::Ascending, 0, "ascending"}}, command.emulator);
    settings.threads = threads;
    settings.instructionLimit = command.limit;
    return settings;
  }

  [[noreturn]] void end(SweepOutcome outcome, std::string reason) {
    row.outcome = outcome;
    row.reason = std::move(reason);
    throw Ended{};
  }

  void listCases() {
    for (auto &definition : compilation.main->checks) {
      std::string elsewhere;
      auto all = casesOf(compilation, definition, elsewhere);
      if (!all)
        end(SweepOutcome::Refused, firstError(session.diags));
      for (auto &each : *all)
        if (matches(definition.isBench ? search.grid.benches : search.grid.checks, each.title))
          (definition.isBench ? benches : checks).push_back(std::move(each));
    }
  }

  /// Steps 1 and 2.
  void compile() {
    for (auto &each : benches) {
      std::vector<PlannedLaunch> planned;
      runner.planned = &planned;
      const bool ok = runCase(compilation, runner, each);
      runner.planned = nullptr;
      if (!ok)
        end(SweepOutcome::Refused, firstProblem(compilation, runner));
      auto &bench = row.benches.emplace_back();
      bench.title = llvm::StringRef(each.title).split("  ").second.str();
      for (auto &launch : planned)
        if (!find(bench, *launch.kernel))
          add(bench, *launch.kernel, *launch.codeObject).shape = launch.scalars;
    }
    if (benches.empty())
      compileExports();
  }

  void compileExports() {
    auto &bench = row.benches.emplace_back();
    for (auto &instance : sema::exportedInstances(compilation.elaborator, *compilation.main)) {
      if (instance.kernel.kernel->isLaunch)
        continue;
      auto compiled = compilation.compile(instance.kernel, instance.symbol, instance.range, Keep{});
      const std::string object = compiled ? compilation.link({compiled.get()}, {}, instance.symbol) : "";
      if (object.empty())
        end(SweepOutcome::Refused, firstError(session.diags));
      add(bench, compiled->info, object);
    }
    if (bench.kernels.empty())
      end(SweepOutcome::Refused, "the file has no bench that is selected, and exports no kernel");
  }

  SweepKernel &add(SweepBench &bench, const artifact::InstanceInfo &info, const std::string &object) {
    std::string error;
    auto figures = figuresOf(object, info.symbol, error);
    if (!figures)
      end(SweepOutcome::Refused, error);
    SweepKernel kernel{info.kernel,         {info.constants.begin(), info.constants.end()},
                       info.llvmOptions,    {},
                       std::move(*figures), std::nullopt};
    return bench.kernels.emplace_back(std::move(kernel));
  }

  static SweepKernel *find(SweepBench &bench, const artifact::InstanceInfo &info) {
    auto found = llvm::find_if(bench.kernels, [&](auto &kernel) {
      return kernel.kernel == info.kernel &&
             kernel.constants == ConstantTexts(info.constants.begin(), info.constants.end());
    });
    return found == bench.kernels.end() ? nullptr : &*found;
  }

  /// A constant that nothing takes would make rows that differ in name alone.
  void requireUse() {
    for (size_t i = 0; i < values.size(); ++i) {
      auto &axis = search.grid.axes[i];
      if (values[i] && !axis.isLlvm && !compilation.elaborator.usedDefinitions.count(axis.name))
        end(SweepOutcome::Refused, "nothing that runs takes `" + axis.name + "`");
    }
  }

  /// Step 3. A failure does not end the job: its figures are of interest.
  void check() {
    for (auto &each : checks) {
      if (runCase(compilation, runner, each)) {
        ++row.passed;
        continue;
      }
      if (row.failed++ == 0) {
        row.outcome = SweepOutcome::Wrong;
        row.reason = llvm::StringRef(each.title).split("  ").second.str() + ": " + firstProblem(compilation, runner);
      }
    }
  }

  /// Step 4.
  void time() {
    for (auto [each, bench] : llvm::zip(benches, row.benches)) {
      std::vector<LaunchCounts> launches;
      runner.counts = &launches;
      const bool ran = runCase(compilation, runner, each);
      runner.counts = nullptr;
      if (!ran)
        end(SweepOutcome::Refused, firstProblem(compilation, runner));
      double all = 0;
      for (auto &launch : launches) {
        const double cycles = launch.timing ? double(launch.timing->cycles) : 0;
        all += cycles;
        if (auto *kernel = find(bench, *launch.kernel))
          kernel->cycles = kernel->cycles.value_or(0) + cycles;
      }
      bench.cycles = all;
      for (auto &launch : launches)
        if (launch.timing && !keepModelledPromises(session.diags, *launch.promises, *launch.kernel, *launch.timing))
          end(SweepOutcome::Refused, firstError(session.diags));
    }
  }

  const SweepSearch &search;
  std::vector<std::optional<std::string>> values;
  SweepRow &row;
  Session session;
  ArchCompilation compilation;
  OwnTuning tuning; ///< the source as it is, without its table
  CheckRunner runner;
  std::vector<Case> benches, checks;
};

} // namespace

SweepRow runSweepJob(const SweepSearch &search, unsigned job, unsigned threads) {
  SweepRow row;
  row.search = search.identity;
  row.arch = search.arch();
  row.job = job;
  try {
    PointRun(search, search.jobs[job], threads, row).run();
  } catch (Ended &) {
  }
  return row;
}

} // namespace fly::driver
