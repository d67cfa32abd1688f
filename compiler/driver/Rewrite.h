// Writing a source file anew, for `flyc fmt` and `flyc fix`.
#pragma once

#include "compiler/driver/Session.h"

namespace fly::driver {

/// Replaces a file's content, whole or not at all; a link stays a link, and the permissions stay. False after a diagnostic.
bool rewriteFile(Session &session, const std::string &path, const std::string &text);

} // namespace fly::driver
