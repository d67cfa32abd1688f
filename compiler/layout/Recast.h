// What a recast to larger elements requires in addition to an upcast.
//
// upcast, as in CuTe, counts in units: 4:2 is 4:1 in units of two, each of which holds one element and a gap. In memory
// these gaps would be elements that the tensor does not have, so a recast needs full units.
#pragma once

#include "compiler/layout/Layout.h"

namespace fly::layout {

/// Refuses units of `factor` elements, into which `layout` can be upcast, that have gaps.
Result<bool> checkFull(const Layout &layout, std::int64_t factor);

} // namespace fly::layout
