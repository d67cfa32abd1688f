// Uniformity: which values differ between the lanes of a wave, as far as instructions say.
//
// What the backend calls uniform it keeps in scalar registers. The lowering of layouts asks the same question earlier, to
// keep the uniform part of an address apart: a 64-bit base in scalar registers, beside a 32-bit offset in a vector
// register. A wrong answer costs instructions, never a result, so that control is not looked at: a value that leaves a loop
// in which lanes part ways counts as uniform.
//
// What a loop changes from turn to turn counts as uniform: a scalar addition. Where LLVM's strength reduction makes of it a
// pointer of each lane, codegen/ScalarAddresses.h makes it scalar again.
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
