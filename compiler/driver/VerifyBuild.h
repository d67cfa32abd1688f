// The verifier in a build: the linked code object of an architecture, whether its objects were compiled now or come
// from the cache.
#pragma once

#include "compiler/driver/Session.h"

namespace fly::driver {

/// False after a diagnostic for each error; `-W no-verify=RULE` leaves out a rule. What cannot be proved (a call into
/// linked bitcode) is not reported: `flyc verify` says it.
bool verifyBuild(Session &session, llvm::StringRef codeObject, llvm::ArrayRef<CompiledInstance *> instances);

} // namespace fly::driver
