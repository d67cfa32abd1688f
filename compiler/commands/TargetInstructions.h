// `flyc targets ARCH --instructions`: every instruction of an architecture, with operands, modifiers and a line of what
// it does. As text, or as JSON, from which scripts/instruction_pages.py makes the pages docs/generated/instructions/.
#pragma once

#include "compiler/commands/Commands.h"

namespace fly::driver {

/// `command.instructions` is "json" or a pattern of names. Returns the status of the process; 2 after a diagnostic.
int targetInstructions(const Options &options, const TargetsCommand &command);

} // namespace fly::driver
