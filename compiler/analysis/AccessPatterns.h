// Where the lanes of a wave reach: in single accesses (`t[i]`, `.load()`, `.store(v)`), found by computing the address of each
// lane as far as it is known, and in the partitions of tiled copies, by their layouts. For -Wperf.
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// Reports the accesses of a kernel that could be faster.
void checkAccesses(Context &context);

} // namespace fly::analysis
