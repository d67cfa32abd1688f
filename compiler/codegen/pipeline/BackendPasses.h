// Private: the passes of Pipeline.h that run in LLVM's backend.
#pragma once

#include "compiler/codegen/CodeGen.h"

#include <string>
#include <vector>

namespace fly::codegen {

/// Has every later run of the backend execute them. Once per process, after LLVM's target is registered.
void installBackendPasses();

/// While one exists, backends that this thread sets up keep the code after the passes that are wanted. Both arguments
/// must live as long as these backends run.
class KeepBackendTexts {
public:
  KeepBackendTexts(const std::vector<std::string> &wanted, std::vector<PassText> &texts);
  ~KeepBackendTexts();

  const std::vector<std::string> &wanted;
  std::vector<PassText> &texts;
};

} // namespace fly::codegen
