// Buffers in the language: `buffer(t)` reaches a global tensor through a resource that ends where the tensor does.
//
// What lies outside reads as 0 and is not written. How much of an access that lies across the end counts as outside differs
// between targets: each dword for itself, or the access as a whole. Either way elements that are inside may be left out, so
// that such an access is refused unless the tensor is known to end where an access does.
#pragma once

#include "compiler/sema/CopyAtom.h"

namespace fly::sema {

/// Bytes behind which an offset is outside of every buffer. Half of what 32 bits count: tiles that reach over the end of a
/// tensor lead to offsets beyond it, which must not come round to its begin.
inline constexpr int64_t bufferReach = int64_t(1) << 31;

/// Refuses an access of so many bits to a buffer that it may lie across the end of; other memory has no such end.
void checkBufferEnd(Elaborator &e, const TensorValue &piece, int64_t bits, SourceRange range);

/// The piece of a call that lies in a space, if it does.
const TensorValue *pieceIn(const Value &piece, ir::AddressSpace space);

/// `tensor_load` and `tensor_store` of `fly.amd` (TensorMoves.cpp).
llvm::ArrayRef<Builtin> tensorMoveBuiltins();
/// `UniversalAtomic`, of the prelude (AtomicCopies.cpp).
llvm::ArrayRef<Builtin> universalAtomicBuiltins();
/// `wait` (Waits.cpp).
llvm::ArrayRef<Builtin> waitBuiltins();

} // namespace fly::sema
