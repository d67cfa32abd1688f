// What is stored is computed near the store, at the end of a kernel.
//
// An epilogue converts and stores the sums of a tile, hundreds per lane, each under a predicate of its own:
//
//   copy(word, write_c.retile(rc.to(T)), gc, pred=inside(write_c, (m, n), (BM, BN), at))
//
// This is the order in which the optimizer leaves it: all conversions, all predicates, then all stores. The scheduler
// starts from there and finds nothing better for so many instructions. But 256 predicates take 512 scalar registers,
// and 256 converted sums all VGPRs, so they end in scratch memory.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// For functions with blocks outside of loops whose values need more than about half of the registers. Computes
/// elements of large vectors separately. In those blocks, computes what only stores need right before the first store
/// that needs it. Runs after the optimizer.
void computeNearUses(llvm::Module &module);

} // namespace fly::codegen
