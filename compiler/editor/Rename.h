// Other names for what a file defines, within that file.
#pragma once

#include "compiler/editor/Definitions.h"

#include <string>
#include <variant>

namespace fly::editor {

/// The name at the offset, if it can be another one; else why not.
std::variant<SourceRange, std::string> renamableAt(Snapshot &snapshot, uint32_t offset);
/// All places of the name at the offset, if it can be `name`; else why not.
std::variant<std::vector<SourceRange>, std::string> renamed(Snapshot &snapshot, uint32_t offset,
                                                            const std::string &name);

} // namespace fly::editor
