// `flyc doctor`: what is installed for a GPU, what flyc would use, and why not.
#include "compiler/commands/Command.h"
#include "compiler/commands/Version.h"
#include "compiler/commands/FullCheck.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/doctor/SectionJson.h"
#include "compiler/doctor/SmallRun.h"
#include "compiler/text/Words.h"

#include "llvm/Support/raw_ostream.h"

namespace fly::driver {

namespace {

using doctor::Level;
using doctor::Section;
using Json = nlohmann::ordered_json;

class DoctorCommand final : public Command {
public:
  DoctorCommand() : Command("doctor", "Say what is installed for a GPU, what flyc would use of it, and why not") {}
  void declare(OptionTable &table) override {
    table.add("--no-run", noRun, "Leave out the small run: some checks on each GPU and on the emulator")
        .more("[hardware.md](hardware.md) says what each line means");
    table.add("--full", full, "Check everything on each GPU against the emulator, and write a report to send")
        .more("it goes on where an earlier one stopped; [hardware.md](hardware.md#the-full-check)");
    table
        .add("-o,--output", fullSettings.output,
             "With --full: the report; a page of the same name is written beside it")
        .type("FILE.json")
        .showDefault();
    table.add("--arch", fullSettings.archs, "With --full: these architectures alone, separated by commas")
        .type("ARCHS");
    table.add("--kernels", fullSettings.kernels, "With --full: the folder of kernels whose checks run")
        .notEmpty()
        .type("DIR")
        .more("those that are installed with flyc");
    table
        .add("--only", fullSettings.only,
             "With --full: only parts whose name contains this: \"instructions\", \"kernels gemm\"")
        .type("TEXT");
    table.add("--minutes", fullSettings.minutes, "With --full: stop then; the same command goes on")
        .range(1, 10000)
        .type("N");
    table.add("--restart", fullSettings.restart, "With --full: begin anew, although an earlier one has stopped midway");
    table.add("--read", readPath, "Say what a report of --full tells: coverage, constants of the machine, suspects")
        .notEmpty()
        .type("FILE.json");
    table.add("--machine", machinePath, "With --read: write the constants as a machine file of the time model")
        .notEmpty()
        .type("FILE.json");
    table.add("--timeout", seconds, "Give up what takes longer: HIP's answer, and the small run on a device")
        .range(1, 3600)
        .type("SECONDS")
        .showDefault();
    table.add("--json", json, "Print the findings as JSON")
        .more("[doctor.schema.json](schema/doctor.schema.json) describes it; with --read "
              "[doctor-findings.schema.json](schema/doctor-findings.schema.json)");
    table.add("--root", root, "Where to look for the files of the system").hidden();
    table.add("--ask-hip", askHip, "What HIP says, as JSON, for a process that waits for it").hidden();
    table.add("--work", work.kind, "A part of the full check, for the process that waits for it").hidden();
    table.add("--journal", work.journal, "With --work: the file to append to").hidden();
    table.add("--task", work.task, "With --work: its name in the journal").hidden();
    table.add("--form", fullSettings.form, "Only forms of instructions that contain this").hidden();
    table.add("--gpu-limit", fullSettings.launchSeconds, "Seconds that a launch may take").hidden();
    table.add("--stall-limit", fullSettings.stallSeconds, "Seconds without news after which a part hangs").hidden();
    table.add("--recovery-limit", fullSettings.recoverySeconds, "Seconds that a lost GPU has to answer").hidden();
    messageOptions(table, options);
  }
  int run() override;

private:
  std::vector<Section> examine(const doctor::HipFacts &hip, const doctor::SystemFacts &system, bool runs) const;
  bool full = false;
  std::string readPath, machinePath;
  FullSettings fullSettings;
  HardwareWork work;
  bool noRun = false, json = false, askHip = false;
  unsigned seconds = 60;
  std::string root;
};

constexpr unsigned shortLaunch = 2, longLaunch = 20; // seconds, of a GPU with a display and of others

bool draws(const doctor::SystemFacts &system) {
  return llvm::any_of(system.cards, [](auto &card) { return !card.displays.empty(); });
}

std::vector<Section> DoctorCommand::examine(const doctor::HipFacts &hip, const doctor::SystemFacts &system,
                                            bool runs) const {
  std::vector<Section> sections{doctor::systemSection(system), doctor::hipSection(system, hip)};
  if (!hip.devices.empty())
    sections.push_back(doctor::deviceSection(hip));
  if (Section environment = doctor::environmentSection(); !environment.lines.empty())
    sections.push_back(std::move(environment));
  if (const auto architectures = doctor::usableArchitectures(hip); runs && !architectures.empty())
    sections.push_back(doctor::smallRun(architectures, seconds, draws(system) ? shortLaunch : longLaunch));
  return sections;
}

void printLines(llvm::StringRef text, llvm::StringRef indentation) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    llvm::outs() << indentation << line << '\n';
    text = rest;
  }
}

