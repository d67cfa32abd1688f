// Where the lanes of a wave reach in single accesses (`t[i]`, `.load()`, `.store(v)`), found by computing the address of each
// lane as far as it is known: for -Wperf.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/Elaborator.h"

namespace fly::sema {

/// Remembers an access for checkAccesses, if anyone asked.
void noteAccess(Elaborator &e, mlir::Operation *op, SourceRange range);

/// Reports the accesses of a kernel that could be faster.
void checkAccesses(Elaborator &e, ir::KernelOp kernel);

} // namespace fly::sema
