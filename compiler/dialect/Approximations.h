// The functions of floats that are one instruction, as a table: each row is an intrinsic of LLVM's AMDGPU backend.
#pragma once

#include "compiler/dialect/FlyOps.h"

namespace fly::ir {

struct ApproximationInfo {
  Approximation function;
  /// Without the suffix of its type.
  const char *intrinsic;
  /// There is one of f16, of f64; there always is one of f32.
  bool ofHalf, ofDouble;
  /// A NaN is returned quieted.
  bool keepsNan = false;
  /// The result is an i32.
  bool givesInteger = false;
};

const ApproximationInfo &info(Approximation function);

} // namespace fly::ir
