// Random layouts for the property tests, and what they mean computed without the library: the offset of every
// coordinate by dividing it through the leaves.
//
// The seed is fixed; FLY_LAYOUT_SEED replaces it, and each failing test names the layouts and the seed.
#pragma once

#include "LayoutTesting.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

namespace fly::layout {

inline unsigned seedOfRun() {
  const char *given = std::getenv("FLY_LAYOUT_SEED");
  return given ? static_cast<unsigned>(std::atoi(given)) : 20240817u;
}

using Offsets = std::vector<std::int64_t>;

/// The offset of the one-dimensional coordinate `index`; past the end the last leaf goes on.
inline std::int64_t bruteOffset(const Layout &layout, std::int64_t index) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t part = i + 1 < shape.size() ? index % shape[i].value : index;
    index /= i + 1 < shape.size() ? shape[i].value : 1;
    offset += part * stride[i].value;
  }
  return offset;
}
inline std::int64_t bruteSize(const Layout &layout) {
  std::int64_t size = 1;
  layout.shape().forEachLeaf([&](const Leaf &leaf) { size *= leaf.value; });
  return size;
}
inline Offsets bruteOffsets(const Layout &layout) {
  Offsets result;
  for (std::int64_t i = 0, n = bruteSize(layout); i < n; ++i)
    result.push_back(bruteOffset(layout, i));
  return result;
}

class RandomLayouts {
public:
  explicit RandomLayouts(unsigned salt) : engine(seedOfRun() + salt) {}

  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
  }
  template <typename T> const T &oneOf(const std::vector<T> &values) {
    return values[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(values.size()) - 1))];
  }
  bool chance(int percent) { return number(1, 100) <= percent; }

  /// A shape of at most `budget` coordinates.
  IntTuple shape(std::int64_t budget = 96, unsigned depth = 2) {
    std::int64_t left = budget;
    return shapeWithin(left, depth, true);
  }

  /// Compact in some order of the leaves, with gaps now and then.
  Layout injective(const IntTuple &shape) {
    std::vector<Leaf> leaves = shape.leaves();
    std::vector<std::size_t> order(leaves.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    if (chance(70))
      std::shuffle(order.begin(), order.end(), engine);
    std::vector<std::int64_t> stride(leaves.size());
    std::int64_t current = chance(15) ? number(2, 4) : 1;
    for (std::size_t i : order) {
      stride[i] = current;
      current *= leaves[i].value;
      if (chance(12))
        current *= number(2, 3);
    }
    std::size_t next = 0;
    return {shape, shape.mapLeaves([&](const Leaf &) { return Leaf::known(stride[next++]); })};
  }
  Layout bijective(const IntTuple &shape) {
    std::vector<std::size_t> order(shape.leafCount());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), engine);
    std::vector<std::int64_t> stride(order.size());
    std::vector<Leaf> leaves = shape.leaves();
    std::int64_t current = 1;
    for (std::size_t i : order) {
      stride[i] = current;
      current *= leaves[i].value;
    }
    std::size_t next = 0;
    return {shape, shape.mapLeaves([&](const Leaf &) { return Leaf::known(stride[next++]); })};
  }
  /// Any strides, repetitions included.
  Layout any(const IntTuple &shape) {
    static const std::vector<std::int64_t> strides = {0, 1, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32};
    return {shape, shape.mapLeaves([&](const Leaf &) { return Leaf::known(oneOf(strides)); })};
  }
  Layout layout(std::int64_t budget = 96, unsigned depth = 2) {
    IntTuple tree = shape(budget, depth);
    return chance(60) ? injective(tree) : any(tree);
  }
  /// Some leaves of the shape unknown, with true divisors.
  Layout withUnknowns(const Layout &layout, EvaluatingArithmetic &arithmetic, int percent) {
    auto hide = [&](const Leaf &leaf) {
      if (!chance(percent) || leaf.value < 2) // that a number is 0 or 1 changes results, so it is not an unknown
        return leaf;
      std::int64_t divisor = 1;
      for (std::int64_t candidate : {2, 3, 4, 8, 16})
        if (leaf.value % candidate == 0 && chance(60))
          divisor = candidate;
      return arithmetic.unknown(leaf.value, divisor, chance(20) ? 64 : 32);
    };
    return {layout.shape().mapLeaves(hide), layout.stride().mapLeaves(hide)};
  }
  /// A coordinate of the shape in which a part may be an integer for a whole mode; with `keeps`, `_` here and there.
  IntTuple coordinate(const IntTuple &shape, bool keeps) {
    if (keeps && chance(30))
      return Leaf::keep();
    if (shape.isLeaf() || chance(15)) {
      std::int64_t size = 1;
      shape.forEachLeaf([&](const Leaf &leaf) { size *= leaf.value; });
      return IntTuple(number(0, size - 1));
    }
    std::vector<IntTuple> modes;
    for (const IntTuple &mode : shape.modes())
      modes.push_back(coordinate(mode, keeps));
    return IntTuple(std::move(modes));
  }

  std::mt19937_64 engine;

private:
  IntTuple shapeWithin(std::int64_t &left, unsigned depth, bool top) {
    if (depth == 0 || (!top && chance(55)) || (top && chance(15))) {
      static const std::vector<std::int64_t> extents = {1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16};
      std::int64_t extent = oneOf(extents);
      if (extent > left)
        extent = 1;
      left /= extent;
      return IntTuple(extent);
    }
    std::vector<IntTuple> modes;
    for (std::int64_t i = 0, n = number(1, 3); i < n; ++i)
      modes.push_back(shapeWithin(left, depth - 1, false));
    return IntTuple(std::move(modes));
  }
};

} // namespace fly::layout
