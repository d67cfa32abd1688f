// fly-forward-slots: see ForwardSlots.cpp.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace fly::ir {
std::unique_ptr<mlir::Pass> createForwardSlots();
} // namespace fly::ir
