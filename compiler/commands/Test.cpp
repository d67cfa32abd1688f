// `flyc test`: the `@check`s of a file, one line for each combination of their parameters.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/hardware/Journal.h"
#include "compiler/launch/Cases.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/launch/EmulatorOptions.h"
#include "compiler/launch/FigureSource.h"
#include "compiler/search/Suite.h"
#include "compiler/text/Words.h"

#include "llvm/Support/Format.h"

#include <set>
#include <unistd.h>

namespace fly::driver {

namespace {

class TestCommand final : public Command {
public:
  TestCommand() : Command("test", "Run the @check functions of .fly files on the emulator, or on a GPU") {
    usesCache = true;
  }
  void declare(OptionTable &table) override {
    suiteOptions(table, suite);
    archOption(table, archs, "Architectures, separated by commas; all: every one");
    table.add("--order", order, "Order in which waves run: all, ascending, descending, seeded, interleaved")
        .type("ORDER")
        .showDefault()
        .more("`all` is the first three; interleaved waves alternate every few instructions, so that two waves can "
              "overlap anywhere");
    table.add("--seed", seed, "Seed for the seeded order").showDefault();
    table.add("--only", only, "Run only this check").type("NAME");
    table
        .add("--filter", filter,
             "Run only checks whose line contains all of these words: a name, an architecture, n=255")
        .type("WORDS");
    table
        .add(
            "--device", device,
            "Where kernels run: the emulator; a gpu, through HIP; auto, a GPU of the architecture if there is one, else "
            "the emulator; both, and compare what they leave bit for bit")
        .choices({"emulator", "gpu", "auto", "both"})
        .type("emulator|gpu|auto|both")
        .showDefault()
        .more("[hardware.md](hardware.md) says what is compared, and what only the emulator does");
    table.add("--gpu-limit", gpuLimit, "Give the GPU up after a launch that takes more seconds")
        .range(1, 3600)
        .type("SECONDS")
        .showDefault();
    emulatorOptions(table, emulator);
    table.add("--limit", limit, "Stop a launch with a fault after N wave instructions (default: 100 million)")
        .type("N")
        .check([](const std::string &text) { return std::string(text == "0" ? "the limit must be at least 1" : ""); });
    table.add("--reference", reference, "Also run each launch in the reference interpreter, and compare all memory")
        .more("[reference.md](reference.md) says what it executes. What it does not is told after the count.");
    table.add("--reference-limit", referenceLimit, "Give the reference interpreter up after so many seconds per launch")
        .type("SECONDS")
        .showDefault();
    table.add("--allow-empty", allowEmpty,
              "Succeed although a check evaluates no expectation, or launches none of the kernels it names");
    table.add("--fail-fast,-x", failFast, "Stop after the first failure")
        .more("of several files, those that run then are ended, and no other one is started");
    table.add("--json", json, "Print the results as JSON")
        .own()
        .more("[test.schema.json](schema/test.schema.json) describes it");
    table.add("--quiet,-q", quiet, "Print only failures and the count");
    table.add("--journal", journal, "A file to append each result to, whose results do not run again").hidden();
    table.add("--task", task, "With --journal: the name of this run in it").hidden();
    table.add("--time", time, "Print how long each phase took");
    sourceOptions(table, options);
  }
  int run() override;

  std::vector<std::string> partArguments(const SuitePart &part) const;

