// The command line of flyc. Everything users can say stands here; what it does is in the file named after the
// command. Elaboration recurses with the depth of the program, so the work runs on a thread with a large stack.
#include "compiler/driver/Commands.h"

#include <CLI/CLI.hpp>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/thread.h"

#include <functional>
#include <iostream>
#include <optional>

using namespace fly::driver;

namespace {

constexpr const char *version = "flyc " FLY_VERSION " (LLVM " FLY_LLVM_VERSION ")";

int onLargeStack(const std::function<int()> &work) {
  int status = 0;
  llvm::thread worker(std::optional<unsigned>(512u << 20), [&] { status = work(); });
  worker.join();
  return status;
}

void sourceOptions(CLI::App &app, Options &options) {
  app.add_option("-D", options.defines, "Give a Constexpr parameter or a constant of the file a value")->type_name("NAME=VALUE")->allow_extra_args(false);
  app.add_option("-I", options.includeDirs, "Look for imported modules in DIR too")->type_name("DIR")->allow_extra_args(false);
  app.add_option("--file-prefix-map", options.prefixMap, "Write NEW for OLD at the start of file names in line tables")->type_name("OLD=NEW");
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"flyc compiles GPU kernels written in .fly to AMD machine code, ahead of time, and runs them without a GPU.\n\n"
               "  flyc build vec_add.fly --arch gfx942 -o out     machine code, metadata and a C header\n"
               "  flyc test vec_add.fly                           the file's @check functions, on the emulator\n"
               "  flyc run vec_add.fly --kernel add_f32 ...       one kernel with arguments from .npy files\n"};
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);

  Options options;
  BuildCommand buildCommand;
  std::vector<std::string> archs{"gfx942"};

  auto *buildApp = app.add_subcommand("build", "Compile a .fly file: X.<arch>.hsaco, X.json and X.h");
  buildApp->add_option("file", buildCommand.path, "The .fly file; `-` reads standard input")->required();
  buildApp->add_option("--arch", archs, "Architectures, separated by commas (see `flyc targets`)")->delimiter(',')->type_name("ARCH,...")->capture_default_str();
  buildApp->add_option("-o,--output", buildCommand.output, "Folder of the artifacts; `-` with --emit: standard output")->type_name("DIR")->capture_default_str();
  buildApp->add_option("--emit", buildCommand.emit, "Write one artifact only: ast, fly, rocdl, llvm, isa, hsaco, json, header")->type_name("KIND");
  buildApp->add_option("--stop-after", buildCommand.stopAfter, "Write the module as it is after this pass")->type_name("PASS");
  buildApp->add_flag("--quiet,-q", buildCommand.quiet, "Print nothing but errors");
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
  testApp->add_flag("--quiet,-q", testCommand.quiet, "Print failures and the count only");
  testApp->add_flag("--time", testCommand.time, "Print where the time went");
  sourceOptions(*testApp, options);

  BenchCommand benchCommand;
  auto *benchApp = app.add_subcommand("bench", "Count what the @bench functions of a .fly file execute, on the emulator");
  benchApp->add_option("file", benchCommand.path, "The .fly file")->required();
  benchApp->add_option("--arch", archs, "Architectures, separated by commas")->delimiter(',')->type_name("ARCH,...")->capture_default_str();
  benchApp->add_option("--filter", benchCommand.filter, "Run the benches whose line has all of these words")->type_name("WORDS");
  benchApp->add_flag("--json", benchCommand.json, "Print everything as JSON");
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

  std::string expression, evalArch = "gfx942";
  auto *evalApp = app.add_subcommand("eval", "Evaluate a compile-time expression, or with `-` one on each line of standard input");
  evalApp->add_option("expression", expression, "The expression")->required();
  evalApp->add_option("--arch", evalArch, "What `target` stands for")->type_name("ARCH")->capture_default_str();

  std::string code;
  auto *explainApp = app.add_subcommand("explain", "Explain a diagnostic, with a wrong and a right example");
  explainApp->add_option("code", code, "Its code or name: FLY0203, unknown-name")->required();

  auto *targetsApp = app.add_subcommand("targets", "List the architectures");

  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands([&](CLI::App *command) { return command->get_name() == argv[1]; }).empty()) {
    std::string closest;
    size_t least = 3;
    for (auto *command : app.get_subcommands({}))
      if (size_t distance = llvm::StringRef(argv[1]).edit_distance(command->get_name()); distance < least)
        least = distance, closest = command->get_name();
    std::cerr << "error: `" << argv[1] << "` is not a command"
              << (closest.empty() ? "; `flyc --help` lists them" : "; did you mean `" + closest + "`?") << '\n';
    return 2;
  }
  CLI11_PARSE(app, argc, argv);

  if (*targetsApp)
    return targets();
  if (*explainApp)
    return explain(code);
  return onLargeStack([&] {
    if (*evalApp)
      return eval(options, expression, evalArch);
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
