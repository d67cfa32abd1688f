// Calls of builtins: their arguments are bound to the signature.
#pragma once

#include "compiler/sema/value/Builtin.h"
#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Binds a call's arguments to the signature; reports count, unknown keywords and missing ones.
BoundCall bindBuiltin(Elaborator &elaborator, const Builtin &builtin, Arguments &arguments, SourceRange range);

/// The name of a parameter of the signature.
std::string parameterName(const Builtin &builtin, size_t index);
std::string argumentName(const BoundCall &call, size_t index); ///< "`x` of `ldexp`"

} // namespace fly::sema
