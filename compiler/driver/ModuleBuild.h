// All exported instances of a file for one architecture, linked to one code object: what `flyc build` writes and `flyc report`
// describes.
#pragma once

#include "compiler/driver/Session.h"

namespace fly::driver {

struct ArchResult {
  artifact::ArchInfo info;
  std::string fly, rocdl, llvmIr;
  std::vector<std::string> skipped; ///< what is not for this architecture
};

/// Instances that are the same code share one object. False after diagnostics; `result.info.arch` is empty if nothing in the
/// file is for the target.
bool buildArch(Session &session, const target::Target &target, const Keep &keep, ArchResult &result);

/// The rows of architectures by name, each once; none after a diagnostic.
std::optional<std::vector<const target::Target *>> targetsByName(Session &session, const std::vector<std::string> &given);

} // namespace fly::driver
