// What differs between two reports: per kernel its figures, its counts in detail and its loops. Schema:
// docs/schema/report-diff.schema.json.
//
// Kernels belong together by architecture and name. If a report has several such kernels from different files, those
// from the same file (or one whose path ends alike, or the same module) are paired, and the rest in order. A name that
// is only an alias in the other report is paired with the kernel that has the alias. Loops have no names: those of the
// same kind and depth whose back edge comes from the same line are paired in order; the rest, for instance because
// lines were added above, only by order.
#pragma once

#include "compiler/report/Report.h"

namespace fly::report {

/// Names of kernels or functions that belong together whatever they are called: of the old report, of the new one.
using NamePairs = std::vector<std::pair<std::string, std::string>>;

Json diffOf(const Json &before, const Json &after, const NamePairs &byHand = {});
std::string toDiffText(const Json &diff);

/// Whether this is an alias of a kernel.
bool hasAlias(const Json &code, llvm::StringRef name);

/// A kernel and what it was before; one of them is null if only the other report has it.
struct CodePair {
  std::string arch, name;
  std::string file; ///< where a report has several of this name and architecture; else empty
  const Json *before = nullptr, *after = nullptr;
  std::string oldName; ///< what it was called before, if it was paired by hand
};
/// All of `after` in order, then what only `before` has. `list`: "kernels", "functions".
std::vector<CodePair> pairCode(const Json &before, const Json &after, const char *list = "kernels",
                               const NamePairs &byHand = {});
/// "gemm, gfx942", or "gemm, gfx942 (a.fly)" if the name alone is ambiguous.
std::string nameOf(const CodePair &pair);

} // namespace fly::report
