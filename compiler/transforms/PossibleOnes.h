// Which bits of a number may be 1: what the lowering of layouts knows of a thread's index and what is computed of it, long
// before LLVM does. `thread_id.x * 32` in a block of 64 threads has ones in bits 5 to 10 only, so that a swizzle's constants
// go elsewhere (SwizzleSplit.h).
#pragma once

#include "mlir/IR/Value.h"

#include <cstdint>

namespace fly::ir {

/// Of an integer of at most 64 bits that is not negative.
std::uint64_t possibleOnes(mlir::Value value);

} // namespace fly::ir
