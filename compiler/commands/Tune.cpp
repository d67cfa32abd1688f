// `flyc tune`: for each bench and each kernel with a `@tune`, the values with which the bench takes least, written
// beside the source.
//
//  1. List cases, candidates and jobs (TuneSearch.h).
//  2. Run each case with the kernels' own values. That tells which kernels it launches.
//  3. Run the candidates of these kernels, each in a process (TuneJob.h), with the least figure so far as the limit of
//     what is worth running. Every row goes to the journal, from which an interrupted search goes on (LocalJobs.h).
//  4. Rank the rows (TuneResults.h), and merge the best into the table (TuneTable.h).
//
// With `--print-jobs` and `--join` other machines do steps 2 and 3.
#include "compiler/commands/CommandErrors.h"
#include "compiler/commands/Commands.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/search/JobArguments.h"
#include "compiler/search/LocalJobs.h"
#include "compiler/search/TuneTableUpdate.h"
#include "compiler/search/Suite.h"
#include "compiler/search/tune/TuneJob.h"
#include "compiler/search/tune/TuneResults.h"

namespace fly::driver {

namespace {

using Json = nlohmann::ordered_json;

/// The command line of one job, without the program.
std::vector<std::string> argumentsOf(const Options &options, const TuneSettings &command, const TuneSearch &search,
                                     unsigned job) {
  std::vector<std::string> out{"tune", command.path, "--arch", search.arch(), "--job", std::to_string(job)};
  addArgument(out, "--kernel", command.kernel);
  addArgument(out, "--filter", command.filter);
  addArguments(out, "--shape", command.shapes);
  addArguments(out, command.emulator);
  if (command.limit)
    addArgument(out, "--limit", std::to_string(command.limit));
  addArguments(out, command.time);
  addArguments(out, command.device, search.source.gpu != nullptr);
  addArguments(out, options);
  return out;
}

/// Steps 2 and 3.
void runAll(LocalJobs &run, const Options &options, const TuneSettings &command, const TuneSearch &search,
            TuneRowsByJob &rows) {
  auto next = [&](unsigned number) {
    auto &job = search.jobs[number];
    LocalJobs::Job out{argumentsOf(options, command, search, number), search.cases[job.caseNumber].title + ": "};
    out.arguments.insert(out.arguments.end(), {"-j", std::to_string(run.threads)});
    out.title += job.candidate ? search.candidates[*job.candidate].title : "own values";
    if (job.candidate)
      if (auto least = leastFigure(search, rows, job.caseNumber, *search.candidates[*job.candidate].kernel))
        out.arguments.insert(out.arguments.end(), {"--below", std::to_string(*least)});
    return out;
  };
  std::vector<unsigned> first, then;
  for (unsigned i = 0; i < search.cases.size(); ++i)
    first.push_back(i);
  run.run(search.list(), first, next);
  for (unsigned i = unsigned(search.cases.size()); i < search.jobs.size(); ++i) {
    auto &job = search.jobs[i];
    auto &candidate = search.candidates[*job.candidate];
    auto own = rows.find(unsigned(job.caseNumber));
    if (!mayLaunch(rows, job.caseNumber, *candidate.kernel))
      continue;
    if (auto asked = own->second.kernels.find(candidate.kernel->name);
        asked != own->second.kernels.end() && asked->second.own == candidate.texts)
      continue; // it has run with its own values
    then.push_back(i);
  }
  run.run(search.list(), then, next);
}

/// `--job`: one row, on standard output or in a file.
bool runOne(Session &session, const TuneSettings &command, TuneSearch &search) {
  if (command.job >= int64_t(search.jobs.size())) {
    session.diags.report(diag::bad_option, {})
        .arg("--job " + std::to_string(command.job))
        .arg("the search has the jobs 0 to " + std::to_string(search.jobs.size() - 1));
    return false;
  }
  auto row = runTuneJob(search, unsigned(command.job), command.below >= 0 ? std::optional(command.below) : std::nullopt,
                        command.jobs ? command.jobs : 1);
  return writeRow(session, command.rows, row.line());
}

} // namespace

int tune(const Options &options, const TuneSettings &command) {
  if (command.path == "-")
    return badCommandLine(options, "`flyc tune` takes a file: the table is written beside it", "");
  const std::vector<std::string> archs = expandedArchs(command.archs);
  if (archs.size() > 1 && command.job >= 0)
    return badCommandLine(options, "`--job` is of one architecture", "");
  Session session(options);
  auto fail = [&](int status) {
    session.finish();
    return status;
  };
  auto targets = targetsOf(session, archs);
  if (!targets)
    return fail(2);
  const std::string path = tuneTablePath(command.path);
  if (!session.open(command.path) || !readTable(session, path)) // before hours of work
    return fail(1);
  LocalJobs run(session, command.jobs, command.timeout,
                command.journal.empty() ? journalPath(command.path, "tune") : command.journal);
  TuneRowsByJob rows;
  run.seen = [&](const JobRow &row) {
    if (auto parsed = TuneRow::parse(row.line))
      rows[row.job] = std::move(*parsed);
  };
  Json document{{"schema_version", 1}, {"module", session.moduleName}, {"searches", Json::array()}};
  std::vector<FoundEntries> found;
  unsigned without = 0, all = 0;
  for (auto *target : *targets) {
    TuneSearch search(session, *target, command);
    if (!search.open())
      return fail(statusOf(session.diags));
    if (command.job >= 0) {
      if (!runOne(session, command, search))
        return fail(statusOf(session.diags));
      continue;
    }
    if (command.printJobs) {
      printJobLines(command.path, "tune", search.list(),
                    [&](unsigned job) { return argumentsOf(options, command, search, job); });
      continue;
    }
    rows.clear();
    run.rows.clear();
    if (!command.join.empty()) {
      if (!joinRows(session, command.join, search.list(), run.rows))
        return fail(statusOf(session.diags));
      for (auto &[job, row] : run.rows)
        run.seen(row);
    } else {
      run.resume(search.list());
      if (!run.open())
        return fail(1);
      runAll(run, options, command, search, rows);
    }
    auto results = resultsOf(search, rows);
    for (unsigned i = 0; i < search.cases.size(); ++i) {
      const TuneRow &own = rows.at(i);
      if (own.outcome == TuneOutcome::Figured || llvm::any_of(results, [&](auto &r) { return r.caseNumber == i; }))
        continue;
      ++all, ++without; // it failed before it came to a kernel
      (command.json ? llvm::errs() : llvm::outs())
          << search.cases[i].title << ": " << name(own.outcome) << ": " << own.reason << '\n';
    }
    for (auto &result : results) {
      ++all;
      without += !result.best && !(result.own && result.own->figure);
      if (command.json)
        document["searches"].push_back(resultJson(search, result));
      else if (!command.quiet)
        printResult(search, result);
    }
    for (auto &kernel : search.compilation.main->kernels)
      if (auto entries = entriesOf(search, results, *kernel); !entries.empty())
        found.push_back({search.arch(), kernel->name, {search.hash, std::move(entries)}});
  }
  if (command.printJobs || command.job >= 0)
    return session.finish() ? 0 : 1;
  auto entries = addToTable(session, path, found, command.dryRun);
  if (!entries)
    return fail(1);
  if (command.join.empty())
    run.removeJournal();
  if (command.json)
    llvm::outs() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  if (!command.json) {
    if (run.resumed)
      llvm::outs() << run.resumed << (run.resumed == 1 ? " row was" : " rows were") << " in the journal\n";
    if (all == 0)
      llvm::outs() << "no bench launches a kernel that leaves the parameters of its `@tune` open\n";
    if (*entries == 0)
      llvm::outs() << "no entry for " << path << '\n';
    else
      llvm::outs() << (command.dryRun ? "would write " : "wrote ") << path << ": " << *entries
                   << (*entries == 1 ? " entry" : " entries") << '\n';
  }
  session.finish();
  return without || !all ? 1 : 0;
}

} // namespace fly::driver
