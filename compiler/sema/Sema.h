// Elaboration as a whole: what all its rooms bring.
#pragma once

#include "compiler/sema/module/Environment.h"

namespace fly::sema {

/// Functions that need no import, in the order in which the manual has them.
llvm::ArrayRef<BuiltinFamily> preludeFamilies();
/// Those of `fly.amd`, of `sched`, and of `isa` in ISA mode.
llvm::ArrayRef<BuiltinFamily> amdFamilies();
BuiltinFamily schedulingFamily();
BuiltinFamily isaFamily();

/// With all of these, and the module `fly.amd`.
const Environment &environment();

} // namespace fly::sema
