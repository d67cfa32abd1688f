// Layout: construction from checked parts, and its dynamic leaves.
#include "compiler/layout/Layout.h"

namespace fly::layout {

std::vector<Leaf> Layout::dynamicLeaves() const {
  std::vector<Leaf> result;
  auto collect = [&](const Leaf &leaf) {
    if (leaf.isDynamic())
      result.push_back(leaf);
  };
  shapeTree.forEachLeaf(collect);
  strideTree.forEachLeaf(collect);
  return result;
}

Layout Layout::withHandles(const std::vector<void *> &handles) const {
  std::size_t next = 0;
  auto replace = [&](Leaf leaf) {
    if (leaf.isDynamic())
      leaf.handle = next < handles.size() ? handles[next++] : nullptr;
    return leaf;
  };
  IntTuple shape = shapeTree.mapLeaves(replace);
  IntTuple stride = strideTree.mapLeaves(replace);
  return {std::move(shape), std::move(stride)};
}

std::vector<Layout> Layout::modes() const {
  std::vector<Layout> result;
  for (std::size_t i = 0; i < rank(); ++i)
    result.push_back(mode(i));
  return result;
}

Layout layoutOfModes(const std::vector<Layout> &modes) {
  std::vector<IntTuple> shape, stride;
  shape.reserve(modes.size());
  stride.reserve(modes.size());
  for (const Layout &mode : modes) {
    shape.push_back(mode.shape());
    stride.push_back(mode.stride());
  }
  return {IntTuple(std::move(shape)), IntTuple(std::move(stride))};
}

Result<Layout> makeLayout(IntTuple shape, IntTuple stride) {
  if (!shape.hasProfileOf(stride))
    return Error{"shape `" + shape.text() + "` and stride `" + stride.text() + "` are nested differently"};
  if (shape.depth() > maximumDepth)
    return Error{"a layout nests deeper than " + std::to_string(maximumDepth) + " levels"};
  const Leaf *wrong = nullptr;
  bool kept = false;
  shape.forEachLeaf([&](const Leaf &leaf) {
    kept |= leaf.isKeep();
    if (leaf.isStatic() && leaf.value < 0)
      wrong = &leaf;
  });
  stride.forEachLeaf([&](const Leaf &leaf) { kept |= leaf.isKeep(); });
  if (kept)
    return Error{"`_` belongs in a coordinate, not in a layout"};
  if (shape.hasBasis())
    return Error{"an extent is a number; the shape `" + shape.text() + "` has a step along a mode"};
  if (wrong)
    return Error{"an extent cannot be negative; found `" + std::to_string(wrong->value) + "`"};
  return Layout(std::move(shape), std::move(stride));
}

std::size_t hash_value(const Layout &layout) { return hash_value(layout.shape()) * 31 + hash_value(layout.stride()); }

} // namespace fly::layout
