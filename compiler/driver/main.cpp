// The command line of flyc. Everything users can say stands here; what it does is in the file named after the
// command. Elaboration recurses with the depth of the program, so the work runs on a thread with a large stack.
// What CLI11 refuses is reported as a diagnostic (FLY0936), in the form that --error-format and --color ask for; as
// the command line was not understood as a whole, these two are looked for by hand then.
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/Commands.h"
#include "compiler/diagnostics/Diagnostics.h"

#include <CLI/CLI.hpp>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
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

void messageOptions(CLI::App &app, Options &options) {
  app.add_option("--error-format", options.errorFormat, "How errors are printed: text, or json, an object a line")->check(CLI::IsMember({"text", "json"}))->type_name("FORMAT")->capture_default_str();
  app.add_option("--color", options.color, "Colours in messages: auto (on a terminal, unless NO_COLOR is set), always, never")->check(CLI::IsMember({"auto", "always", "never"}))->type_name("WHEN")->capture_default_str();
}

void sourceOptions(CLI::App &app, Options &options) {
  messageOptions(app, options);
  app.add_option("-D", options.defines, "Give a Constexpr parameter or a constant of the file a value")->type_name("NAME=VALUE")->allow_extra_args(false);
  app.add_option("-I", options.includeDirs, "Look for imported modules in DIR too")->type_name("DIR")->allow_extra_args(false);
  app.add_option("--link", options.bitcode, "Take extern functions from a file of LLVM bitcode")->type_name("FILE.bc")->allow_extra_args(false);
  app.add_option("-W", options.warnings, "Warnings: perf (what could be faster), copy-atom (what copy(\"auto\") took), NAME, no-NAME, error, error=NAME")->check(CLI::Validator([](std::string &name) {
    fly::SourceManager sources;
    return fly::DiagnosticEngine(sources).setWarnings(name).value_or("");
  }, ""))->type_name("NAME")->allow_extra_args(false);
  app.add_flag("!--no-cache", options.cache, "Make everything anew: no objects of earlier runs");
  app.add_option("--file-prefix-map", options.prefixMap, "Write NEW for OLD at the start of file names in line tables")->check(CLI::Validator([](std::string &map) {
    return map.find('=') == std::string::npos ? "`" + map + "` has no `=`: it takes OLD=NEW" : "";
  }, ""))->type_name("OLD=NEW");
}

/// An empty value is as a rule that of a variable that a script did not set: no wish for the option to have no effect.
const CLI::Validator notEmpty([](std::string &value) { return value.empty() ? std::string("its value is empty") : std::string(); }, "");

/// -MD and its kin, as C compilers have them. CLI11 knows short options of one letter only, so each is a long one that
/// `spellDepFileOptions` puts in its place.
constexpr const char *depFileNames[] = {"-MD", "-MF", "-MT", "-MQ", "-MP"};

void depFileOptions(CLI::App &app, BuildCommand &command) {
  app.add_flag("--MD", command.depFile, "-MD: Write which files were read too, in the syntax of Make: NAME.d beside the artifacts");
  app.add_option("--MF", command.depFilePath, "-MF: Into this file")->type_name("FILE");
  app.add_option("--MT", command.depTargets, "-MT: A target of the rule, as it stands; without one the artifacts")->type_name("TARGET")->allow_extra_args(false);
  app.add_option("--MQ", command.quotedDepTargets, "-MQ: The same, quoted for Make")->type_name("TARGET")->allow_extra_args(false);
  app.add_flag("--MP", command.phonyTargets, "-MP: An empty rule for each imported file");
}

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

/// --error-format and --color of a command line that CLI11 does not understand.
Options messagesOf(const std::vector<std::string> &arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i)
    for (auto [name, value, values] : {std::tuple{"--error-format", &options.errorFormat, std::vector{"text", "json"}},
                                       std::tuple{"--color", &options.color, std::vector{"auto", "always", "never"}}}) {
      llvm::StringRef rest = arguments[i];
      if (!rest.consume_front(name))
        continue;
      std::string given = rest.consume_front("=") ? rest.str() : rest.empty() && i + 1 < arguments.size() ? arguments[i + 1] : "";
      if (llvm::is_contained(values, given))
        *value = given;
    }
  return options;
}

