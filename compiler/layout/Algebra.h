// The layout algebra: names and results as in CuTe, over static and dynamic leaves.
//
// Every function takes the LeafArithmetic in which dynamic leaves are computed; see LeafArithmetic.h. Where a result
// depends on a decision that a dynamic leaf leaves open (does this tile divide that mode?), the function fails and says
// what would have to be known.
#pragma once

#include "compiler/layout/Layout.h"
#include "compiler/layout/LeafArithmetic.h"

namespace fly::layout {

// Measures.

/// The number of coordinates: the product of the shape.
Result<Leaf> size(const IntTuple &shape, LeafArithmetic &arithmetic);
Result<Leaf> size(const Layout &layout, LeafArithmetic &arithmetic);
/// One more than the largest offset; 0 for an empty layout of known shape. Strides must not be known to be negative.
Result<Leaf> cosize(const Layout &layout, LeafArithmetic &arithmetic);

// Construction.

/// The first mode is contiguous (CuTe's LayoutLeft): `(4,(2,8))` has stride `(1,(4,8))`.
Result<Layout> columnMajor(const IntTuple &shape, LeafArithmetic &arithmetic);
/// The last mode is contiguous (CuTe's LayoutRight): `(4,(2,8))` has stride `(16,(8,1))`.
Result<Layout> rowMajor(const IntTuple &shape, LeafArithmetic &arithmetic);

// Functions of one layout.

/// The simplest layout that is the same function of a one-dimensional coordinate. Dynamic modes merge only where that
/// needs no knowledge of their values.
Result<Layout> coalesce(const Layout &layout, LeafArithmetic &arithmetic);

/// The offset of a coordinate. The coordinate may be flat or nested: an integer given for a tuple of modes is taken
/// apart colexicographically (first mode fastest). No `_`.
Result<Leaf> crd2idx(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic);

/// What a coordinate with `_` leaves open, and the offset of what it fixes.
struct Slice {
  Layout layout;
  Leaf offset;
};
/// The kept modes are put side by side: `(_,(3,_))` of `(4,(5,6)):(s,(t,u))` is `(4,6):(s,u)` at offset `3*t`.
Result<Slice> slice(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic);

// Functions of two layouts.

/// `outer` after `inner`: composition(A, B)(c) = A(B(c)), with the profile of B.
Result<Layout> composition(const Layout &outer, const Layout &inner, LeafArithmetic &arithmetic);

/// What is missing from `layout` to reach the offsets below `cotarget`; `layout` has static leaves.
Result<Layout> complement(const Layout &layout, const Leaf &cotarget, LeafArithmetic &arithmetic);

/// ((tile), (rest)) of the whole layout: composition with (tiler, complement(tiler, size)).
Result<Layout> logicalDivide(const Layout &layout, const Layout &tiler, LeafArithmetic &arithmetic);

/// One entry of a by-mode tiler: an extent `n` (as the layout `n:1`), `_` for the whole mode, or any layout.
struct TilerMode {
  bool keep = false;
  Layout layout;
};
/// The tiler of a tuple of known extents and `_`, e.g. `(128,_)`; an integer is a tiler of one mode.
Result<std::vector<TilerMode>> tilerOf(const IntTuple &extents);

/// Each mode divided by its entry: ((tile0, rest0), (tile1, rest1), ..., mode...).
Result<Layout> logicalDivide(const Layout &layout, const std::vector<TilerMode> &tiler, LeafArithmetic &arithmetic);
/// The same, gathered: ((tile0, tile1, ...), (rest0, rest1, ..., mode...)). An entry `_` gives the whole mode as tile and
/// 1:0 as rest. A tile that does not divide a dynamic or larger extent rounds the rest up, as in CuTe.
Result<Layout> zippedDivide(const Layout &layout, const std::vector<TilerMode> &tiler, LeafArithmetic &arithmetic);
Result<Layout> zippedDivide(const Layout &layout, const Layout &tiler, LeafArithmetic &arithmetic);

} // namespace fly::layout
