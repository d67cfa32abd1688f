// Elements of a host array at the indices that other arrays hold, and arrays of given elements.
#pragma once

#include "compiler/host/HostArray.h"

namespace fly::host {

/// The axes `axis`, `axis + 1`, ... of `x` are replaced by those that `indices`, one array of integers per axis,
/// broadcast to: of shape (4, 6), taken at axis 1 with indices of shape (2, 3), the result has shape (4, 2, 3).
/// Negative indices count from the end.
ArrayResult take(const HostArray &x, size_t axis, llvm::ArrayRef<HostArray> indices);

/// An array of these elements, row-major; without a type mathematical, of the widest kind of an element.
ArrayResult arrayOf(const Shape &shape, llvm::ArrayRef<Scalar> elements, std::optional<Number> type);

} // namespace fly::host
