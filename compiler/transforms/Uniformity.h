// Uniformity: which values differ between the lanes of a wave, as far as instructions show.
//
// The backend keeps uniform values in scalar registers. The lowering of layouts needs the same property earlier, to
// separate the uniform part of an address: a 64-bit base in scalar registers plus a 32-bit offset in a vector register.
// A wrong answer costs instructions but never changes a result, so control flow is ignored: a value that leaves a
// divergent loop counts as uniform.
//
// A value that a loop changes in each iteration counts as uniform: it is a scalar addition. If LLVM's strength
// reduction turns it into a pointer per lane, codegen/ir/ScalarAddresses.h makes it scalar again.
#pragma once

#include "compiler/dialect/FlyOps.h"

namespace fly::ir {

class Uniformity {
public:
  explicit Uniformity(KernelOp kernel);
  bool isUniform(mlir::Value value) const { return !differs.contains(value); }

private:
  llvm::DenseSet<mlir::Value> differs;
};

} // namespace fly::ir
