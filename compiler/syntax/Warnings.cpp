// -W: which warnings are kept, and which are errors.
//
//   perf, no-perf          all that say what could be faster (codes FLY065x); off unless they are asked for
//   NAME, no-NAME          one, by its name or code: `no-inexact-tiling`, `FLY0652`
//   error, error=NAME      warnings, or that one or group, count as errors
#include "compiler/syntax/Diagnostics.h"

namespace fly {

static bool isPerformance(diag::Kind kind) { return llvm::StringRef(info(kind).code).starts_with("FLY065"); }

/// The warnings that a name stands for; empty if there is none of it.
static std::vector<diag::Kind> warningsOf(llvm::StringRef name) {
  std::vector<diag::Kind> kinds;
  for (unsigned i = 0; i < diag::count; ++i)
    if (auto kind = static_cast<diag::Kind>(i); name == "perf" && isPerformance(kind))
      kinds.push_back(kind);
  if (auto kind = findDiagnostic(name); kind && info(*kind).severity == Severity::Warning)
    kinds.push_back(*kind);
  return kinds;
}

std::optional<std::string> DiagnosticEngine::setWarnings(llvm::StringRef option) {
  llvm::StringRef name = option;
  if (name == "error") {
    allAsErrors = true;
    return std::nullopt;
  }
  const bool isError = name.consume_front("error="), isOff = !isError && name.consume_front("no-");
  const std::vector<diag::Kind> kinds = warningsOf(name);
  for (diag::Kind kind : kinds) {
    wanted[kind] = !isOff;
    if (isError) asErrors.insert(kind);
  }
  if (!kinds.empty()) return std::nullopt;
  std::vector<std::string> names = {"perf", "error"};
  for (unsigned i = 0; i < diag::count; ++i)
    if (const DiagnosticInfo &row = info(static_cast<diag::Kind>(i)); row.severity == Severity::Warning)
      names.push_back(row.name);
  const auto guess = didYouMean(name, names);
  return "no warning is called `" + name.str() + "`" + (guess ? "; did you mean `" + *guess + "`?" : "");
}

bool DiagnosticEngine::isWanted(diag::Kind kind) const {
  const auto named = wanted.find(kind);
  return named != wanted.end() ? named->second : !isPerformance(kind);
}

} // namespace fly
