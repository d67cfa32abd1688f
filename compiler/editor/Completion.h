// What can be written at the cursor, and which parameter of a call stands there.
#pragma once

#include "compiler/editor/Positions.h"
#include "compiler/editor/Snapshot.h"

namespace fly::editor {

/// Makes a snapshot of a text instead of the file's own.
using SnapshotMaker = std::function<std::unique_ptr<Snapshot>(std::string text)>;

/// A `CompletionList`. A marker is written at the cursor, and what is open is closed; then the kernel is elaborated,
/// and where the marker is met, the elaborator says what could have stood there.
llvm::json::Object completionsAt(llvm::StringRef text, uint32_t offset, const SnapshotMaker &make);

/// `SignatureHelp`; null if the cursor is in no call of a known function.
llvm::json::Value signatureAt(Snapshot &snapshot, uint32_t offset);

} // namespace fly::editor
