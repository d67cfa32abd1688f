// Buffers in the language: `buffer(t)` reaches a global tensor through a resource that ends where the tensor does.
//
// What lies outside reads as 0 and is not written. How much of an access that lies across the end counts as outside differs
// between targets: each dword for itself, or the access as a whole. Either way elements that are inside may be left out, so
// that such an access is refused unless the tensor is known to end where an access does.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/atom/CopyAtom.h"

namespace fly::sema {

/// So many elements, of so many bits each, as bytes: an i64.
mlir::Value bytesOfSpan(Elaborator &e, const layout::Leaf &span, int64_t bits, SourceRange range);
/// Stops the kernel where so many bytes are more than a buffer reaches.
void trapBeyondReach(Elaborator &e, mlir::Value bytes, SourceRange range);
/// What lies `voffset`, `soffset` and `immediate` bytes behind a buffer's view, by the parts of an instruction that are named so.
/// `type` is the view's, or what is there.
TensorValue atOffsets(Elaborator &e, const TensorValue &view, mlir::Value voffset, mlir::Value soffset, int64_t immediate, ir::TensorType type,
                      llvm::StringRef what, SourceRange soffsetRange, SourceRange range);
/// `copy(..., soffset=, imm_offset=)`: of what is copied the side in a buffer, at these offsets in elements.
void applyOffsets(Elaborator &e, BoundCall &call, size_t source, size_t destination, size_t soffset, size_t immediate);

/// Refuses an access of so many bits to a buffer that it may lie across the end of; other memory has no such end.
void checkBufferEnd(Elaborator &e, const TensorValue &piece, int64_t bits, SourceRange range);

/// What an atomic atom does in a space, and whether its operand is negated (AtomicCopies.cpp).
std::pair<ir::AtomicKind, bool> atomicOf(Elaborator &e, const CopyAtom &atom, ir::AddressSpace space, SourceRange range);

/// A `BufferCopy`.
std::shared_ptr<const CopyAtom> bufferCopy(int64_t bits, host::Number element);

/// The piece of a call that lies in a space, if it does.
const TensorValue *pieceIn(const Value &piece, ir::AddressSpace space);

} // namespace fly::sema
