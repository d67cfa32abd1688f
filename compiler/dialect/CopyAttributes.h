// Attributes of the language on barriers.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fly::ir {

/// On a barrier: copies that bypass registers may still be in flight after it (`barrier(wait=False)`).
inline constexpr llvm::StringLiteral leavesCopiesAttr = "fly.leaves_copies";

/// On a barrier: some waves skip it, so that they are a barrier ahead of the others (`barrier(only=late)`).
inline constexpr llvm::StringLiteral staggeredAttr = "fly.staggered";

} // namespace fly::ir
