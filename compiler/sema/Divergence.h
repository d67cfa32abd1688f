// Barriers that only some threads of a workgroup reach.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/Elaborator.h"

namespace fly::sema {

/// Reports each barrier of the elaborated kernel that stands behind a condition which provably depends on the thread.
void checkBarriers(Elaborator &e, ir::KernelOp kernel);

} // namespace fly::sema
