// What lanes of a wave do together, as a table: each row is an intrinsic of LLVM's AMDGPU backend, whose operands and
// immediates `fly.wave` has in the same order. All values are 32-bit words, but for a ballot's bool and its mask.
#pragma once

#include "compiler/dialect/FlyOps.h"

namespace fly::ir {

struct WaveActionInfo {
  WaveAction action;
  const char *intrinsic;
  unsigned operands;
  /// One letter each: `i` for an i32, `b` for a flag.
  const char *immediates;
  unsigned results = 1;
  /// All lanes of the wave get one value, whatever the operands are.
  bool equalInWave = false;
  /// Lanes get different values even of equal operands.
  bool differs = false;
};

const WaveActionInfo &info(WaveAction action);

} // namespace fly::ir
