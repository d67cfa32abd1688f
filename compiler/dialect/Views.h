// From a view back to the tensor that it shows.
//
//   %t = fly.make_tensor %p, %layout     the origin of all
//   %b = fly.buffer %t, %bytes ...
//   %s = fly.slice %b[%i, _]             stepsTo(%s): fly.slice, fly.buffer, fly.make_tensor
//
// A view that no operation makes, such as an argument of a block, ends the way: it has no origin.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "llvm/ADT/iterator.h"
#include "llvm/ADT/iterator_range.h"

namespace fly::ir {

/// The view that an operation makes another view of; null if it makes none.
mlir::Value viewedBy(mlir::Operation *op);

/// An operation on the way from a view to its origin.
class ViewStep : public llvm::iterator_facade_base<ViewStep, std::forward_iterator_tag, mlir::Operation *,
                                                   std::ptrdiff_t, mlir::Operation **, mlir::Operation *> {
public:
  explicit ViewStep(mlir::Operation *op = nullptr) : op(op) {}
  mlir::Operation *operator*() const { return op; }
  bool operator==(const ViewStep &other) const { return op == other.op; }
  using iterator_facade_base::operator++;
  ViewStep &operator++() {
    mlir::Value source = viewedBy(op);
    op = source ? source.getDefiningOp() : nullptr;
    return *this;
  }

private:
  mlir::Operation *op;
};

/// The operations that lead to a view, the one that makes it first.
inline llvm::iterator_range<ViewStep> stepsTo(mlir::Value view) { return {ViewStep(view.getDefiningOp()), ViewStep()}; }

/// The result of the `fly.make_tensor` that a view shows; null where that is not known.
mlir::Value originOf(mlir::Value view);
/// The buffer through which a view is reached; null if there is none.
BufferOp bufferOf(mlir::Value view);

} // namespace fly::ir
