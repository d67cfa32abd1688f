// Diagnostics as the editor shows them, and their fixes as its actions.
#pragma once

#include "compiler/editor/Positions.h"
#include "compiler/editor/Runs.h"
#include "compiler/editor/Snapshot.h"

namespace fly::editor {

/// The array of `textDocument/publishDiagnostics`. What is wrong in an imported module is shown where it is imported.
llvm::json::Array problemsOf(const Snapshot &snapshot, PositionEncoding encoding);

/// The same of any run of the compiler on a file.
llvm::json::Array problemsOf(const SourceManager &sources, const std::vector<Diagnostic> &diagnostics, FileId file,
                             PositionEncoding encoding);

/// Adds the failures of a check: at their line, or at the check's name with the place where it happened.
void addFailures(llvm::json::Array &problems, const Snapshot &snapshot, const std::string &check,
                 const CheckResult &result, PositionEncoding encoding);

/// `CodeAction`s: the fixes of diagnostics that touch the bytes [begin, end), and all safe ones of the file.
llvm::json::Array fixesAt(const Snapshot &snapshot, PositionEncoding encoding, uint32_t begin, uint32_t end);

} // namespace fly::editor
