// See Context.h.
#include "compiler/analysis/Context.h"

#include "compiler/layout/Rearrangement.h"

namespace fly::analysis {

bool wantsPerformance(const DiagnosticEngine &diags) {
  return diags.isWanted(diag::perf_uncoalesced) || diags.isWanted(diag::perf_bank_conflicts) || diags.isWanted(diag::perf_narrow);
}

std::string tensorIn(mlir::Location location) {
  llvm::StringRef name = ir::nameIn(location);
  return name.empty() ? "the tensor" : "`" + name.str() + "`";
}

mlir::Value viewedBy(mlir::Operation *op) {
  return op && op->getNumOperands() && llvm::isa<ir::TensorType>(op->getOperand(0).getType()) ? op->getOperand(0) : mlir::Value();
}

ir::RearrangeOp firstRaggedStep(mlir::Value tensor) {
  ir::RearrangeOp first;
  for (mlir::Operation *op = tensor.getDefiningOp(); mlir::Value source = viewedBy(op); op = source.getDefiningOp())
    if (auto step = llvm::dyn_cast<ir::RearrangeOp>(op))
      if (!layout::staysInside(step.getStep().getStep(), llvm::cast<ir::TensorType>(source.getType()).getLayout(), llvm::cast<ir::TensorType>(step.getType()).getLayout()))
        first = step;
  return first;
}

} // namespace fly::analysis
