// Runs the jobs of a search on this machine: processes, a journal from which an interrupted search goes on, a line of
// progress. Or prints them for other machines.
#pragma once

#include "compiler/search/JobProcesses.h"
#include "compiler/search/JobRows.h"

#include "llvm/Support/raw_ostream.h"

namespace fly::driver {

class LocalJobs {
public:
  /// `jobs` processes, 0: one a core.
  LocalJobs(Session &session, unsigned jobs, unsigned timeout, std::string journal);

  /// Takes the rows of the search that are in the journal; those of jobs that died count as not run.
  void resume(const JobSearch &search);
  /// Opens the journal for more rows; false after a diagnostic.
  bool open();
  /// Runs those of the jobs that have no row. `next` gives the arguments of flyc and a title, just before the job
  /// starts.
  struct Job {
    std::vector<std::string> arguments;
    std::string title;
  };
  void run(const JobSearch &search, const std::vector<unsigned> &jobs, const std::function<Job(unsigned)> &next);
  /// At the end: the results are elsewhere now.
  void removeJournal();

  JobRows rows;                             ///< of the current search
  std::function<void(const JobRow &)> seen; ///< told of each row, also of those in the journal
  unsigned resumed = 0;
  unsigned threads; ///< for each process

private:
  Session &session;
  JobProcesses processes;
  std::string path;
  std::unique_ptr<llvm::raw_fd_ostream> journal;
};

/// "X.tune.journal" of "dir/X.fly" and "tune".
std::string journalPath(const std::string &source, const std::string &command);

/// `--print-jobs`: a line a job, which writes its row to a file in `X.COMMAND.rows`.
void printJobLines(const std::string &source, const std::string &command, const JobSearch &search,
                   const std::function<std::vector<std::string>(unsigned)> &arguments);

} // namespace fly::driver
