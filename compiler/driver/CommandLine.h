// Settings of the command line and the environment, checked in the same way for all commands.
#pragma once

#include <string>

namespace fly {
class DiagnosticEngine;
}

namespace fly::driver {

/// The status of a command that failed: 2 if an error is about the command line (an option, an architecture, a `-D`
/// that nothing takes or whose value is not an expression), 1 for every other error.
int statusOf(const DiagnosticEngine &diags);

/// What is wrong with FLY_CACHE_SIZE; empty: nothing.
std::string cacheSizeProblem();

} // namespace fly::driver
