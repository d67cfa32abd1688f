// Explicit conversions, as in T(x) and x.to(T).
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Takes `saturate=` out of a conversion's arguments; another keyword is an error. `what` names the conversion.
std::optional<bool> takeSaturate(Elaborator &e, Arguments &arguments, llvm::StringRef what);

} // namespace fly::sema
