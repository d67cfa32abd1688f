// What `flyc tune` minimises: the cycles that the launches of a bench take by the time model, and a bound below them.
#pragma once

#include "compiler/launch/CheckRunner.h"

namespace fly::driver {

/// Cycles of all launches, one after the other; they have been timed.
double figureOf(const std::vector<LaunchCounts> &launches);

/// Cycles that the launches take at least on the machine, by what `flops=` and `bytes=` of the bench say, the grid, and
/// the fastest matrix instruction in the code; 0 if nothing is known. It assumes that all workgroups do the same.
double boundOf(const target::Target &target, const emulator::Timing::Options &options,
               const std::vector<PlannedLaunch> &launches, std::optional<double> flops, std::optional<double> bytes);

/// "+-15 %" or "not validated": how far figures can be trusted.
std::string uncertaintyOf(const target::Target &target, const emulator::Timing::Options &options);

} // namespace fly::driver
