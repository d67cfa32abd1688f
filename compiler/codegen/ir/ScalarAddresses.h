// Keeps the part of an address that the lanes of a wave share in scalar registers.
//
// An access of global memory adds three things by itself: a 64-bit base in scalar registers, a 32-bit offset in a
// vector register, and a constant. Where an address is not written in that order, the backend adds with vector
// instructions, two for 64 bits:
//
//   base + zext(lane) + 20480   the constant does not fit into the instruction: its home is the base, but it comes last
//   p = phi(base + zext(lane), p + 4096)     strength reduction made a loop's pointer one of each lane
//
// LLVM's passes produce addresses like this on purpose, to share common parts, regardless of the order in the input. So
// this pass runs after all of them, right before instruction selection.
#pragma once

namespace fly::codegen {

struct BackendPass;

/// The pass that does this.
BackendPass scalarAddressesPass();

} // namespace fly::codegen
