// See Suite.h.
//
//     unit     one file on one architecture: a process, which writes its text to standard output and its cases to a
//              file
//     FLY0934  the file has no check: no failure of a suite, but said if nothing at all was run
//
// What the units of a file print to standard error is shown once if it is the same on several architectures: a mistake
// in the source is one mistake.
#include "compiler/search/Suite.h"

#include "compiler/compilation/ChildProcess.h"
#include "compiler/search/JobProcesses.h"
#include "compiler/search/JobRows.h"
#include "compiler/compilation/Session.h"
#include "compiler/diagnostics/Sarif.h"
#include "compiler/target/Target.h"
#include "compiler/search/SuiteResults.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <memory>
#include <thread>
#include <unistd.h>

namespace fly::driver {

namespace fs = llvm::sys::fs;

namespace {

/// Whether a line of the file begins with the decorator, maybe in an `if`. Others are not even compiled: parts of a
/// library may make no sense alone.
bool hasDecorator(const std::string &path, const std::string &decorator) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  llvm::StringRef rest = buffer ? (*buffer)->getBuffer() : decorator;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.ltrim(" \t").starts_with(decorator))
      return true;
  }
  return false;
}

/// The .fly files with the decorator in a folder and those below it, sorted.
bool addFolder(Session &session, const std::string &folder, const std::string &decorator,
               std::vector<std::string> &files) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (llvm::StringRef(at->path()).ends_with(".fly") && !fs::is_directory(at->path()) &&
        hasDecorator(at->path(), decorator))
      found.push_back(at->path());
  if (error) {
    session.diags.report(diag::cannot_read, {}).arg(folder).arg(llvm::StringRef(error.message()).lower());
    return false;
  }
  llvm::sort(found);
  for (auto &path : found)
    files.push_back(llvm::StringRef(path).starts_with("./") ? path.substr(2) : path);
  return true;
}

std::optional<std::vector<std::string>> filesOf(Session &session, const std::vector<std::string> &paths,
                                                const std::string &decorator) {
  std::vector<std::string> files;
  for (auto &path : paths) {
    if (fs::is_directory(path)) {
      if (!addFolder(session, path, decorator, files))
        return std::nullopt;
    } else if (!fs::exists(path)) {
      session.diags.report(diag::cannot_read, {}).arg(path).arg("no such file or directory");
      return std::nullopt;
    } else {
      files.push_back(path);
    }
  }
  return files;
}

class SuiteRun {
public:
  SuiteRun(std::vector<SuiteUnit> &units, const SuiteOptions &options, const std::string &errorFormat, bool json,
           bool quiet)
      : units(units), options(options), errorFormat(errorFormat), json(json), quiet(quiet), results(units.size()) {}

  void run(const SuiteArguments &arguments) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const unsigned most = options.jobs ? options.jobs : cores;
    size_t next = 0;
    auto work = [&]() -> std::optional<JobProcesses::Work> {
      if (next == units.size())
        return std::nullopt;
      const unsigned number = unsigned(next++);
      results[number] = std::make_unique<TemporaryFile>("json");
      SuitePart part{units[number].file, units[number].arch, results[number]->path().str()};
      if (most > 1)
        part.threads = std::max(1u, cores / most);
      JobProcesses::Work work{number, arguments(part)};
      if (errorFormat != "text")
        work.arguments.push_back("--error-format=" + errorFormat);
      showProgress();
      return work;
    };
    JobProcesses processes{most, options.timeout};
    if (options.failFast)
      processes.isEnough = [&] { return failed != 0; };
    processes.run(work, [&](unsigned number, const ChildProcess &process) {
      take(number, process);
      ++ended;
      clear();
      for (; shown < units.size() && units[shown].ended; ++shown)
        show(shown);
      showProgress();
    });
    clear();
    for (; shown < units.size(); ++shown) // behind those that were stopped
      if (units[shown].ended)
        show(shown);
    stopped = llvm::count_if(units, [](auto &unit) { return !unit.ended; });
    llvm::erase_if(units, [](auto &unit) { return !unit.ended; });
  }

  /// Units that did not run, or not to their end, since another one had failed; they are no longer among the units.
  size_t stopped = 0;

