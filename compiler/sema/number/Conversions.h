// Explicit conversions, as in T(x) and x.to(T).
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Takes `saturate=` and `round=` out of a conversion's arguments; another keyword is an error. `what` names the
/// conversion.
Conversion takeConversion(Elaborator &e, Arguments &arguments, llvm::StringRef what);

} // namespace fly::sema
