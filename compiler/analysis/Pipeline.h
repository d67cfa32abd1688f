// What is asked of a whole kernel once it is emitted.
#pragma once

#include "compiler/analysis/NeighbouringAccesses.h"
#include "compiler/analysis/Context.h"
#include "compiler/analysis/UnwrittenMemory.h"

#include <array>

namespace fly::analysis {

/// What is known of a kernel's launch.
struct LaunchFacts {
  std::array<int64_t, 3> grid;         ///< the extents that are known, else 1
  llvm::SmallVector<int64_t> divisors; ///< of the kernel's arguments, at least 1 each
  std::string name;                    ///< of the kernel, as its author wrote it
  llvm::SmallVector<Output> outputs;   ///< that every instance of the kernel should write
};

/// Reports what is wrong with a kernel, and makes the rewrites that need the whole of it. Returns accesses that only
/// the machine code can judge.
std::vector<NeighbouringAccesses> analyse(Context &context, const LaunchFacts &launch);

} // namespace fly::analysis
