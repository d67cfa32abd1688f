// A search: many jobs of one program, each a process that writes a row, and results made of the rows. `flyc tune` and
// `flyc sweep` are two strategies of it (tune/TuneStrategy.h, sweep/SweepStrategy.h): what a job is, in which order jobs
// run, what the rows say. Everything else is here, once.
//
//   1. For each architecture, list the jobs. The number of a job depends on the program and the options alone.
//   2. Run them on this machine (LocalJobs.h), with a journal from which an interrupted search goes on. Or print them
//      for other machines (--print-jobs), run one (--job), or take the rows of other machines (--join).
//   3. Report the rows of each architecture; merge what was found into the table beside the source; remove the journal.
#pragma once

#include "compiler/compilation/Session.h"
#include "compiler/search/LocalJobs.h"
#include "compiler/search/SearchSettings.h"
#include "compiler/search/TuneTableUpdate.h"
#include "compiler/target/Target.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

/// A process of a search, as the command that starts it fills it in.
struct JobRequest {
  std::string arch;
  unsigned job = 0;
  unsigned threads = 0; ///< of the emulator; 0: the command line does not say
  // of `flyc tune`
  std::string device = {}; ///< what `auto` has come to, so that all jobs have the same
  double below = -1;       ///< -1: none
};
/// The command line of a job, without the program.
using JobArguments = std::function<std::vector<std::string>(const JobRequest &)>;

/// What is searched on one architecture.
class ArchSearch {
public:
  virtual ~ArchSearch() = default;
  /// Runs the file and lists the jobs; false after diagnostics.
  virtual bool open() = 0;
  virtual JobSearch list() const = 0;
  /// What every process of the job is told, wherever it runs.
  virtual JobRequest request(unsigned job) const { return {.arch = list().arch, .job = job}; }
  /// Runs one job in this process; its row.
  virtual std::string rowOf(unsigned job, unsigned threads) = 0;
  /// Runs those that are wanted; `arguments` is the command line of one.
  virtual void runAll(LocalJobs &jobs, const JobArguments &arguments) = 0;
  /// Receives a row, from a process, the journal or another machine.
  virtual void take(const JobRow &row) = 0;
  /// With all rows: prints the results, or adds them to `json`, and adds entries for the table. False after diagnostics.
  virtual bool report(nlohmann::ordered_json *json, std::vector<FoundEntries> &found) = 0;
};

class SearchStrategy {
public:
  virtual ~SearchStrategy() = default;
  virtual std::string command() const = 0;          ///< "tune"
  virtual std::string noun() const = 0;             ///< "search", as messages call it
  virtual std::string listKey() const = 0;          ///< of the JSON: "searches"
  virtual std::string whyFile() const = 0;          ///< why standard input will not do
  virtual bool writesTable() const = 0;             ///< X.tune.json
  virtual bool keepsTable() const { return false; } ///< only says what it would write
  /// Before anything is read; false after a diagnostic, which is about the command line.
  virtual bool checkOptions(Session &session) { return (void)session, true; }
  /// Reads further files; false after a diagnostic.
  virtual bool readInputs(Session &session) { return (void)session, true; }
  virtual std::unique_ptr<ArchSearch> on(Session &session, const target::Target &target) = 0;
  /// The last lines of the text, with the number of entries in the table at `path`.
  virtual void conclude(const std::string &path, size_t entries) = 0;
  virtual bool isGood() const = 0;
};

/// The whole command; the exit status.
int runSearch(const Options &options, const SearchSettings &settings, SearchStrategy &strategy,
              const JobArguments &arguments);

} // namespace fly::driver
