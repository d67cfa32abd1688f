// Tiling: whether a tiler and its repetitions cover every element, and how far they reach.
//
// With the modes of a tiler sorted by stride, s0:d0, s1:d1, ..., sk:dk (extents of 1 and strides of 0 aside), the tiler
// and its complement meet each of the first dk*sk*ceil(N / (dk*sk)) elements once if, and only if, every stride is a
// multiple of what the smaller ones reach, d(i+1) % (di*si) == 0. Otherwise there is a hole, the first one at
// d(i+1) / (di*si) * (di*si):
//
//   (2,2):(1,4) in 24   0 1 4 5 | 2 3 6 7 | 8 9 ...      3 tiles of 8, each of two parts
//   (2,2):(1,3) in 24   0 1 3 4 | 6 7 9 10 | ...         2, 5, 8, ... are in no tile: 3 is not a multiple of 2
//   (2,2):(1,5) in 24   0 1 5 6 | 2 3 7 8 | ... | 22 23 27 28       4, 9, ... are in none, and 27 is outside
//
// CuTe divides by all three. Here the last is refused, and the second gives CuTe's result with a warning. The end of a
// tiler without a hole may also be outside, if dk*sk does not divide N: that is the usual partial last tile of a
// division.
#pragma once

#include "compiler/layout/Layout.h"
#include "compiler/layout/LeafArithmetic.h"
#include "compiler/layout/Tile.h"

#include <optional>

namespace fly::layout {

/// A mode of a tiler that leaves elements out.
struct Hole {
  std::size_t leaf;     ///< of the tiler
  std::int64_t reached; ///< by the smaller strides, without its own divisor
  std::int64_t first;   ///< the first element that no tile has
};
/// The first by strides; none of a tiler whose strides are not known.
std::optional<Hole> holeOf(const Layout &tiler);
/// The number of elements from the first to the last of a tile, including those in between: dk*sk; 1 for a single
/// element.
Result<Leaf> spanOf(const Layout &tiler, LeafArithmetic &arithmetic);

/// Refuses a tiler with a hole whose tiles do not end where the `total` elements do.
Result<bool> checkEnd(const Layout &tiler, const Leaf &total, LeafArithmetic &arithmetic);
/// Fails, with the mode and how many, where a division that CuTe defines leaves elements out.
Result<bool> checkDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic);

/// `mode 1: ...` before what went wrong there.
Error inMode(std::size_t mode, Error error);

} // namespace fly::layout
