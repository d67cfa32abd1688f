// `flyc lsp`: the language server (compiler/editor), over standard input and output.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Session.h"
#include "compiler/editor/MachineCode.h"
#include "compiler/editor/Server.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

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
  unsigned compileTimeout = 60, runTimeout = 600;
  bool isTest = false, stdio = false;
};

int LspCommand::run() {
  Session session(options);
  editor::ServerSettings settings{options, target::find(arch), isTest, compileTimeout, runTimeout};
  if (!settings.target) {
    session.diags.report(diag::unknown_arch, {}).arg(arch).arg("").help("targets: " + target::names());
    session.finish();
    return 2;
  }
  settings.options.cache = false; // not each version that is written is to be kept
  if (!job.empty())
    return editor::describeMachineCode(settings.options, *settings.target, job, llvm::outs());
  if (llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "flyc lsp is started by an editor and talks to it; docs/editor.md says how\n";
  std::string problem;
  const int status = editor::serve(settings, stdin, llvm::outs(), problem);
  if (!problem.empty())
    session.diags.report(diag::cannot_read, {}).arg("<stdin>").arg(problem);
  session.finish();
  return status;
}

} // namespace

std::unique_ptr<Command> lspCommand() { return std::make_unique<LspCommand>(); }

} // namespace fly::driver
