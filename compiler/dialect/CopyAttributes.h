// What the language says of copies past the registers beside their operations.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fly::ir {

/// Of a barrier: copies past the registers may be under way behind it (`barrier(wait=False)`).
inline constexpr llvm::StringLiteral leavesCopiesAttr = "fly.leaves_copies";

} // namespace fly::ir
