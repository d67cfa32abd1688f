// Rows of jobs: what became of each job of a search (`flyc tune`, `flyc sweep`), a line of JSON in its journal or in a
// file that another machine wrote. All have the keys "search", "arch", "job" and "outcome"; what else is in a row is
// the command's own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

class Session;

/// What is listed and numbered: a job has the same number wherever it runs.
struct JobSearch {
  std::string identity; ///< of the program, the options and flyc
  std::string arch;
  size_t count = 0; ///< of jobs
};

struct JobRow {
  std::string search, arch;
  unsigned job = 0;
  bool died = false; ///< its process gave no row
  std::string line;  ///< all of it, with its end of line

  /// None if the text is not a row: the last line of a journal may be cut off.
  static std::optional<JobRow> parse(const std::string &line);
  /// A row for a job without one.
  static JobRow dead(const JobSearch &search, unsigned job, const std::string &why);
};

/// By job; a missing row is a job that was not run.
using JobRows = std::map<unsigned, JobRow>;

/// The rows of a file; none if it cannot be read, and `error` says why.
std::optional<std::vector<JobRow>> readRows(const std::string &path, std::string &error);

/// `--join`: takes rows of the search from files; false after a diagnostic, also if rows are missing.
bool joinRows(Session &session, const std::vector<std::string> &files, const JobSearch &search, JobRows &rows);

/// `--rows`: the row of one job to a file, whose folder is made, or to standard output; false after a diagnostic.
bool writeRow(Session &session, const std::string &path, const std::string &line);

/// The whole file or nothing; false after a diagnostic.
bool writeWhole(Session &session, const std::string &path, const std::string &text);

} // namespace fly::driver
