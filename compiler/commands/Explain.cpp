// `flyc explain`: the page of a diagnostic.
#include "compiler/compilation/CommandErrors.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Session.h"

namespace fly::driver {

namespace {

class ExplainCommand final : public Command {
public:
  ExplainCommand() : Command("explain", "Explain a diagnostic, with an example that has it and one that does not") {
    needsLargeStack = false;
  }
  void declare(OptionTable &table) override {
    table.add("code", code, "The code or name of the diagnostic: FLY0203, 203, unknown-name").required().type("CODE");
    messageOptions(table, options);
  }
  int run() override;

  std::string code;
};

/// The diagnostic of a code, with or without its letters and zeros (`407` is FLY0407), or of a name.
std::optional<diag::Kind> findByNumber(llvm::StringRef code) {
  unsigned number = 0;
  if (code.getAsInteger(10, number))
    return findDiagnostic(code);
  std::string digits = std::to_string(number);
  return findDiagnostic("FLY" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits);
}

int ExplainCommand::run() {
  auto kind = findByNumber(code);
  if (!kind) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < diag::count; ++i) {
      names.push_back(info(diag::Kind(i)).code);
      names.push_back(info(diag::Kind(i)).name);
    }
    auto guess = didYouMean(code, names);
    return badCommandLine(
        options, "there is no diagnostic `" + code + "`" + (guess ? "; did you mean `" + *guess + "`?" : ""), "");
  }
  llvm::outs() << explanation(*kind);
  return 0;
}

} // namespace

std::unique_ptr<Command> explainCommand() { return std::make_unique<ExplainCommand>(); }

} // namespace fly::driver
