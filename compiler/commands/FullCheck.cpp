// See FullCheck.h.
#include "compiler/commands/FullCheck.h"

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/commands/Version.h"
#include "compiler/compilation/ChildProcess.h"
#include "compiler/hardware/Constants.h"
#include "compiler/hardware/FullReport.h"
#include "compiler/hardware/forms/FormWorker.h"
#include "compiler/launch/Arguments.h"
#include "compiler/launch/GpuDevice.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>
#include <ctime>

namespace fly::driver {

using hardware::FullReport;
using hardware::JournalTask;

//===--------------------------------------------- parts ----------------------------------------------------------===//

int runHardwareWork(Session &session, const HardwareWork &work) {
  const target::Target *target = target::find(work.architecture);
  if (!target)
    return 2;
  if (work.kind == "probe") {
    std::string problem;
    auto gpu = GpuDevice::open(*target, problem);
    if (!gpu)
      return 2;
    gpu->secondsAtMost = work.launchSeconds;
    const uint64_t place = gpu->allocate(sizeof(uint64_t));
    uint64_t value = 1;
    const bool works = place && gpu->fill(place, 0, sizeof value) && gpu->synchronize() &&
                       gpu->read(place, &value, sizeof value) && value == 0;
    std::_Exit(works ? 0 : 3); // without what a lost GPU would wait for
  }
  hardware::Journal journal(work.journal, work.task);
  if (work.kind == "constants")
    return hardware::measureConstants(session, {target, 15, work.launchSeconds}, journal);
  hardware::FormWork forms;
  forms.target = target;
  forms.only = work.only;
  forms.launchSeconds = work.launchSeconds;
  return hardware::runForms(forms, journal);
}

//===--------------------------------------------- the full check -------------------------------------------------===//

namespace {

std::string withExtension(const std::string &path, const char *extension) {
  llvm::SmallString<256> other(path);
  llvm::sys::path::replace_extension(other, extension);
  return std::string(other);
}

std::string today() {
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return date;
}

/// A folder that is gone when this is.
class TemporaryFolder {
public:
  TemporaryFolder() {
    if (llvm::sys::fs::createUniqueDirectory("flyc-doctor", name))
      name.clear();
  }
  ~TemporaryFolder() {
    if (!name.empty())
      (void)llvm::sys::fs::remove_directories(name);
  }
  std::string path() const { return std::string(name); }

private:
  llvm::SmallString<128> name;
};

/// Lines as parts end; between them, on a terminal a line that is overwritten, else one a minute.
class FullProgressLine {
public:
  ~FullProgressLine() { clear(); }
  void tell(const hardware::FullProgress &progress) {
    const JournalTask &state = *progress.state;
    if (progress.isDone) {
      clear();
      size_t suspects = 0;
      for (const auto &result : state.results)
        suspects += hardware::isSuspect(result.outcome);
      llvm::outs() << (suspects ? "  suspect  " : "  ok       ") << progress.task->name << ": "
                   << counted(state.results.size(), "result");
      if (suspects)
        llvm::outs() << ", " << counted(suspects, "suspect");
      llvm::outs() << '\n';
      llvm::outs().flush();
      next = Clock::now() + pause();
      return;
    }
    if (Clock::now() < next)
      return;
    next = Clock::now() + pause();
    clear();
    llvm::errs() << "[" << progress.number << "/" << progress.tasks << "] " << progress.task->name << ", "
                 << state.results.size() << " done" << (state.running.empty() ? "" : ": ")
                 << llvm::StringRef(state.running).take_front(60) << (isTerminal ? "" : "\n");
    llvm::errs().flush();
    isShown = isTerminal;
  }

private:
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds pause() const { return std::chrono::milliseconds(isTerminal ? 200 : 60'000); }
  void clear() {
    if (std::exchange(isShown, false))
      llvm::errs() << "\r\033[K";
  }
  const bool isTerminal = llvm::errs().is_displayed();
  bool isShown = false;
  Clock::time_point next = Clock::now() + pause();
};

/// In the journal: what the run itself notes.
const std::string runTask = "run";

/// What a journal is of: another flyc or another GPU must not go on with it.
std::string identityOf(const doctor::HipFacts &hip) {
  std::string text = std::string(programVersion) + ", " + hip.library + " " + hip.versionText();
  for (const doctor::HipDevice &device : hip.devices)
    text += ", " + device.name;
  return text;
}

/// False after a diagnostic: the journal is of something else, or cannot be written.
bool beginJournal(Session &session, const std::string &path, const std::string &identity, bool restart) {
  if (restart)
    (void)llvm::sys::fs::remove(path);
  hardware::JournalReader reader(path);
  reader.update();
  std::string error = reader.error;
  if (error.empty() && !reader.tasks.empty()) {
    const hardware::JournalResult *earlier = reader.tasks[runTask].find("identity");
    if (!earlier || earlier->detail != identity)
      error = "it is of another run: " + (earlier ? earlier->detail : "unknown");
    else
      llvm::outs() << "going on where an earlier run stopped (" << path << "; `--restart` begins anew)\n";
  } else if (error.empty()) {
    hardware::Journal(path, runTask).end({"identity", "noted", identity});
    reader.update();
    if (!reader.tasks[runTask].find("identity")) {
      session.diags.report(diag::cannot_write, {}).arg(path).arg("the folder does not exist, or may not be written");
      return false;
    }
  }
  if (!error.empty())
    session.diags.report(diag::cannot_read, {}).arg(path).arg(error + "; `--restart` begins anew");
  return error.empty();
}

std::string without(std::string text, const std::string &part) {
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos;)
    text.erase(at, part.size());
  return text;
}

/// `folders`: where sources lie, which a report does not say.
FullReport reportOf(const std::vector<hardware::Task> &tasks, const std::string &journal, std::string stopped,
                    const std::vector<doctor::Section> &system, const doctor::HipFacts &hip,
                    const std::vector<std::string> &folders) {
  FullReport report{programVersion, today(), std::move(stopped), system, {}, {}};
  hardware::JournalReader reader(journal);
  reader.update();
  for (const hardware::Task &task : tasks) {
    const JournalTask &state = reader.tasks[task.name];
    report.tasks.push_back({task.group, task.architecture, task.name, state.isDone, state.results});
    for (hardware::JournalResult &result : report.tasks.back().results)
      for (const std::string &folder : folders)
        result.detail = without(std::move(result.detail), folder + "/");
    if (report.gpuOf(task.architecture))
      continue;
    for (const doctor::HipDevice &device : hip.devices)
      if (device.architecture == task.architecture && !report.gpuOf(task.architecture))
        report.gpus.push_back({device.architecture, device.name, device.computeUnits});
  }
  return report;
}

/// Whether every part that was ever begun is done, also those that this run left out.
bool isComplete(const std::string &journal) {
  hardware::JournalReader reader(journal);
  reader.update();
  return llvm::all_of(reader.tasks, [](auto &task) { return task.first == runTask || task.second.isDone; });
}

void printSuspects(const FullReport &report) {
  constexpr size_t most = 20;
  const auto suspects = hardware::suspectsOf(report);
  for (const hardware::Suspect &suspect : llvm::ArrayRef(suspects).take_front(most)) {
    llvm::outs() << "  " << suspect.outcome << "  " << suspect.architecture << "  " << suspect.what;
    if (suspect.of > 1)
      llvm::outs() << " (" << suspect.count << " of " << suspect.of << ")";
    llvm::outs() << '\n';
    if (!llvm::StringRef(suspect.what).ends_with(suspect.first))
      llvm::outs() << "      " << suspect.first << '\n';
    llvm::SmallVector<llvm::StringRef> lines;
    constexpr size_t mostLines = 8;
    llvm::StringRef(suspect.detail).split(lines, '\n', mostLines);
    for (llvm::StringRef line : llvm::ArrayRef(lines).take_front(mostLines))
      llvm::outs() << "      " << line << '\n';
  }
  if (suspects.size() > most)
    llvm::outs() << "  and " << suspects.size() - most << " others\n";
}

void printSummary(const FullReport &report) {
  for (const std::string &line : hardware::summaryOf(report))
    llvm::outs() << line << '\n';
  printSuspects(report);
}

} // namespace

int runFullCheck(Session &session, const FullSettings &settings, const std::vector<doctor::Section> &system,
                 const doctor::HipFacts &hip) {
  hardware::TaskChoice choice;
  choice.architectures = doctor::usableArchitectures(hip);
  if (!settings.archs.empty()) {
    for (const std::string &arch : settings.archs)
      if (!llvm::is_contained(choice.architectures, arch)) {
        session.diags.report(diag::bad_option, {})
            .arg("--arch " + arch)
            .arg("there is no GPU of it: " + (choice.architectures.empty()
                                                  ? std::string("there is none at all")
                                                  : "there is " + llvm::join(choice.architectures, ", ")));
        return 2;
      }
    choice.architectures = settings.archs;
  }
  if (choice.architectures.empty()) {
    session.diags.report(diag::bad_option, {})
        .arg("--full")
        .arg("there is no GPU that flyc can use; `flyc doctor` says why");
    return 2;
  }
  if (!settings.kernels.empty() && !llvm::sys::fs::is_directory(settings.kernels)) {
    session.diags.report(diag::bad_option, {}).arg("--kernels " + settings.kernels).arg("there is no such folder");
    return 2;
  }
  choice.kernels = settings.kernels.empty() ? hardware::installedKernels() : settings.kernels;
  choice.only = settings.only;
  choice.form = settings.form;
  choice.launchSeconds = settings.launchSeconds;
  choice.litmusRepetitions = hip.isEmulated() ? 10 : 1000;
  const TemporaryFolder sources;
  const std::vector<hardware::Task> tasks = hardware::tasksOf(choice, sources.path());
  if (tasks.empty()) {
    session.diags.report(diag::bad_option, {})
        .arg("--only " + settings.only)
        .arg("no part has this in its name, such as `gfx942 instructions` or `gfx942 kernels gemm/any_tile.fly`");
    return 2;
  }
  const std::string journal = withExtension(settings.output, "journal"), page = withExtension(settings.output, "html");
  if (!beginJournal(session, journal, identityOf(hip), settings.restart))
    return 1;
  if (choice.kernels.empty())
    llvm::outs() << "flyc's kernels are not installed beside it: name their folder with `--kernels DIR`\n";

  const hardware::FullLimits limits{
      .stallSeconds = settings.stallSeconds, .minutes = settings.minutes, .recoverySeconds = settings.recoverySeconds};
  std::string stopped;
  {
    FullProgressLine line;
    stopped = hardware::doTasks(tasks, journal, limits, [&](const auto &progress) { line.tell(progress); });
  }
  const FullReport report = reportOf(tasks, journal, stopped, system, hip, {sources.path(), choice.kernels});
  const std::string error =
      artifact::writeAtomically({{settings.output, hardware::toJson(report)}, {page, hardware::pageOf(report)}});
  llvm::outs() << '\n';
  printSummary(report);
  if (!error.empty()) {
    session.diags.report(diag::cannot_write, {}).arg(settings.output).arg(error);
    return 1;
  }
  llvm::outs() << "written: " << settings.output << " (to send), " << page << " (to read)\n";
  if (stopped.empty() && isComplete(journal))
    (void)llvm::sys::fs::remove(journal);
  return stopped.empty() && hardware::suspectsOf(report).empty() ? 0 : 1;
}

//===--------------------------------------------- reading a report -----------------------------------------------===//

int readHardwareReport(Session &session, const std::string &path, const std::string &machinePath, bool json) {
  auto text = readFile(path);
  std::string error = text.error;
  std::optional<FullReport> report;
  if (text.ok())
    report = hardware::parseReport(text.value, error);
  if (!report) {
    session.diags.report(diag::cannot_read, {}).arg(path).arg(error);
    return 1;
  }
  const std::vector<hardware::MeasuredConstants> constants = hardware::constantsOf(*report);
  if (!machinePath.empty() && constants.size() != 1) {
    session.diags.report(diag::bad_option, {})
        .arg("--machine " + machinePath)
        .arg(constants.empty() ? "the report has no measured constants"
                               : "the report has constants of several architectures: run `--full --arch ARCH`");
    return 2;
  }
  if (json) {
    llvm::outs() << hardware::findingsJson(*report) << '\n';
  } else {
    llvm::outs() << report->version << ", " << report->date << '\n';
    printSummary(*report);
    for (const hardware::MeasuredConstants &one : constants) {
      llvm::outs() << '\n';
      calibration::printTable(llvm::outs(), one.results, one.findings);
    }
  }
  if (machinePath.empty())
    return 0;
  error =
      artifact::writeAtomically({{machinePath, machineFile(constants.front().results, constants.front().findings)}});
  if (!error.empty())
    session.diags.report(diag::cannot_write, {}).arg(machinePath).arg(error);
  return error.empty() ? 0 : 1;
}

} // namespace fly::driver
