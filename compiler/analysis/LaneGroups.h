// What lanes that work together agree on: the granule of a value.
//
// A group is an aligned run of a wave's lanes, all of it or a part. The granule of a value is the least known power of
// two g for which floor(value / g) is the same in all lanes of a group: 1 for a value that is the same itself, 64 for
// `thread_id.x` among the 64 lanes of a wave, `mixed` where nothing is known. It decides what guards keep a group
// whole: `thread_id.x < 128` does, for 128 is a multiple of the granule; `thread_id.x < n` does not.
#pragma once

#include "compiler/dialect/FlyOps.h"

namespace fly::analysis {

using Granule = uint64_t;
constexpr Granule mixed = ~Granule(0);

/// Of a thread's index among groups of `lanes`. Where the workgroup's shape is not known, its rows are taken to be
/// whole groups: what may be right is not refused.
Granule granuleOf(ir::ThreadIdOp id, int64_t lanes);

/// Facts about other values that the rules ask for.
struct GranuleFacts {
  llvm::function_ref<Granule(mlir::Value)> granule;
  llvm::function_ref<bool(mlir::Value)> isNonNegative;
  /// A power of two that divides an argument of the kernel.
  llvm::function_ref<uint64_t(mlir::BlockArgument)> divisor;
};

/// Of the results of an operation, from its operands.
Granule granuleOfResults(mlir::Operation *op, const GranuleFacts &facts);

} // namespace fly::analysis
