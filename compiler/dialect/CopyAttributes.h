// Attributes of the language for copies that bypass registers.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fly::ir {

/// On a barrier: copies that bypass registers may still be in flight after it (`barrier(wait=False)`).
inline constexpr llvm::StringLiteral leavesCopiesAttr = "fly.leaves_copies";

} // namespace fly::ir
