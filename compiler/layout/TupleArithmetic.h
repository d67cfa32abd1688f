// Arithmetic on integer tuples: sums of coordinates, products of shapes, comparisons; CuTe's int_tuple functions.
//
// Element by element unless said otherwise, on tuples of one profile; an error names the place that differs.
#pragma once

#include "compiler/layout/LeafArithmetic.h"

namespace fly::layout {

/// Applies a leaf operation at each leaf. A single leaf is combined with every leaf of a tuple: `(4,8) / 2` is `(2,4)`.
using LeafFunction = Result<Leaf> (LeafArithmetic::*)(const Leaf &, const Leaf &);
Result<IntTuple> eachLeaf(const IntTuple &left, const IntTuple &right, LeafFunction function, const char *name,
                          LeafArithmetic &arithmetic);

/// The coordinate `left + right`: a shorter tuple has zeros after its end, and 0 is the zero of every profile.
Result<IntTuple> addCoordinates(const IntTuple &left, const IntTuple &right, LeafArithmetic &arithmetic);
/// `4@1` as the coordinate `(0,4)`; other leaves as they are.
IntTuple coordinateOf(const Leaf &leaf);

/// The product of all leaves, and of the leaves of each mode (a leaf stays a leaf).
Result<Leaf> product(const IntTuple &tuple, LeafArithmetic &arithmetic);
Result<IntTuple> productEach(const IntTuple &tuple, LeafArithmetic &arithmetic);
/// A tuple of the guide's profile, in which each leaf is the product of the corresponding part.
Result<IntTuple> productLike(const IntTuple &tuple, const IntTuple &guide, LeafArithmetic &arithmetic);

/// CuTe's shape_div: `shape` divided by the extents that `divisor` uses up, from the left where `divisor` is one
/// number: `(4,8) / 8` is `(1,4)`. Numbers of which neither divides the other are refused.
Result<IntTuple> shapeDivide(const IntTuple &shape, const IntTuple &divisor, LeafArithmetic &arithmetic);

/// Every leaf of `left` is less than that of `right` (CuTe's predicate); a single leaf is compared with every leaf of a
/// tuple.
Result<bool> elementsLess(const IntTuple &left, const IntTuple &right);

/// All leaves in one level; a leaf becomes a tuple of one.
IntTuple flatten(const IntTuple &tuple);
/// The leaves of `flat` in the profile of `guide`.
Result<IntTuple> unflatten(const IntTuple &flat, const IntTuple &guide);

/// Keeps the modes where the coordinate has `_`, and flattens those of inner levels; `dice` keeps the other modes.
Result<IntTuple> sliceTuple(const IntTuple &coordinate, const IntTuple &tuple);
Result<IntTuple> diceTuple(const IntTuple &coordinate, const IntTuple &tuple);

} // namespace fly::layout
