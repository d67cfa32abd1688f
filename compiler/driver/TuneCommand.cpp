// `flyc tune`: for each bench and each kernel with a `@tune`, the values with which the bench takes least, written
// beside the source.
//
//  1. List cases, candidates and jobs (TuneSearch.h).
//  2. Run each case with the kernels' own values. That tells which kernels it launches.
//  3. Run the candidates of these kernels, each in a process (TuneJob.h), with the least figure so far as the limit of
//     what is worth running. Every row goes to the journal, from which an interrupted search goes on.
//  4. Rank the rows (TuneResults.h), and merge the best into the table (TuneTable.h).
//
// With `--print-jobs` and `--join` other machines do steps 2 and 3.
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/TuneJob.h"
#include "compiler/driver/TuneProcesses.h"
#include "compiler/driver/TuneResults.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <thread>
#include <unistd.h>

namespace fly::driver {

namespace {

using Json = nlohmann::ordered_json;

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

/// The command line of one job, without the program.
std::vector<std::string> argumentsOf(const Options &options, const TuneCommand &command, const std::string &arch,
                                     unsigned job) {
  std::vector<std::string> out{"tune", command.path, "--arch", arch, "--job", std::to_string(job)};
  auto add = [&](const char *name, const std::vector<std::string> &values) {
    for (auto &value : values)
      out.insert(out.end(), {name, value});
  };
  auto addIf = [&](const char *name, const std::string &value) {
    if (!value.empty())
      out.insert(out.end(), {name, value});
  };
  addIf("--kernel", command.kernel);
  addIf("--filter", command.filter);
  add("--shape", command.shapes);
  add("--check", command.emulator.checks);
  if (command.emulator.computeUnits)
    addIf("--compute-units", std::to_string(command.emulator.computeUnits));
  if (command.limit)
    addIf("--limit", std::to_string(command.limit));
  addIf("--machine", command.time.machine);
  if (command.time.computeUnits != "xcd")
    addIf("--cus", command.time.computeUnits);
  if (command.time.rounds)
    addIf("--rounds", std::to_string(command.time.rounds));
  if (command.time.sample)
    out.push_back("--sample");
  if (command.time.cold)
    out.push_back("--cold");
  add("-D", options.defines);
  add("-I", options.includeDirs);
  add("--link", options.bitcode);
  add("-W", options.warnings);
  addIf("--file-prefix-map", options.prefixMap);
  if (!options.cache)
    out.push_back("--no-cache");
  return out;
}

/// One line on a terminal, over the one before.
class Progress {
public:
  void show(const std::string &text) {
    if (isTerminal)
      llvm::errs() << "\r\033[K" << llvm::StringRef(text).take_front(110);
    llvm::errs().flush();
  }
  ~Progress() {
    if (isTerminal)
      llvm::errs() << "\r\033[K";
  }

private:
  bool isTerminal = isatty(STDERR_FILENO);
};

class Tuner {
public:
  Tuner(Session &session, const Options &options, const TuneCommand &command)
      : session(session), options(options), command(command) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    processes = command.jobs ? command.jobs : cores;
    threads = std::max(1u, cores / processes);
  }

  /// The rows of this search among those in the journal.
  void resume(const TuneSearch &search) {
    std::string error;
    auto old = readRows(journalPath(), error);
    for (auto &row : old ? *old : std::vector<TuneRow>{})
      if (row.search == search.identity && row.job < search.jobs.size() && row.outcome != TuneOutcome::Died)
        rows[row.job] = std::move(row);
    resumed += unsigned(rows.size());
  }

  /// Steps 2 and 3.
  bool runAll(const TuneSearch &search) {
    std::error_code failed;
    uint64_t size = 0;
    const bool goesOn = !llvm::sys::fs::file_size(journalPath(), size) && size > 0;
    llvm::raw_fd_ostream journal(journalPath(), failed, llvm::sys::fs::OF_Append);
    if (failed) {
      session.diags.report(diag::cannot_write, {}).arg(journalPath()).arg(llvm::StringRef(failed.message()).lower());
      return false;
    }
    if (goesOn)
      journal << '\n'; // the last line may have been cut off
    Progress progress;
    std::vector<unsigned> first, then;
    for (unsigned i = 0; i < search.cases.size(); ++i)
      first.push_back(i);
    runSome(search, first, journal, progress);
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
    runSome(search, then, journal, progress);
    journal.close();
    return true;
  }