/// The expression of `flyc eval` may start with a minus sign: behind a `--`, it is no option. Options have names of
/// letters, so only what begins like one of eval's own, or with `--` and a letter, is taken for an option.
void protectExpression(std::vector<std::string> &arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef text = arguments[i];
    if (text == "--")
      return;
    if (text == "-h" || text.size() < 2 || text[0] != '-' || (text[1] == '-' && text.size() > 2 && llvm::isAlpha(text[2])))
      continue;
    std::string expression = arguments[i];
    arguments.erase(arguments.begin() + i);
    arguments.insert(arguments.end(), {"--", expression});
    return;
  }
}

/// What CLI11 says, in our words.
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
      message = "`" + name + "` has no option `" + first + "`" + (guess.empty() ? "" : "; did you mean `" + guess + "`?");
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

int main(int argc, char **argv) {
  CLI::App app{"flyc compiles GPU kernels written in .fly to AMD machine code, ahead of time, and runs them without a GPU.\n\n"
               "  flyc build vec_add.fly --arch gfx942 -o out     machine code, metadata and a C header\n"
               "  flyc test vec_add.fly                           the file's @check functions, on the emulator\n"
               "  flyc run vec_add.fly --kernel add_f32 ...       one kernel with arguments from .npy files\n"
               "  flyc fmt vec_add.fly                            the file in the usual form\n"};
  app.set_version_flag("--version", version);
  app.require_subcommand(1);

  Options options;
  BuildCommand buildCommand;
  std::vector<std::string> archs{"gfx942"};

  auto *buildApp = app.add_subcommand("build", "Compile a .fly file: X.<arch>.hsaco, X.json and X.h");
  buildApp->add_option("file", buildCommand.path, "The .fly file; `-` reads standard input")->required();
  buildApp->add_option("--arch", archs, "Architectures, separated by commas (see `flyc targets`)")->delimiter(',')->type_name("ARCH,...")->capture_default_str();
  buildApp->add_option("-o,--output", buildCommand.output, "Folder of the artifacts; with --emit of one kind also a file, NAME.o for `obj`, `-`, standard output, or a pipe")->type_name("DIR")->capture_default_str();
  buildApp->add_option("--emit", buildCommand.emit, "Write these artifacts only: ast, fly, rocdl, llvm, isa, hsaco, json, header, cxx-header, obj (an object of the host); or several, separated by commas; may repeat")->join(',')->type_name("KIND,...");
  buildApp->add_option("--stop-after", buildCommand.stopAfter, "Write the module as it is after this pass")->type_name("PASS");
  buildApp->add_option("-j,--jobs", buildCommand.jobs, "Threads; without it one a core. A jobserver in MAKEFLAGS may give fewer")->check(CLI::Range(1u, 4096u))->type_name("N");
  buildApp->add_option("--host", buildCommand.host, "The machine of --emit=obj: x86_64, aarch64, riscv64; without it this one")->type_name("MACHINE");
  depFileOptions(*buildApp, buildCommand);
  buildApp->add_flag("--quiet,-q", buildCommand.quiet, "Print nothing but errors");
  bool fixFirst = false;
  buildApp->add_flag("--fix", fixFirst, "Apply the safe fixes that errors suggest to the file first, as `flyc fix` does");
  buildApp->add_flag("--time", buildCommand.time, "Print where the time went");
  sourceOptions(*buildApp, options);

  TestCommand testCommand;
  auto *testApp = app.add_subcommand("test", "Run the @check functions of a .fly file on the emulator");
  testApp->add_option("file", testCommand.path, "The .fly file")->required();
  testApp->add_option("--arch", archs, "Architectures, separated by commas")->delimiter(',')->type_name("ARCH,...")->capture_default_str();
  testApp->add_option("--order", testCommand.order, "In which order waves run: all, ascending, descending, seeded")->type_name("ORDER")->capture_default_str();
  testApp->add_option("--seed", testCommand.seed, "Seed of the seeded order")->capture_default_str();
  testApp->add_option("--only", testCommand.only, "Run this check only")->type_name("NAME");
  testApp->add_option("--filter", testCommand.filter, "Run the checks whose line has all of these words: a name, an architecture, n=255")->type_name("WORDS");
  testApp->add_flag("--fail-fast,-x", testCommand.failFast, "Stop at the first failure");
  testApp->add_flag("--quiet,-q", testCommand.quiet, "Print failures and the count only");
  testApp->add_flag("--time", testCommand.time, "Print where the time went");
  sourceOptions(*testApp, options);

  BenchCommand benchCommand;
  auto *benchApp = app.add_subcommand("bench", "Count what the @bench functions of a .fly file execute, on the emulator");
  benchApp->add_option("file", benchCommand.path, "The .fly file")->required();
  benchApp->add_option("--arch", archs, "Architectures, separated by commas")->delimiter(',')->type_name("ARCH,...")->capture_default_str();
  benchApp->add_option("--filter", benchCommand.filter, "Run the benches whose line has all of these words")->type_name("WORDS");
  auto *benchJsonFlag = benchApp->add_flag("--json", benchCommand.json, "Print everything as JSON");
  benchApp->add_flag("--listing", benchCommand.listing, "With --json: each instruction of each launch, and how often it was executed")->needs(benchJsonFlag);
  benchApp->add_flag("--quiet,-q", benchCommand.quiet, "Print the figures only");
  sourceOptions(*benchApp, options);

  RunCommand runCommand;
  auto *runApp = app.add_subcommand("run", "Run one kernel of a .hsaco or .fly file on the emulator");
  runApp->add_option("file", runCommand.path, "A code object (.hsaco), or a .fly file to compile")->required();
  runApp->add_option("--kernel", runCommand.kernel, "The kernel; needed if there are several")->type_name("NAME");
  runApp->add_option("--arch", runCommand.arch, "Architecture to compile a .fly file for (gfx942); a code object knows its own")->type_name("ARCH");
  runApp->add_option("--grid", runCommand.grid, "Workgroups; missing axes are 1")->delimiter(',')->type_name("X,Y,Z")->allow_extra_args(false);
  runApp->add_option("--block", runCommand.block, "Work-items of a workgroup")->delimiter(',')->type_name("X,Y,Z")->allow_extra_args(false);
  runApp->add_option("--cluster", runCommand.cluster, "Workgroups of a cluster (gfx1250)")->delimiter(',')->type_name("X,Y,Z")->allow_extra_args(false);
  runApp->add_option("--lds", runCommand.ldsBytes, "Dynamic LDS of a workgroup")->check(CLI::Range(int64_t(0), int64_t(UINT32_MAX)))->type_name("BYTES");
  runApp->add_option("--arg", runCommand.arguments,
                     "An argument, in the kernel's order or by name or position:\n"
                     "  FILE.npy[:TYPE]                      a buffer with the file's content\n"
                     "  zeros:TYPE[SHAPE] empty: arange:     a buffer\n"
                     "  fill:VALUE:TYPE[SHAPE]\n"
                     "  random:SEED:TYPE[SHAPE] normal:      random numbers\n"
                     "  uniform:SEED:LOW:HIGH:TYPE[SHAPE]\n"
                     "  FILE.npy:zeros:TYPE[SHAPE] ...       a buffer that is written to the file\n"
                     "  TYPE:VALUE                           a value: i32:5, f16:1.5, u64:0xff\n"
                     "  bytes:HEX bytes:@FILE                a structure by value\n"
                     "  null lds:BYTES")->type_name("[NAME=]SPEC")->allow_extra_args(false);
  runApp->add_option("--out", runCommand.outputs, "Write a buffer to a file after the run")->type_name("NAME=FILE.npy")->allow_extra_args(false);
  runApp->add_option("--print", runCommand.prints, "Print a buffer or a part of it: c, c[:16], c[2,8:]")->type_name("NAME[PART]")->allow_extra_args(false);
  runApp->add_option("--order", runCommand.order, "In which order waves run: ascending, descending, seed:N")->type_name("ORDER")->capture_default_str();
  runApp->add_option("--threads", runCommand.threads, "Host threads; 1 makes every run the same; 0: one a core")->type_name("N")->capture_default_str();
  runApp->add_option("--limit", runCommand.limit, "Stop a kernel that executes more wave instructions")->type_name("N");
  runApp->add_flag("--races", runCommand.races, "A race of waves on LDS is a fault");
  runApp->add_flag("--profile{text}", runCommand.profile, "Count what is executed: text, json, annotate");
  runApp->add_option("--profile-out", runCommand.profileOutput, "Write the profile to a file")->type_name("FILE");
  runApp->add_flag("--quiet,-q", runCommand.quiet, "Print what was asked for only");
  runApp->add_flag("--time", runCommand.time, "Print where the time went");
  sourceOptions(*runApp, options);

  ReportCommand reportCommand;
  auto *reportApp = app.add_subcommand("report", "Describe machine code: registers, occupancy, counts, loops, live registers, waits");
  reportApp->add_option("file", reportCommand.paths, "Code objects of any compiler, .fly files to compile, or reports (.json)")->required();
  reportApp->add_option("--arch", reportCommand.archs, "Architectures to compile .fly files for (gfx942); a code object knows its own")->delimiter(',')->type_name("ARCH,...")->allow_extra_args(false);
  reportApp->add_option("--kernel", reportCommand.kernel, "This kernel only")->check(notEmpty)->type_name("NAME");
  auto *listingFlag = reportApp->add_flag("--listing", reportCommand.listing, "Every instruction with its source line, live registers, and what waits cover");
  reportApp->add_flag("--diff", reportCommand.diff, "Compare two files: OLD NEW")->excludes(listingFlag);
  reportApp->add_flag("--json", reportCommand.json, "Print everything as JSON");
  sourceOptions(*reportApp, options);

  StatCommand statCommand;
  auto *statApp = app.add_subcommand("stat", "Hold a report against limits and an earlier report");
  statApp->add_option("file", statCommand.path, "A report: what `flyc report --json` printed")->required();
  statApp->add_option("--baseline", statCommand.baseline, "The report to compare with")->check(notEmpty)->type_name("OLD.json");
  statApp->add_option("--fail-on", statCommand.failOn,
                      "Conditions that fail, separated by commas: METRIC OP NUMBER\n"
                      "  scratch>0            the value itself; OP is > >= < <= == !=\n"
                      "  vgprs>+0 waves<-1    with a sign: how much it grew over the baseline\n"
                      "  instructions>+2.5%   the same as a percentage of the baseline")->check(notEmpty)->type_name("LIMITS");
  messageOptions(*statApp, options);

  FormatCommand formatCommand;
  auto *formatApp = app.add_subcommand("fmt", "Format .fly files, in place");
  formatApp->add_option("file", formatCommand.paths, "The .fly files; `-` formats standard input to standard output")->required();
  formatApp->add_flag("--check", formatCommand.check, "Change nothing; name the files that are not formatted, and fail if there are any");
  formatApp->add_flag("--diff", formatCommand.diff, "Change nothing; print what would change");
  formatApp->add_flag("--quiet,-q", formatCommand.quiet, "Do not name the files that change");
  messageOptions(*formatApp, options);

  FixCommand fixCommand;
  auto *fixApp = app.add_subcommand("fix", "Apply the safe fixes that a .fly file's errors suggest");
  fixApp->add_option("file", fixCommand.path, "The .fly file")->required();
  fixApp->add_option("--arch", archs, "Architectures to look for errors on")->delimiter(',')->type_name("ARCH,...")->capture_default_str();
  fixApp->add_flag("--dry-run", fixCommand.dryRun, "Change nothing; print what would change");
  fixApp->add_flag("--quiet,-q", fixCommand.quiet, "Print nothing but errors");
  sourceOptions(*fixApp, options);

  DocCommand docCommand;
  auto *docApp = app.add_subcommand("doc", "Describe a .fly file, or the names that need no import, as Markdown");
  auto *docFile = docApp->add_option("file", docCommand.path, "The .fly file");
  docApp->add_flag("--builtins", docCommand.builtins, "Describe the names that need no import")->excludes(docFile);
  docApp->add_option("-o,--output", docCommand.output, "The file to write; `-`: standard output")->type_name("FILE")->capture_default_str();
  messageOptions(*docApp, options);

  std::string expression, evalArch = "gfx942";
  auto *evalApp = app.add_subcommand("eval", "Evaluate a compile-time expression, or with `-` one on each line of standard input");
  evalApp->add_option("expression", expression, "The expression")->required();
  evalApp->add_option("--arch", evalArch, "What `target` stands for")->type_name("ARCH")->capture_default_str();
  messageOptions(*evalApp, options);

  LayoutCommand layoutCommand;
  auto *layoutApp = app.add_subcommand("layout", "Draw a layout, a swizzle, or who holds what of a tile or a copy");
  layoutApp->add_option("expression", layoutCommand.expression, "A layout, swizzle, copy atom or tiled copy, as for `flyc eval`; or a pair: (tile, thread/value layout), (threads, values)")->required();
  auto *svgFlag = layoutApp->add_flag("--svg", layoutCommand.svg, "An SVG picture instead of text");
  layoutApp->add_flag("--html", layoutCommand.html, "A page that shows the facts of the cell under the pointer")->excludes(svgFlag);
  layoutApp->add_option("-o,--output", layoutCommand.output, "The file to write; `-`: standard output")->type_name("FILE")->capture_default_str();
  layoutApp->add_option("--tv", layoutCommand.tile, "The expression is a thread/value layout on a tile of this shape")->type_name("M,N");
  layoutApp->add_option("--over", layoutCommand.over, "The layout of the memory under a thread/value layout")->type_name("LAYOUT");
  layoutApp->add_option("--tile", layoutCommand.tiler, "Draw lines around the tiles of a tiler")->type_name("M,N");
  layoutApp->add_option("--fill", layoutCommand.fill, "What colours say: auto, none, index, thread, value, tile, bank")->check(CLI::IsMember({"auto", "none", "index", "thread", "value", "tile", "bank"}))->type_name("WHAT")->capture_default_str();
  layoutApp->add_option("--element-bits", layoutCommand.elementBits, "Bits of an element: shows LDS banks")->check(CLI::Range(int64_t(1), int64_t(1024)))->type_name("BITS");
  layoutApp->add_option("--banks", layoutCommand.banks, "Banks of LDS, 4 bytes each; without it the architecture's")->check(CLI::Range(int64_t(1), int64_t(1024)))->type_name("N");
  layoutApp->add_option("--limit", layoutCommand.limit, "Draw at most so many rows and columns (64,64)")->delimiter(',')->check(CLI::Range(int64_t(1), int64_t(1) << 18))->type_name("ROWS,COLUMNS")->allow_extra_args(false);
  layoutApp->add_option("--arch", layoutCommand.arch, "What `target` stands for, whose copy atoms there are, and whose LDS banks are counted")->type_name("ARCH")->capture_default_str();
  messageOptions(*layoutApp, options);

  std::string code;
  auto *explainApp = app.add_subcommand("explain", "Explain a diagnostic, with a wrong and a right example");
  explainApp->add_option("code", code, "Its code or name: FLY0203, unknown-name")->required();
  messageOptions(*explainApp, options);

  CacheCommand cacheCommand;
  auto *cacheApp = app.add_subcommand("cache", "Say where objects of earlier runs are kept, and how many");
  cacheApp->add_flag("--clear", cacheCommand.clear, "Remove them");
  messageOptions(*cacheApp, options);

  auto *targetsApp = app.add_subcommand("targets", "List the architectures");

  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0][0] != '-') {
    std::vector<std::string> commands;
    for (auto *command : app.get_subcommands({}))
      commands.push_back(command->get_name());
    if (!llvm::is_contained(commands, arguments[0])) {
      const std::string guess = closestOf(arguments[0], commands);
      return badCommandLine(messagesOf(arguments), "`" + arguments[0] + "` is not a command" + (guess.empty() ? "" : "; did you mean `" + guess + "`?"),
                            "`flyc --help` lists the commands");
    }
    if (arguments[0] == "eval")
      protectExpression(arguments);
    if (arguments[0] == "build")
      spellDepFileOptions(arguments);
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // CLI11 takes them from the back
  } catch (const CLI::Success &done) {
    return app.exit(done); // --help and --version
  } catch (const CLI::ParseError &error) {
    return refuse(messagesOf(arguments), app, error);
  }

  const bool usesCache = *buildApp || *testApp || *benchApp || *runApp || *reportApp || *cacheApp;
  if (usesCache && options.cache)
    if (const std::string problem = cacheSizeProblem(); !problem.empty())
      return badCommandLine(options, problem, "bytes, or a number with k, m or g behind it: `500m`, `2g`");

  if (*targetsApp)
    return targets();
  if (*explainApp)
    return explain(options, code);
  if (*cacheApp)
    return cache(options, cacheCommand);
  return onLargeStack([&] {
    if (*evalApp)
      return eval(options, expression, evalArch);
    if (*layoutApp)
      return layout(options, layoutCommand);
    if (*formatApp)
      return format(options, formatCommand);
    if (*reportApp)
      return report(options, reportCommand);
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
    if (*runApp)
      return run(options, runCommand);
    buildCommand.archs = archs;
    return build(options, buildCommand);
  });
}
