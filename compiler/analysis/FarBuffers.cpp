// See FarBuffers.h.
#include "compiler/analysis/FarBuffers.h"

#include "compiler/analysis/Divergence.h"
#include "compiler/dialect/Views.h"
#include "compiler/layout/Algebra.h"

namespace fly::analysis {

bool isWithinReach(ir::TensorType type) {
  layout::InferringArithmetic arithmetic;
  auto span = layout::cosize(type.getLayout(), arithmetic);
  if (!span)
    return false;
  return span->isStatic() ? span->value <= ir::BufferOp::reach * 8 / type.getElementBits() : span->width() == 32;
}

void helpBeyondReach(DiagnosticBuilder builder) {
  builder
      .help("first select a part by coordinates that are the same for all lanes, such as `local_tile(buffer(t), (128, "
            "64), (block_id.x, k))`, then the thread's part of that")
      .help(
          "if the size of the part is only known at run time, use `buffer(part)`: the kernel then checks it and stops "
          "if it is too large");
}

/// The argument of a copy that an operand is.
static mlir::Location locationOf(mlir::OpOperand &operand) {
  mlir::Operation *op = operand.getOwner();
  if (!llvm::isa<ir::CopyOp>(op))
    return op->getLoc();
  return ir::withoutNames(ir::argumentIn(op->getLoc(), operand.getOperandNumber() == 0 ? "source" : "destination"));
}

llvm::SmallVector<FarAccess> farAccesses(ir::KernelOp kernel) {
  llvm::SmallVector<FarAccess> all;
  if (!kernel
           .walk([](ir::BufferOp buffer) {
             return buffer.getIsFar() ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
           })
           .wasInterrupted())
    return all;
  kernel.walk([&](mlir::Operation *op) {
    auto view = llvm::dyn_cast<ir::ViewOpInterface>(op);
    if ((view && view.isReachedAsSource()) || llvm::isa<ir::RebaseOp, ir::LeafOp>(op) || ir::isMark(op))
      return;
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (llvm::isa<ir::TensorType>(operand.get().getType()) && ir::BufferOp::farOrigin(operand.get()))
        all.push_back({&operand, locationOf(operand)});
  });
  return all;
}

llvm::SmallVector<mlir::Value> wayTo(mlir::Value view) {
  llvm::SmallVector<mlir::Value> way;
  for (mlir::Operation *step : ir::stepsTo(view)) {
    way.push_back(step->getResult(0));
    if (llvm::isa<ir::BufferOp>(step))
      break;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

/// Says it once: where lanes take their part of what has not been cut before; of the access if they do not.
void checkFarAccesses(Context &context) {
  const auto accesses = farAccesses(context.kernel);
  if (accesses.empty())
    return;
  const auto differs = divergentInWave(context.kernel, context.ranges, context.target.waveSize);
  llvm::DenseSet<mlir::Value> blamed;
  for (auto &[operand, location] : accesses) {
    const auto way = wayTo(operand->get());
    auto parting = llvm::find_if(way, [&](mlir::Value view) { return differs.contains(view); });
    auto cut = parting == way.end() ? ir::SliceOp() : parting->getDefiningOp<ir::SliceOp>();
    if (!blamed.insert(cut ? cut.getResult() : way.front()).second)
      continue;
    if (cut) {
      context.reporter.report(context.rangeOf(cut), diag::divergent_lane{.what = "start", .name = "buffer"})
          .help("cut this buffer by coordinates that are the same for all lanes until at most 2 GiB remain, then take "
                "the thread's part");
      continue;
    }
    auto type = llvm::cast<ir::TensorType>(way.back().getType());
    helpBeyondReach(context.reporter.report(context.places.of(location),
                                            diag::buffer_reach{.layout = layout::textOf(type.getLayout())}));
  }
}

} // namespace fly::analysis
