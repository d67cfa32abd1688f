// `flyc calibrate`: writes the program, measures with the model, or reads results back into a machine file and a table.
#include "compiler/calibrate/Calibration.h"

#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/ArchBuild.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/launch/Arguments.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::driver {

namespace {

class CalibrateCommand final : public Command {
public:
  CalibrateCommand()
      : Command("calibrate",
                "Write microbenchmarks as a HIP program, and read its results back into a machine of the time model") {}
  void declare(OptionTable &table) override {
    table.add("--arch", arch, "Architecture to write or to model the microbenchmarks for: gfx942, gfx950").type("ARCH");
    table
        .add("-o,--output", output,
             "Folder for the program; with --model the file for the results, with --read the machine file")
        .type("PATH");
    table.add("--read", read, "Derive the constants from the results of the program, and print them as a table")
        .notEmpty()
        .type("FILE");
    table.add("--model", model, "Measure with the time model instead of a GPU");
    table
        .add("--machine", machine,
             "Constants of the time model, which --model measures, and --read compares with (docs/time-model.md)")
        .notEmpty()
        .type("FILE");
    messageOptions(table, options);
  }
  int run() override;

  // One of: a program for a GPU, times of the model, a file of results to read.
  std::string arch, output, read;
  std::string machine; ///< a file with constants; empty: the architecture's own machine
  bool model = false;
};

using namespace calibration;

/// With more findings refused than this share, the results as a whole are not to be trusted.
constexpr double tolerableShare = 0.4;

/// The machine of a file, or of the architecture; null after a diagnostic.
std::shared_ptr<const emulator::Machine> machineFrom(Session &session, const std::string &path,
                                                     const std::string &arch) {
  if (path.empty())
    return emulator::machineOf(arch);
  auto text = readFile(path);
  std::string error = text.error;
  auto machine = text.ok() ? emulator::parseMachine(text.value, error) : nullptr;
  if (machine && machine->architecture != arch)
    error = "it describes a " + machine->architecture + ", not a " + arch, machine = nullptr;
  if (!machine)
    session.diags.report(diag::cannot_read, {}).arg(path).arg(error);
  return machine;
}

bool hasMicrobenchmarks(std::string_view architecture) {
  const target::Target *target = target::find(architecture);
  return target && target->microbenchmarks;
}

/// "there are microbenchmarks for gfx942 and gfx950"
std::string whatThereIs() {
  std::vector<std::string> names;
  for (const target::Target &target : target::all())
    if (target.microbenchmarks)
      names.emplace_back(target.name);
  return "there are microbenchmarks for " + llvm::join(names, " and ");
}

/// The target of the microbenchmarks; null after a diagnostic.
const target::Target *targetOf(Session &session, const std::string &arch) {
  auto targets = targetsByName(session, {arch});
  if (!targets)
    return nullptr;
  if (target::Target const *t = targets->front(); t->microbenchmarks)
    return t;
  session.diags.report(diag::bad_option, {}).arg("--arch " + arch).arg(whatThereIs());
  return nullptr;
}

/// To a file, or to standard output; false after a diagnostic.
bool write(Session &session, const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    llvm::outs() << text;
    return true;
  }
  const std::string error = artifact::writeAtomically({{path, text}});
  if (!error.empty())
    session.diags.report(diag::cannot_write, {}).arg(path).arg(error);
  return error.empty();
}

int read(Session &session, const CalibrateCommand &command) {
  auto text = readFile(command.read);
  std::string error = text.error;
  std::optional<Results> results;
  if (text.ok())
    results = parseResults(text.value, error);
  if (results && !hasMicrobenchmarks(results->architecture))
    error = whatThereIs() + ", not for `" + results->architecture.substr(0, 60) + "`", results.reset();
  if (!results) {
    session.diags.report(diag::cannot_read, {}).arg(command.read).arg(error);
    return 1;
  }
  const auto machine = machineFrom(session, command.machine, results->architecture);
  if (!machine)
    return 1;
  const std::vector<Finding> findings = derive(*results, *machine);
  printTable(command.output == "-" ? llvm::errs() : llvm::outs(), *results, findings);
  const auto refused = llvm::count_if(findings, [](const Finding &f) { return !f.problem.empty(); });
  if (static_cast<double>(refused) > tolerableShare * static_cast<double>(findings.size())) {
    session.diags.report(diag::cannot_read, {})
        .arg(command.read)
        .arg(std::to_string(refused) + " of " + std::to_string(findings.size()) +
             " constants cannot be told from these times, so none is trusted: measure again, with nothing else on the "
             "GPU");
    return 1;
  }
  return command.output.empty() || write(session, command.output, machineFile(*results, findings)) ? 0 : 1;
}

int work(Session &session, const CalibrateCommand &command) {
  auto wrong = [&](const char *option, const char *why) {
    session.diags.report(diag::bad_option, {}).arg(option).arg(why);
    return 2;
  };
  if (!command.read.empty()) {
    if (command.model)
      return wrong("--model", "it measures, and `--read` reads what was measured: one of them at a time");
    if (!command.arch.empty())
      return wrong("--arch", "the file of `--read` says which architecture it is for");
    return read(session, command);
  }
  if (command.arch.empty())
    return wrong("--arch", "name the architecture to calibrate, or results with `--read FILE`");
  const target::Target *target = targetOf(session, command.arch);
  if (!target)
    return 2;
  const auto machine = machineFrom(session, command.machine, command.arch);
  if (!machine)
    return 1;
  if (command.model) {
    const auto results = measureWithModel(session, *target, machine);
    return results && write(session, command.output, toJson(*results)) ? 0 : 1;
  }
  if (command.output.empty() || command.output == "-")
    return wrong("-o", "name the folder for the program: `-o DIR`");
  return writeProgram(session, *target, *machine, command.output) ? 0 : 1;
}

} // namespace

int CalibrateCommand::run() {
  const CalibrateCommand &command = *this;
  Session session(options);
  const int status = work(session, command);
  return session.finish() ? status : std::max(status, statusOf(session.diags));
}

std::unique_ptr<Command> calibrateCommand() { return std::make_unique<CalibrateCommand>(); }

} // namespace fly::driver
