// What a file contains: its definitions, and the parts that an editor can fold.
#pragma once

#include "compiler/editor/Positions.h"
#include "compiler/syntax/AST.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace fly::editor {

/// `DocumentSymbol`s: functions with what is defined in them, structs with fields and methods, names of the module.
llvm::json::Array symbolsOf(const ast::Module &module, const TextPositions &positions);
/// Adds `SymbolInformation` of what the module defines whose name has the letters of `query` in their order; up to
/// `most`.
void addMatching(llvm::json::Array &result, const ast::Module &module, llvm::StringRef query, size_t most,
                 llvm::function_ref<llvm::json::Object(SourceRange)> location);
/// `FoldingRange`s: blocks, imports, comments and texts over several lines.
llvm::json::Array foldsOf(const ast::Module &module, llvm::StringRef text, const TextPositions &positions);

} // namespace fly::editor
