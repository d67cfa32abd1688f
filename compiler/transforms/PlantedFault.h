// A mistake on purpose: a stored number is changed after a pass. With it one sees that a test finds what that pass could
// do wrong, and that the pass is blamed.
#pragma once

#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace fly::ir {

/// The passes after which a fault can be planted, `fly-finish-kernel` among them.
bool mayHaveFault(llvm::StringRef pass);
/// Flips the lowest bit, of floats the sign, of what the kernel's last store writes; false if it has none.
bool plantFault(mlir::Operation *root);
/// Does that after the pass.
std::unique_ptr<mlir::PassInstrumentation> plantFaultAfter(std::string pass);

} // namespace fly::ir
