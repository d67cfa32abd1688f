// See LocalJobs.h.
#include "compiler/search/LocalJobs.h"

#include "compiler/compilation/ChildProcess.h"
#include "compiler/compilation/Session.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <thread>
#include <unistd.h>

namespace fly::driver {

namespace {

std::string shellQuoted(const std::string &argument) {
  const bool plain = !argument.empty() && llvm::all_of(argument, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("-_./=,:+%@").contains(c);
  });
  if (plain)
    return argument;
  std::string out = "'";
  for (char c : argument)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// One line on a terminal, over the one before.
class ProgressLine {
public:
  void show(const std::string &text) {
    if (isTerminal)
      llvm::errs() << "\r\033[K" << llvm::StringRef(text).take_front(110);
    llvm::errs().flush();
  }
  ~ProgressLine() {
    if (isTerminal)
      llvm::errs() << "\r\033[K";
  }

private:
  bool isTerminal = isatty(STDERR_FILENO);
};

} // namespace

LocalJobs::LocalJobs(Session &session, unsigned jobs, unsigned timeout, std::string journal)
    : session(session), path(std::move(journal)) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  processes = {jobs ? jobs : cores, timeout};
  threads = std::max(1u, cores / processes.most);
}

void LocalJobs::resume(const JobSearch &search) {
  std::string error;
  auto old = readRows(path, error);
  for (auto &row : old ? *old : std::vector<JobRow>{})
    if (row.search == search.identity && row.job < search.count && !row.died)
      rows[row.job] = std::move(row);
  resumed += unsigned(rows.size());
  if (seen)
    for (auto &[job, row] : rows)
      seen(row);
}

bool LocalJobs::open() {
  std::error_code failed;
  uint64_t size = 0;
  const bool goesOn = !llvm::sys::fs::file_size(path, size) && size > 0;
  journal = std::make_unique<llvm::raw_fd_ostream>(path, failed, llvm::sys::fs::OF_Append);
  if (failed) {
    journal.reset();
    session.diags.report(diag::cannot_write, {}).arg(path).arg(llvm::StringRef(failed.message()).lower());
    return false;
  }
  if (goesOn)
    *journal << '\n'; // the last line may have been cut off
  return true;
}

void LocalJobs::run(const JobSearch &search, const std::vector<unsigned> &jobs,
                    const std::function<Job(unsigned)> &next) {
  ProgressLine progress;
  size_t at = 0, ended = 0;
  auto work = [&]() -> std::optional<JobProcesses::Work> {
    for (; at < jobs.size() && rows.count(jobs[at]); ++at)
      ++ended;
    if (at == jobs.size())
      return std::nullopt;
    const unsigned number = jobs[at++];
    Job job = next(number);
    progress.show("[" + std::to_string(ended) + " of " + std::to_string(jobs.size()) + "] " + job.title);
    return JobProcesses::Work{number, std::move(job.arguments)};
  };
  processes.run(work, [&](unsigned number, const ChildProcess &process) {
    ++ended;
    auto row = process.wasLate() ? std::nullopt : JobRow::parse(process.output());
    if (!row)
      row = JobRow::dead(search, number, process.cause("--timeout"));
    else if (row->search != search.identity)
      row = JobRow::dead(search, number, "the program was changed during the search");
    *journal << row->line;
    journal->flush();
    if (seen)
      seen(*row);
    rows[number] = std::move(*row);
  });
}

void LocalJobs::removeJournal() {
  journal.reset();
  (void)llvm::sys::fs::remove(path);
}

std::string journalPath(const std::string &source, const std::string &command) {
  llvm::SmallString<256> path(source);
  llvm::sys::path::replace_extension(path, "." + command + ".journal");
  return std::string(path);
}

void printJobLines(const std::string &source, const std::string &command, const JobSearch &search,
                   const std::function<std::vector<std::string>(unsigned)> &arguments) {
  const std::string folder = llvm::sys::path::stem(source).str() + "." + command + ".rows/" + search.arch + "-";
  for (unsigned job = 0; job < search.count; ++job) {
    llvm::outs() << "flyc";
    for (auto &argument : arguments(job))
      llvm::outs() << ' ' << shellQuoted(argument);
    llvm::outs() << " --rows " << shellQuoted(folder + std::to_string(job) + ".jsonl") << '\n';
  }
}

} // namespace fly::driver
