// Everything that is checked of a linked code object against the source it comes from.
#pragma once

#include "compiler/object_checks/LinkedKernel.h"

#include <functional>
#include <set>
#include <string>

namespace fly::driver {

struct ObjectChecks {
  DiagnosticEngine &diags;
  const std::function<std::string(FileId)> &fileName; ///< as line tables call it
  const std::set<std::string> &rulesOff;              ///< of compiler/verify
  std::function<void(double)> verifierTook;           ///< milliseconds

  /// False after an error.
  bool run(llvm::StringRef codeObject, llvm::ArrayRef<LinkedKernel> kernels) const;
};

} // namespace fly::driver
