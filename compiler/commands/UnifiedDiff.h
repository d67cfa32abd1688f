// The difference of two texts as `diff -u` prints it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace fly::driver {

/// Empty if the texts are equal.
std::string unifiedDiff(llvm::StringRef before, llvm::StringRef after, llvm::StringRef name);

} // namespace fly::driver
