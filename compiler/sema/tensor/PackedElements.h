// Tensors and fragments of elements that share bytes: f4E2M1 two, f6E2M3 and f6E3M2 four in three bytes.
//
// Extents, strides, coordinates and offsets count elements, as everywhere: the layout algebra knows nothing of bits.
// Memory is accessed in bytes, so accesses must begin and end at bytes. This is checked where a view is made: no view
// begins inside a byte, a single element has no address, and rows of a parameter begin at bytes because the launch
// checks it.
//
//     x: In[f4E2M1, (m, n)]      x[i, :]         begins at i * n elements; n % 2 == 0 is a precondition: at a byte
//                                x[i, 3]         not an access by itself: FLY0616
//                                x[:, 3]         begins inside a byte: FLY0616, naming mode 1
#pragma once

#include "compiler/sema/tensor/Views.h"

#include "compiler/dialect/FlyOps.h"

namespace fly::sema {

inline bool liesPacked(host::Number number) { return host::format(number).bits < 8; }
inline ir::ElementUnit unitOf(host::Number number) { return ir::elementUnit(host::format(number).bits); }

/// The element type of a tensor in memory: of packed numbers an integer of their bits.
mlir::Type memoryType(Elaborator &e, host::Number number);
/// Bytes of this many consecutive elements.
uint64_t bytesOf(host::Number number, uint64_t count);
/// `n` elements as lanes of what holds them in registers: bytes of packed ones.
inline int64_t lanesOf(host::Number number, int64_t n) {
  return liesPacked(number) ? n * host::format(number).bits / 8 : n;
}

/// Refuses one element in memory.
void checkHasAddress(Elaborator &e, const TensorValue &tensor, SourceRange range);
/// Refuses a coordinate that maps into the middle of a byte, and names its mode.
void checkBeginsAtByte(Elaborator &e, const TensorValue &tensor, const layout::IntTuple &coordinate, SourceRange range);
/// Refuses a count of elements that ends inside a byte.
void checkFillsBytes(Elaborator &e, Type type, llvm::StringRef what, SourceRange range);
/// Refuses a view whose elements, in its order, are not whole bytes each.
void checkAccessesBytes(Elaborator &e, const TensorValue &view, llvm::StringRef what, SourceRange range);

} // namespace fly::sema
