// The options of the time model, as `flyc run --time-model` and `flyc bench` have them.
#pragma once

#include "compiler/launch/LaunchOptions.h"
#include "compiler/compilation/Session.h"
#include "runtime/emulator/timing/Timing.h"

#include <optional>

namespace fly::driver {

/// What the command line asks of the model; none after a diagnostic: a machine file that cannot be read or is wrong.
std::optional<emulator::Timing::Options> timingOptionsOf(Session &session, const TimeOptions &options);

} // namespace fly::driver
