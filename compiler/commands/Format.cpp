// `flyc fmt`: formats files in place. A file that does not parse is not changed; the others are formatted nevertheless.
#include "compiler/artifact/ModuleInfo.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/commands/Rewrite.h"
#include "compiler/commands/UnifiedDiff.h"

#include "compiler/format/Format.h"

#include "llvm/Support/FileSystem.h"

namespace fly::driver {

bool rewriteFile(Session &session, const std::string &path, const std::string &text) {
  namespace fs = llvm::sys::fs;
  llvm::SmallString<256> target;
  if (fs::real_path(path, target))
    target = path;
  auto permissions = fs::getPermissions(target);
  if (auto error = artifact::writeAtomically({{std::string(target), text}}); !error.empty()) {
    session.diags.report(diag::cannot_write, {}).arg(path).arg(error);
    return false;
  }
  if (permissions)
    (void)fs::setPermissions(target, *permissions);
  return true;
}

namespace {

class FormatCommand final : public Command {
public:
  FormatCommand() : Command("fmt", "Format .fly files in place") {}
  void declare(OptionTable &table) override {
    table.add("file", paths, "The .fly files; `-` formats standard input to standard output").required();
    table.add("--check", check, "Change nothing; name the files that would change, and fail if there are any");
    table.add("--diff", diff, "Change nothing; print the differences");
    table.add("--quiet,-q", quiet, "Do not name the files that were changed");
    messageOptions(table, options);
  }
  int run() override;

  std::vector<std::string> paths; ///< `-`: standard input to standard output
  bool check = false, diff = false, quiet = false;
};

} // namespace

int FormatCommand::run() {
  const FormatCommand &command = *this;
  bool failed = false, differs = false;
  for (const std::string &path : command.paths) {
    Session session(options);
    auto file = session.read(path);
    auto text = file ? formatFile(*file, session.diags) : std::nullopt;
    if (text) {
      const bool changed = *text != session.sources.text(*file);
      differs |= changed;
      if (command.diff)
        llvm::outs() << unifiedDiff(session.sources.text(*file), *text, session.sources.name(*file));
      else if (path == "-" && !command.check)
        llvm::outs() << *text;
      if (changed && path != "-" && !command.check && !command.diff && !rewriteFile(session, path, *text))
        failed = true;
      else if (changed && !command.diff && !command.quiet && (command.check || path != "-"))
        llvm::outs() << (command.check ? "not formatted: " : "formatted: ") << session.sources.name(*file) << '\n';
      llvm::outs().flush();
    }
    failed |= !session.finish();
  }
  return failed || (command.check && differs) ? 1 : 0;
}

std::unique_ptr<Command> formatCommand() { return std::make_unique<FormatCommand>(); }

} // namespace fly::driver
