// The options with which a project builds a file: from `fly_compile_commands.json`, which `add_fly_kernel()` writes into
// the build folder (docs/cmake.md).
//
//     [{"directory": "/p", "file": "/p/a.fly", "archs": ["gfx942"], "options": ["-I", "/p/lib", "-D", "VEC=8"]}]
#pragma once

#include "compiler/compilation/Options.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace fly::editor {

constexpr llvm::StringLiteral optionListName = "fly_compile_commands.json";

struct FileOptions {
  std::vector<std::string> archs;
  driver::Options options; ///< what is not said has the default

  bool operator==(const FileOptions &other) const;
};

/// Of the nearest list that names the file: in its folder or one above, or in a folder `build` of these. A file that no
/// list names gets the search path of one in the same folder. None if there is no such.
std::optional<FileOptions> listedOptions(llvm::StringRef path);

/// The options of the server and those of the file after them.
driver::Options joined(driver::Options server, const FileOptions &file);

} // namespace fly::editor