void print(const std::vector<Section> &sections, size_t problems) {
  llvm::outs() << programVersion << '\n';
  for (const Section &section : sections) {
    llvm::outs() << '\n' << section.title << '\n';
    for (const doctor::Line &line : section.lines) {
      llvm::outs() << "  " << llvm::left_justify(doctor::name(line.level), 9) << line.what << '\n';
      printLines(line.advice, "           ");
    }
  }
  llvm::outs() << '\n'
               << (problems ? counted(problems, "problem") + ": kernels run on the emulator meanwhile"
                            : std::string("no problems"))
               << '\n';
}

int DoctorCommand::run() {
  if (askHip) {
    llvm::outs() << doctor::toJson(doctor::askHip()) << '\n';
    return 0;
  }
  Session session(options);
  if (!work.kind.empty()) {
    work.architecture = fullSettings.archs.empty() ? "" : fullSettings.archs.front();
    work.only = fullSettings.form;
    work.launchSeconds = fullSettings.launchSeconds;
    return runHardwareWork(session, work);
  }
  auto wrong = [&](const char *option, const char *why) {
    session.diags.report(diag::bad_option, {}).arg(option).arg(why);
    session.finish();
    return 2;
  };
  if (full && !readPath.empty())
    return wrong("--read", "it reads what an earlier `--full` wrote: one of them at a time");
  if (!machinePath.empty() && readPath.empty())
    return wrong("--machine", "it is written from a report: name it with `--read FILE.json`");
  if (!readPath.empty()) {
    const int status = readHardwareReport(session, readPath, machinePath, json);
    return session.finish() ? status : std::max(status, 1);
  }
  const doctor::SystemFacts system = doctor::readSystem(root);
  const doctor::HipFacts hip = doctor::askHipSafely(seconds);
  const std::vector<Section> sections = examine(hip, system, /*runs=*/!noRun && !full);
  if (full) {
    if (!fullSettings.launchSeconds)
      fullSettings.launchSeconds = draws(system) ? shortLaunch : longLaunch;
    if (hip.devices.empty())
      print(sections, 1);
    const int status = runFullCheck(session, fullSettings, sections, hip);
    return session.finish() ? status : std::max(status, 1);
  }
  size_t problems = 0;
  for (const Section &section : sections)
    problems += llvm::count_if(section.lines, [](auto &line) { return line.level == Level::Problem; });
  if (!json) {
    print(sections, problems);
    return problems ? 1 : 0;
  }
  const Json document{{"schema_version", 1},
                      {"command", "doctor"},
                      {"version", programVersion},
                      {"sections", doctor::toJson(sections)}};
  llvm::outs() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  return problems ? 1 : 0;
}

} // namespace

std::unique_ptr<Command> doctorCommand() { return std::make_unique<DoctorCommand>(); }

} // namespace fly::driver
