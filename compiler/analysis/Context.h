// What an analysis of a whole kernel gets.
#pragma once

#include "compiler/analysis/Ranges.h"
#include "compiler/analysis/SourcePlaces.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/diagnostics/Reporter.h"
#include "compiler/target/Target.h"

#include <string>

namespace fly::analysis {

/// One kernel under analysis, and where an analysis reports.
struct Context {
  ir::KernelOp kernel;
  const target::Target &target;
  Reporter &reporter;
  const SourcePlaces &places;
  Ranges &ranges;

  SourceRange rangeOf(mlir::Operation *op) const { return places.of(op->getLoc()); }
  /// The text of a range.
  llvm::StringRef textOf(SourceRange range) const { return reporter.diags.sources.text(range); }
};

/// Whether -Wperf asks for what accesses cost.
bool wantsPerformance(const DiagnosticEngine &diags);

/// "`x`", by the name in the location of a tensor's use; "the tensor" if it has none.
std::string tensorIn(mlir::Location location);

/// The first step on the way to a view that made coordinates outside of what it divided; null if there is none.
ir::RearrangeOp firstRaggedStep(mlir::Value tensor);

} // namespace fly::analysis
