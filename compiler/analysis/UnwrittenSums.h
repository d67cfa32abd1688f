// Products that add to registers that nothing was written to: a missing `c.fill(0)`.
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// Refuses a `gemm` whose C, when it is first executed, is a fragment without any written register.
void checkUnwrittenSums(Context &context);

} // namespace fly::analysis