  EmulatorOptions emulator;
  std::string device = "emulator"; ///< emulator, gpu, auto, both
  unsigned gpuLimit = 30;          ///< seconds
  SuiteOptions suite;
  std::string path;  ///< one file; empty: those of the suite
  bool json = false; ///< results as JSON
  std::vector<std::string> archs;
  std::string order = "all"; ///< in which order waves run: all, ascending, descending, seeded, interleaved
  uint64_t seed = 1;
  std::string only;          ///< the name of one check
  std::string journal, task; ///< of the full check of a GPU (compiler/hardware/Journal.h)
  std::string filter;        ///< words of its title: name, architecture, parameters
  bool quiet = false, time = false;
  bool failFast = false;      ///< nothing runs after the first failure
  bool allowEmpty = false;    ///< checks that test nothing are no failure
  uint64_t limit = 0;         ///< wave instructions per launch; 0: the default
  bool reference = false;     ///< launches also run in the reference interpreter
  double referenceLimit = 10; ///< seconds
};

/// Wave instructions of one launch: a few seconds of the emulator, and many times what a check needs.
constexpr uint64_t defaultLimit = 100'000'000;

std::vector<Order> ordersOf(const std::string &name, uint64_t seed) {
  Order ascending{emulator::WaveOrder::Ascending, 0, "ascending"},
      descending{emulator::WaveOrder::Descending, 0, "descending"}, seeded{emulator::WaveOrder::Seeded, seed, "seeded"},
      interleaved{emulator::WaveOrder::Interleaved, seed, "interleaved"};
  if (name == "all")
    return {ascending, descending, seeded};
  if (name == "ascending")
    return {ascending};
  if (name == "descending")
    return {descending};
  if (name == "seeded")
    return {seeded};
  if (name == "interleaved")
    return {interleaved};
  return {};
}

using Clock = std::chrono::steady_clock;

/// Progress of a long run on a terminal; erased before anything else is printed.
class CaseProgress {
public:
  void show(const std::string &title, unsigned done) {
    const auto now = Clock::now();
    if (!isTerminal || now < next)
      return;
    next = now + std::chrono::milliseconds(100);
    clear();
    llvm::errs() << "[" << done << " done] " << llvm::StringRef(title).take_front(100);
    llvm::errs().flush();
    shown = true;
  }
  void clear() {
    if (shown)
      llvm::errs() << "\r\033[K";
    shown = false;
  }

private:
  bool isTerminal = isatty(STDERR_FILENO), shown = false;
  Clock::time_point next = Clock::now() + std::chrono::seconds(2);
};

void printIndented(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    llvm::outs() << "      " << line << '\n';
    text = rest;
  }
}

class TestRun {
public:
  TestRun(Session &session, const TestCommand &command)
      : journal(command.journal, command.task), session(session), command(command) {}

  void run(ArchCompilation &compilation, CheckRunner &runner) {
    for (auto &check : compilation.main->checks) {
      if (stopped())
        return;
      if (check.isBench || (!command.only.empty() && check.def->name != command.only))
        continue;
      std::string why;
      auto cases = casesOf(compilation, check, why);
      if (!why.empty())
        skip(compilation, check, "it is " + why);
      if (!cases) {
        ++failed;
        session.finish();
        continue;
      }
      for (auto &each : *cases)
        if (!stopped() && matches(command.filter, each.title)) {
          if (command.suite.list)
            list(each);
          else if (!journal.has(nameOf(each)))
            run(compilation, runner, each);
        }
    }
  }

  bool hasFailed() const { return failed || (empty && !command.allowEmpty); }
  bool stopped() const { return (command.failFast && hasFailed()) || gpuIsLost; }

  unsigned passed = 0, failed = 0;
  unsigned empty = 0;           ///< ran without errors, and tested nothing
  size_t warned = 0, noted = 0; ///< places that checks found and that fail nothing
  unsigned differing = 0;       ///< cases that passed, with other bits on the GPU than on the emulator

  std::vector<CaseResult> results;
  ReferenceCounts reference;
  hardware::Journal journal;

private:
  /// Without the architecture.
  static std::string nameOf(const Case &each) { return llvm::StringRef(each.title).split("  ").second.str(); }

  void list(const Case &each) {
    llvm::outs() << session.mainPath << "  " << each.title << '\n';
    ++passed;
  }

  /// Said once per check, however many cases it has.
  void skip(const ArchCompilation &compilation, const sema::CheckDefinition &check, const std::string &why) {
    if (!command.quiet && skipped.insert({&compilation.target, &check}).second) {
      progress.clear();
      llvm::outs() << "skip  " << compilation.target.name << "  " << check.def->name << ": " << why << '\n';
    }
  }

