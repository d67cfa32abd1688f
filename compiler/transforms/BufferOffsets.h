// BufferOffsets: where in a buffer an access is, as the instruction takes it.
//
//   voffset  what differs between lanes: compared with the buffer's end
//   soffset  what is uniform
//   offset   what is known: the instruction's immediate, compared too
//
// gfx9 compares soffset, gfx12 does not. There a uniform part is added to voffset: a tile that does not exist, because a
// division rounds up or a loop reads ahead, lies outside and must read as zeros.
#pragma once

#include "compiler/transforms/EmittingArithmetic.h"

namespace fly::ir {

struct BufferOffsets {
  mlir::Value checked = {}, unchecked = {}; // i32 bytes
  std::int64_t known = 0;
};

/// The sum of two parts in bytes, which come round at 2^32 as the hardware's do; null: 0.
mlir::Value addOffsets(mlir::OpBuilder &builder, mlir::Location place, mlir::Value left, mlir::Value right);

/// Of an offset in elements of `size` bytes, with `extra` beside it. With a predicate: where it is off, outside of every buffer.
layout::Result<BufferOffsets> bufferOffsets(EmittingArithmetic &arithmetic, mlir::OpBuilder &builder, mlir::Location place,
                                            const layout::Leaf &offset, std::int64_t size, bool checksScalar,
                                            const BufferOffsets &extra, mlir::Value predicate);

} // namespace fly::ir
