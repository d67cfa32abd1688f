// Texts of what went wrong.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

/// Fills `result` from the wave's fault: kernel, instruction, source line, workgroup, wave, lane, address.
void reportFault(LaunchResult &result, Program &program, const Wave &wave, const LaunchConfig &config);
/// No wave can run: reports where each one is.
void reportDeadlock(LaunchResult &result, Program &program, const std::vector<Wave *> &waves,
                    const LaunchConfig &config);

} // namespace fly::emulator
