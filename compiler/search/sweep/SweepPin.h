// `flyc sweep --pin`: the best point of a sweep goes into the table beside the source, which `flyc tune` writes too.
//
// A table holds values that the kernel's `@tune` offers. So a kernel is pinned if its `@tune` offers the values of the
// point; what is missing is an error that says what to add.
#pragma once

#include "compiler/search/TuneTableUpdate.h"
#include "compiler/search/sweep/SweepResults.h"

namespace fly::driver {

/// The entries of all kernels that the benches launch, the best point of each bench; none after a diagnostic.
std::optional<std::vector<FoundEntries>> pinned(SweepSearch &search, const std::vector<SweepResult> &results);

} // namespace fly::driver