  void run(ArchCompilation &compilation, CheckRunner &runner, const Case &each) {
    progress.show(each.title, passed + failed + empty);
    runner.onProgress = [&](const std::string &work) {
      progress.show(each.title + ": " + work, passed + failed + empty);
    };
    runner.maxUlps = runner.maxError = 0;
    runner.differences.clear();
    if (runner.gpu)
      runner.gpu->name("check `" + each.title + "`");
    journal.begin(nameOf(each));
    auto start = Clock::now();
    runner.reference = {};
    bool ok = runCase(compilation, runner, each);
    reference.add(runner.reference);
    double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (!runner.elsewhere.empty()) {
      skip(compilation, *each.definition, runner.elsewhere);
      journal.end({nameOf(each), "skipped", runner.elsewhere, ms});
      return;
    }
    gpuIsLost = runner.gpu && runner.gpu->isLost();
    const std::string nothing = ok ? emptinessOf(compilation, runner, each) : "";
    (!ok ? failed : nothing.empty() ? passed : empty) += 1;
    keep(each, ok, nothing, runner, ms);
    progress.clear();
    const std::vector<CheckRunner::Told> findings = runner.takeFindings();
    const size_t notes = llvm::count_if(findings, [](auto &finding) { return finding.isNote; });
    noted += notes;
    warned += findings.size() - notes;
    if (!command.quiet || !ok || !nothing.empty() || !findings.empty() || !runner.differences.empty()) {
      llvm::outs() << (!ok                           ? "FAIL  "
                       : !nothing.empty()            ? "empty "
                       : !runner.differences.empty() ? "bits  "
                                                     : "ok    ")
                   << each.title << llvm::format("  (%.0f ms", ms);
      constexpr double many = 1000; // of numbers near zero, where the error itself says more
      if (runner.maxUlps > many)
        llvm::outs() << llvm::format(", errors up to %.2g", runner.maxError);
      else if (runner.maxUlps > 0)
        llvm::outs() << llvm::format(", within %.3g ulp", runner.maxUlps);
      llvm::outs() << ")\n";
    }
    if (!nothing.empty())
      printIndented(nothing);
    for (auto &failure : runner.failures)
      printIndented(failure);
    differing += ok && !runner.differences.empty();
    for (auto &difference : runner.differences)
      printIndented(difference);
    for (auto &finding : findings)
      printIndented(finding.text);
    llvm::outs().flush();
    session.tell();
  }

  void keep(const Case &each, bool ok, const std::string &nothing, const CheckRunner &runner, double ms) {
    const bool isEmpty = ok && !nothing.empty() && !command.allowEmpty;
    std::string detail = ok && !isEmpty ? "" : nothing;
    for (auto &failure : runner.failures)
      detail += (detail.empty() ? "" : "\n") + failure;
    for (auto &difference : runner.differences)
      detail += (detail.empty() ? "" : "\n") + difference;
    if (!ok && detail.empty())
      for (auto &diagnostic : session.diags.all())
        if (diagnostic.severity == Severity::Error)
          detail = std::string(info(diagnostic.kind).code) + ": " + diagnostic.message;
    const char *outcome = !ok ? "failed" : isEmpty ? "empty" : "passed";
    results.push_back(
        {nameOf(each), outcome, detail, ms, command.reference ? std::optional(runner.reference) : std::nullopt});
    journal.end({nameOf(each),
                 gpuIsLost                                       ? "hung"
                 : ok && !isEmpty && !runner.differences.empty() ? "bits"
                                                                 : outcome,
                 detail, ms});
  }

  Session &session;
  const TestCommand &command;
  CaseProgress progress;
  bool gpuIsLost = false; ///< a kernel on it does not end: nothing else can run there
  std::set<std::pair<const target::Target *, const sema::CheckDefinition *>> skipped;
};

} // namespace

std::vector<std::string> TestCommand::partArguments(const SuitePart &part) const {
  std::vector<std::string> out = argumentsLike(*this, [&](TestCommand &child) {
    child.archs = {part.arch};
    becomePart(child.suite, part);
  });
  out.insert(out.begin(), name);
  return out;
}

