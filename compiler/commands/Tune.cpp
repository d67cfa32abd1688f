// `flyc tune`: its options; what it does is in compiler/search/tune/TuneStrategy.h.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/search/tune/TuneStrategy.h"

namespace fly::driver {

namespace {

class TuneCommand final : public Command {
public:
  TuneCommand()
      : Command("tune",
                "Search the values that @tune offers for those with which the @bench functions of a file take least") {
    usesCache = true;
  }
  void declare(OptionTable &table) override {
    table.add("file", settings.path, "The .fly file").required();
    archOption(table, settings.archs, "Architectures, separated by commas; all: every one")
        .more("each has its own entries");
    table.add("--kernel", settings.kernel, "Tune only this kernel").notEmpty().type("NAME");
    table.add("--filter", settings.filter, "Use only benches whose line contains all of these words").type("WORDS");
    table
        .add("--shape", settings.shapes,
             "Set parameters of benches, such as m=4096,n=4096; repeat it for several shapes")
        .type("NAME=VALUE,...")
        .more("benches without these parameters are skipped");
    settings.device.device = "auto";
    deviceOptions(table, settings.device);
    table.at("--device").spelled();
    searchOptions(table, settings, "candidate", "tune");
    table.at("--json").more("[tune-search.schema.json](schema/tune-search.schema.json) describes it");
    table.add("--below", settings.below, "With --job: leave the candidate out if its bound is above this figure")
        .type("CYCLES")
        .needs("--job");
    table.add("--dry-run", settings.dryRun, "Search, but leave the table as it is").own();
    table.add("--quiet,-q", settings.quiet, "Print no candidates").excludes("--json").own();
    timeOptions(table, settings.time);
    emulatorOptions(table, settings.emulator);
    sourceOptions(table, options);
  }
  int run() override;

private:
  std::vector<std::string> jobArguments(const JobRequest &request) const;

  TuneSettings settings;
};

std::vector<std::string> TuneCommand::jobArguments(const JobRequest &request) const {
  std::vector<std::string> out = argumentsLike(*this, [&](TuneCommand &child) {
    child.settings.archs = {request.arch};
    child.settings.job = request.job;
    child.settings.jobs = request.threads;
    child.settings.below = request.below;
    child.settings.device.device = request.device;
  });
  out.insert(out.begin(), name);
  return out;
}

int TuneCommand::run() {
  TuneStrategy strategy(settings);
  return runSearch(options, settings, strategy, [&](const JobRequest &request) { return jobArguments(request); });
}

} // namespace

std::unique_ptr<Command> tuneCommand() { return std::make_unique<TuneCommand>(); }

} // namespace fly::driver
