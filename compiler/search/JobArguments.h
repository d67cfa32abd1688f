// Options as arguments of a command line, for the processes of a search.
#pragma once

#include "compiler/launch/LaunchOptions.h"
#include "compiler/compilation/Options.h"

#include <string>
#include <vector>

namespace fly::driver {

/// Adds `name value` for each value.
void addArguments(std::vector<std::string> &out, const char *name, const std::vector<std::string> &values);
/// Adds `name value` unless the value is empty.
void addArgument(std::vector<std::string> &out, const char *name, const std::string &value);
/// Those that differ from the defaults: of the emulator, of the time model, of sources.
void addArguments(std::vector<std::string> &out, const EmulatorOptions &options);
void addArguments(std::vector<std::string> &out, const TimeOptions &options);
void addArguments(std::vector<std::string> &out, const Options &options);
/// The device that `auto` has come to, so that all jobs have the same.
void addArguments(std::vector<std::string> &out, const DeviceOptions &options, bool isGpu);

} // namespace fly::driver
