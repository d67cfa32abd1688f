// Uniformity: which values differ between the lanes of a wave, as far as instructions say.
//
// What the backend calls uniform it keeps in scalar registers. The lowering of layouts asks the same question earlier, to
// keep the uniform part of an address apart: a 64-bit base in scalar registers, beside a 32-bit offset in a vector
// register. A wrong answer costs instructions, never a result, so that control is not looked at: a value that leaves a loop
// in which lanes part ways counts as uniform.
//
// What changes from turn to turn of a loop does not count as uniform. As part of the 32-bit offset it costs one vector
// addition, shared by all tensors with the same strides; as part of the base it would cost the backend more, because its
// strength reduction and code motion turn `(base + step) + lane` into `(base + lane) + step`, a 64-bit vector addition. A
// buffer access has a scalar register for it, which costs nothing: there it does count (`Turns::Uniform`).
#pragma once

#include "compiler/dialect/FlyOps.h"

namespace fly::ir {

class Uniformity {
public:
  enum class Turns { Differ, Uniform };
  explicit Uniformity(KernelOp kernel, Turns turns = Turns::Differ);
  bool isUniform(mlir::Value value) const { return !differs.contains(value); }

private:
  llvm::DenseSet<mlir::Value> differs;
};

} // namespace fly::ir
