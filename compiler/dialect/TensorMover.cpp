// See TensorMover.h; and the verifier of `fly.tensor_move`.
#include "compiler/dialect/TensorMover.h"

#include <bit>
#include <tuple>

using namespace mlir;
namespace fly::ir {

using layout::Layout;
using layout::Leaf;

const Layout *moverLayout(TensorType type) {
  constexpr size_t maximumRank = 5;
  auto *plain = std::get_if<Layout>(&type.getLayout());
  bool isFlat = plain && plain->shape().isTuple() &&
                llvm::all_of(plain->shape().modes(), [](auto &mode) { return mode.isLeaf(); });
  return isFlat && plain->rank() >= 1 && plain->rank() <= maximumRank ? plain : nullptr;
}

layout::Result<TilePacking> packingOf(const Layout &tile, int64_t elementBytes) {
  TilePacking out;
  std::vector<Leaf> extents = tile.shape().leaves(), strides = tile.stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i)
    out.order.push_back(i);
  // Where a mode of one element is in LDS does not matter.
  auto key = [&](size_t mode) { return std::tuple(extents[mode].value == 1, strides[mode].value, mode); };
  llvm::sort(out.order, [&](size_t a, size_t b) { return key(a) < key(b); });
  int64_t expected = 1;
  for (size_t k = 0; k < out.order.size(); ++k) {
    int64_t extent = extents[out.order[k]].value, stride = strides[out.order[k]].value;
    if (extent == 1)
      continue;
    if (k == 1 && stride > expected) {
      out.interval = expected * elementBytes;
      out.gap = (stride - expected) * elementBytes;
      bool isPossible = std::has_single_bit(uint64_t(out.interval)) && out.interval >= 8 && out.interval <= 1024 &&
                        out.gap % 4 == 0 && out.gap <= 512;
      if (!isPossible)
        return layout::Error{"a gap of " + std::to_string(out.gap) + " bytes after every " +
                             std::to_string(out.interval) +
                             "; there are gaps of 4 to 512 bytes after 8, 16, ... or 1024"};
    } else if (stride != expected)
      return layout::Error{"mode " + std::to_string(out.order[k]) + " of the tile has stride " +
                           std::to_string(stride) + ", packed it has " + std::to_string(expected)};
    expected = extent * stride;
  }
  return out;
}

LogicalResult TensorMoveOp::verifyTile() {
  TensorType tensor = getTensor().getType(), tile = getTile().getType();
  if (tensor.getSpace() != AddressSpace::Global || tile.getSpace() != AddressSpace::Shared)
    return emitOpError() << "moves a tile in shared memory from or to global memory; found " << tensor << " and "
                         << tile;
  if (tensor.getElementType() != tile.getElementType())
    return emitOpError() << "does not convert elements; found " << tensor << " and " << tile;
  const Layout *whole = moverLayout(tensor), *part = moverLayout(tile);
  if (!whole || !part)
    return emitOpError() << "takes layouts of one to five plain modes; found " << (whole ? tile : tensor);
  if (whole->rank() != part->rank() || !part->isStatic())
    return emitOpError() << "has a static tile of as many modes as the tensor; found " << tile;
  layout::Result<TilePacking> packing = packingOf(*part, tile.getElementBits() / 8);
  if (!packing)
    return emitOpError() << "cannot fill the tile: " << packing.text();
  size_t contiguous = packing->order[0];
  if (!whole->stride().leaves()[contiguous].isStatic(1))
    return emitOpError() << "mode " << contiguous << " of the tensor has stride 1 as in the tile; found " << tensor;
  return success();
}

} // namespace fly::ir
