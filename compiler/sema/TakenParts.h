// Parts of a tiled copy that no thread takes: `get_slice(thread_id.x % 32)` of 64 threads copies half of every tile.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/TiledCopy.h"

namespace fly::sema {

/// Remembers whose part `get_slice` was asked for.
void noteTakenPart(Elaborator &e, const TiledCopy &copy, const layout::Leaf &thread, SourceRange range);

/// Refuses tiled copies of which all slices that a kernel takes leave threads out. A copy with a slice whose number is not known,
/// of a loop or of data, is passed over.
void checkTakenParts(Elaborator &e, ir::KernelOp kernel);

} // namespace fly::sema
