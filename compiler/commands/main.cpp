// The command line of flyc: all commands and options. What a command does is in the file named after it.
// Elaboration recurses as deep as the program is nested, so the work runs on a thread with a large stack. If CLI11
// rejects the command line, the error is reported as a diagnostic (FLY0936) in the form that --error-format and --color
// select. The command line could not be parsed then, so `messagesOf` searches it for these two options.
#include "compiler/compilation/BackendProcess.h"
#include "compiler/commands/CommandErrors.h"
#include "compiler/commands/Commands.h"
#include "compiler/compilation/ObjectCache.h"
#include "compiler/commands/Licenses.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/commands/Shell.h"
#include "compiler/commands/SweepOptions.h"
#include "compiler/commands/TuneOptions.h"

#include <CLI/CLI.hpp>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <functional>
#include <optional>
#include <tuple>

using namespace fly::driver;

namespace {

constexpr const char *version = "flyc " FLY_VERSION " (LLVM " FLY_LLVM_VERSION ")";

int onLargeStack(const std::function<int()> &work) {
  int status = 0;
  llvm::thread worker(std::optional<unsigned>(512u << 20), [&] { status = work(); });
  worker.join();
  return status;
}

/// -MD and related options, as in C compilers. CLI11 has only short options of one letter, so these are long options:
/// `spellDepFileOptions` replaces each short form by the long one.
constexpr const char *depFileNames[] = {"-MD", "-MF", "-MT", "-MQ", "-MP"};

void spellDepFileOptions(std::vector<std::string> &arguments) {
  for (size_t i = 1; i < arguments.size(); ++i)
    for (llvm::StringRef name : depFileNames) {
      llvm::StringRef rest = arguments[i];
      if (!rest.consume_front(name))
        continue;
      const bool takesValue = name == "-MF" || name == "-MT" || name == "-MQ";
      if (!takesValue && !rest.empty())
        continue;
      std::string value = rest.str();
      arguments[i] = "-" + name.str();
      if (takesValue && !value.empty()) // -MFout.d
        arguments[i] += "=" + value;
      else if (takesValue && i + 1 < arguments.size()) { // a value may look like an option
        arguments[i] += "=" + arguments[i + 1];
        arguments.erase(arguments.begin() + i + 1);
      }
      break;
    }
}

/// The values of --error-format and --color on a command line that CLI11 cannot parse.
Options messagesOf(const std::vector<std::string> &arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i)
    for (auto [name, value, values] : {std::tuple{"--error-format", &options.errorFormat, std::vector{"text", "json"}},
                                       std::tuple{"--color", &options.color, std::vector{"auto", "always", "never"}}}) {
      llvm::StringRef rest = arguments[i];
      if (!rest.consume_front(name))
        continue;
      std::string given = rest.consume_front("=")                    ? rest.str()
                          : rest.empty() && i + 1 < arguments.size() ? arguments[i + 1]
                                                                     : "";
      if (llvm::is_contained(values, given))
        *value = given;
    }
  return options;
}

/// The expression of `flyc eval` may start with a minus sign; after `--`, it is not taken for an option. Option names
/// are letters, so an argument is an option only if it is `-h`, or starts with `--` and a letter.
void protectExpression(std::vector<std::string> &arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef text = arguments[i];
    if (text == "--")
      return;
    if (text == "-h" || text.size() < 2 || text[0] != '-' ||
        (text[1] == '-' && text.size() > 2 && llvm::isAlpha(text[2])))
      continue;
    std::string expression = arguments[i];
    arguments.erase(arguments.begin() + i);
    arguments.insert(arguments.end(), {"--", expression});
    return;
  }
}

