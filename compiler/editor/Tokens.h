// Semantic tokens: what kind of thing each name of a file is, and where its value lives.
#pragma once

#include "compiler/editor/Positions.h"
#include "compiler/editor/Snapshot.h"

namespace fly::editor {

/// `SemanticTokensLegend`.
llvm::json::Object tokenLegend();
/// `SemanticTokens` of the whole file.
llvm::json::Object tokensOf(Snapshot &snapshot, const TextPositions &positions);

} // namespace fly::editor
