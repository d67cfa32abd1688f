// The inner loop.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

/// Executes instructions of a wave until it stops, at most `quantum`.
void execute(Wave &wave, uint64_t quantum);

/// What every Program is given.
extern const Interpreter interpreter;

} // namespace fly::emulator
