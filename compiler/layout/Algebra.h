// The layout algebra: names and results as in CuTe, over static and dynamic leaves.
//
// Every function takes the LeafArithmetic in which dynamic leaves are computed; see LeafArithmetic.h. Where a result
// depends on a decision that a dynamic leaf leaves open (does this tile divide that mode?), the function fails and
// names what would have to be known. What CuTe leaves undefined (a tile that does not divide, modes that overlap,
// numbers past 64 bits) fails as well, and the error names the mode.
#pragma once

#include "compiler/layout/Layout.h"
#include "compiler/layout/LeafArithmetic.h"
#include "compiler/layout/Modes.h"
#include "compiler/layout/Tile.h"
#include "compiler/layout/TupleArithmetic.h"

namespace fly::layout {

// Measures.

/// The number of coordinates: the product of the shape.
Result<Leaf> size(const IntTuple &shape, LeafArithmetic &arithmetic);
Result<Leaf> size(const Layout &layout, LeafArithmetic &arithmetic);
/// The extent of the results, from the smallest to the largest: a number, or a shape where results are coordinates. 0
/// for an empty layout of known shape. Where no stride is negative it is one more than the largest result.
Result<IntTuple> coshape(const Layout &layout, LeafArithmetic &arithmetic);
/// The product of coshape.
Result<Leaf> cosize(const Layout &layout, LeafArithmetic &arithmetic);

// Construction.

/// The first mode is contiguous (CuTe's LayoutLeft): `(4,(2,8))` has stride `(1,(4,8))`.
Result<Layout> columnMajor(const IntTuple &shape, LeafArithmetic &arithmetic);
/// The last mode is contiguous (CuTe's LayoutRight): `(4,(2,8))` has stride `(16,(8,1))`.
Result<Layout> rowMajor(const IntTuple &shape, LeafArithmetic &arithmetic);
/// A compact layout in which modes with smaller numbers in `order` vary faster; a number for a nested mode orders it as
/// a whole.
Result<Layout> orderedLayout(const IntTuple &shape, const IntTuple &order, LeafArithmetic &arithmetic);
/// Each coordinate to itself.
Result<Layout> identityLayout(const IntTuple &shape);
/// Compact, the modes in the order of the given strides; what has stride 0 keeps it.
Result<Layout> layoutLike(const Layout &layout, LeafArithmetic &arithmetic);
/// The same for registers: mode 0 comes first whatever its strides.
Result<Layout> fragmentLayoutLike(const Layout &layout, LeafArithmetic &arithmetic);

// Functions of one layout.

/// The simplest layout that is the same function of a one-dimensional coordinate. Dynamic modes merge only where that
/// needs no knowledge of their values.
Result<Layout> coalesce(const Layout &layout, LeafArithmetic &arithmetic);
/// The same inside of each mode that is a leaf of the profile: `(1,1)` keeps two modes.
Result<Layout> coalesce(const Layout &layout, const IntTuple &profile, LeafArithmetic &arithmetic);
/// The same function, also for coordinates past the end, which continue in the last mode.
Result<Layout> coalesceBeyond(const Layout &layout, LeafArithmetic &arithmetic);
/// Extents of stride 0 become 1; `filter` also coalesces.
Layout filterZeros(const Layout &layout);
Result<Layout> filter(const Layout &layout, LeafArithmetic &arithmetic);
/// The coordinates that modes of stride 0 map to the same place.
Result<Layout> nullspace(const Layout &layout, LeafArithmetic &arithmetic);

/// R with layout(R(i)) == i for i below size(R), as long as there is one; modes of unknown stride take no part.
Result<Layout> rightInverse(const Layout &layout, LeafArithmetic &arithmetic);
/// L with L(layout(c)) == c for each coordinate; modes of stride 0 take no part.
Result<Layout> leftInverse(const Layout &layout, LeafArithmetic &arithmetic);

/// In units of `factor` elements, and in `factor` parts of each element.
Result<Layout> upcast(const Layout &layout, std::int64_t factor, LeafArithmetic &arithmetic);
Result<Layout> downcast(const Layout &layout, std::int64_t factor, LeafArithmetic &arithmetic);
/// Of elements of `fromBits` as elements of `toBits`.
Result<Layout> recastLayout(const Layout &layout, std::int64_t fromBits, std::int64_t toBits,
                            LeafArithmetic &arithmetic);
struct RecastFactors {
  std::int64_t down, up; // first downcast by, then upcast by
};
Result<RecastFactors> recastFactors(std::int64_t fromBits, std::int64_t toBits);

// Coordinates.

/// The result for a coordinate: an offset, or a coordinate where strides are steps along modes. The coordinate may be
/// flat or nested: an integer given for a tuple of modes is taken apart colexicographically (first mode fastest). No
/// `_`.
Result<IntTuple> evaluate(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic);
/// The same where it is an offset.
Result<Leaf> crd2idx(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic);
/// The coordinate with the one-dimensional number `index` in a shape: the first mode fastest, each within its extent.
Result<IntTuple> idx2crd(const Leaf &index, const IntTuple &shape, LeafArithmetic &arithmetic);
/// The coordinate that the layout maps to `index`; an error if a static layout has none.
Result<IntTuple> idx2crd(const Leaf &index, const Layout &layout, LeafArithmetic &arithmetic);

/// What a coordinate with `_` leaves open, and the offset of what it fixes.
struct Slice {
  Layout layout;
  Leaf offset;
};
/// The kept modes are put side by side: `(_,(3,_))` of `(4,(5,6)):(s,(t,u))` is `(4,6):(s,u)` at offset `3*t`.
Result<Slice> slice(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic);
/// The same for layouts whose results may be coordinates.
struct SliceAt {
  Layout layout;
  IntTuple offset;
};
Result<SliceAt> sliceAndOffset(const IntTuple &coordinate, const Layout &layout, LeafArithmetic &arithmetic);

// Functions of two layouts.

/// `outer` after `inner`: composition(A, B)(c) = A(B(c)), with the profile of B; by a tile mode by mode.
Result<Layout> composition(const Layout &outer, const Layout &inner, LeafArithmetic &arithmetic);
Result<Layout> composition(const Layout &outer, const Tile &tile, LeafArithmetic &arithmetic);

/// CuTe's own: a stride smaller than an extent need not divide it, and sums are not looked at. The result may be
/// another function than `outer` after `inner`. Only products use it; checkProduct tells.
Result<Layout> compositionWeak(const Layout &outer, const Layout &inner, LeafArithmetic &arithmetic);

/// The layout that, together with `layout`, reaches the offsets below `cotarget`; elements that a stride skips are left
/// out. All strides must be known (a single stride may be unknown), and all extents except that of the largest stride.
Result<Layout> complement(const Layout &layout, const Leaf &cotarget, LeafArithmetic &arithmetic);

/// The longest layout of which both give the same contiguous offsets, and its size: how wide a copy may be.
Result<Layout> maxCommonLayout(const Layout &a, const Layout &b, LeafArithmetic &arithmetic);
Result<Leaf> maxCommonVector(const Layout &a, const Layout &b, LeafArithmetic &arithmetic);

/// ((tile), (rest)) of the whole layout: composition with (tiler, complement(tiler, size)).
Result<Layout> logicalDivide(const Layout &layout, const Layout &tiler, LeafArithmetic &arithmetic);
/// Each mode divided by its entry: ((tile0, rest0), (tile1, rest1), ..., mode...). For an entry `_`, the tile is the
/// whole mode and the rest is 1:0. If a tile does not divide a dynamic or larger extent, the rest is rounded up, as in
/// CuTe.
Result<Layout> logicalDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic);
/// The same, gathered: ((tile0, tile1, ...), (rest0, rest1, ..., mode...)).
Result<Layout> zippedDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic);
/// ((tile0, tile1, ...), rest0, rest1, ..., mode...), and (tile0, tile1, ..., rest0, rest1, ..., mode...).
Result<Layout> tiledDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic);
Result<Layout> flatDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic);

