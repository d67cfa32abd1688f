// One job of `flyc tune`: a bench with one candidate's values, in this process.
//
// First without running anything: everything is compiled, and launches are planned up to their preconditions. That
// decides what is refused, and the bound. Only then is it run.
#pragma once

#include "compiler/search/tune/TuneSearch.h"

namespace fly::driver {

/// `below`: it is not run if its bound is above. `threads` of the emulator.
TuneRow runTuneJob(TuneSearch &search, unsigned job, std::optional<double> below, unsigned threads);

} // namespace fly::driver
