// BufferOffsets: where in a buffer an access is, as the instruction takes it.
//
//   voffset  what differs between lanes, and what is uniform but may lead outside: compared with the buffer's end
//   soffset  what is uniform and cannot lead outside: added without a look
//   offset   what is known: the instruction's immediate, compared too
//
// LLVM says of soffset "excluded from bounds checking and swizzling" (IntrinsicsAMDGPU.td); gfx9 does look at it, gfx12
// does not. So a uniform part may only go there if every step that made the tensor's view kept to the tensor: a division
// that rounds up makes coordinates that are outside.
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
                                            const layout::Leaf &offset, std::int64_t size, bool isExact,
                                            const BufferOffsets &extra, mlir::Value predicate);

} // namespace fly::ir
