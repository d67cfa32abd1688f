// The options of `flyc sweep`.
#pragma once

#include "compiler/commands/Commands.h"

#include <CLI/CLI.hpp>

namespace fly::driver {

/// Declares the command; `command` and `options` receive what is given.
CLI::App *sweepApp(CLI::App &app, SweepSettings &command, Options &options);

} // namespace fly::driver
