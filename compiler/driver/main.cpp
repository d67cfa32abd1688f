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
               "  flyc test vec_add.fly                           the file's @check functions, on the emulator\n"};
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
  testApp->add_flag("--quiet,-q", testCommand.quiet, "Print failures and the count only");
  testApp->add_flag("--time", testCommand.time, "Print where the time went");
  sourceOptions(*testApp, options);

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
    buildCommand.archs = archs;
    return build(options, buildCommand);
  });
}