/// Reports the error of CLI11 as a diagnostic.
int refuse(const Options &options, const CLI::App &app, const CLI::ParseError &error) {
  const auto commands = app.get_subcommands();
  const CLI::App &command = commands.empty() ? app : *commands.front();
  const std::string name = commands.empty() ? "flyc" : "flyc " + command.get_name();
  const std::string help = "`" + name + " --help` shows what it takes";
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError *>(&error)) {
    std::vector<std::string> extras = command.remaining();
    if (extras.empty())
      extras = app.remaining();
    const std::string first = extras.empty() ? "" : extras.front();
    if (llvm::StringRef(first).starts_with("-")) {
      std::vector<std::string> known;
      for (const CLI::Option *option : command.get_options())
        for (const std::string &word : option->get_lnames())
          known.push_back("--" + word);
      const std::string guess = closestOf(llvm::StringRef(first).split('=').first.str(), known);
      message =
          "`" + name + "` has no option `" + first + "`" + (guess.empty() ? "" : "; did you mean `" + guess + "`?");
    } else {
      message = "`" + first + "` is one argument too many";
    }
  } else if (dynamic_cast<const CLI::RequiredError *>(&error) && commands.empty()) {
    message = "a command is missing";
  } else if (!message.empty()) {
    message[0] = llvm::toLower(message[0]);
    while (!message.empty() && (message.back() == '.' || message.back() == '\n'))
      message.pop_back();
  }
  return badCommandLine(options, message, help);
}

} // namespace

