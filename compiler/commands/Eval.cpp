// `flyc eval`: the value of a compile-time expression.
#include "compiler/compilation/ArchCompilation.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Evaluate.h"

#include "llvm/ADT/StringExtras.h"

#include <iostream>

namespace fly::driver {

/// Integers and layouts, and tuples of them.
static bool isOfLayouts(const sema::Value &value) {
  if (auto *tuple = value.as<sema::TupleValue>())
    return llvm::all_of(*tuple->elements, isOfLayouts);
  return value.is<sema::Int>() || value.is<sema::LayoutValue>();
}

/// As CuTe writes it where it is a coordinate, a shape, or layouts: `(2,(3))`. All else as the language writes it.
static std::string notation(const sema::Value &value) {
  auto *tuple = value.as<sema::TupleValue>();
  if (!tuple || !isOfLayouts(value))
    return sema::toText(value, true);
  return "(" + llvm::join(llvm::map_range(*tuple->elements, notation), ",") + ")";
}

static bool evalLine(Session &session, sema::Elaborator &elaborator, const std::string &text) {
  auto value = evaluateText(session, elaborator, "<eval>", text);
  if (value)
    llvm::outs() << notation(*value) << '\n';
  llvm::outs().flush();
  session.finish();
  return value.has_value();
}

namespace {

class EvalCommand final : public Command {
public:
  EvalCommand() : Command("eval", "Evaluate a compile-time expression; with `-`, one per line of standard input") {}
  void declare(OptionTable &table) override {
    table.add("expression", expression, "The expression, or `-`").required();
    archOption(table, arch, "The architecture that `target` stands for");
    messageOptions(table, options);
  }
  int run() override;
  /// The expression may start with a minus sign; after `--`, it is not taken for an option. Option names are letters, so
  /// an argument is an option only if it is `-h`, or starts with `--` and a letter.
  void prepare(std::vector<std::string> &arguments) const override;

  std::string expression, arch;
};

void EvalCommand::prepare(std::vector<std::string> &arguments) const {
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

int EvalCommand::run() {
  Session session(options);
  auto *target = target::find(arch);
  if (!target) {
    session.diags.report(diag::unknown_arch, {}).arg(arch).arg("").help("targets: " + target::names());
    session.finish();
    return 2;
  }
  ArchCompilation compilation(session, *target);
  auto &elaborator = compilation.elaborator;
  if (expression != "-")
    return evalLine(session, elaborator, expression) ? 0 : 1;
  bool ok = true;
  session.diags.errorLimit = std::numeric_limits<unsigned>::max(); // each line has its own
  for (std::string line; std::getline(std::cin, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos && !evalLine(session, elaborator, line)) {
      llvm::outs() << '\n'; // results stay next to their lines
      ok = false;
    }
  return ok ? 0 : 1;
}

} // namespace

std::unique_ptr<Command> evalCommand() { return std::make_unique<EvalCommand>(); }

} // namespace fly::driver
