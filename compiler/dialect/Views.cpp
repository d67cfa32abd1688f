// See Views.h; the methods of the interface where they are not the usual ones.
#include "compiler/dialect/Views.h"

using namespace mlir;

#include "compiler/dialect/FlyViewInterface.cpp.inc"

namespace fly::ir {

Value RearrangeOp::getViewSource() { return isa<TensorType>(getSource().getType()) ? getSource() : Value(); }
bool BufferOp::isReachedAsSource() { return false; }
bool RebaseOp::isReachedAsSource() { return false; }
bool AtOffsetsOp::isReachedAsSource() { return false; }

Value viewedBy(Operation *op) {
  auto view = dyn_cast_or_null<ViewOpInterface>(op);
  return view ? view.getViewSource() : Value();
}

Value originOf(Value view) {
  for (Operation *step : stepsTo(view))
    if (auto made = dyn_cast<MakeTensorOp>(step))
      return made.getResult();
  return {};
}

BufferOp bufferOf(Value view) {
  for (Operation *step : stepsTo(view))
    if (auto buffer = dyn_cast<BufferOp>(step))
      return buffer;
  return {};
}

BufferOp BufferOp::farOrigin(Value view) {
  for (Operation *step : stepsTo(view)) {
    if (isa<RebaseOp>(step))
      return {};
    if (auto buffer = dyn_cast<BufferOp>(step))
      return buffer.getIsFar() ? buffer : BufferOp();
  }
  return {};
}

} // namespace fly::ir
