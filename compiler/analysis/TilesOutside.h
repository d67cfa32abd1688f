// Accesses that lead outside of a tensor through tiles that do not divide it.
//
// A division rounds up: 40 elements by 32 are two tiles, of which the second one reaches 24 elements past the end. That
// is what predicates are for, and legal until an access happens there. Whether it does is known where the extents are
// known, and the place of the access and the conditions on the way to it follow from the thread: then it is an error,
// not undefined behaviour.
#pragma once

#include "compiler/analysis/Context.h"

#include <array>

namespace fly::analysis {

/// Refuses accesses of a kernel that are certain to lead outside of a tensor (FLY0513), in the first workgroup or the
/// last. `grid` has the extents that are known, else 1.
void checkTilesInside(Context &context, std::array<int64_t, 3> grid);

} // namespace fly::analysis
