// Where the lanes of a wave reach: in single accesses (`t[i]`, `.load()`, `.store(v)`), found by computing the address
// of each lane as far as it is known, and in the partitions of tiled copies, by their layouts. For -Wperf.
#pragma once

#include "compiler/analysis/Context.h"
#include "compiler/analysis/Performance.h"

namespace fly::analysis {

/// Reports the accesses of a kernel that could be faster.
void checkAccesses(Context &context);

/// The accesses of the first wave, as far as they are known. `says`: reports accesses narrower than is legal.
std::vector<WaveAccess> waveAccesses(Context &context, bool says);

} // namespace fly::analysis
