// What is stored is computed near the store, at the end of a kernel.
//
// An epilogue converts and stores the sums of a tile, hundreds per lane, each under a predicate of its own:
//
//   copy(word, write_c.retile(rc.to(T)), gc, pred=inside(write_c, (m, n), (BM, BN), at))
//
// So the kernel says it: all conversions, all predicates, then all stores. The scheduler starts from this order and finds
// no better one for so many instructions; 256 predicates are 512 scalar registers, 256 converted sums all VGPRs. They
// end in scratch memory.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// In functions with a block outside of loops whose values need more than about half of the registers: computes elements
/// of large vectors separately, and what only stores of such blocks need right before the first of them. Runs after the
/// optimizer.
void computeNearUses(llvm::Module &module);

} // namespace fly::codegen