int TestCommand::run() {
  const TestCommand &given = *this;
  TestCommand command = given;
  command.archs = expandedArchs(given.archs);
  command.suite.failFast = command.failFast;
  if (isSuite(command.suite, command.json))
    return runSuite(
        options, command.suite, "test", command.archs, [&](const SuitePart &part) { return partArguments(part); },
        command.json, command.quiet);
  command.path = command.suite.paths.front();
  // LLVM drops operands that were never written, so the emulator has nothing left to find.
  options.warnings.insert(options.warnings.begin(), "error=unwritten-read");
  Session session(options);
  auto orders = ordersOf(command.order, command.seed);
  if (orders.empty()) {
    session.diags.report(diag::bad_option, {})
        .arg("--order=" + command.order)
        .arg("choose one of all, ascending, descending, seeded, interleaved");
    session.finish();
    return 2;
  }
  if (!session.open(command.path)) {
    session.finish();
    return 1;
  }
  TestRun all(session, command);
  std::shared_ptr<GpuDevice> gpu; // of one architecture at a time
  for (auto &name : command.archs) {
    if (all.stopped())
      break;
    auto targets = targetsOf(session, {name});
    if (!targets) {
      session.finish();
      return 2;
    }
    ArchCompilation compilation(session, *targets->front());
    if (!compilation.run()) {
      session.finish();
      return statusOf(session.diags);
    }
    RunnerSettings settings(orders, command.emulator);
    emulator::Checks checks;
    checks.races = checks.init = checks.barriers = emulator::CheckMode::Error;
    settings.checks = checksOf(command.emulator, checks);
    settings.instructionLimit = command.limit ? command.limit : defaultLimit;
    settings.threads = command.suite.threads;
    settings.referenceSeconds = command.reference ? command.referenceLimit : 0;
    CheckRunner runner(compilation, std::move(settings));
    if (command.device != "emulator") {
      if (!openGpu(session, *targets->front(), command.device,
                   "`--device emulator` needs no GPU, `--device auto` takes one only if there is one", gpu)) {
        session.finish();
        return 2;
      }
      if (gpu)
        gpu->secondsAtMost = command.gpuLimit;
      runner.gpu = gpu.get();
      runner.onBoth = command.device == "both";
      if (gpu && !command.quiet)
        llvm::outs() << "      " << name << " is " << gpu->name() << ", " << gpu->computeUnits() << " compute units\n";
    }
    all.run(compilation, runner);
    if (gpu && gpu->isLost())
      break;
  }
  if (all.passed + all.failed + all.empty == 0 && !all.journal.writes()) {
    std::string which = !command.only.empty()       ? " named `" + command.only + "`"
                        : !command.filter.empty()   ? " that `--filter " + command.filter + "` selects"
                        : command.archs.size() == 1 ? " for " + command.archs.front()
                                                    : "";
    session.diags.report(diag::no_checks, {}).arg(session.mainPath).arg(which);
    session.finish();
    return 2;
  }
  if (command.suite.list)
    return session.finish() && !all.failed &&
                   (command.suite.results.empty() || writeResults(session, command.suite.results, all.results))
               ? 0
               : 1;
  if (!gpu || !gpu->isLost())
    all.journal.done();
  // A kernel that never ends would keep the process: HIP waits for it.
  auto leave = [&](int status) {
    llvm::outs().flush();
    if (gpu && gpu->isLost())
      std::_Exit(status);
    return status;
  };
  if (!command.suite.results.empty())
    return leave(writeResults(session, command.suite.results, all.results) && !all.hasFailed() ? 0 : 1);
  llvm::outs() << all.passed << " passed, " << all.failed << " failed";
  if (all.empty)
    llvm::outs() << ", " << all.empty << " empty";
  if (all.differing)
    llvm::outs() << ", " << all.differing << " with other bits";
  if (all.warned)
    llvm::outs() << ", " << counted(all.warned, "warning");
  if (all.noted)
    llvm::outs() << ", " << counted(all.noted, "note");
  llvm::outs() << '\n';
  if (command.reference)
    llvm::outs() << all.reference.text();
  if (command.time) {
    session.times.print(llvm::errs());
    session.cache.print(llvm::errs());
  }
  return leave(all.hasFailed() ? 1 : 0);
}

std::unique_ptr<Command> testCommand() { return std::make_unique<TestCommand>(); }

} // namespace fly::driver
