// -W: which warnings and notes are kept, and which warnings are errors.
//
//   perf, no-perf          all performance advice, the rows of that group; off by default
//   NAME, no-NAME          one, by its name or code: `no-inexact-tiling`, `FLY0652`
//   copy-atom              a note, which tells what was done and blames nothing: off, and not part of perf
//   equal-stores           a note of a run with a check of races, which somebody has asked for: on
//   error, error=NAME      warnings, or that one or group, count as errors; notes never do
#include "compiler/diagnostics/Diagnostics.h"

namespace fly {

static Severity severityOf(diag::Kind kind) { return info(kind).severity; }

/// The warnings and notes that a name stands for; empty if the name is unknown.
static std::vector<diag::Kind> warningsOf(llvm::StringRef name) {
  std::vector<diag::Kind> kinds;
  for (unsigned i = 0; i < diag::count; ++i)
    if (auto kind = static_cast<diag::Kind>(i); !name.empty() && name == info(kind).group)
      kinds.push_back(kind);
  if (auto kind = findDiagnostic(name); kind && severityOf(*kind) != Severity::Error)
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
  if (isError && kinds.size() == 1 && severityOf(kinds[0]) == Severity::Note)
    return "`" + name.str() + "` is a note, which is never an error; `-W" + name.str() + "` prints it";
  for (diag::Kind kind : kinds) {
    wanted[kind] = !isOff;
    if (isError)
      asErrors.insert(kind);
  }
  if (!kinds.empty())
    return std::nullopt;
  std::vector<std::string> names = {"perf", "error"};
  for (unsigned i = 0; i < diag::count; ++i)
    if (const DiagnosticInfo &row = info(static_cast<diag::Kind>(i)); row.severity != Severity::Error)
      names.push_back(row.name);
  const auto guess = didYouMean(name, names);
  return "no warning is called `" + name.str() + "`" + (guess ? "; did you mean `" + *guess + "`?" : "");
}

bool DiagnosticEngine::isWanted(diag::Kind kind) const {
  const auto named = wanted.find(kind);
  return named != wanted.end() ? named->second : !info(kind).isOptIn;
}

} // namespace fly
