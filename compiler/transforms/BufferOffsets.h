// BufferOffsets: where in a buffer an access is, as the instruction takes it.
//
//   voffset  what differs between lanes: compared with the buffer's end
//   soffset  what is uniform
//   offset   what is known: the instruction's immediate, compared too
//
// gfx9 compares soffset with the end, gfx12 does not. On gfx12, a uniform part is added to voffset: a tile that does
// not exist, because a division rounds up or a loop reads ahead, is outside and must read as zeros.
#pragma once

#include "compiler/transforms/EmittingArithmetic.h"

namespace fly::ir {

struct BufferOffsets {
  mlir::Value checked = {}, unchecked = {}; // i32 bytes
  std::int64_t known = 0;
};

/// The sum of two parts in bytes, which wraps at 2^32 as in hardware; null: 0.
mlir::Value addOffsets(mlir::OpBuilder &builder, mlir::Location place, mlir::Value left, mlir::Value right);

/// For an offset in elements of `size` bytes, plus `extra`. With a predicate: outside of every buffer where it is
/// false.
layout::Result<BufferOffsets> bufferOffsets(EmittingArithmetic &arithmetic, mlir::OpBuilder &builder,
                                            mlir::Location place, const layout::Leaf &offset, std::int64_t size,
                                            bool checksScalar, const BufferOffsets &extra, mlir::Value predicate);

} // namespace fly::ir
