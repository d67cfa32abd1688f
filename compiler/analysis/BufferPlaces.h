// Buffers of tensors beyond 2 GiB: each access gets one that begins where a part was cut out by coordinates that all lanes
// share.
#pragma once

#include "compiler/analysis/Notes.h"

namespace fly::analysis {

/// Whether all offsets of a layout are known to lie within reach of a buffer. Of 32-bit extents the kernel checks it.
bool isWithinReach(ir::TensorType type);
/// What to do about a view that reaches further, in its diagnostic.
void helpBeyondReach(DiagnosticBuilder builder);
/// Makes the buffers of what is accessed in far ones.
void placeBuffers(Context &context);

} // namespace fly::analysis
