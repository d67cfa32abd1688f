// `flyc explain`: the page of a diagnostic.
#include "compiler/commands/CommandErrors.h"
#include "compiler/commands/Commands.h"
#include "compiler/compilation/Session.h"

namespace fly::driver {

/// The diagnostic of a code, with or without its letters and zeros (`407` is FLY0407), or of a name.
static std::optional<diag::Kind> findByNumber(llvm::StringRef code) {
  unsigned number = 0;
  if (code.getAsInteger(10, number))
    return findDiagnostic(code);
  std::string digits = std::to_string(number);
  return findDiagnostic("FLY" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits);
}

int explain(const Options &options, const std::string &code) {
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

} // namespace fly::driver
