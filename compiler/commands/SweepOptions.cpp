// See SweepOptions.h.
#include "compiler/commands/SweepOptions.h"

#include "compiler/commands/SharedOptions.h"

namespace fly::driver {

CLI::App *sweepApp(CLI::App &app, SweepSettings &command, Options &options) {
  auto *sweep = app.add_subcommand(
      "sweep",
      "Compile a file with each combination of LLVM options and constants of a grid; tabulate code, checks, time");
  sweep->add_option("file", command.path, "The .fly file")->required();
  sweep->add_option("--grid", command.grid, "What is varied, as JSON (docs/sweep.md)")
      ->required()
      ->check(notEmpty)
      ->type_name("FILE");
  command.archs = {"gfx942"};
  sweep->add_option("--arch", command.archs, "Architectures, separated by commas; all: every one")
      ->delimiter(',')
      ->type_name("ARCH,...")
      ->allow_extra_args(false)
      ->capture_default_str();
  sweep->add_option("--skip", command.skip, "Leave out checks, time, or both")
      ->delimiter(',')
      ->check(CLI::IsMember({"checks", "time"}))
      ->type_name("checks,time")
      ->allow_extra_args(false);
  sweep
      ->add_option("--by", command.by,
                   "The figure that ranks: cycles, or one of the table, such as vgprs, spills, loop_instructions")
      ->type_name("FIGURE")
      ->capture_default_str();
  sweep->add_option("--top", command.top, "Print only the first N rows")
      ->check(CLI::Range(1u, 1u << 30))
      ->type_name("N");
  sweep->add_option("-j,--jobs", command.jobs, "Number of points at the same time (default: one per core)")
      ->check(CLI::Range(1u, 4096u))
      ->type_name("N");
  sweep->add_option("--timeout", command.timeout, "End a point after this many seconds")
      ->check(CLI::Range(1u, 1u << 30))
      ->type_name("SECONDS")
      ->capture_default_str();
  sweep->add_option("--limit", command.limit, "Stop a launch with a fault after N wave instructions")->type_name("N");
  sweep
      ->add_option("--journal", command.journal,
                   "File with the rows so far, for a sweep that is interrupted (default: X.sweep.journal)")
      ->check(notEmpty)
      ->type_name("FILE");
  auto *print = sweep->add_flag("--print-jobs", command.printJobs,
                                "Run nothing; print a command line per job, for GNU parallel or a Slurm array");
  auto *join =
      sweep->add_option("--join", command.join, "Run nothing; take the results of printed jobs from these files")
          ->type_name("FILE...")
          ->excludes(print);
  auto *job = sweep->add_option("--job", command.job, "Run this job alone, and print its result as a line of JSON")
                  ->check(CLI::Range(int64_t(0), int64_t(1) << 31))
                  ->type_name("N")
                  ->excludes(print)
                  ->excludes(join);
  sweep->add_option("--rows", command.rows, "With --job: write the line to this file")
      ->check(notEmpty)
      ->type_name("FILE")
      ->needs(job);
  sweep->add_flag("--pin", command.pin, "Write the best point into the table beside the source, X.tune.json")
      ->excludes(print)
      ->excludes(job);
  auto *json = sweep->add_flag("--json", command.json, "Print everything as JSON");
  sweep->add_flag("--quiet,-q", command.quiet, "Print no rows")->excludes(json);
  timeOptions(*sweep, command.time);
  emulatorOptions(*sweep, command.emulator);
  sourceOptions(*sweep, options);
  return sweep;
}

} // namespace fly::driver
