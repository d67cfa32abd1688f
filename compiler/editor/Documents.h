// The files that are open in the editor: their texts, changed as the editor tells.
#pragma once

#include "compiler/editor/Positions.h"

#include <map>
#include <memory>
#include <string>

namespace fly::editor {

/// "/a b.fly" of "file:///a%20b.fly"; what is not a file is its own path.
std::string pathOfUri(llvm::StringRef uri);
/// The other direction. Modules of the embedded library are `fly-std:` documents, whose text the request `fly/text`
/// has.
std::string uriOfPath(llvm::StringRef path);

/// One name per file, as ModuleLoader has it.
std::string realPath(llvm::StringRef path);

/// Applies one element of `contentChanges`; false if it makes no sense.
bool applyChange(std::string &text, const llvm::json::Object &change, PositionEncoding encoding);

} // namespace fly::editor
