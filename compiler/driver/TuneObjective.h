// What `flyc tune` minimises: how long the launches of a bench take, in cycles, and a bound below that.
//
// The figure is an estimate, a sum over the launches and over four parts that are assumed not to overlap:
//
//     issue     instructions of the busiest SIMD, by the cycles for which each takes its issue slot
//     matrix    cycles of the matrix unit of the busiest SIMD (compiler/atom/Mma.h)
//     LDS       cycles of LDS of the busiest compute unit, bank conflicts included
//     memory    bytes that lanes access, by the bandwidth of the memory; caches are left out
//
// The busiest compute unit has the most workgroups of those that are dealt out evenly. docs/tuning.md says what such an
// estimate can tell and what not. A time model replaces it in one place: `figureOf`.
#pragma once

#include "compiler/driver/Runner.h"

namespace fly::driver {

/// How `figureOf` came about, for tables and reports: "estimate".
inline constexpr const char *howFigured = "estimate";

/// Cycles of all launches.
double figureOf(const target::Target &target, const std::vector<LaunchCounts> &launches);

/// Cycles that the launches take at least, by what `flops=` and `bytes=` of the bench say, the grid, and the fastest
/// matrix instruction in the code; 0 if nothing is known. Never above the figure, if `flops=` and `bytes=` are true.
double boundOf(const target::Target &target, const std::vector<PlannedLaunch> &launches, std::optional<double> flops,
               std::optional<double> bytes);

} // namespace fly::driver
