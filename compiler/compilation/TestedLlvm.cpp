#include "compiler/compilation/TestedLlvm.h"

#include "compiler/compilation/Session.h"

#include "llvm/Config/llvm-config.h"

namespace fly::driver {

void warnOfUntestedLlvm(Session &session) { warnOfUntestedLlvm(session, LLVM_VERSION_STRING); }

void warnOfUntestedLlvm(Session &session, llvm::StringRef version) {
  if (version != testedLlvm)
    session.diags.report({}, diag::untested_llvm{.found = version.str(), .tested = testedLlvm.str()})
        .help("its wrong code may differ; `flyc explain FLY0950` says what to do");
}

} // namespace fly::driver
