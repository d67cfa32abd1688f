// Builtins that are written in .fly: the standard library's functions, called by the elaborator itself.
//
// The module is searched only in the standard library, never next to the user's file or in -I: a file with that name
// does not change what `sin` is. It is parsed and run at its first use, so a program that does not need it pays
// nothing.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Calls `function` of the stdlib's `module` with `arguments`, as if the call at `range` named it.
Value callLibrary(Elaborator &e, llvm::StringRef module, llvm::StringRef function, Values arguments, SourceRange range);

} // namespace fly::sema
