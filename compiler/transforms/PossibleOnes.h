// Which bits of a number may be 1: what the lowering of layouts knows about thread indices and values computed from
// them, long before LLVM. `thread_id.x * 32` in a block of 64 threads has ones only in bits 5 to 10, so a swizzle's
// constants that are elsewhere can be split off (SwizzleSplit.h).
#pragma once

#include "mlir/IR/Value.h"

#include <cstdint>

namespace fly::ir {

/// Of an integer of at most 64 bits that is not negative.
std::uint64_t possibleOnes(mlir::Value value);

} // namespace fly::ir
