// `flyc lsp`: the language server (compiler/editor), over standard input and output.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Session.h"
#include "compiler/editor/MachineCode.h"
#include "compiler/editor/Runs.h"
#include "compiler/editor/Server.h"
#include "compiler/editor/Supervisor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace fly::driver {

namespace {

class LspCommand final : public Command {
public:
  LspCommand() : Command("lsp", "Serve an editor: the Language Server Protocol on standard input and output") {}
  void declare(OptionTable &table) override {
    archOption(table, arch, "The architecture whose values and errors are shown");
    table.add("--lit-test", isTest, "Read messages between lines `// -----`, and answer each before the next is read");
    table
        .add(
            "--compile-timeout", compileTimeout,
            "End the compilation of a kernel, of which registers and waves are shown, after this many seconds; 0: compile "
            "none")
        .range(0, 24 * 3600)
        .type("SECONDS")
        .showDefault();
    table
        .add("--answer-timeout", answerTimeout,
             "Start the process that answers anew after this many seconds without a sign of life; 0: never")
        .range(0, 24 * 3600)
        .type("SECONDS")
        .showDefault();
    table.add("--memory-limit", memoryLimit, "Start the process that answers anew when it has more memory; 0: no limit")
        .range(0, 1 << 30)
        .type("MIB")
        .showDefault();
    table.add("--worker", isWorker, "Be the process that answers: the one that the editor starts calls it").hidden();
    table.add("--faults", hasFaults, "For tests: fail where a text says `# fault: crash`, `hang` or `memory`").hidden();
    table.add("--run-timeout", runTimeout, "End a check or bench that the editor runs after this many seconds")
        .range(1, 24 * 3600)
        .type("SECONDS")
        .showDefault();
    table.add("--compile", job, "Compile the kernel that this file says: the server calls it").hidden();
    table.add("--stdio", stdio, "Nothing: editors say it, and there is no other way");
    sourceOptions(table, options);
  }
  int run() override;

  std::string arch, job;
  unsigned compileTimeout = 60, runTimeout = 600, answerTimeout = 10, memoryLimit = 4096;
  bool isTest = false, stdio = false, isWorker = false, hasFaults = false;
};

int LspCommand::run() {
  Session session(options);
  editor::ServerSettings settings{options, target::find(arch), isTest, isWorker, hasFaults, compileTimeout, runTimeout};
  if (!settings.target) {
    session.diags.report(diag::unknown_arch, {}).arg(arch).arg("").help("targets: " + target::names());
    session.finish();
    return 2;
  }
  settings.options.cache = false; // not each version that is written is to be kept
  if (!job.empty())
    return editor::describeMachineCode(settings.options, *settings.target, job, llvm::outs());
  std::string problem;
  if (isWorker) {
    editor::endWithParent();
    const int status = editor::serve(settings, stdin, llvm::outs(), problem);
    llvm::outs().flush();
    ::_exit(status); // without waiting for what is done aside
  }
  if (llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "flyc lsp is started by an editor and talks to it; docs/editor.md says how\n";
  int status;
  if (isTest) {
    status = editor::serve(settings, stdin, llvm::outs(), problem);
  } else {
    editor::SupervisorSettings supervised;
    supervised.worker = {"lsp", "--worker", "--arch", std::string(settings.target->name), "--color=never"};
    llvm::append_range(supervised.worker, editor::sourceArguments(settings.options));
    llvm::append_range(supervised.worker, std::vector{"--compile-timeout=" + std::to_string(compileTimeout),
                                                      "--run-timeout=" + std::to_string(runTimeout)});
    supervised.answerTimeout = answerTimeout;
    supervised.memoryLimit = memoryLimit;
    if (hasFaults)
      supervised.worker.push_back("--faults");
    status = editor::supervise(supervised, stdin, llvm::outs(), problem);
  }
  if (!problem.empty())
    session.diags.report(diag::cannot_read, {}).arg("<stdin>").arg(problem);
  session.finish();
  return status;
}

} // namespace

std::unique_ptr<Command> lspCommand() { return std::make_unique<LspCommand>(); }

} // namespace fly::driver
