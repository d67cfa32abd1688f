// Scratch memory that the author did not ask for (FLY0704), and spills of a budget of registers (FLY0703).
#pragma once

#include "compiler/object_checks/LinkedKernel.h"

namespace fly::driver {

/// Warns about each kernel that uses scratch memory or does not fit its budget, with the values that live longest
/// where most registers are in use.
void reportScratch(DiagnosticEngine &diags, llvm::StringRef codeObject, llvm::ArrayRef<LinkedKernel> kernels);

} // namespace fly::driver
