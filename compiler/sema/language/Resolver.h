// Names, before anything runs: every name of the file must have a definition that could reach it, also in functions
// that are never called.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Reports each name that no scope defines; false if there were any.
bool resolveNames(const ModuleScope &module, Elaborator &elaborator);

} // namespace fly::sema
