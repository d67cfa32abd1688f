// Runs: which elements of a fragment, in the order of its coordinates, are adjacent in memory.
//
//   (4,2):(1,8), 16-byte base, f32     two runs of 4 at offsets 0 and 8
//   S<2,3,3> o ?{div=8} o 16:1         two runs of 8: the swizzle keeps 8 together, and the start is at such a place
//
// A run is an access: a power of two of elements, at an offset that it divides, so that it is as aligned as it is wide.
#pragma once

#include "compiler/layout/ComposedLayout.h"

namespace fly::layout {

struct Run {
  std::int64_t first;  // element, counted along the coordinates
  std::int64_t count;  // elements
  std::int64_t offset; // of the first; see Runs::isBeforeInner
};

struct Runs {
  std::vector<Run> runs;
  /// Offsets are results of the outer layout; add the offset of the composed layout and apply its inner function.
  /// Otherwise they count from the tensor's base.
  bool isBeforeInner = false;
};

/// Of a layout whose domain is known; a composed one may start at an unknown offset. At most `widest` elements a run;
/// the base is a multiple of `alignment` elements, a power of two.
Result<Runs> runsOf(const AnyLayout &layout, std::int64_t widest, std::int64_t alignment);

} // namespace fly::layout
