// Registers that are read before anything was written to them: a missing `acc.fill(0)`.
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// Refuses a `gemm` whose C, when it is first executed, is a fragment without any written register. Warns of other
/// reads of registers that nothing can have been written to.
void checkUnwrittenRegisters(Context &context);

} // namespace fly::analysis
