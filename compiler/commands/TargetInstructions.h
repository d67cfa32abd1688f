// `flyc targets ARCH --instructions`: every instruction of an architecture, with operands, modifiers and a line of what
// it does. As text, or as JSON, from which scripts/instruction_pages.py makes the pages docs/generated/instructions/.
#pragma once

#include "compiler/compilation/Options.h"

namespace fly::driver {

struct InstructionRequest {
  std::string arch;
  std::string instructions; ///< "json" or a pattern of names
  bool json = false;
  bool machine = false; ///< was asked for, too
};
/// Returns the status of the process; 2 after a diagnostic.
int targetInstructions(const Options &options, const InstructionRequest &request);

} // namespace fly::driver
