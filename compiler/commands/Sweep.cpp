// `flyc sweep`: a file with each combination of LLVM options and constants of a grid, as a table, best first.
//
//  1. List the points of the grid (SweepSearch.h).
//  2. Run each in a process of its own (SweepJob.h), with the journal and the processes of `flyc tune` (LocalJobs.h).
//  3. Rank the rows and print them (SweepResults.h); with `--pin` the best goes into X.tune.json (SweepPin.h).
//
// With `--print-jobs` and `--join` other machines do step 2.
#include "compiler/commands/CommandErrors.h"
#include "compiler/commands/Commands.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/search/JobArguments.h"
#include "compiler/search/LocalJobs.h"
#include "compiler/launch/Arguments.h"
#include "compiler/search/sweep/SweepFigures.h"
#include "compiler/launch/Cases.h"
#include "compiler/search/Suite.h"
#include "compiler/search/sweep/SweepPin.h"

#include <numeric>

namespace fly::driver {

namespace {

using Json = nlohmann::ordered_json;

/// The command line of one job, without the program.
std::vector<std::string> argumentsOf(const Options &options, const SweepSettings &command, const SweepSearch &search,
                                     unsigned job) {
  std::vector<std::string> out{"sweep",  command.path,  "--grid", command.grid,
                               "--arch", search.arch(), "--job",  std::to_string(job)};
  addArguments(out, "--skip", command.skip);
  addArguments(out, command.emulator);
  if (command.limit)
    addArgument(out, "--limit", std::to_string(command.limit));
  addArguments(out, command.time);
  addArguments(out, options);
  return out;
}

bool checkBy(Session &session, const SweepSettings &command) {
  if (command.by == "cycles" || findSweepFigure(command.by))
    return true;
  std::string names = "cycles";
  for (auto &figure : sweepFigures())
    names += std::string(", ") + figure.name;
  session.diags.report(diag::bad_option, {}).arg("--by " + command.by).arg("choose one of " + names);
  return false;
}

std::optional<SweepGrid> readGrid(Session &session, const std::string &path) {
  auto text = readFile(path);
  if (!text.ok()) {
    session.diags.report(diag::cannot_read, {}).arg(path).arg(text.error);
    return std::nullopt;
  }
  std::string error;
  auto grid = SweepGrid::parse(text.value, error);
  if (!grid)
    session.diags.report(diag::bad_sweep_grid, {}).arg(path).arg(error);
  return grid;
}

/// The rows by job, of this machine or of files; false after a diagnostic.
bool collect(Session &session, const Options &options, const SweepSettings &command, const SweepSearch &search,
             LocalJobs &run, std::map<unsigned, SweepRow> &rows) {
  run.rows.clear();
  if (!command.join.empty()) {
    if (!joinRows(session, command.join, search.list(), run.rows))
      return false;
  } else {
    run.resume(search.list());
    if (!run.open())
      return false;
    std::vector<unsigned> jobs(search.jobs.size());
    std::iota(jobs.begin(), jobs.end(), 0);
    run.run(search.list(), jobs, [&](unsigned job) {
      LocalJobs::Job out{argumentsOf(options, command, search, job), search.grid.title(search.jobs[job])};
      out.arguments.insert(out.arguments.end(), {"-j", std::to_string(run.threads)});
      return out;
    });
  }
  for (auto &[job, row] : run.rows)
    if (auto parsed = SweepRow::parse(row.line))
      rows[job] = std::move(*parsed);
  return true;
}

bool runOne(Session &session, const SweepSettings &command, const SweepSearch &search) {
  if (command.job >= int64_t(search.jobs.size())) {
    session.diags.report(diag::bad_option, {})
        .arg("--job " + std::to_string(command.job))
        .arg("the sweep has the jobs 0 to " + std::to_string(search.jobs.size() - 1));
    return false;
  }
  return writeRow(session, command.rows,
                  runSweepJob(search, unsigned(command.job), command.jobs ? command.jobs : 1).line());
}

} // namespace

int sweep(const Options &options, const SweepSettings &command) {
  if (command.path == "-")
    return badCommandLine(options, "`flyc sweep` takes a file, which each of its processes reads", "");
  const std::vector<std::string> archs = expandedArchs(command.archs);
  if (archs.size() > 1 && command.job >= 0)
    return badCommandLine(options, "`--job` is of one architecture", "");
  Session session(options);
  auto fail = [&](int status) {
    session.finish();
    return status;
  };
  auto targets = targetsOf(session, archs);
  if (!targets || !checkBy(session, command))
    return fail(2);
  auto grid = readGrid(session, command.grid);
  const std::string path = tuneTablePath(command.path);
  if (!grid || !session.open(command.path) || (command.pin && !readTable(session, path)))
    return fail(1);
  LocalJobs run(session, command.jobs, command.timeout,
                command.journal.empty() ? journalPath(command.path, "sweep") : command.journal);
  Json document{{"schema_version", 1}, {"module", session.moduleName}, {"sweeps", Json::array()}};
  std::vector<FoundEntries> found;
  bool isGood = true;
  for (auto *target : *targets) {
    SweepSearch search(session, *target, command, *grid);
    if (!search.open())
      return fail(statusOf(session.diags));
    if (command.job >= 0) {
      if (!runOne(session, command, search))
        return fail(statusOf(session.diags));
      continue;
    }
    if (command.printJobs) {
      printJobLines(command.path, "sweep", search.list(),
                    [&](unsigned job) { return argumentsOf(options, command, search, job); });
      continue;
    }
    std::map<unsigned, SweepRow> rows;
    if (!collect(session, options, command, search, run, rows))
      return fail(statusOf(session.diags));
    auto results = sweepResults(search, rows);
    isGood &= results.front().row.outcome == SweepOutcome::Good;
    if (command.json)
      document["sweeps"].push_back(sweepJson(search, results));
    else if (!command.quiet)
      printSweep(search, results);
    if (command.pin) {
      auto entries = pinned(search, results);
      if (!entries)
        return fail(statusOf(session.diags));
      llvm::append_range(found, *entries);
    }
  }
  if (command.printJobs || command.job >= 0)
    return session.finish() ? 0 : 1;
  std::optional<size_t> entries = 0;
  if (command.pin && !(entries = addToTable(session, path, found, /*dryRun=*/false)))
    return fail(1);
  if (command.join.empty())
    run.removeJournal();
  if (command.json)
    llvm::outs() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  else if (run.resumed)
    llvm::outs() << run.resumed << (run.resumed == 1 ? " row was" : " rows were") << " in the journal\n";
  if (command.pin && !command.json)
    llvm::outs() << "wrote " << path << ": " << *entries << (*entries == 1 ? " entry" : " entries") << '\n';
  session.finish();
  return isGood ? 0 : 1;
}

} // namespace fly::driver
