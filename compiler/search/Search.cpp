// See Search.h.
#include "compiler/search/Search.h"

#include "compiler/compilation/CommandErrors.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/launch/Cases.h"
#include "compiler/search/Suite.h"
#include "compiler/text/Words.h"

namespace fly::driver {

namespace {

using SearchJson = nlohmann::ordered_json;

class SearchRun {
public:
  SearchRun(Session &session, const SearchSettings &settings, SearchStrategy &strategy, const JobArguments &arguments)
      : session(session), settings(settings), strategy(strategy), arguments(arguments),
        jobs(session, settings.jobs, settings.timeout,
             settings.journal.empty() ? journalPath(settings.path, strategy.command()) : settings.journal),
        document{{"schema_version", 1}, {"module", session.moduleName}, {strategy.listKey(), SearchJson::array()}} {}

  /// 0, or the exit status after diagnostics.
  int searchOn(const target::Target &target) {
    auto search = strategy.on(session, target);
    if (!search->open())
      return statusOf(session.diags);
    if (settings.job >= 0)
      return runOne(*search) ? 0 : statusOf(session.diags);
    if (settings.printJobs) {
      printJobLines(settings.path, strategy.command(), search->list(),
                    [&](unsigned job) { return arguments(search->request(job)); });
      return 0;
    }
    if (int status = collect(*search))
      return status;
    return search->report(settings.json ? &document[strategy.listKey()] : nullptr, found) ? 0 : statusOf(session.diags);
  }

  /// The table, the journal and the last lines; the exit status.
  int conclude(const std::string &table) {
    std::optional<size_t> entries = 0;
    if (strategy.writesTable() && !(entries = addToTable(session, table, found, strategy.keepsTable())))
      return 1;
    if (settings.join.empty())
      jobs.removeJournal();
    if (settings.json) {
      llvm::outs() << document.dump(2, ' ', false, SearchJson::error_handler_t::replace) << '\n';
    } else {
      if (jobs.resumed)
        llvm::outs() << counted(jobs.resumed, "row was", "rows were") << " in the journal\n";
      strategy.conclude(table, *entries);
    }
    return strategy.isGood() ? 0 : 1;
  }

private:
  /// `--job`: one row, on standard output or in a file; false after a diagnostic.
  bool runOne(ArchSearch &search) {
    const size_t count = search.list().count;
    if (settings.job >= int64_t(count)) {
      session.diags.report(diag::bad_option, {})
          .arg("--job " + std::to_string(settings.job))
          .arg("the " + strategy.noun() + " has the jobs 0 to " + std::to_string(count - 1));
      return false;
    }
    return writeRow(session, settings.rows, search.rowOf(unsigned(settings.job), settings.jobs ? settings.jobs : 1));
  }

  /// The rows, of this machine or of files; the status.
  int collect(ArchSearch &search) {
    jobs.rows.clear();
    jobs.seen = [&](const JobRow &row) { search.take(row); };
    if (!settings.join.empty()) {
      if (!joinRows(session, settings.join, search.list(), jobs.rows))
        return statusOf(session.diags);
      for (auto &[job, row] : jobs.rows)
        search.take(row);
      return 0;
    }
    jobs.resume(search.list());
    if (!jobs.open())
      return 1;
    search.runAll(jobs, arguments);
    return 0;
  }

  Session &session;
  const SearchSettings &settings;
  SearchStrategy &strategy;
  const JobArguments &arguments;
  LocalJobs jobs;
  SearchJson document;
  std::vector<FoundEntries> found;
};

} // namespace

int runSearch(const Options &options, const SearchSettings &settings, SearchStrategy &strategy,
              const JobArguments &arguments) {
  if (settings.path == "-")
    return badCommandLine(options, "`flyc " + strategy.command() + "` takes a file" + strategy.whyFile(), "");
  const std::vector<std::string> archs = expandedArchs(settings.archs);
  if (archs.size() > 1 && settings.job >= 0)
    return badCommandLine(options, "`--job` runs on one architecture", "name one with `--arch`");
  Session session(options);
  auto end = [&](int status) {
    session.finish();
    return status;
  };
  auto targets = targetsOf(session, archs);
  if (!targets || !strategy.checkOptions(session))
    return end(2);
  const std::string table = tuneTablePath(settings.path);
  if (!strategy.readInputs(session) || !session.open(settings.path) ||
      (strategy.writesTable() && !readTable(session, table))) // before hours of work
    return end(1);
  SearchRun run(session, settings, strategy, arguments);
  for (auto *target : *targets)
    if (int status = run.searchOn(*target))
      return end(status);
  if (settings.printJobs || settings.job >= 0)
    return session.finish() ? 0 : 1;
  return end(run.conclude(table));
}

} // namespace fly::driver
