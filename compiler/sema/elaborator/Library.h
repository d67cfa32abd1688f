// Builtins that are written in .fly: the standard library's functions, called by the elaborator itself.
//
// The module is looked for in the standard library only, never beside the user's file or in -I: what `sin` is does not
// change with a file of that name. It is parsed and run at its first use, so a program that needs none of it pays nothing.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Calls `function` of the stdlib's `module` with `arguments`, as if the call at `range` named it.
Value callLibrary(Elaborator &e, llvm::StringRef module, llvm::StringRef function, Values arguments, SourceRange range);

} // namespace fly::sema
