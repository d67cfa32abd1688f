// fly-fold-sign-checks: run-time checks that a number is not negative, left out where it cannot be.
//
// A number is not negative if it is made of such numbers by operations that keep the sign: indices of the
// hardware, constants, their sums, products, quotients, remainders. A loop's variable is none if it begins as one and
// each turn makes one of it: that is assumed while its ways in are looked at.
//
// That a sum or product leaves 32 bits is not considered. (The analysis of integer ranges does, and so knows nothing of
// `block_id.x * 16`.) What is asked here is on which side of the first element a place lies, and no launch has so many
// workgroups, nor a tensor so many elements, that such a product wraps.
#include "compiler/analysis/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/DenseSet.h"

namespace fly::analysis {

#define GEN_PASS_DEF_FLYFOLDSIGNCHECKS
#include "compiler/analysis/Passes.h.inc"

namespace {
namespace arith = mlir::arith;

class Signs {
public:
  bool isNonNegative(mlir::Value value) {
    if (!assumed.insert(value).second)
      return true;
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
      return ofArgument(argument);
    mlir::Operation *op = value.getDefiningOp();
    llvm::APInt constant;
    if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
      return constant.isNonNegative();
    auto of = [&](unsigned operand) { return isNonNegative(op->getOperand(operand)); };
    if (llvm::isa<ir::ThreadIdOp, ir::BlockIdOp, ir::BlockDimOp, ir::GridDimOp, ir::LaneIdOp, ir::WaveIdOp,
                  ir::ClusterIdOp, ir::ClusterBlockIdOp, ir::ClusterRankOp, arith::ExtUIOp>(op))
      return true;
    if (llvm::isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
                  arith::DivUIOp>(op))
      return of(0) && of(1);
    if (llvm::isa<arith::MaxSIOp, arith::AndIOp>(op))
      return trial(op->getOperand(0)) || of(1);
    if (llvm::isa<arith::RemSIOp, arith::RemUIOp, arith::ShRSIOp, arith::ShRUIOp, arith::ShLIOp, arith::ExtSIOp,
                  arith::TruncIOp>(op))
      return of(0);
    if (llvm::isa<arith::SelectOp>(op))
      return of(1) && of(2);
    if (auto wave = llvm::dyn_cast<ir::WaveOp>(op))
      return (wave.getAction() == ir::WaveAction::ReadFirstLane || wave.getAction() == ir::WaveAction::ReadLane) &&
             of(0);
    return false;
  }

private:
  /// One way of two: what was assumed on it does not hold if it fails.
  bool trial(mlir::Value value) {
    auto before = assumed;
    if (isNonNegative(value))
      return true;
    assumed = std::move(before);
    return false;
  }

  bool ofArgument(mlir::BlockArgument argument) {
    mlir::Block *block = argument.getOwner();
    if (block->isEntryBlock())
      return false;
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      auto branch = llvm::dyn_cast<mlir::BranchOpInterface>((*it)->getTerminator());
      if (!branch || !isNonNegative(branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()]))
        return false;
    }
    return true;
  }

  llvm::DenseSet<mlir::Value> assumed; ///< looked at; also those that are being looked at, around a loop
};

struct FoldSignChecks : impl::FlyFoldSignChecksBase<FoldSignChecks> {
  void runOnOperation() override {
    getOperation().walk([](arith::CmpIOp check) {
      if (!check->removeDiscardableAttr(ir::signCheckAttr) || !Signs().isNonNegative(check.getLhs()))
        return;
      mlir::OpBuilder builder(check);
      check.replaceAllUsesWith(
          arith::ConstantOp::create(builder, check.getLoc(), builder.getBoolAttr(true)).getResult());
      check->erase();
    });
  }
};

} // namespace

} // namespace fly::analysis
