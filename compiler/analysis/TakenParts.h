// Parts of a tiled copy that no thread takes: `get_slice(thread_id.x % 32)` of 64 threads copies half of every tile.
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// Refuses tiled copies of which all slices that a kernel takes leave threads out. A copy with a slice whose number is
/// not known, of a loop or of data, is passed over.
void checkTakenParts(Context &context);

} // namespace fly::analysis
