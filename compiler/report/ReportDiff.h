// What differs between two reports: per kernel its figures, its counts in detail and its loops. Schema:
// docs/schema/report-diff.schema.json.
//
// Kernels belong together by architecture and name. Where one report has several such, of several files, those of the same file
// (or of one whose path ends alike, or of the same module) belong together, and what is left in order. A name that the other report
// has as an alias only belongs to the kernel with the alias. Loops have no names: those of the same kind and depth whose
// branch back comes from the same line belong together in order; what is left, for instance because lines were added above, in
// order alone.
#pragma once

#include "compiler/report/Report.h"

namespace fly::report {

Json diffOf(const Json &before, const Json &after);
std::string toDiffText(const Json &diff);

/// Whether this is another name of a kernel.
bool hasAlias(const Json &code, llvm::StringRef name);

/// A kernel and what it was before; one of them is null if only the other report has it.
struct CodePair {
  std::string arch, name;
  std::string file;                            ///< where a report has several of this name and architecture; else empty
  const Json *before = nullptr, *after = nullptr;
};
/// All of `after` in order, then what only `before` has. `list`: "kernels", "functions".
std::vector<CodePair> pairCode(const Json &before, const Json &after, const char *list = "kernels");
/// "gemm, gfx942", and "gemm, gfx942 (a.fly)" where the name alone does not say which.
std::string nameOf(const CodePair &pair);

} // namespace fly::report
