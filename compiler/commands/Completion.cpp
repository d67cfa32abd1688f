// `flyc completion`, `flyc man`, `flyc help`: what is made of the tables of all commands.
#include "compiler/commands/Command.h"
#include "compiler/commands/Version.h"
#include "compiler/commands/Shell.h"

#include "llvm/Support/raw_ostream.h"

namespace fly::driver {

namespace {

class CompletionCommand final : public Command {
public:
  CompletionCommand() : Command("completion", "Print a script that completes flyc's command lines") {
    needsLargeStack = false;
  }
  void declare(OptionTable &table) override {
    table.add("shell", shell, "The shell").required().choices({"bash", "zsh", "fish"});
  }
  int run() override {
    llvm::outs() << completionFor(shell);
    return 0;
  }

  std::string shell;
};

class ManCommand final : public Command {
public:
  ManCommand() : Command("man", "Print the manual page, for `man -l -`") { needsLargeStack = false; }
  void declare(OptionTable &table) override { (void)table; }
  int run() override {
    llvm::outs() << manPage(programVersion);
    return 0;
  }
};

/// CommandLine.cpp turns `flyc help build` into `flyc build --help`, so this never runs.
class HelpCommand final : public Command {
public:
  HelpCommand() : Command("help", "Show what a command takes") { needsLargeStack = false; }
  void declare(OptionTable &table) override { table.add("command", command, "The command").type("COMMAND"); }
  int run() override { return 0; }

  std::string command;
};

} // namespace

std::unique_ptr<Command> completionCommand() { return std::make_unique<CompletionCommand>(); }
std::unique_ptr<Command> manCommand() { return std::make_unique<ManCommand>(); }
std::unique_ptr<Command> helpCommand() { return std::make_unique<HelpCommand>(); }

} // namespace fly::driver
