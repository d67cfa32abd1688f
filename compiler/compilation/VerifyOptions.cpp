// See VerifyOptions.h.
#include "compiler/compilation/VerifyOptions.h"

#include "compiler/compilation/CommandErrors.h"
#include "compiler/verify/Proof.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::driver {

std::optional<RulesTurnedOff> rulesTurnedOff(const std::string &warning) {
  llvm::StringRef rest = warning;
  if (!rest.consume_front("no-verify") || !(rest.empty() || rest.consume_front("=")))
    return std::nullopt;
  RulesTurnedOff out;
  std::vector<std::string> known;
  for (const verify::Rule &rule : verify::rules()) {
    known.push_back(rule.name);
    if (warning == "no-verify" || rest == rule.name)
      out.names.push_back(rule.name);
  }
  if (out.names.empty()) {
    const std::string guess = closestOf(rest.str(), known);
    out.problem = "the verifier has no rule `" + rest.str() + "`";
    out.problem += guess.empty() ? "; it has " + llvm::join(known, ", ") : "; did you mean `" + guess + "`?";
  }
  return out;
}

} // namespace fly::driver