static int runCommand(int argc, char **argv) {
  CLI::App app{
      "flyc compiles GPU kernels written in .fly to AMD machine code ahead of time, and runs them without a GPU.\n\n"
      "  flyc build vec_add.fly --arch gfx942 -o out     write machine code, metadata and a C header\n"
      "  flyc test vec_add.fly                           run the file's @check functions on the emulator\n"
      "  flyc run vec_add.fly --kernel add_f32 ...       run one kernel with arguments from .npy files\n"
      "  flyc fmt vec_add.fly                            format the file\n",
      "flyc"};
  // Declared before --version, which also ends the parse: CLI11 calls flags in this order, so `--version --licenses`
  // prints both in either order.
  app.add_flag_callback(
      "--licenses", [] { throw CLI::CallForVersion(version + ("\n\n" + licenses()), 0); },
      "Print the version, the licence, and the notices of third parties whose code is part of flyc");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);

  Options options;
  BuildCommand buildCommand;
  std::vector<std::string> archs{"gfx942"};

  auto *buildApp = app.add_subcommand("build", "Compile a .fly file to X.<arch>.hsaco, X.json and X.h");
  buildApp->add_option("file", buildCommand.path, "The .fly file; `-` reads standard input")->required();
  buildApp->add_option("--arch", archs, "Architectures, separated by commas (see `flyc targets`)")
      ->delimiter(',')
      ->type_name("ARCH,...")
      ->capture_default_str();
  buildApp
      ->add_option("-o,--output", buildCommand.output,
                   "Output directory; with a single --emit kind also a file (such as NAME.o for `obj`), `-` for "
                   "standard output, or a pipe")
      ->type_name("DIR")
      ->capture_default_str();
  buildApp
      ->add_option("--emit", buildCommand.emit,
                   "Write only these artifacts, separated by commas: ast, fly, rocdl, llvm, isa, hsaco, json, header, "
                   "cxx-header, obj (a host object file); may be repeated")
      ->join(',')
      ->type_name("KIND,...");
  buildApp->add_option("--stop-after", buildCommand.stopAfter, "Write the IR after this pass")->type_name("PASS");
  buildApp
      ->add_option("-j,--jobs", buildCommand.jobs,
                   "Number of threads (default: one per core). A jobserver in MAKEFLAGS may allow fewer")
      ->check(CLI::Range(1u, 4096u))
      ->type_name("N");
  buildApp
      ->add_option("--host", buildCommand.host,
                   "Machine for --emit=obj: x86_64, aarch64, riscv64 (default: this machine)")
      ->type_name("MACHINE");
  depFileOptions(*buildApp, buildCommand);
  buildApp->add_flag("--quiet,-q", buildCommand.quiet, "Print errors only");
  bool fixFirst = false;
  buildApp->add_flag("--fix", fixFirst, "First apply the safe fixes to the file, as `flyc fix` does");
  buildApp->add_flag("--time", buildCommand.time, "Print how long each phase took");
  sourceOptions(*buildApp, options);

  TestCommand testCommand;
  auto *testApp = app.add_subcommand("test", "Run the @check functions of .fly files on the emulator");
  suiteOptions(*testApp, testCommand.suite);
  testApp->add_option("--arch", archs, "Architectures, separated by commas; all: every one")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ARCH,...")
      ->capture_default_str();
  testApp
      ->add_option("--order", testCommand.order,
                   "Order in which waves run: all, ascending, descending, seeded, interleaved")
      ->type_name("ORDER")
      ->capture_default_str();
  testApp->add_option("--seed", testCommand.seed, "Seed for the seeded order")->capture_default_str();
  testApp->add_option("--only", testCommand.only, "Run only this check")->type_name("NAME");
  testApp
      ->add_option("--filter", testCommand.filter,
                   "Run only checks whose line contains all of these words: a name, an architecture, n=255")
      ->type_name("WORDS");
  emulatorOptions(*testApp, testCommand.emulator);
  testApp
      ->add_option("--limit", testCommand.limit,
                   "Stop a launch with a fault after N wave instructions (default: 100 million)")
      ->type_name("N")
      ->check(CLI::Validator(
          [](std::string &text) { return std::string(text == "0" ? "the limit must be at least 1" : ""); }, ""));
  testApp->add_flag("--allow-empty", testCommand.allowEmpty,
                    "Succeed although a check evaluates no expectation, or launches none of the kernels it names");
  testApp->add_flag("--fail-fast,-x", testCommand.failFast, "Stop after the first failure");
  testApp->add_flag("--json", testCommand.json, "Print the results as JSON");
  testApp->add_flag("--quiet,-q", testCommand.quiet, "Print only failures and the count");
  testApp->add_flag("--time", testCommand.time, "Print how long each phase took");
  sourceOptions(*testApp, options);

  BenchCommand benchCommand;
  auto *benchApp = app.add_subcommand(
      "bench",
      "Run the @bench functions of .fly files on the emulator: modelled times, and counts of what they execute");
  suiteOptions(*benchApp, benchCommand.suite);
  benchApp->add_option("--arch", archs, "Architectures, separated by commas; all: every one")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ARCH,...")
      ->capture_default_str();
  benchApp->add_option("--filter", benchCommand.filter, "Run only benches whose line contains all of these words")
      ->type_name("WORDS");
  auto *benchJsonFlag = benchApp->add_flag("--json", benchCommand.json, "Print everything as JSON");
  benchApp
      ->add_flag("--listing", benchCommand.listing,
                 "With --json: list each instruction of each launch and how often it was executed")
      ->needs(benchJsonFlag);
  emulatorOptions(*benchApp, benchCommand.emulator);
  deviceOptions(*benchApp, benchCommand.device);
  benchApp->add_flag("--counts", benchCommand.counts, "Only count what is executed: no time model");
  timeOptions(*benchApp, benchCommand.time);
  benchApp->add_flag("--quiet,-q", benchCommand.quiet, "Print only the figures");
  sourceOptions(*benchApp, options);

  TuneSettings tuneCommand;
  auto *tuneCommandApp = tuneApp(app, tuneCommand, options);
  SweepSettings sweepCommand;
  auto *sweepCommandApp = sweepApp(app, sweepCommand, options);

  RunSettings runCommand;
  auto *runApp = app.add_subcommand("run", "Run one kernel of a .hsaco or .fly file on the emulator");
  runApp
      ->add_option(
          "file", runCommand.path,
          "A code object (.hsaco), a bundle, library, program, archive or folder that holds it, or a .fly file "
          "to compile")
      ->required();
  runApp->add_option("--kernel", runCommand.kernel, "The kernel to run; required if the file has several")
      ->type_name("NAME");
  runApp
      ->add_option("--arch", runCommand.arch,
                   "Architecture to compile a .fly file for (default: gfx942), or of the code object to run, if the "
                   "file holds several")
      ->type_name("ARCH");
  runApp
      ->add_option("--grid", runCommand.grid,
                   "Number of workgroups; missing axes are 1. An axis may be compute_units or 2*compute_units")
      ->delimiter(',')
      ->type_name("X,Y,Z")
      ->allow_extra_args(false);
  runApp->add_option("--block", runCommand.block, "Work-items per workgroup")
      ->delimiter(',')
      ->type_name("X,Y,Z")
      ->allow_extra_args(false);
  runApp->add_option("--cluster", runCommand.cluster, "Workgroups per cluster (gfx1250)")
      ->delimiter(',')
      ->type_name("X,Y,Z")
      ->allow_extra_args(false);
  runApp->add_option("--lds", runCommand.ldsBytes, "Dynamic LDS per workgroup")
      ->check(CLI::Range(int64_t(0), int64_t(UINT32_MAX)))
      ->type_name("BYTES");
  runApp
      ->add_option("--arg", runCommand.arguments,
                   "An argument, in the kernel's order, or by name, position or offset (@16=...):\n"
                   "  FILE.npy[:TYPE]                      a buffer with the contents of the file\n"
                   "  zeros:TYPE[SHAPE] empty: arange:     a buffer\n"
                   "  fill:VALUE:TYPE[SHAPE]\n"
                   "  random:SEED:TYPE[SHAPE] normal:      random numbers\n"
                   "  uniform:SEED:LOW:HIGH:TYPE[SHAPE]\n"
                   "  FILE.npy:zeros:TYPE[SHAPE] ...       a buffer that is written to the file\n"
                   "  TYPE:VALUE                           a value: i32:5, f16:1.5, u64:0xff\n"
                   "  bytes:HEX bytes:@FILE                a structure passed by value\n"
                   "  null lds:BYTES")
      ->type_name("[NAME=]SPEC")
      ->allow_extra_args(false);
  runApp
      ->add_option("--kernarg", runCommand.kernarg,
                   "The bytes of the explicit arguments; each --arg replaces some of them")
      ->check(notEmpty)
      ->type_name("@FILE|HEX");
  runApp->add_option("--out", runCommand.outputs, "Write a buffer to a file after the run")
      ->type_name("NAME=FILE.npy")
      ->allow_extra_args(false);
  runApp->add_option("--print", runCommand.prints, "Print a buffer or part of it: c, c[:16], c[2,8:]")
      ->type_name("NAME[PART]")
      ->allow_extra_args(false);
  runApp
      ->add_option("--order", runCommand.order,
                   "Order in which waves run: ascending, descending, seed:N, interleaved:N")
      ->type_name("ORDER")
      ->capture_default_str();
  runApp->add_option("--threads", runCommand.threads, "Host threads: 0 for one per core; 1 makes every run the same")
      ->type_name("N")
      ->capture_default_str();
  runApp->add_option("--limit", runCommand.limit, "Stop the kernel with a fault after N wave instructions")
      ->type_name("N");
  runApp->add_flag("--races", runCommand.races, "The same as --check=races");
  emulatorOptions(*runApp, runCommand.emulator);
  runApp
      ->add_option("--matrix", runCommand.matrix,
                   "How matrix instructions add: exact, as the machine does where that is known, or fast, in f32")
      ->type_name("HOW")
      ->capture_default_str();
  runApp->add_flag("--profile{text}", runCommand.profile,
                   "Count what is executed, and print it as text, json or annotate (annotated disassembly)");
  runApp
      ->add_option("--profile-out", runCommand.profileOutput, "Write the profile to a file instead of standard output")
      ->type_name("FILE");
  auto *timeFlag = runApp->add_flag("--time-model{text}", runCommand.timeModel,
                                    "Model how long the kernel takes on the machine, and print it as text or json");
  runApp->add_option("--time-out", runCommand.timeOutput, "Write the times to a file instead of standard output")
      ->type_name("FILE")
      ->needs(timeFlag);
  runApp
      ->add_option("--time-page", runCommand.timePage,
                   "Write a page to look at: the waves of a compute unit over time, where the cycles go, the roofline. "
                   "With the extension .svg only a still picture of the waves")
      ->type_name("FILE")
      ->needs(timeFlag);
  timeOptions(*runApp, runCommand.timing);
  for (const char *name : {"--machine", "--cus", "--rounds", "--sample", "--cold"})
    runApp->get_option(name)->needs(timeFlag);
  runApp->add_flag("--quiet,-q", runCommand.quiet, "Print no summary line");
  runApp->add_flag("--time", runCommand.time, "Print how long each phase took");
  sourceOptions(*runApp, options);

  CalibrateCommand calibrateCommand;
  auto *calibrateApp = app.add_subcommand(
      "calibrate",
      "Write microbenchmarks as a HIP program, and read its results back into a machine of the time model");
  calibrateOptions(*calibrateApp, calibrateCommand);
  messageOptions(*calibrateApp, options);

  ReportCommand reportCommand;
  auto *reportApp =
      app.add_subcommand("report", "Describe machine code: registers, occupancy, counts, loops, live registers, waits");
  reportApp
      ->add_option(
          "file", reportCommand.paths,
          "Code objects from any compiler, linked or not, and whatever holds them (bundles, libraries, programs, "
          "archives, folders), assembly (.s), .fly files to compile, or reports (.json)")
      ->required();
  reportApp
      ->add_option("--arch", reportCommand.archs,
                   "Architectures to compile .fly files for (default: gfx942), or of the code objects to report "
                   "(default: all)")
      ->delimiter(',')
      ->type_name("ARCH,...")
      ->allow_extra_args(false);
  reportApp->add_option("--kernel", reportCommand.kernel, "Report only this kernel")
      ->check(notEmpty)
      ->type_name("NAME");
  auto *listingFlag =
      reportApp->add_flag("--listing", reportCommand.listing,
                          "List every instruction with its source line, live registers, and what waits cover");
  auto *diffFlag = reportApp->add_flag("--diff", reportCommand.diff, "Compare two files, given as OLD NEW");
  diffFlag->excludes(listingFlag);
  reportApp
      ->add_option("--pair", reportCommand.pairs,
                   "With --diff: compare kernel OLD of the old file with kernel NEW of the new one; may be repeated")
      ->needs(diffFlag)
      ->check(CLI::Validator(
          [](std::string &pair) {
            auto [before, after] = llvm::StringRef(pair).split('=');
            return before.empty() || after.empty() ? "`" + pair + "` takes two names, OLD=NEW" : std::string();
          },
          ""))
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
  auto *jsonFlag = reportApp->add_flag("--json", reportCommand.json, "Print everything as JSON");
  reportApp
      ->add_flag("--summary", reportCommand.summary, "Print one line per kernel, and totals; fast for large libraries")
      ->excludes(jsonFlag)
      ->excludes(diffFlag)
      ->excludes(listingFlag);
  auto *htmlOption =
      reportApp
          ->add_option("--html", reportCommand.html,
                       "Write one page with linked panes of source, Fly IR, LLVM IR and machine code, live registers, "
                       "loops, waits, copies and LDS banks; `-`: standard output")
          ->check(notEmpty)
          ->type_name("FILE");
  for (const char *other : {"--diff", "--json", "--summary", "--listing"})
    htmlOption->excludes(other);
  reportApp
      ->add_option("--profile", reportCommand.profiles,
                   "With --html: show counts of a launch (`flyc run --profile=json`) or its times (`flyc run "
                   "--time-model=json`); may be repeated")
      ->needs(htmlOption)
      ->check(notEmpty)
      ->type_name("FILE")
      ->allow_extra_args(false);
  sourceOptions(*reportApp, options);

  VerifyCommand verifyCommand;
  auto *verifyApp = app.add_subcommand(
      "verify",
      "Prove that machine code waits for its memory operations and keeps the distances that hardware does not");
  verifyApp
      ->add_option(
          "file", verifyCommand.paths,
          "Code objects from any compiler and whatever holds them (bundles, libraries, programs, archives, folders)")
      ->required();
  verifyApp->add_option("--arch", verifyCommand.archs, "Verify only code objects for these architectures")
      ->delimiter(',')
      ->type_name("ARCH,...")
      ->allow_extra_args(false);
  verifyApp->add_option("--kernel", verifyCommand.kernel, "Verify only this kernel")
      ->check(notEmpty)
      ->type_name("NAME");
  verifyApp->add_flag("--may", verifyCommand.may,
                      "Also show what may be wrong and cannot be decided: barriers, loads to LDS");
  verifyApp->add_flag("--require-proof", verifyCommand.requireProof, "`not proved` counts as a failure, too");
  auto *verifyJsonFlag = verifyApp->add_flag("--json", verifyCommand.json, "Print everything as JSON");
  verifyApp->add_flag("--quiet,-q", verifyCommand.quiet, "Print only kernels that are not proved, and the totals")
      ->excludes(verifyJsonFlag);
  verifyOptions(*verifyApp, options);

  ImportCommand importCommand;
  auto *importApp = app.add_subcommand(
      "import", "Turn assembly, an object or a code object into a .fly file with the same instructions (ISA mode)");
  importApp
      ->add_option("file", importCommand.path, "Assembly (.s), a relocatable object, or whatever holds a code object")
      ->required();
  importApp->add_option("-o,--output", importCommand.output, "The .fly file; standard output if it is not given")
      ->check(notEmpty)
      ->type_name("FILE");
  importApp
      ->add_option("--arch", importCommand.arch, "The architecture of assembly that does not name it, or of a bundle")
      ->check(notEmpty)
      ->type_name("ARCH");
  importApp->add_option("--kernel", importCommand.kernel, "Import only this kernel")
      ->check(notEmpty)
      ->type_name("NAME");
  importApp->add_flag("--quiet,-q", importCommand.quiet, "Do not count instructions");
  messageOptions(*importApp, options);

  StatCommand statCommand;
  auto *statApp = app.add_subcommand("stat", "Check a report against limits and an earlier report");
  statApp->add_option("file", statCommand.path, "A report, printed by `flyc report --json`")->required();
  statApp->add_option("--baseline", statCommand.baseline, "The report to compare with")
      ->check(notEmpty)
      ->type_name("OLD.json");
  statApp
      ->add_option("--fail-on", statCommand.failOn,
                   "Conditions that count as failures, separated by commas: METRIC OP NUMBER\n"
                   "  scratch>0            the value itself; OP is > >= < <= == !=\n"
                   "  vgprs>+0 waves<-1    with a sign: the change from the baseline\n"
                   "  instructions>+2.5%   the same as a percentage of the baseline")
      ->check(notEmpty)
      ->type_name("LIMITS");
  messageOptions(*statApp, options);

  FormatCommand formatCommand;
  auto *formatApp = app.add_subcommand("fmt", "Format .fly files in place");
  formatApp->add_option("file", formatCommand.paths, "The .fly files; `-` formats standard input to standard output")
      ->required();
  formatApp->add_flag("--check", formatCommand.check,
                      "Change nothing; name the files that would change, and fail if there are any");
  formatApp->add_flag("--diff", formatCommand.diff, "Change nothing; print the differences");
  formatApp->add_flag("--quiet,-q", formatCommand.quiet, "Do not name the files that were changed");
  messageOptions(*formatApp, options);

  FixCommand fixCommand;
  auto *fixApp = app.add_subcommand("fix", "Apply the safe fixes that errors in a .fly file suggest");
  fixApp->add_option("file", fixCommand.path, "The .fly file")->required();
  fixApp->add_option("--arch", archs, "Architectures to check")
      ->delimiter(',')
      ->type_name("ARCH,...")
      ->capture_default_str();
  fixApp->add_flag("--dry-run", fixCommand.dryRun, "Change nothing; print the differences");
  fixApp->add_flag("--quiet,-q", fixCommand.quiet, "Print errors only");
  sourceOptions(*fixApp, options);

  DocCommand docCommand;
  auto *docApp = app.add_subcommand("doc", "Describe a .fly module, or the names that need no import, as Markdown");
  auto *docFile = docApp->add_option("file", docCommand.path, "The .fly file");
  docApp->add_flag("--builtins", docCommand.builtins, "Describe the names that need no import")->excludes(docFile);
  docApp->add_option("-o,--output", docCommand.output, "File to write; `-` is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  messageOptions(*docApp, options);

  std::string expression, evalArch = "gfx942";
  auto *evalApp =
      app.add_subcommand("eval", "Evaluate a compile-time expression; with `-`, one per line of standard input");
  evalApp->add_option("expression", expression, "The expression, or `-`")->required();
  evalApp->add_option("--arch", evalArch, "The architecture that `target` stands for")
      ->type_name("ARCH")
      ->capture_default_str();
  messageOptions(*evalApp, options);

  LayoutCommand layoutCommand;
  auto *layoutApp = app.add_subcommand(
      "layout", "Draw a layout or a swizzle, or show which thread holds which element of a tile or copy");
  layoutApp
      ->add_option("expression", layoutCommand.expression,
                   "A layout, swizzle, copy atom or tiled copy, as for `flyc eval`; or a pair: (tile, thread/value "
                   "layout) or (threads, values)")
      ->required();
  auto *svgFlag = layoutApp->add_flag("--svg", layoutCommand.svg, "Write an SVG picture instead of text");
  layoutApp
      ->add_flag("--html", layoutCommand.html, "Write an HTML page that shows details of the cell under the pointer")
      ->excludes(svgFlag);
  layoutApp->add_option("-o,--output", layoutCommand.output, "File to write; `-` is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  layoutApp
      ->add_option("--tv", layoutCommand.tile, "Treat the expression as a thread/value layout on a tile of this shape")
      ->type_name("M,N");
  layoutApp
      ->add_option("--over", layoutCommand.over, "The memory layout of the tile's elements, for a thread/value layout")
      ->type_name("LAYOUT");
  layoutApp->add_option("--tile", layoutCommand.tiler, "Draw lines around the tiles of a tiler")->type_name("M,N");
  layoutApp->add_option("--fill", layoutCommand.fill, "What colours show: auto, none, index, thread, value, tile, bank")
      ->check(CLI::IsMember({"auto", "none", "index", "thread", "value", "tile", "bank"}))
      ->type_name("WHAT")
      ->capture_default_str();
  layoutApp->add_option("--element-bits", layoutCommand.elementBits, "Bits per element; shows LDS banks")
      ->check(CLI::Range(int64_t(1), int64_t(1024)))
      ->type_name("BITS");
  layoutApp->add_option("--banks", layoutCommand.banks, "Number of 4-byte LDS banks (default: the architecture's)")
      ->check(CLI::Range(int64_t(1), int64_t(1024)))
      ->type_name("N");
  layoutApp->add_option("--limit", layoutCommand.limit, "Draw at most this many rows and columns (default: 64,64)")
      ->delimiter(',')
      ->check(CLI::Range(int64_t(1), int64_t(1) << 18))
      ->type_name("ROWS,COLUMNS")
      ->allow_extra_args(false);
  layoutApp
      ->add_option("--arch", layoutCommand.arch,
                   "The architecture whose copy atoms and LDS banks are used, and that `target` stands for")
      ->type_name("ARCH")
      ->capture_default_str();
  messageOptions(*layoutApp, options);

  std::string code;
  auto *explainApp =
      app.add_subcommand("explain", "Explain a diagnostic, with an example that has it and one that does not");
  explainApp->add_option("code", code, "The code or name of the diagnostic: FLY0203, 203, unknown-name")
      ->required()
      ->type_name("CODE");
  messageOptions(*explainApp, options);

  CacheCommand cacheCommand;
  auto *cacheApp = app.add_subcommand("cache", "Show where objects of earlier runs are kept, and how many there are");
  cacheApp->add_flag("--clear", cacheCommand.clear, "Remove all of them");
  messageOptions(*cacheApp, options);

  std::string backendJob, backendResult;
  auto *backendApp = app.add_subcommand("backend", "")->group(""); // flyc starts it itself: BackendProcess.h
  backendApp->add_option("job", backendJob)->required();
  backendApp->add_option("result", backendResult)->required();

  auto *targetsApp = app.add_subcommand("targets", "List the architectures, or the matrix instructions of one");
  TargetsCommand targetsCommand;
  targetsApp->add_option("arch", targetsCommand.arch, "An architecture")->type_name("ARCH");
  targetsApp->add_flag("--json", targetsCommand.json, "Print all of it as JSON");
  targetsApp->add_flag("--machine", targetsCommand.machine,
                       "Print the constants of the architecture's time model, as `flyc run --machine FILE` reads them");
  targetsApp->add_flag("--instructions{*}", targetsCommand.instructions,
                       "List all instructions of the architecture with operands, modifiers and meaning; "
                       "`--instructions=v_cvt_*` those with such names, `--instructions=json` all as JSON");
  messageOptions(*targetsApp, options);

  std::string shell;
  auto *completionApp = app.add_subcommand("completion", "Print a script that completes flyc's command lines");
  completionApp->add_option("shell", shell, "The shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  auto *manApp = app.add_subcommand("man", "Print the manual page, for `man -l -`");
  std::string helpOf;
  auto *helpApp = app.add_subcommand("help", "Show what a command takes");
  helpApp->add_option("command", helpOf, "The command")->type_name("COMMAND");

  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "help") { // flyc help build: flyc build --help
    arguments.erase(arguments.begin());
    if (arguments.empty() || arguments.front()[0] != '-')
      arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), "--help");
  }
  if (!arguments.empty() && arguments[0][0] != '-') {
    std::vector<std::string> commands;
    for (auto *command : app.get_subcommands({}))
      commands.push_back(command->get_name());
    if (!llvm::is_contained(commands, arguments[0])) {
      const std::string guess = closestOf(arguments[0], commands);
      return badCommandLine(messagesOf(arguments),
                            "`" + arguments[0] + "` is not a command" +
                                (guess.empty() ? "" : "; did you mean `" + guess + "`?"),
                            "`flyc --help` lists the commands");
    }
    if (arguments[0] == "eval")
      protectExpression(arguments);
    if (arguments[0] == "build")
      spellDepFileOptions(arguments);
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // CLI11 takes them from the end
  } catch (const CLI::CallForVersion &asked) {                                 // --version and --licenses
    llvm::outs() << asked.what() << '\n';
    return 0;
  } catch (const CLI::Success &done) {
    return app.exit(done); // --help
  } catch (const CLI::ParseError &error) {
    return refuse(messagesOf(arguments), app, error);
  }

  const bool usesCache =
      *buildApp || *testApp || *benchApp || *tuneCommandApp || *sweepCommandApp || *runApp || *reportApp || *cacheApp;
  if (usesCache && options.cache)
    if (const std::string problem = cacheSizeProblem(); !problem.empty())
      return badCommandLine(options, problem, "bytes, or a number with k, m or g behind it: `500m`, `2g`");

  if (*completionApp || *manApp) {
    llvm::outs() << (*manApp ? manPage(app, version) : completionFor(app, shell));
    return 0;
  }
  if (*targetsApp)
    return targets(options, targetsCommand);
  if (*explainApp)
    return explain(options, code);
  if (*cacheApp)
    return cache(options, cacheCommand);
  return onLargeStack([&] {
    if (*evalApp)
      return eval(options, expression, evalArch);
    if (*backendApp)
      return runBackendJob(backendJob, backendResult);
    if (*calibrateApp)
      return calibrate(options, calibrateCommand);
    if (*layoutApp)
      return layout(options, layoutCommand);
    if (*formatApp)
      return format(options, formatCommand);
    if (*reportApp)
      return report(options, reportCommand);
    if (*verifyApp)
      return verify(options, verifyCommand);
    if (*importApp)
      return importCode(options, importCommand);
    if (*statApp)
      return stat(options, statCommand);
    if (*docApp)
      return doc(options, docCommand);
    if (*fixApp || fixFirst) {
      fixCommand.archs = archs;
      if (fixFirst) {
        fixCommand.path = buildCommand.path;
        fixCommand.quiet = buildCommand.quiet;
      }
      int status = fix(options, fixCommand);
      if (*fixApp || status != 0)
        return status;
    }
    if (*testApp) {
      testCommand.archs = archs;
      return test(options, testCommand);
    }
    if (*benchApp) {
      benchCommand.archs = archs;
      return bench(options, benchCommand);
    }
    if (*tuneCommandApp)
      return tune(options, tuneCommand);
    if (*sweepCommandApp)
      return sweep(options, sweepCommand);
    if (*runApp)
      return run(options, runCommand);
    buildCommand.archs = archs;
    return build(options, buildCommand);
  });
}

int main(int argc, char **argv) {
  const int status = runCommand(argc, argv);
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return status;
  const std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error(); // else LLVM ends the program with a text of its own
  return cannotWriteOutput(messagesOf({argv + 1, argv + argc}), reason);
}
