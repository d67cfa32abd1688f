// A name that is not among the known ones: one message, one guess, one fix, wherever names are looked up.
#pragma once

#include "compiler/sema/Elaborator.h"

namespace fly::sema {

/// Fails with "`{of}` has no `{name}`; did you mean `...`?"; the guess is also a fix of the name, with which `range` starts.
[[noreturn]] inline void failUnknown(Elaborator &e, diag::Kind kind, SourceRange range, const std::string &of,
                                     llvm::StringRef name, const std::vector<std::string> &known) {
  auto guess = didYouMean(name, known);
  e.report(kind, range, {of, name.str(), guess ? "; did you mean `" + *guess + "`?" : ""}).suggest(range, name, guess);
  throw Failed{};
}

} // namespace fly::sema
