// See SharedOptions.h.
#include "compiler/commands/SharedOptions.h"

#include "compiler/compilation/VerifyOptions.h"

#include "compiler/diagnostics/Diagnostics.h"
#include "runtime/emulator/device/Checks.h"
#include "runtime/emulator/device/DeviceNumbers.h"

namespace fly::driver {

const CLI::Validator
    notEmpty([](std::string &value) { return value.empty() ? std::string("its value is empty") : std::string(); }, "");

void messageOptions(CLI::App &app, Options &options) {
  app.add_option("--error-format", options.errorFormat,
                 "How errors are printed: as text, or as json, one object per line")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  app.add_option("--color", options.color,
                 "Colour messages: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN")
      ->capture_default_str();
}

void sourceOptions(CLI::App &app, Options &options) {
  messageOptions(app, options);
  app.add_option("-D", options.defines, "Set a Constexpr parameter or a constant of the file; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("-I", options.includeDirs, "Also look for imported modules in DIR; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--llvm", options.llvm,
                 "Compile all kernels with this LLVM option or function attribute, such as enable-post-misched=false; "
                 "may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--llvm-timeout", options.llvmTimeout, "End a kernel with LLVM options after this many seconds")
      ->check(CLI::Range(1u, 1u << 30))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--link", options.bitcode, "Take extern functions from an LLVM bitcode file; may be repeated")
      ->type_name("FILE.bc")
      ->allow_extra_args(false);
  app.add_option("-W", options.warnings,
                 "Control warnings: perf (what could be faster), copy-atom (what copy(\"auto\") chose), NAME, no-NAME, "
                 "error, error=NAME. no-verify=RULE: do not hold the machine code against RULE (see `flyc verify`)")
      ->check(CLI::Validator(
          [](std::string &name) {
            if (auto rules = rulesTurnedOff(name))
              return rules->problem;
            fly::SourceManager sources;
            return fly::DiagnosticEngine(sources).setWarnings(name).value_or("");
          },
          ""))
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("!--no-cache", options.cache, "Recompile everything instead of using objects of earlier runs");
  app.add_option("--file-prefix-map", options.prefixMap,
                 "Replace OLD with NEW at the start of file names in line tables")
      ->check(CLI::Validator(
          [](std::string &map) {
            return map.find('=') == std::string::npos ? "`" + map + "` has no `=`: it takes OLD=NEW" : "";
          },
          ""))
      ->type_name("OLD=NEW");
}

void verifyOptions(CLI::App &app, Options &options) {
  messageOptions(app, options);
  app.add_option("-W", options.warnings, "no-verify=RULE: leave out a rule; may be repeated. no-verify: all rules")
      ->check(CLI::Validator(
          [](std::string &name) {
            auto rules = rulesTurnedOff(name);
            return rules ? rules->problem : "`" + name + "` is not `no-verify=RULE`";
          },
          ""))
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void emulatorOptions(CLI::App &app, EmulatorOptions &options) {
  app.add_option("--check", options.checks,
                 "What checks do with what they find, as CHECK or CHECK:MODE, separated by commas.\n"
                 "  wait      a register is used before its value has arrived\n"
                 "  hazards   two instructions are closer than the hardware allows\n"
                 "  races     waves race on LDS, workgroups on global memory; slower\n"
                 "  init      a value that was never written reaches global memory, an address or a branch; slower\n"
                 "  barriers  a wave ends, and others wait at a barrier that it did not reach\n"
                 "  all       every check\n"
                 "`flyc test` checks all by default, other commands wait and hazards. "
                 "MODE is error (the kernel ends; the default), warn (it goes on, and each place is listed), off")
      ->check(CLI::Validator(
          [](std::string &text) {
            fly::emulator::Checks checks;
            return fly::emulator::parseChecks(text, checks);
          },
          ""))
      ->type_name("CHECK[:MODE],...")
      ->allow_extra_args(false);
  app.add_option("--compute-units", options.computeUnits,
                 "Number of compute units of the emulated device (default: " +
                     std::to_string(fly::emulator::defaultComputeUnits) + ")")
      ->check(CLI::Range(1u, fly::emulator::maxComputeUnits))
      ->type_name("N");
}

void calibrateOptions(CLI::App &app, CalibrateCommand &command) {
  app.add_option("--arch", command.arch, "Architecture to write or to model the microbenchmarks for: gfx942, gfx950")
      ->type_name("ARCH");
  app.add_option("-o,--output", command.output,
                 "Folder for the program; with --model the file for the results, with --read the machine file")
      ->type_name("PATH");
  app.add_option("--read", command.read,
                 "Derive the constants from the results of the program, and print them as a table")
      ->check(notEmpty)
      ->type_name("FILE");
  app.add_flag("--model", command.model, "Measure with the time model instead of a GPU");
  app.add_option("--machine", command.machine,
                 "Constants of the time model, which --model measures, and --read compares with (docs/time-model.md)")
      ->check(notEmpty)
      ->type_name("FILE");
}

void timeOptions(CLI::App &app, TimeOptions &options) {
  app.add_option("--machine", options.machine,
                 "Constants of the time model, as `flyc targets --machine ARCH` prints them (docs/time-model.md)")
      ->type_name("FILE");
  app.add_option("--cus", options.computeUnits,
                 "Compute units that the time model simulates: xcd, those of one XCD; all; or a number of one XCD's")
      ->type_name("xcd|all|N")
      ->capture_default_str();
  app.add_option(
         "--rounds", options.rounds,
         "Simulate only N rounds of workgroups, as many as fit on the compute units at once, and extrapolate; two or "
         "more tell how rounds follow each other")
      ->check(CLI::Range(1u, 1u << 20))
      ->type_name("N");
  app.add_flag("--sample", options.sample,
               "Execute only the workgroups that are simulated: faster, and the kernel's results are incomplete");
  app.add_flag("--cold", options.cold,
               "Time a first run: the memory-side cache holds nothing. Otherwise it has what fits");
}

void suiteOptions(CLI::App &app, SuiteOptions &options) {
  app.add_option("file", options.paths, "The .fly files, and folders with .fly files in them or below")->required();
  app.add_option_function<unsigned>(
         "-j,--jobs",
         [&options](unsigned jobs) {
           options.jobs = jobs;
           options.isParallel = true;
         },
         "Number of files and architectures at the same time (default for several: one per core)")
      ->check(CLI::Range(1u, 4096u))
      ->type_name("N");
  app.add_option("--timeout", options.timeout, "Of several files: end one on one architecture after this many seconds")
      ->check(CLI::Range(1u, 1u << 30))
      ->type_name("SECONDS")
      ->capture_default_str();
  auto *list = app.add_flag("--list", options.list, "Name the cases, and run none");
  app.add_option("--junit", options.junit, "Write the results as JUnit XML")
      ->check(notEmpty)
      ->check(CLI::Validator(
          [](std::string &file) { return file == "-" ? "`-` is no file, and standard output has the text" : ""; }, ""))
      ->type_name("FILE")
      ->excludes(list);
  app.add_option("--results", options.results)->group(""); // of a process of a suite
  app.add_option("--threads", options.threads)->group("");
}

void deviceOptions(CLI::App &app, DeviceOptions &options) {
  app.add_option(
         "--device", options.device,
         "What tells how long kernels take: the time model; a gpu, through HIP; or auto, a GPU of the architecture "
         "if there is one, else the model")
      ->check(CLI::IsMember({"model", "gpu", "auto"}))
      ->type_name("model|gpu|auto")
      ->capture_default_str();
  app.add_option("--warm-up", options.warmUp, "Runs of each launch on a GPU before it is measured")
      ->check(CLI::Range(0u, 1u << 20))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "Runs of each launch on a GPU that are measured; their median counts")
      ->check(CLI::Range(1u, 1u << 20))
      ->type_name("N")
      ->capture_default_str();
}

void depFileOptions(CLI::App &app, BuildCommand &command) {
  app.add_flag("--MD", command.depFile,
               "-MD: Also write the list of files read, in Make syntax, to NAME.d next to the artifacts");
  app.add_option("--MF", command.depFilePath, "-MF: Write that list to this file instead")->type_name("FILE");
  app.add_option("--MT", command.depTargets, "-MT: Set a target of the rule, verbatim (default: the artifacts)")
      ->type_name("TARGET")
      ->allow_extra_args(false);
  app.add_option("--MQ", command.quotedDepTargets, "-MQ: The same, quoted for Make")
      ->type_name("TARGET")
      ->allow_extra_args(false);
  app.add_flag("--MP", command.phonyTargets, "-MP: Add an empty rule for each imported file");
}

} // namespace fly::driver
