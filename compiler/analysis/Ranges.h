// The ranges of a kernel's integers, by MLIR's data flow. Computed when one is first asked for, since few analyses of
// few kernels do, and once for all of them. The kernel must not change in between.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace fly::analysis {

class Ranges {
public:
  explicit Ranges(ir::KernelOp kernel) : kernel(kernel), solver(mlir::DataFlowConfig()) {}
  /// Null if nothing is known.
  const mlir::ConstantIntRanges *of(mlir::Value value);

private:
  enum class State { Unknown, Known, Failed };
  ir::KernelOp kernel;
  mlir::DataFlowSolver solver;
  State state = State::Unknown;
};

} // namespace fly::analysis
