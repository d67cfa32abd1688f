// What an editor shows unasked between the words and above lines.
#pragma once

#include "compiler/editor/Positions.h"
#include "compiler/editor/Snapshot.h"

namespace fly::editor {

/// `InlayHint`s of the bytes [begin, end): the layouts and constants that names get in the first instance.
llvm::json::Array hintsIn(Snapshot &snapshot, const TextPositions &positions, uint32_t begin, uint32_t end);

} // namespace fly::editor
