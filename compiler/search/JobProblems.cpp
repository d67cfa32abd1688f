// See JobProblems.h.
#include "compiler/search/JobProblems.h"

namespace fly::driver {

std::string firstError(const DiagnosticEngine &diags) {
  for (auto &diagnostic : diags.all())
    if (diagnostic.severity == Severity::Error)
      return std::string(info(diagnostic.kind).code) + ": " + diagnostic.message;
  return "";
}

std::string firstProblem(const ArchCompilation &compilation, const CheckRunner &runner) {
  if (std::string error = firstError(compilation.session.diags); !error.empty())
    return error;
  if (runner.failures.empty())
    return "the bench failed";
  const llvm::StringRef line = llvm::StringRef(runner.failures.front()).split('\n').first;
  const llvm::StringRef fault = line.split("` on " + std::string(compilation.target.name) + ": ").second;
  return (fault.empty() ? line : fault).str();
}

} // namespace fly::driver
