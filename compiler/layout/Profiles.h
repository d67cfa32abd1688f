// Profiles: how the shapes of two tuples relate, CuTe's predicates, and the arithmetic that follows a profile.
//
//   congruent          (2,(3,4)) and (5,(6,7))       the same tuples in the same places
//   weakly congruent   (2,3) and (5,(6,7))           the first is the second with some tuples as leaves
//   compatible         (6,4) and (6,(2,2))           a coordinate of the first is one of the second, and as many
//   weakly compatible  (3,2) and (6,(2,2))           the extents of the first divide those of the second
#pragma once

#include "compiler/layout/LeafArithmetic.h"

namespace fly::layout {

bool weaklyCongruent(const IntTuple &left, const IntTuple &right);
/// Fail where extents known at run time only decide.
Result<bool> compatible(const IntTuple &left, const IntTuple &right);
Result<bool> weaklyCompatible(const IntTuple &left, const IntTuple &right);

/// Each leaf of `left` times the product of what is there in `right`: (2,3) by (4,(5,6)) is (8,90).
Result<IntTuple> scaleElements(const IntTuple &left, const IntTuple &right, LeafArithmetic &arithmetic);
/// The sum of the products, over tuples of one profile.
Result<Leaf> innerProduct(const IntTuple &left, const IntTuple &right, LeafArithmetic &arithmetic);
/// The coordinate of one shape as one of another with as many coordinates: by modes where all three are tuples.
Result<IntTuple> crd2crd(const IntTuple &coordinate, const IntTuple &from, const IntTuple &to,
                         LeafArithmetic &arithmetic);

} // namespace fly::layout
