// The exit status of a command that failed.
#pragma once

namespace fly {
class DiagnosticEngine;
}

namespace fly::driver {

/// 2 if an error is about the command line (an option, an architecture, a `-D` that nothing takes or whose value is not
/// an expression), 1 for every other error.
int statusOf(const DiagnosticEngine &diags);

} // namespace fly::driver
