// FLY_EMULATE_PROFILE=FILE: what the kernels of a host program did and how long the time model has them take, added up by
// kernel and written when the program ends: a table, or JSON if the name ends in .json.
#pragma once

#include "runtime/emulator/device/LaunchConfig.h"

#include <functional>
#include <string>

namespace fly::hip_emulated {

/// Launches by `launch`, which is given the configuration to launch with: `config`, or one that counts. `modelled`: where
/// the time model's results are wanted, or null.
emulator::LaunchResult profiled(const emulator::LaunchConfig &config, emulator::Timing *modelled,
                                const std::function<emulator::LaunchResult(const emulator::LaunchConfig &)> &launch);

/// Empty, or why the file of FLY_EMULATE_PROFILE cannot be written.
std::string openProfile();
/// Writes it. At the end of the program.
void writeProfile();

} // namespace fly::hip_emulated
