// Options that several commands take, declared to CLI11 once.
#pragma once

#include "compiler/commands/Commands.h"

#include <CLI/CLI.hpp>

namespace fly::driver {

/// An empty value usually comes from a variable that a script did not set, and must not silently disable the option.
extern const CLI::Validator notEmpty;

/// --error-format, --color.
void messageOptions(CLI::App &app, Options &options);
/// What compiling a source needs: -D, -I, --link, -W and the like; with messageOptions.
void sourceOptions(CLI::App &app, Options &options);
/// -W alone, of a command that compiles nothing: no-verify=RULE.
void verifyOptions(CLI::App &app, Options &options);
/// --check, --compute-units.
void emulatorOptions(CLI::App &app, EmulatorOptions &options);
/// --machine, --cus, --rounds, --sample, --cold
void timeOptions(CLI::App &app, TimeOptions &options);
/// Files and folders, -j, --timeout, --list, --junit
void suiteOptions(CLI::App &app, SuiteOptions &options);
/// --device, --warm-up, --repeat
void deviceOptions(CLI::App &app, DeviceOptions &options);
/// --arch, --model, --read, --machine, -o
void calibrateOptions(CLI::App &app, CalibrateCommand &command);
/// -MD and related options, by their long forms (main.cpp spells the short ones so).
void depFileOptions(CLI::App &app, BuildCommand &command);

} // namespace fly::driver
