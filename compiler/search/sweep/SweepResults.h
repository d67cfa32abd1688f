// The table of a sweep: its rows, best first, as text and as JSON (docs/schema/sweep.schema.json). A function of the
// rows alone, so two sweeps of the same program give the same bytes.
#pragma once

#include "compiler/search/sweep/SweepJob.h"

namespace fly::driver {

struct SweepResult {
  size_t point = 0;
  SweepRow row;
  std::optional<double> rank; ///< the figure of `--by`; less is better. None: not ranked
};

/// All points. Good rows by their figure, then good ones without, then the others; of equal ones the first of the grid.
std::vector<SweepResult> sweepResults(const SweepSearch &search, const std::map<unsigned, SweepRow> &rows);

void printSweep(const SweepSearch &search, const std::vector<SweepResult> &results);
nlohmann::ordered_json sweepJson(const SweepSearch &search, const std::vector<SweepResult> &results);

} // namespace fly::driver
