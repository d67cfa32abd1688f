// Private: which branches the waves of a workgroup may decide differently.
#pragma once

#include "compiler/verify/Program.h"

namespace fly::verify {

/// By block: whether it ends with a conditional branch whose condition comes from the number of the wave or work-item.
std::vector<bool> findBranchesOfWaves(const Program &program);

} // namespace fly::verify
