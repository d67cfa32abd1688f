// The version of LLVM whose faults are known and worked around (docs/trust.md).
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fly::driver {

class Session;

inline constexpr llvm::StringLiteral testedLlvm = "22.1.8";

/// Warns if the version that flyc is linked with, or the given one, is another.
void warnOfUntestedLlvm(Session &session);
void warnOfUntestedLlvm(Session &session, llvm::StringRef version);

} // namespace fly::driver
