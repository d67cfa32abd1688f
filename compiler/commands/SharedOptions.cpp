// See SharedOptions.h.
#include "compiler/commands/SharedOptions.h"

#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/compilation/VerifyOptions.h"
#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/target/DefaultTarget.h"
#include "compiler/transforms/PlantedFault.h"
#include "runtime/emulator/device/Checks.h"
#include "runtime/emulator/device/DeviceNumbers.h"

namespace fly::driver {

namespace {

/// For texts to which nothing else gives a limit.
constexpr int64_t mostSeconds = 1 << 30, mostJobs = 4096, mostRuns = 1 << 20;

/// Marks the rows that were declared since `first` as described in the table of one command.
void describeIn(OptionTable &table, size_t first, const std::string &command) {
  for (; first < table.rows.size(); ++first)
    if (table.rows[first].describedAt.empty())
      table.rows[first].describedIn(command);
}

std::string warningProblem(const std::string &name) {
  if (auto rules = rulesTurnedOff(name))
    return rules->problem;
  SourceManager sources;
  return DiagnosticEngine(sources).setWarnings(name).value_or("");
}

} // namespace

void messageOptions(OptionTable &table, Options &options) {
  const size_t first = table.rows.size();
  table
      .add("--error-format", options.errorFormat,
           "How errors are printed: as text; as json, one object per line; as sarif, a log of SARIF 2.1.0")
      .choices({"text", "json", "sarif"})
      .type("FORMAT")
      .showDefault()
      .own()
      .more(
          "the keys are code, message, place, labels, notes, fixes and calls; "
          "[diagnostic.schema.json](schema/diagnostic.schema.json) lists them; [conventions.md](conventions.md) has more "
          "of sarif");
  table.add("--color", options.color, "Colour messages: auto (on a terminal, unless NO_COLOR is set), always, never")
      .choices({"auto", "always", "never"})
      .type("WHEN")
      .showDefault()
      .own();
  describeIn(table, first, "messages");
}

void sourceOptions(OptionTable &table, Options &options) {
  const size_t first = table.rows.size();
  messageOptions(table, options);
  table.add("-D", options.defines, "Set a Constexpr parameter or a constant of the file; may be repeated")
      .type("NAME=VALUE")
      .more("VALUE is a .fly expression: `-D VEC=8 -D T=f16`");
  table.add("-I", options.includeDirs, "Also look for imported modules in DIR; may be repeated")
      .type("DIR")
      .more("the file's own folder comes first");
  table
      .add("--llvm", options.llvm,
           "Compile all kernels with this LLVM option or function attribute, such as enable-post-misched=false; "
           "may be repeated")
      .type("NAME=VALUE")
      .more("it overrides [the kernels' own](language.md#llvm-options)");
  table.add("--llvm-timeout", options.llvmTimeout, "End a kernel with LLVM options after this many seconds")
      .range(1, mostSeconds)
      .type("SECONDS")
      .showDefault();
  table
      .add("--without", options.without,
           "Leave out this pass of the code generator, to see what it is for; the code may be wrong. May be repeated")
      .check([](const std::string &pass) {
        return llvm::is_contained(codegen::passNames(), pass) ? "" : "the code generator has no pass `" + pass + "`";
      })
      .type("PASS")
      .more("[architecture.md](architecture.md#the-stages) lists the passes");
  table
      .add("--plant-fault", options.plantFault,
           "Change a number that the kernel stores after this pass, to see that a test finds it")
      .check([](const std::string &pass) {
        return ir::mayHaveFault(pass) ? "" : "no fault can be planted after `" + pass + "`";
      })
      .type("PASS")
      .more("one of the passes from the Fly dialect to the LLVM dialect, or `fly-finish-kernel`");
  table.add("--link", options.bitcode, "Take extern functions from an LLVM bitcode file; may be repeated")
      .type("FILE.bc");
  table
      .add("-W", options.warnings,
           "Control warnings: perf (what could be faster), copy-atom (what copy(\"auto\") chose), NAME, no-NAME, "
           "error, error=NAME. no-verify=RULE: do not hold the machine code against RULE (see `flyc verify`)")
      .check(warningProblem)
      .type("NAME")
      .more("the metadata then lists [the rule](verify.md)");
  table.add("--no-cache", options.cache, "Recompile everything instead of using objects of earlier runs")
      .more("see [below](#objects-of-earlier-runs)");
  table.add("--file-prefix-map", options.prefixMap, "Replace OLD with NEW at the start of file names in line tables")
      .check([](const std::string &map) {
        return map.find('=') == std::string::npos ? "`" + map + "` has no `=`: it takes OLD=NEW" : "";
      })
      .type("OLD=NEW")
      .more("without it they are relative to the file's folder");
  describeIn(table, first, "build");
}

void verifyOptions(OptionTable &table, Options &options) {
  messageOptions(table, options);
  table.add("-W", options.warnings, "no-verify=RULE: leave out a rule; may be repeated. no-verify: all rules")
      .check([](const std::string &name) {
        auto rules = rulesTurnedOff(name);
        return rules ? rules->problem : "`" + name + "` is not `no-verify=RULE`";
      })
      .type("NAME");
}

void emulatorOptions(OptionTable &table, EmulatorOptions &options) {
  const size_t first = table.rows.size();
  table
      .add("--check", options.checks,
           "What each check does when it finds something, as CHECK or CHECK:MODE, separated by commas.\n"
           "  wait      a register is used before its value has arrived\n"
           "  hazards   two instructions are closer than the hardware allows\n"
           "  races     waves race on LDS, workgroups on global memory; slower\n"
           "  init      a value that was never written reaches global memory, an address or a branch; slower\n"
           "  barriers  a wave ends, and others wait at a barrier that it did not reach\n"
           "  all       every check\n"
           "`flyc test` checks all by default, other commands wait and hazards, which warn in a code object that flyc "
           "has not just compiled. "
           "MODE is error (the kernel ends; the default), warn (the kernel continues, and each place is listed), off")
      .check([](const std::string &text) {
        emulator::Checks checks;
        return emulator::parseChecks(text, checks);
      })
      .type("CHECK[:MODE],...")
      .more("[emulator.md](emulator.md#what-it-checks) has the details");
  table
      .add("--compute-units", options.computeUnits,
           "Number of compute units of the emulated device (default: " + std::to_string(emulator::defaultComputeUnits) +
               ")")
      .range(1, emulator::maxComputeUnits)
      .type("N")
      .more("it is the value of `device.compute_units`; where time is modelled, the default is that of the machine");
  describeIn(table, first, "test");
}

void timeOptions(OptionTable &table, TimeOptions &options) {
  const size_t first = table.rows.size();
  table
      .add("--machine", options.machine,
           "Constants of the time model, as `flyc targets --machine ARCH` prints them (docs/time-model.md)")
      .type("FILE");
  table
      .add(
          "--cus", options.computeUnits,
          "Compute units that the time model simulates: xcd, those of one XCD; all; a number of one XCD's; or auto, all if "
          "the workgroups of one XCD have more or less to do than the others, else xcd")
      .type("auto|xcd|all|N")
      .showDefault();
  table
      .add("--rounds", options.rounds,
           "Simulate only N rounds of workgroups, as many as fit on the compute units at once, and extrapolate; two or "
           "more tell how rounds follow each other")
      .range(1, mostRuns)
      .type("N");
  table.add("--sample", options.sample,
            "Execute only the workgroups that are simulated: faster, and the kernel's results are incomplete. What is "
            "never written is 0 then, so that a later kernel's indices are in range");
  table.add("--cold", options.cold,
            "Time a first run: the memory-side cache holds nothing. Otherwise it has what fits");
  describeIn(table, first, "bench");
}

void suiteOptions(OptionTable &table, SuiteOptions &options) {
  const size_t first = table.rows.size();
  table.add("file", options.paths, "The .fly files, and folders with .fly files in them or below").required();
  table
      .add("-j,--jobs", options.jobs,
           "Number of files and architectures at the same time (default for several: one per core)")
      .range(1, mostJobs)
      .type("N")
      .own();
  table.add("--timeout", options.timeout, "Of several files: end one on one architecture after this many seconds")
      .range(1, mostSeconds)
      .type("SECONDS")
      .showDefault()
      .own();
  table.add("--list", options.list, "Name the cases, and run none");
  table.add("--junit", options.junit, "Write the results as JUnit XML")
      .notEmpty()
      .check([](const std::string &file) {
        return file == "-" ? std::string("`-` is not a file; standard output already carries the text") : "";
      })
      .type("FILE")
      .excludes("--list")
      .own();
  table.add("--results", options.results, "Where a process of a suite writes the results of its cases").hidden();
  table.add("--threads", options.threads, "Of the emulator, in a process of a suite").hidden();
  describeIn(table, first, "test");
}

void deviceOptions(OptionTable &table, DeviceOptions &options) {
  const size_t first = table.rows.size();
  table
      .add("--device", options.device,
           "What tells how long kernels take: the time model; a gpu, through HIP; or auto, a GPU of the architecture "
           "if there is one, else the model")
      .choices({"model", "gpu", "auto"})
      .type("model|gpu|auto")
      .showDefault();
  table.add("--warm-up", options.warmUp, "Runs of each launch on a GPU before it is measured")
      .range(0, mostRuns)
      .type("N")
      .showDefault();
  table.add("--repeat", options.repeat, "Runs of each launch on a GPU that are measured; their median counts")
      .range(1, mostRuns)
      .type("N")
      .showDefault();
  describeIn(table, first, "bench");
}

void searchOptions(OptionTable &table, SearchSettings &settings, const std::string &what, const std::string &command) {
  table.add("-j,--jobs", settings.jobs, "Number of " + what + "s at the same time (default: one per core)")
      .range(1, mostJobs)
      .type("N")
      .more("the result is the same for any N");
  table.add("--timeout", settings.timeout, "End a " + what + " after this many seconds")
      .range(1, mostSeconds)
      .type("SECONDS")
      .showDefault()
      .own();
  table.add("--limit", settings.limit, "Stop a launch with a fault after N wave instructions").type("N");
  table
      .add("--journal", settings.journal,
           "File with the results so far, for a " + command + " that is interrupted (default: X." + command +
               ".journal)")
      .notEmpty()
      .type("FILE")
      .own();
  table
      .add("--print-jobs", settings.printJobs,
           "Run nothing; print a command line per job, for GNU parallel or a Slurm array")
      .own();
  table.add("--join", settings.join, "Run nothing; take the results of printed jobs from these files")
      .takesMoreWords()
      .type("FILE...")
      .excludes("--print-jobs")
      .own();
  table.add("--job", settings.job, "Run this job alone, and print its result as a line of JSON")
      .range(0, int64_t(1) << 31)
      .type("N")
      .excludes("--print-jobs")
      .excludes("--join");
  table.add("--rows", settings.rows, "With --job: write the line to this file")
      .notEmpty()
      .type("FILE")
      .needs("--job")
      .own();
  table.add("--json", settings.json, "Print everything as JSON").own();
}

OptionRow &archOption(OptionTable &table, std::string &arch, std::string help) {
  arch = target::defaultName;
  return table.add("--arch", arch, std::move(help)).type("ARCH").showDefault().spelled();
}

OptionRow &archOption(OptionTable &table, std::vector<std::string> &archs, std::string help) {
  archs = {std::string(target::defaultName)};
  return table.add("--arch", archs, std::move(help)).separatedBy(',').type("ARCH,...").showDefault().spelled();
}

OptionRow &archFilter(OptionTable &table, std::vector<std::string> &archs, std::string help) {
  return table.add("--arch", archs, std::move(help)).separatedBy(',').type("ARCH,...");
}

} // namespace fly::driver
