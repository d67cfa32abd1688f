// What `flyc --version` says.
#pragma once

#include <string>

namespace fly::driver {

/// "0.1.0"
extern const char *const versionNumber;
/// "flyc 0.1.0 (LLVM 22.1.8)"
extern const char *const programVersion;
/// The same for programs, with the architectures and the numbers of formats: docs/schema/version.schema.json.
std::string versionAsJson();

} // namespace fly::driver
