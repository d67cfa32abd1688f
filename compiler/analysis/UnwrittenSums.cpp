// See UnwrittenSums.h.
//
// The bits of a register that was never written are unspecified. The optimizer usually makes them zero, which is what a
// sum wants to begin with, so no test of the machine code would notice.
//
//     rc = mma.make_fragment_C(gc)                 slots
//     for t in range(tiles):
//         gemm(MMA, rc, ra, rb)                    reads the slots, then writes them
//
// If a product dominates each write to a slot, then nothing is written before its first execution. Products that add to
// the slot do not count: what they add to is unwritten, too. So a report is never wrong. What is written on some paths
// only is not reported.
#include "compiler/analysis/UnwrittenSums.h"

#include "mlir/IR/Dominance.h"

namespace fly::analysis {

/// Whether it holds of everything that may write to a slot, which is all but what is known to read it or to add to it.
static bool allWritesOf(mlir::Value slot, llvm::function_ref<bool(mlir::Operation *)> holds) {
  return llvm::all_of(slot.getUses(), [&](mlir::OpOperand &use) {
    mlir::Operation *user = use.getOwner();
    if (llvm::isa<ir::SlotLoadOp>(user))
      return true;
    auto fragment = llvm::dyn_cast<ir::FragmentOp>(user);
    if (!fragment)
      return holds(user);
    return llvm::all_of(fragment.getResult().getUses(), [&](mlir::OpOperand &view) {
      auto product = llvm::dyn_cast<ir::MmaOp>(view.getOwner());
      const bool onlyAdds = product && (product.getD() != view.get() || product.getD() == product.getC());
      const bool onlyReads = llvm::isa<ir::CopyOp>(view.getOwner()) && view.getOperandNumber() == 0;
      return onlyAdds || onlyReads || holds(view.getOwner());
    });
  });
}

void checkUnwrittenSums(Context &context) {
  mlir::DominanceInfo dominance(context.kernel);
  llvm::DenseSet<mlir::Value> reported; // slots
  context.kernel.walk([&](ir::MmaOp product) {
    auto sums = product.getC().getDefiningOp<ir::FragmentOp>();
    if (!sums || !dominance.isReachableFromEntry(product->getBlock()))
      return;
    const bool isUnwritten = llvm::all_of(sums.getSlots(), [&](mlir::Value slot) {
      return allWritesOf(slot, [&](mlir::Operation *write) { return dominance.dominates(product, write); });
    });
    if (isUnwritten && reported.insert(sums.getSlots().front()).second)
      context.reporter.report(diag::unwritten_sum, context.rangeOf(product))
          .help("begin with `.fill(0)` of the fragment, or give what to add: `gemm(mma, d, a, b, c)`");
  });
}

} // namespace fly::analysis
