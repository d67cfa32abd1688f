#include "compiler/analysis/Ranges.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

namespace fly::analysis {

const mlir::ConstantIntRanges *Ranges::of(mlir::Value value) {
  if (state == State::Unknown) {
    solver.load<mlir::dataflow::DeadCodeAnalysis>();
    solver.load<mlir::dataflow::SparseConstantPropagation>();
    solver.load<mlir::dataflow::IntegerRangeAnalysis>();
    state = mlir::succeeded(solver.initializeAndRun(kernel)) ? State::Known : State::Failed;
  }
  if (state == State::Failed)
    return nullptr;
  auto *range = solver.lookupState<mlir::dataflow::IntegerValueRangeLattice>(value);
  return range && !range->getValue().isUninitialized() ? &range->getValue().getValue() : nullptr;
}

} // namespace fly::analysis
