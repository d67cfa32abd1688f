// `flyc doctor`: what is installed for a GPU, what flyc would use, and why not.
#include "compiler/commands/Command.h"
#include "compiler/commands/CommandLine.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/doctor/SmallRun.h"
#include "compiler/hardware/forms/FormWorker.h"
#include "compiler/text/Words.h"

#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

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
    table.add("--timeout", seconds, "Give up what takes longer: HIP's answer, and the small run on a device")
        .range(1, 3600)
        .type("SECONDS")
        .showDefault();
    table.add("--json", json, "Print the findings as JSON")
        .more("[doctor.schema.json](schema/doctor.schema.json) describes it");
    table.add("--root", root, "Where to look for the files of the system").hidden();
    table.add("--ask-hip", askHip, "What HIP says, as JSON, for a process that waits for it").hidden();
    table.add("--work", work, "A part of the full check, for the process that waits for it").hidden();
    table.add("--arch", arch, "With --work: the architecture").hidden();
    table.add("--journal", journal, "With --work: the file to append to").hidden();
    table.add("--task", task, "With --work: its name in the journal").hidden();
    table.add("--only", only, "With --work: forms whose title has this").hidden();
    table.add("--on-emulator", onEmulator, "With --work: without a GPU").hidden();
    messageOptions(table, options);
  }
  int run() override;

private:
  std::vector<Section> examine() const;
  int runWork() const;

  std::string work, arch, journal, task, only;
  bool onEmulator = false;

  bool noRun = false, json = false, askHip = false;
  unsigned seconds = 60;
  std::string root;
};

const char *nameOf(Level level) {
  switch (level) {
  case Level::Fine: return "ok";
  case Level::Note: return "note";
  case Level::Problem: return "problem";
  }
  return "";
}

std::vector<Section> DoctorCommand::examine() const {
  const doctor::SystemFacts system = doctor::readSystem(root);
  const doctor::HipFacts hip = doctor::askHipSafely(seconds);
  std::vector<Section> sections{doctor::systemSection(system), doctor::hipSection(system, hip)};
  if (!hip.devices.empty())
    sections.push_back(doctor::deviceSection(hip));
  if (Section environment = doctor::environmentSection(); !environment.lines.empty())
    sections.push_back(std::move(environment));
  if (const auto architectures = doctor::usableArchitectures(hip); !noRun && !architectures.empty()) {
    const bool draws = llvm::any_of(system.cards, [](auto &card) { return !card.displays.empty(); });
    constexpr unsigned shortLaunch = 2, longLaunch = 20; // seconds
    sections.push_back(doctor::smallRun(architectures, seconds, draws ? shortLaunch : longLaunch));
  }
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
      llvm::outs() << "  " << llvm::left_justify(nameOf(line.level), 9) << line.what << '\n';
      printLines(line.advice, "           ");
    }
  }
  llvm::outs() << '\n'
               << (problems ? counted(problems, "problem") + ": kernels run on the emulator meanwhile"
                            : std::string("no problems"))
               << '\n';
}

int DoctorCommand::runWork() const {
  const target::Target *target = target::find(arch);
  hardware::Journal to(journal, task);
  return hardware::runForms({target, only, 16, 1, 20, onEmulator}, to);
}

int DoctorCommand::run() {
  if (!work.empty())
    return runWork();
  if (askHip) {
    llvm::outs() << doctor::toJson(doctor::askHip()) << '\n';
    return 0;
  }
  const std::vector<Section> sections = examine();
  size_t problems = 0;
  for (const Section &section : sections)
    problems += llvm::count_if(section.lines, [](auto &line) { return line.level == Level::Problem; });
  if (!json) {
    print(sections, problems);
    return problems ? 1 : 0;
  }
  Json all = Json::array();
  for (const Section &section : sections) {
    Json lines = Json::array();
    for (const doctor::Line &line : section.lines)
      lines.push_back({{"level", nameOf(line.level)}, {"what", line.what}, {"advice", line.advice}});
    all.push_back({{"title", section.title}, {"lines", std::move(lines)}});
  }
  const Json document{
      {"schema_version", 1}, {"command", "doctor"}, {"version", programVersion}, {"sections", std::move(all)}};
  llvm::outs() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  return problems ? 1 : 0;
}

} // namespace

std::unique_ptr<Command> doctorCommand() { return std::make_unique<DoctorCommand>(); }

} // namespace fly::driver