  std::string journalPath() const {
    if (!command.journal.empty())
      return command.journal;
    llvm::SmallString<256> path(command.path);
    llvm::sys::path::replace_extension(path, ".tune.journal");
    return std::string(path);
  }

  TuneRowsByJob rows;                    ///< of the current search
  unsigned resumed = 0;

private:
  void runSome(const TuneSearch &search, const std::vector<unsigned> &jobs, llvm::raw_ostream &journal,
               Progress &progress) {
    size_t at = 0, ended = 0;
    auto next = [&]() -> std::optional<TuneProcesses::Work> {
      for (; at < jobs.size() && rows.count(jobs[at]); ++at)
        ++ended;
      if (at == jobs.size())
        return std::nullopt;
      const unsigned number = jobs[at++];
      auto &job = search.jobs[number];
      TuneProcesses::Work work{number, argumentsOf(options, command, search.arch(), number)};
      work.arguments.insert(work.arguments.end(), {"-j", std::to_string(threads)});
      if (job.candidate)
        if (auto least = leastFigure(search, rows, job.caseNumber, *search.candidates[*job.candidate].kernel))
          work.arguments.insert(work.arguments.end(), {"--below", std::to_string(*least)});
      progress.show("[" + std::to_string(ended) + " of " + std::to_string(jobs.size()) + "] " +
                    search.cases[job.caseNumber].title + ": " +
                    (job.candidate ? search.candidates[*job.candidate].title : "own values"));
      return work;
    };
    TuneProcesses{processes, command.timeout}.run(
        next, [&](unsigned number, std::optional<TuneRow> row, const std::string &why) {
          ++ended;
          const bool isOther = row && row->search != search.identity;
          if (!row || isOther) {
            row.emplace();
            row->search = search.identity;
            row->arch = search.arch();
            row->job = number;
            row->reason = isOther ? "the program was changed during the search" : why;
          }
          journal << row->line();
          journal.flush();
          rows[number] = std::move(*row);
        });
  }

  Session &session;
  const Options &options;
  const TuneCommand &command;
  unsigned processes, threads;
};

void printJobs(const Options &options, const TuneCommand &command, const TuneSearch &search) {
  llvm::SmallString<256> folder(llvm::sys::path::stem(command.path));
  folder += ".tune.rows";
  for (unsigned job = 0; job < search.jobs.size(); ++job) {
    llvm::outs() << "flyc";
    for (auto &argument : argumentsOf(options, command, search.arch(), job))
      llvm::outs() << ' ' << shellQuoted(argument);
    llvm::outs() << " --rows " << shellQuoted((folder + "/" + search.arch() + "-" + llvm::Twine(job) + ".jsonl").str())
                 << '\n';
  }
}

/// The whole file or nothing; false after a diagnostic.
bool write(Session &session, const std::string &path, const std::string &text) {
  const std::string error = artifact::writeAtomically({{path, text}});
  if (!error.empty())
    session.diags.report(diag::cannot_write, {}).arg(path).arg(llvm::StringRef(error).split(": ").second);
  return error.empty();
}

/// `--job`: one row, on standard output or in a file.
bool runOne(Session &session, const TuneCommand &command, TuneSearch &search) {
  if (command.job >= int64_t(search.jobs.size())) {
    session.diags.report(diag::bad_option, {})
        .arg("--job " + std::to_string(command.job))
        .arg("the search has the jobs 0 to " + std::to_string(search.jobs.size() - 1));
    return false;
  }
  auto row = runTuneJob(search, unsigned(command.job),
                        command.below >= 0 ? std::optional(command.below) : std::nullopt,
                        command.jobs ? command.jobs : 1);
  if (command.rows.empty()) {
    llvm::outs() << row.line();
    return true;
  }
  auto folder = llvm::sys::path::parent_path(command.rows);
  if (!folder.empty())
    (void)llvm::sys::fs::create_directories(folder); // what is wrong with it, writing says
  return write(session, command.rows, row.line());
}

/// `--join`: false if rows are missing.
bool join(Session &session, const TuneCommand &command, const TuneSearch &search, TuneRowsByJob &rows) {
  bool ofOther = false;
  for (auto &path : command.join) {
    std::string error;
    auto read = readRows(path, error);
    if (!read) {
      session.diags.report(diag::cannot_read, {}).arg(path).arg(error);
      return false;
    }
    for (auto &row : *read)
      if (row.search == search.identity && row.job < search.jobs.size())
        rows[row.job] = std::move(row);
      else
        ofOther |= row.arch == search.arch();
  }
  std::string missing;
  unsigned count = 0;
  for (unsigned job = 0; job < search.jobs.size(); ++job)
    if (!rows.count(job) && ++count <= 10)
      missing += (missing.empty() ? "" : ", ") + std::to_string(job);
  if (count == 0)
    return true;
  auto builder = session.diags.report(diag::bad_option, {});
  builder.arg("--join").arg("no row of job " + missing + (count > 10 ? ", ..." : "") + " for " + search.arch() + ": " +
                            std::to_string(count) + " of " + std::to_string(search.jobs.size()) + " are missing");
  if (ofOther)
    builder.note("there are rows of another search: of another version of the file or of flyc, or with other options");
  return false;
}

/// The table beside the source, or an empty one; none after a diagnostic.
std::optional<TuneTable> readTable(Session &session, const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return TuneTable();
  std::string error;
  auto table = TuneTable::parse((*buffer)->getBuffer().str(), error);
  if (!table)
    session.diags.report(diag::bad_tuning_table, {}).arg(path).arg(error);
  return table;
}

struct Found { std::string arch, kernel; TunedKernel tuned; };

/// Adds what was found to the table beside the source; the number of entries, or none after a diagnostic.
std::optional<size_t> writeTable(Session &session, const TuneCommand &command, const std::string &path,
                                 const std::vector<Found> &found) {
  auto table = readTable(session, path); // again: another search may have ended meanwhile
  if (!table)
    return std::nullopt;
  table->module = session.moduleName;
  size_t entries = 0;
  for (auto &[arch, kernel, tuned] : found) {
    table->merge(arch, kernel, tuned.hash, tuned.entries);
    entries += tuned.entries.size();
  }
  if (entries == 0 || command.dryRun)
    return entries;
  return write(session, path, table->text()) ? std::optional(entries) : std::nullopt;
}

} // namespace