private:
  void take(unsigned number, const ChildProcess &process) {
    SuiteUnit &unit = units[number];
    unit.ended = true;
    unit.output = process.output();
    unit.errors = process.errors();
    unit.hasNone = process.status() == 2 && llvm::StringRef(unit.errors).contains("FLY0934");
    if (!readResults(results[number]->text(), unit) && !unit.hasNone)
      unit.died = process.cause("--timeout");
    results[number].reset();
    failed += unit.failures();
  }

  void show(size_t number) {
    const SuiteUnit &unit = units[number];
    if (unit.hasNone)
      return;
    auto &os = json ? llvm::errs() : llvm::outs();
    const bool isBad = unit.failures() != 0;
    if (!json && (!quiet || isBad) && !unit.output.empty())
      os << unit.file << '\n' << unit.output;
    // The units of a file stand next to each other.
    const bool isKnown = number > 0 && units[number - 1].file == unit.file && units[number - 1].errors == unit.errors;
    if (!unit.errors.empty()) {
      os.flush();
      if (errorFormat == "sarif" && sarifLog().add(unit.errors))
        ;
      else if (isKnown && errorFormat == "text")
        llvm::errs() << unit.file << ": the same on " << unit.arch << '\n';
      else
        llvm::errs() << unit.errors;
    }
    if (!unit.died.empty() && unit.errors.empty())
      os << unit.file << "  " << unit.arch << ": " << unit.died << '\n';
    os.flush();
  }

  void showProgress() {
    if (!isTerminal)
      return;
    llvm::errs() << "\r\033[K[" << ended << " of " << units.size() << "] " << failed << " failed";
    llvm::errs().flush();
  }
  void clear() {
    if (isTerminal)
      llvm::errs() << "\r\033[K";
  }

  std::vector<SuiteUnit> &units;
  const SuiteOptions &options;
  const std::string &errorFormat;
  const bool json, quiet;
  std::vector<std::unique_ptr<TemporaryFile>> results;
  size_t ended = 0, shown = 0, failed = 0;
  const bool isTerminal = isatty(STDERR_FILENO);
};

} // namespace

bool isSuite(const SuiteOptions &options, bool json) {
  return options.results.empty() && (options.paths.size() != 1 || options.jobs || !options.junit.empty() || json ||
                                     fs::is_directory(options.paths.front()));
}

std::vector<std::string> expandedArchs(const std::vector<std::string> &archs) {
  std::vector<std::string> out;
  for (auto &arch : archs)
    if (arch == "all")
      for (auto &target : target::all())
        out.push_back(std::string(target.name));
    else
      out.push_back(arch);
  return out;
}

int runSuite(const Options &options, const SuiteOptions &suite, const std::string &command,
             const std::vector<std::string> &archs, const SuiteArguments &arguments, bool json, bool quiet) {
  Session session(options);
  auto fail = [&](int status) {
    session.finish();
    return status;
  };
  for (auto &arch : archs)
    if (!target::find(arch)) {
      session.diags.report(diag::unknown_arch, {}).arg(arch).arg("").help("targets: " + target::names());
      return fail(2);
    }
  auto files = filesOf(session, suite.paths, command == "bench" ? "@bench" : "@check");
  if (!files)
    return fail(2);
  std::vector<SuiteUnit> units;
  for (auto &file : *files)
    for (auto &arch : archs)
      units.push_back({file, arch});
  SuiteRun run(units, suite, options.errorFormat, json, quiet);
  run.run(arguments);
  SuiteCounts counts;
  for (auto &unit : units)
    counts.add(unit);
  if (!suite.junit.empty() && !writeWhole(session, suite.junit, toJUnit(units)))
    return fail(1);
  if (json)
    llvm::outs() << toJson(command, units);
  if (suite.list)
    return session.finish() && !counts.died ? 0 : 1;
  if (counts.units == 0) {
    session.diags.report(diag::no_checks, {})
        .arg(suite.paths.size() == 1 ? suite.paths.front() : "any of the files")
        .arg(command == "bench" ? " and no `@bench` that is selected" : " that is selected");
    return fail(2);
  }
  if (!json) {
    llvm::outs() << counts.text() << (run.stopped ? ", " + std::to_string(run.stopped) + " more stopped" : "") << '\n';
    if (auto reference = referenceOf(units))
      llvm::outs() << reference->text();
  }
  session.finish();
  return counts.failed || counts.died ? 1 : 0;
}

} // namespace fly::driver
