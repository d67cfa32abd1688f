// Errors of the command line as diagnostics, in the form of every other error.
#pragma once

#include "compiler/compilation/Options.h"

namespace fly::driver {

/// Reports a command line that cannot be understood; `help` may be empty. Returns the exit status.
int badCommandLine(const Options &options, const std::string &message, const std::string &help);
/// Reports that standard output could not be written; returns the exit status.
int cannotWriteOutput(const Options &options, const std::string &reason);
/// The closest of `names`, or nothing.
std::string closestOf(const std::string &name, const std::vector<std::string> &names);

} // namespace fly::driver
