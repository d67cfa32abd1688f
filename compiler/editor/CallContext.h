// The call around the cursor, from the words before it: a call that is being written does not parse.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fly::editor {

struct CallContext {
  std::string callee;       ///< "f", "m.f": names and dots; empty for other expressions
  uint32_t calleeBegin = 0; ///< where it stands
  unsigned argument = 0;    ///< commas before the cursor
  std::string keyword;      ///< of the argument in which the cursor is, if it has one by now
  char bracket = '(';       ///< or `[`
};

/// The innermost call or subscript that is open at the offset.
std::optional<CallContext> callAt(llvm::StringRef text, uint32_t offset);
/// What closes the brackets that are open there: ")]".
std::string closersAt(llvm::StringRef text, uint32_t offset);

} // namespace fly::editor
