// What the accesses of a `fly.copy` are: the front end checks them one by one, the lowering emits them.
#pragma once

#include "compiler/dialect/FlyOps.h"

namespace fly::ir {

/// The step to ((values of an access, accesses), rest...).
layout::Rearrangement intoAccesses(int64_t values);
/// How many accesses there are in each mode after that step; an error if a count is not known.
layout::Result<layout::IntTuple> accessShape(const layout::Layout &divided);
/// The coordinate of access `i` among those of `shape`, first mode fastest: `_` for its values.
layout::IntTuple accessCoordinate(int64_t i, const layout::IntTuple &shape);
/// The places of the part of a fragment that a coordinate leaves open, counted in its slots.
layout::Result<std::vector<int64_t>> placesAt(const layout::AnyLayout &layout, const layout::IntTuple &coordinate,
                                              int64_t start);

} // namespace fly::ir
