// Coordinates, shapes and strides from values: a tuple of the layout algebra, with machine values as operands of its
// dynamic leaves.
#pragma once

#include "compiler/layout/Algebra.h"
#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// A coordinate under construction: its tuple and the operands of its dynamic leaves.
struct Coordinate {
  Elaborator &e;
  llvm::SmallVector<mlir::Value> dynamic;
  bool keeps = false; ///< a mode is left open by `:` or None

  layout::IntTuple of(const Value &item, SourceRange range);
};

/// Reports an item of `tensor[items]` that cannot be a coordinate, at the item: not an integer, a slice with bounds, a
/// number known to be outside of its mode.
void checkCoordinates(Elaborator &e, const TensorValue &tensor, const Values &items,
                      llvm::function_ref<SourceRange(size_t)> rangeOf);

} // namespace fly::sema
