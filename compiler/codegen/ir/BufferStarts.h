// Buffers of a loop start where their accesses become the same.
//
// A and B of a matrix product are read at
//
//   a: block_id.x * 256 * k + t * 64 + i * 32 * k           b: block_id.y * 256 * k + t * 64 + i * 32 * k
//
// As scalar offsets of buffers that start with the tensors, these are two numbers per i, each with an addition per
// trip. If each buffer starts at the tile's first row instead, one serves for both.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Moves what all accesses of a buffer in a loop have in common from their scalar offsets to the buffer's start, if the
/// loop then has fewer different offsets. For targets whose bounds checks include the scalar offset. Runs after the
/// optimizer.
void moveBufferStarts(llvm::Module &module);

} // namespace fly::codegen
