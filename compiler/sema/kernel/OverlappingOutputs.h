// Outputs whose layout gives two coordinates one place (FLY0635).
#pragma once

#include "compiler/sema/kernel/Signature.h"

namespace fly::sema {

/// Warns about the outputs of a kernel, as far as their layouts are known at compile time.
void warnOfOverlaps(Elaborator &e, const Signature &signature);

} // namespace fly::sema
