// The options of `flyc tune`.
#pragma once

#include "compiler/commands/Commands.h"

#include <CLI/CLI.hpp>

namespace fly::driver {

/// Declares the command; `command` and `options` receive what is given.
CLI::App *tuneApp(CLI::App &app, TuneSettings &command, Options &options);

} // namespace fly::driver
