// Builds that check themselves: the checks of a file beside the reference interpreter, within a budget.
#pragma once

#include "compiler/compilation/ArchBuild.h"

namespace fly::driver {

struct Validation {
  std::vector<std::string> differences; ///< as text for the user: the case, then what differs
  std::vector<std::string> open;        ///< a line for each instance that was not compared, and why
  unsigned compared = 0;                ///< instances
};

/// Runs the `@check`s of the open file for an architecture, in their order, until the seconds are over. Diagnostics of
/// the checks themselves are not reported: `flyc test` does that.
Validation validate(Session &session, const ArchBuild &build, double seconds);

} // namespace fly::driver
