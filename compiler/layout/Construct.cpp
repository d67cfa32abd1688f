// Compact layouts of a shape: the strides are the running product of the extents, from the first leaf
// (column-major), from the last (row-major), or in a given order. Like CuTe, an extent known to be 1 gets stride 0.
//
//   ordered   (4,8) in order (1,0)         (4,8):(8,1)      the smaller number is the faster mode
//   like      (4,(2,8)):(32,(0,1))         (4,(2,8)):(8,(0,1))   compact in the order of the strides
//   identity  (4,(2,3))                    (4,(2,3)):(1@0,(1@0@1,1@1@1))   each coordinate to itself
#include "compiler/layout/Algebra.h"

#include <algorithm>

namespace fly::layout {

namespace {

/// The strides of `shape`; `current` is the stride of the next leaf and is left after the last.
Result<IntTuple> compactStrides(const IntTuple &shape, bool lastFirst, Leaf &current, LeafArithmetic &arithmetic) {
  if (shape.isLeaf()) {
    if (shape.leaf().isStatic(1))
      return IntTuple(Leaf::known(0));
    Leaf stride = current;
    FLY_TRY(next, arithmetic.multiply(current, shape.leaf()));
    current = next;
    return IntTuple(stride);
  }
  std::vector<IntTuple> strides(shape.rank());
  for (std::size_t i = 0; i < strides.size(); ++i) {
    std::size_t mode = lastFirst ? strides.size() - 1 - i : i;
    FLY_TRY(stride, compactStrides(shape.mode(mode), lastFirst, current, arithmetic));
    strides[mode] = std::move(stride);
  }
  return IntTuple(std::move(strides));
}

Result<Layout> compact(const IntTuple &shape, bool lastFirst, LeafArithmetic &arithmetic) {
  Leaf current = Leaf::known(1);
  FLY_TRY(stride, compactStrides(shape, lastFirst, current, arithmetic));
  return makeLayout(shape, std::move(stride));
}

/// A part of the shape that has one place in the order, in the order of the text.
struct Ranked {
  IntTuple shape;
  Leaf order;
  IntTuple stride;
};

Result<bool> rank(const IntTuple &shape, const IntTuple &order, std::vector<Ranked> &parts) {
  if (order.isLeaf()) {
    if (order.leaf().isBasis() || order.leaf().isKeep())
      return Error{"`" + order.text() + "` is not a place in an order"};
    parts.push_back({shape, order.leaf(), {}});
    return true;
  }
  if (shape.isLeaf() || shape.rank() != order.rank())
    return Error{"the order `" + order.text() + "` does not fit the shape `" + shape.text() + "`"};
  for (std::size_t i = 0; i < order.rank(); ++i)
    FLY_CHECK(rank(shape.mode(i), order.mode(i), parts));
  return true;
}

IntTuple rebuild(const IntTuple &order, const std::vector<Ranked> &parts, std::size_t &next) {
  if (order.isLeaf())
    return parts[next++].stride;
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : order.modes())
    modes.push_back(rebuild(mode, parts, next));
  return IntTuple(std::move(modes));
}

/// Strides of `shape` with the running product over `counted`, which has 1 where an extent takes no room.
Result<Layout> ordered(const IntTuple &shape, const IntTuple &counted, const IntTuple &order,
                       LeafArithmetic &arithmetic) {
  std::vector<Ranked> parts;
  FLY_CHECK(rank(counted, order, parts));
  std::vector<Ranked *> sorted;
  for (Ranked &part : parts)
    sorted.push_back(&part);
  // Run-time entries come last; equal entries keep the order of the text.
  std::sort(sorted.begin(), sorted.end(), [](const Ranked *a, const Ranked *b) {
    if (a->order.isStatic() != b->order.isStatic())
      return a->order.isStatic();
    if (a->order.isStatic() && a->order.value != b->order.value)
      return a->order.value < b->order.value;
    return a < b; // parts are in the order of the text
  });
  Leaf current = Leaf::known(1);
  for (Ranked *part : sorted) {
    FLY_TRY(stride, compactStrides(part->shape, false, current, arithmetic));
    part->stride = std::move(stride);
  }
  std::size_t next = 0;
  return makeLayout(shape, rebuild(order, parts, next));
}

IntTuple basisLike(const IntTuple &shape, const std::vector<std::uint32_t> &path) {
  if (shape.isLeaf())
    return path.empty() ? IntTuple(1) : IntTuple(Leaf::basis(path));
  std::vector<IntTuple> modes;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    std::vector<std::uint32_t> inner = path;
    inner.push_back(static_cast<std::uint32_t>(i));
    modes.push_back(basisLike(shape.mode(i), inner));
  }
  return IntTuple(std::move(modes));
}

} // namespace

Result<Layout> columnMajor(const IntTuple &shape, LeafArithmetic &arithmetic) {
  return compact(shape, false, arithmetic);
}

Result<Layout> rowMajor(const IntTuple &shape, LeafArithmetic &arithmetic) { return compact(shape, true, arithmetic); }

Result<Layout> orderedLayout(const IntTuple &shape, const IntTuple &order, LeafArithmetic &arithmetic) {
  return ordered(shape, shape, order, arithmetic);
}

Result<Layout> identityLayout(const IntTuple &shape) { return makeLayout(shape, basisLike(shape, {})); }

Result<Layout> layoutLike(const Layout &layout, LeafArithmetic &arithmetic) {
  if (layout.stride().hasBasis())
    return Error{"`" + layout.text() + "` gives coordinates; its strides have no order in memory"};
  return ordered(layout.shape(), filterZeros(layout).shape(), layout.stride(), arithmetic);
}

// Mode 0 is what one instruction moves: contiguous. The others follow in the order of their strides.
Result<Layout> fragmentLayoutLike(const Layout &layout, LeafArithmetic &arithmetic) {
  if (layout.stride().hasBasis())
    return Error{"`" + layout.text() + "` gives coordinates; its strides have no order in memory"};
  Layout counted = filterZeros(layout);
  if (layout.shape().isLeaf() || layout.rank() == 1) {
    FLY_TRY(compacted, columnMajor(counted.shape(), arithmetic));
    return makeLayout(layout.shape(), compacted.stride());
  }
  // Order 0 for all of mode 0; the strides of the others, which are at least 0, come after it.
  std::vector<IntTuple> order = {IntTuple(-1)};
  for (std::size_t i = 1; i < layout.rank(); ++i)
    order.push_back(layout.stride().mode(i));
  return ordered(layout.shape(), counted.shape(), IntTuple(std::move(order)), arithmetic);
}

} // namespace fly::layout
