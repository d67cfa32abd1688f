// The verifier in a build: the linked code object of an architecture, whether its objects were compiled now or come
// from the cache.
#pragma once

#include "compiler/object_checks/LinkedKernel.h"

#include <set>
#include <string>

namespace fly::driver {

/// Whether a rule is left when those of `-W no-verify=RULE` are off.
bool verifiesBuilds(const std::set<std::string> &rulesOff);

/// False after a diagnostic for each error. What cannot be proved (a call into linked bitcode) is not reported:
/// `flyc verify` says it.
bool verifyBuild(DiagnosticEngine &diags, const std::set<std::string> &rulesOff, llvm::StringRef codeObject,
                 llvm::ArrayRef<LinkedKernel> kernels);

} // namespace fly::driver
