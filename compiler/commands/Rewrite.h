// Rewrites a source file, for `flyc fmt` and `flyc fix`.
#pragma once

#include "compiler/compilation/Session.h"

namespace fly::driver {

/// Replaces the content of a file completely or not at all; a link stays a link, and permissions are kept. False after
/// a diagnostic.
bool rewriteFile(Session &session, const std::string &path, const std::string &text);

struct FixRequest {
  std::string path;
  std::vector<std::string> archs;
  bool dryRun = false, quiet = false;
};
/// `flyc fix`, which `flyc build --fix` begins with; the exit status.
int fixFile(const Options &options, const FixRequest &request);

} // namespace fly::driver
