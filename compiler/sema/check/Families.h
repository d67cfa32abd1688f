// Families of builtins of this room.
#pragma once

#include "compiler/sema/value/Builtin.h"

namespace fly::sema {

/// Functions of checks.
llvm::ArrayRef<Builtin> checkBuiltins();

} // namespace fly::sema