int tune(const Options &options, const TuneCommand &command) {
  if (command.device == "gpu")
    return badCommandLine(options, "`--device gpu`: flyc runs benches on the emulator alone",
                          "to measure, launch the kernel's instances through the header from your own program");
  if (command.path == "-")
    return badCommandLine(options, "`flyc tune` takes a file: the table is written beside it", "");
  if (command.archs.size() > 1 && command.job >= 0)
    return badCommandLine(options, "`--job` is of one architecture", "");
  Session session(options);
  auto fail = [&](int status) {
    session.finish();
    return status;
  };
  auto targets = targetsOf(session, command.archs);
  if (!targets)
    return fail(2);
  const std::string path = tuneTablePath(command.path);
  if (!session.open(command.path) || !readTable(session, path)) // before hours of work
    return fail(1);
  Tuner tuner(session, options, command);
  Json document{{"schema_version", 1}, {"module", session.moduleName}, {"searches", Json::array()}};
  std::vector<Found> found;
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
      printJobs(options, command, search);
      continue;
    }
    tuner.rows.clear();
    if (!command.join.empty() && !join(session, command, search, tuner.rows))
      return fail(statusOf(session.diags));
    if (command.join.empty()) {
      tuner.resume(search);
      if (!tuner.runAll(search))
        return fail(1);
    }
    auto results = resultsOf(search, tuner.rows);
    for (unsigned i = 0; i < search.cases.size(); ++i) {
      const TuneRow &own = tuner.rows.at(i);
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
      if (auto entries = entriesOf(results, *kernel); !entries.empty())
        found.push_back({search.arch(), kernel->name, {search.hash, std::move(entries)}});
  }
  if (command.printJobs || command.job >= 0)
    return session.finish() ? 0 : 1;
  auto entries = writeTable(session, command, path, found);
  if (!entries)
    return fail(1);
  if (command.join.empty())
    (void)llvm::sys::fs::remove(tuner.journalPath());
  if (command.json)
    llvm::outs() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  if (!command.json) {
    if (tuner.resumed)
      llvm::outs() << tuner.resumed << (tuner.resumed == 1 ? " row was" : " rows were") << " in the journal\n";
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
