// What a machine integer is known to be a multiple of.
#pragma once

#include "mlir/IR/Value.h"

namespace fly::ir {

/// A divisor of the value, at least 1, found in constants, products, sums, quotients and extensions that it is computed by
/// from numbers and a kernel's arguments.
int64_t divisorOf(mlir::Value value, unsigned depth = 0);

} // namespace fly::ir
