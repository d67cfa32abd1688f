// Families of builtins of this room.
#pragma once

#include "compiler/sema/value/Builtin.h"

namespace fly::sema {

llvm::ArrayRef<Builtin> layoutBuiltins();
llvm::ArrayRef<Builtin> algebraBuiltins();
llvm::ArrayRef<Builtin> tensorBuiltins();

} // namespace fly::sema
