// The `@check`s and `@bench`es of a file, one case for each combination of their parameters, and running one.
#pragma once

#include "compiler/launch/CheckRunner.h"

namespace fly::driver {

struct Case {
  const sema::CheckDefinition *definition;
  std::vector<std::pair<std::string, sema::Value>> parameters;
  std::string title; ///< "gfx942  adds n=255 T=f16"
};

/// The product of the parameters' lists, the last one fastest; none after diagnostics. Empty if `arch=` excludes the
/// target: `elsewhere` then lists the targets it is for.
std::optional<std::vector<Case>> casesOf(ArchCompilation &compilation, const sema::CheckDefinition &definition,
                                         std::string &elsewhere);

/// Runs the body with kernels on the runner; true without errors. What failed is in `runner.failures` and the
/// diagnostics. A case with a kernel for other targets ends there, with `runner.elsewhere`.
bool runCase(ArchCompilation &compilation, CheckRunner &runner, const Case &each);

/// Why a case that ran without errors tests nothing: it evaluated no expectation, or names kernels and launched none.
/// Empty if it tests something.
std::string emptinessOf(ArchCompilation &compilation, const CheckRunner &runner, const Case &each);

/// A number from an expression over the case's parameters, as `bytes=`; none after diagnostics.
std::optional<double> numberOf(ArchCompilation &compilation, const Case &each, const ast::Expr &expr,
                               llvm::StringRef what);

/// Whether `--filter` selects it: all of its words occur in the title. An empty filter selects everything.
bool matches(const std::string &filter, const std::string &title);

/// The architectures by name; none after a diagnostic.
std::optional<std::vector<const target::Target *>> targetsOf(Session &session, const std::vector<std::string> &names);

} // namespace fly::driver
