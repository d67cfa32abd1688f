// `flyc sweep`: its options; what it does is in compiler/search/sweep/SweepStrategy.h.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/search/sweep/SweepStrategy.h"

namespace fly::driver {

namespace {

class SweepCommand final : public Command {
public:
  SweepCommand()
      : Command(
            "sweep",
            "Compile a file with each combination of LLVM options and constants of a grid; tabulate code, checks, time") {
    usesCache = true;
  }
  void declare(OptionTable &table) override {
    table.add("file", settings.path, "The .fly file").required();
    table.add("--grid", settings.grid, "What is varied, as JSON (docs/sweep.md)").required().notEmpty().type("FILE");
    archOption(table, settings.archs, "Architectures, separated by commas; all: every one");
    table.add("--skip", settings.skip, "Leave out checks, time, or both")
        .separatedBy(',')
        .choices({"checks", "time"})
        .type("checks,time");
    table
        .add("--by", settings.by,
             "The figure that ranks: cycles, or one of the table, such as vgprs, spills, loop_instructions")
        .type("FIGURE")
        .showDefault()
        .own();
    table.add("--top", settings.top, "Print only the first N rows").range(1, 1 << 30).type("N").own();
    searchOptions(table, settings, "point", "sweep");
    table.at("--json").more("[sweep.schema.json](schema/sweep.schema.json) describes it");
    table.add("--pin", settings.pin, "Write the best point into the table beside the source, X.tune.json")
        .excludes("--print-jobs")
        .excludes("--job")
        .own();
    table.add("--quiet,-q", settings.quiet, "Print no rows").excludes("--json").own();
    timeOptions(table, settings.time);
    emulatorOptions(table, settings.emulator);
    sourceOptions(table, options);
  }
  int run() override;

private:
  std::vector<std::string> jobArguments(const JobRequest &request) const;

  SweepSettings settings;
};

std::vector<std::string> SweepCommand::jobArguments(const JobRequest &request) const {
  std::vector<std::string> out = argumentsLike(*this, [&](SweepCommand &child) {
    child.settings.archs = {request.arch};
    child.settings.job = request.job;
    child.settings.jobs = request.threads;
  });
  out.insert(out.begin(), name);
  return out;
}

int SweepCommand::run() {
  SweepStrategy strategy(settings);
  return runSearch(options, settings, strategy, [&](const JobRequest &request) { return jobArguments(request); });
}

} // namespace

std::unique_ptr<Command> sweepCommand() { return std::make_unique<SweepCommand>(); }

} // namespace fly::driver
