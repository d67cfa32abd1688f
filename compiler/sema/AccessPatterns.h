// Where the lanes of a wave reach: in single accesses (`t[i]`, `.load()`, `.store(v)`), found by computing the address of each
// lane as far as it is known, and in the partitions of tiled copies, by their layouts. For -Wperf.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/TiledCopy.h"

namespace fly::sema {

/// Remembers an access for checkAccesses, if anyone asked, and for checkTilesInside (TilesOutside.h).
void noteAccess(Elaborator &e, mlir::Operation *op, SourceRange range);

/// Remembers what the lanes of a wave read or write of a tensor by a tiled copy. `owned` is the tensor by ((threads, values), rest).
void notePartition(Elaborator &e, const TiledCopy &copy, const Value &tensor, const Value &owned, bool isWrite, SourceRange range);

/// Remembers that `copy("auto")` moves a part of one: its accesses are the widest, whatever the tiled copy's atom is.
void noteTakenWide(const Value &part);

/// Reports the accesses of a kernel that could be faster.
void checkAccesses(Elaborator &e, ir::KernelOp kernel);

} // namespace fly::sema
