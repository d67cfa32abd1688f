// Private: the passes of Pipeline.h that run in LLVM's backend.
#pragma once

#include "compiler/codegen/CodeGen.h"

#include <string>
#include <vector>

namespace fly::codegen {

/// Has every later run of the backend execute them. Once per process, after LLVM's target is registered.
void installBackendPasses();

/// While one exists, backends that this thread sets up follow the options: they keep the code after the passes that are
/// wanted, and leave out others. Both arguments must live as long as these backends run.
class BackendOptions {
public:
  BackendOptions(const Options &options, std::vector<PassText> &texts);
  ~BackendOptions();

  const std::vector<std::string> &wanted, &without;
  std::vector<PassText> &texts;
};

} // namespace fly::codegen
