// Private: which values of LLVM IR read and write pinned registers (compiler/protocol/Pin.h).
#pragma once

#include "compiler/protocol/Pin.h"

namespace llvm {
class Value;
} // namespace llvm

namespace fly::codegen {

using protocol::parsePinned;
using protocol::Pinned;

/// The registers of a value that is such a statement.
std::optional<Pinned> pinnedBy(const llvm::Value *value);

} // namespace fly::codegen
