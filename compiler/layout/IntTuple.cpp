// IntTuple: queries and rewriting of the tree. Trees are as deep as their text or the user's tuples, which are bounded
// (`maximumDepth`), so plain recursion is safe.
#include "compiler/layout/IntTuple.h"

#include <algorithm>
#include <cstdlib>

namespace fly::layout {

unsigned Leaf::width() const {
  if (isStatic())
    return value > INT32_MAX || value < INT32_MIN ? 64 : 32;
  return bits;
}

std::int64_t Leaf::divisor() const {
  if (!isStatic())
    return divisibility;
  return value == INT64_MIN ? std::int64_t(1) << 62 : std::abs(value);
}

bool Leaf::operator==(const Leaf &other) const {
  if (kind != other.kind || path != other.path)
    return false;
  switch (kind) {
  case Kind::Static: return value == other.value;
  case Kind::Dynamic: return bits == other.bits && divisibility == other.divisibility;
  case Kind::Keep: return true;
  }
  return false;
}

unsigned IntTuple::depth() const {
  if (!tuple)
    return 0;
  unsigned deepest = 0;
  for (const IntTuple &element : elements)
    deepest = std::max(deepest, element.depth());
  return deepest + 1;
}

void IntTuple::forEachLeaf(const std::function<void(const Leaf &)> &visit) const {
  if (!tuple)
    return visit(single);
  for (const IntTuple &element : elements)
    element.forEachLeaf(visit);
}

std::size_t IntTuple::leafCount() const {
  std::size_t count = 0;
  forEachLeaf([&](const Leaf &) { ++count; });
  return count;
}

std::vector<Leaf> IntTuple::leaves() const {
  std::vector<Leaf> result;
  result.reserve(rank()); // of most tuples all
  forEachLeaf([&](const Leaf &leaf) { result.push_back(leaf); });
  return result;
}

IntTuple IntTuple::mapLeaves(const std::function<Leaf(const Leaf &)> &replace) const {
  if (!tuple)
    return replace(single);
  std::vector<IntTuple> result;
  result.reserve(elements.size());
  for (const IntTuple &element : elements)
    result.push_back(element.mapLeaves(replace));
  return IntTuple(std::move(result));
}

bool IntTuple::isStatic() const {
  if (!tuple)
    return single.isStatic();
  return std::all_of(elements.begin(), elements.end(), [](const IntTuple &element) { return element.isStatic(); });
}

bool IntTuple::hasBasis() const {
  bool found = false;
  forEachLeaf([&](const Leaf &leaf) { found |= leaf.isBasis(); });
  return found;
}

bool IntTuple::hasKeep() const {
  bool found = false;
  forEachLeaf([&](const Leaf &leaf) { found |= leaf.isKeep(); });
  return found;
}

bool IntTuple::hasProfileOf(const IntTuple &other) const {
  if (tuple != other.tuple || elements.size() != other.elements.size())
    return false;
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (!elements[i].hasProfileOf(other.elements[i]))
      return false;
  return true;
}

bool IntTuple::operator==(const IntTuple &other) const {
  return tuple == other.tuple && (tuple ? elements == other.elements : single == other.single);
}

std::size_t hash_value(const IntTuple &tuple) {
  auto mix = [](std::size_t seed, std::size_t value) {
    return seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
  };
  if (tuple.isLeaf()) {
    const Leaf &leaf = tuple.leaf();
    std::size_t payload = leaf.isStatic()    ? leaf.value
                          : leaf.isDynamic() ? leaf.divisibility * 2 + (leaf.bits == 64)
                                             : 0;
    std::size_t seed = mix(static_cast<std::size_t>(leaf.kind) + 1, payload);
    for (std::uint32_t mode : leaf.path)
      seed = mix(seed, mode + 3);
    return seed;
  }
  std::size_t seed = 7 + tuple.rank();
  for (const IntTuple &element : tuple.modes())
    seed = mix(seed, hash_value(element));
  return seed;
}

} // namespace fly::layout
