// See TuneOptions.h.
#include "compiler/commands/TuneOptions.h"

#include "compiler/commands/SharedOptions.h"

namespace fly::driver {

CLI::App *tuneApp(CLI::App &app, TuneSettings &command, Options &options) {
  auto *tune = app.add_subcommand(
      "tune", "Search the values that @tune offers for those with which the @bench functions of a file take least");
  tune->add_option("file", command.path, "The .fly file")->required();
  command.archs = {"gfx942"};
  tune->add_option("--arch", command.archs, "Architectures, separated by commas; all: every one")
      ->delimiter(',')
      ->type_name("ARCH,...")
      ->allow_extra_args(false)
      ->capture_default_str();
  tune->add_option("--kernel", command.kernel, "Tune only this kernel")->check(notEmpty)->type_name("NAME");
  tune->add_option("--filter", command.filter, "Use only benches whose line contains all of these words")
      ->type_name("WORDS");
  tune->add_option("--shape", command.shapes,
                   "Set parameters of benches, such as m=4096,n=4096; repeat it for several shapes")
      ->type_name("NAME=VALUE,...")
      ->allow_extra_args(false);
  command.device.device = "auto";
  deviceOptions(*tune, command.device);
  tune->add_option("-j,--jobs", command.jobs, "Number of candidates at the same time (default: one per core)")
      ->check(CLI::Range(1u, 4096u))
      ->type_name("N");
  tune->add_option("--timeout", command.timeout, "End a candidate after this many seconds")
      ->check(CLI::Range(1u, 1u << 30))
      ->type_name("SECONDS")
      ->capture_default_str();
  tune->add_option("--limit", command.limit, "Stop a launch with a fault after N wave instructions")->type_name("N");
  tune->add_option("--journal", command.journal,
                   "File with the results so far, for a search that is interrupted (default: X.tune.journal)")
      ->check(notEmpty)
      ->type_name("FILE");
  tune->add_flag("--dry-run", command.dryRun, "Search, but leave the table as it is");
  auto *print = tune->add_flag("--print-jobs", command.printJobs,
                               "Run nothing; print a command line per job, for GNU parallel or a Slurm array");
  auto *join =
      tune->add_option("--join", command.join, "Run nothing; take the results of printed jobs from these files")
          ->type_name("FILE...")
          ->excludes(print);
  auto *job = tune->add_option("--job", command.job, "Run this job alone, and print its result as a line of JSON")
                  ->check(CLI::Range(int64_t(0), int64_t(1) << 31))
                  ->type_name("N")
                  ->excludes(print)
                  ->excludes(join);
  tune->add_option("--rows", command.rows, "With --job: write the line to this file")
      ->check(notEmpty)
      ->type_name("FILE")
      ->needs(job);
  tune->add_option("--below", command.below, "With --job: leave the candidate out if its bound is above this figure")
      ->type_name("CYCLES")
      ->needs(job);
  auto *json = tune->add_flag("--json", command.json, "Print everything as JSON");
  tune->add_flag("--quiet,-q", command.quiet, "Print no candidates")->excludes(json);
  timeOptions(*tune, command.time);
  emulatorOptions(*tune, command.emulator);
  sourceOptions(*tune, options);
  return tune;
}

} // namespace fly::driver
