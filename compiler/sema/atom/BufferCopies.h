// Buffers in the language: `buffer(t)` reaches a global tensor through a resource that ends where the tensor does.
//
// Elements outside read as 0 and are not written. For an access that crosses the end, targets differ in what counts as
// outside: each dword separately, or the whole access. Either way, elements inside may be dropped, so such an access is
// refused unless the tensor is known to end where an access does.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/atom/CopyAtom.h"

namespace fly::sema {

/// The size in bytes of this many elements of this many bits, as an i64.
mlir::Value bytesOfSpan(Elaborator &e, const layout::Leaf &span, int64_t bits, SourceRange range);
/// Stops the kernel if this many bytes exceed the reach of a buffer.
void trapBeyondReach(Elaborator &e, mlir::Value bytes, SourceRange range);
/// The place `voffset` + `soffset` + `immediate` bytes after the start of a buffer's view, in the instruction fields of
/// these names. `type` is the type of the view, or of the value there. `isUniform`: `voffset` has a scalar part, which
/// must be the same for all lanes.
TensorValue atOffsets(Elaborator &e, const TensorValue &view, mlir::Value voffset, mlir::Value soffset,
                      int64_t immediate, ir::TensorType type, llvm::StringRef what, SourceRange soffsetRange,
                      SourceRange range, bool isUniform = false);
/// `copy(..., soffset=, imm_offset=)`: of what is copied the side in a buffer, at these offsets in elements.
void applyOffsets(Elaborator &e, BoundCall &call, size_t source, size_t destination, size_t soffset, size_t immediate);

/// Refuses an access of this many bits that may cross the end of a buffer; other memory has no such end.
void checkBufferEnd(Elaborator &e, const TensorValue &piece, int64_t bits, SourceRange range);

/// What an atomic atom does in a space, and whether its operand is negated (AtomicCopies.cpp).
std::pair<ir::AtomicKind, bool> atomicOf(Elaborator &e, const CopyAtom &atom, ir::AddressSpace space,
                                         SourceRange range);

/// A `BufferCopy`.
std::shared_ptr<const CopyAtom> bufferCopy(int64_t bits, host::Number element);

/// The argument of a call that is in a space, if any.
const TensorValue *pieceIn(const Value &piece, ir::AddressSpace space);
/// "a tensor of f32 in shared memory": what an argument is and where it lies.
std::string describePlace(const Value &piece);

} // namespace fly::sema
