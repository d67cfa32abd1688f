// Families of builtins of this room.
#pragma once

#include "compiler/sema/value/Builtin.h"

namespace fly::sema {

/// Functions of `@launch` functions.
llvm::ArrayRef<Builtin> launchBuiltins();

} // namespace fly::sema
