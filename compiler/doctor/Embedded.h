// The .fly files that `flyc doctor` carries: embedded/.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace fly::doctor {

struct EmbeddedSource {
  const char *name; ///< "first"
  const char *text;
};
llvm::ArrayRef<EmbeddedSource> embeddedSources();
/// The text of one of them.
const char *findSource(llvm::StringRef name);

} // namespace fly::doctor
