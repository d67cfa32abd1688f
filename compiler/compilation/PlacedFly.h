// Fly IR to be read next to its source: the text, and the place of each operation.
#pragma once

#include "compiler/artifact/PlacedText.h"

#include "mlir/IR/BuiltinOps.h"

namespace fly::driver {

artifact::PlacedText placedFly(mlir::ModuleOp module);

} // namespace fly::driver
