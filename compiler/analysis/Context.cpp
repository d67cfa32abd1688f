// See Context.h.
#include "compiler/analysis/Context.h"

#include "compiler/dialect/Views.h"
#include "compiler/layout/Rearrangement.h"

namespace fly::analysis {

bool wantsPerformance(const DiagnosticEngine &diags) {
  return diags.isWanted(diag::perf_uncoalesced::kind) || diags.isWanted(diag::perf_bank_conflicts::kind) ||
         diags.isWanted(diag::perf_narrow::kind);
}

std::string tensorIn(mlir::Location location) {
  llvm::StringRef name = ir::nameIn(location);
  return name.empty() ? "the tensor" : "`" + name.str() + "`";
}

ir::RearrangeOp firstRaggedStep(mlir::Value tensor) {
  ir::RearrangeOp first;
  auto layoutOf = [](mlir::Value view) { return llvm::cast<ir::TensorType>(view.getType()).getLayout(); };
  for (mlir::Operation *op : ir::stepsTo(tensor))
    if (auto step = llvm::dyn_cast<ir::RearrangeOp>(op))
      if (!layout::staysInside(step.getStep().getStep(), layoutOf(step.getSource()), layoutOf(step)))
        first = step;
  return first;
}

} // namespace fly::analysis