/// (block, where each copy starts); arranged like the divisions.
Result<Layout> logicalProduct(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic);
Result<Layout> logicalProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic);
Result<Layout> zippedProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic);
Result<Layout> tiledProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic);
Result<Layout> flatProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic);
/// Fails, with the reason, if CuTe defines a product whose copies of the block are not placed as the tiler says and may
/// overlap.
Result<bool> checkProduct(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic);
Result<bool> checkProduct(const Layout &block, const Tile &tiler, LeafArithmetic &arithmetic);
/// Mode by mode (block, copies), and (copies, block).
Result<Layout> blockedProduct(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic);
Result<Layout> rakedProduct(const Layout &block, const Layout &tiler, LeafArithmetic &arithmetic);
/// The block repeated until it fills the shape, copies in the given order of modes.
Result<Layout> tileToShape(const Layout &block, const IntTuple &shape, const IntTuple &order,
                           LeafArithmetic &arithmetic);

/// The tile that threads cover with their values, and (thread, value) -> column-major place in it. Refused where some
/// place is covered twice.
struct ThreadValueLayout {
  IntTuple tile;
  Layout layout;
};
Result<ThreadValueLayout> layoutTV(const Layout &threads, const Layout &values, LeafArithmetic &arithmetic);

/// ((a,b),(c,d)) as ((a,c),(b,d)) where the tile has modes; else the pair itself.
Result<Layout> zipByTile(const Layout &layout, const Tile &tiler);
/// (a,(b,c)) as (a,b,c); with `tiles`, the modes of the first part are separate, too.
Layout spread(const Layout &pair, bool tiles);

} // namespace fly::layout
