// What gfx1250's tensor data mover takes: layouts of up to five plain modes, and tiles that it can fill.
//
// The mover packs LDS, starting with the dimension of stride 1, and can leave a gap at regular intervals. So the layout
// of a tile determines which of its modes is which dimension:
//
//   (16,32):(40,1) of f16     mode 1 is dimension 0, mode 0 is dimension 1; a gap of 16 bytes after every 64
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/layout/Layout.h"

namespace fly::ir {

struct TilePacking {
  std::vector<size_t> order;     ///< the tile's modes, in the order of the mover's dimensions
  int64_t interval = 0, gap = 0; ///< bytes between gaps, and of a gap; 0: packed
};

/// The layout of a tensor of one to five plain modes, without a swizzle; null for others.
const layout::Layout *moverLayout(TensorType type);

/// How the mover fills a tile of a static layout whose elements have this many bytes, or why it cannot.
layout::Result<TilePacking> packingOf(const layout::Layout &tile, int64_t elementBytes);

} // namespace fly::ir
