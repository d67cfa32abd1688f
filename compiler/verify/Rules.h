// The rules by name: what `-W no-verify=NAME` turns off, and what docs/verify.md has a section about.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace fly::verify {

struct Rule {
  const char *name; ///< "wait-read"
  const char *what; ///< in one sentence, without a full stop
  bool may;         ///< a hint: shown with `--may`, and never the reason of a verdict
};
/// All of them, in the order of the manual.
llvm::ArrayRef<Rule> rules();
/// Null if there is none.
const Rule *findRule(llvm::StringRef name);

} // namespace fly::verify
