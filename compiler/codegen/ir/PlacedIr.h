// LLVM IR to be read next to its source: the text without debug information, and the place of each instruction.
#pragma once

#include "compiler/artifact/PlacedText.h"

namespace llvm {
class Module;
}

namespace fly::codegen {

/// The module is not changed.
artifact::PlacedText placedIr(const llvm::Module &module);

} // namespace fly::codegen
