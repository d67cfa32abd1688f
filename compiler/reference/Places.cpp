// Layouts as functions of numbers, see Places.h.
#include "compiler/reference/Places.h"

#include <algorithm>

namespace fly::reference {

using layout::AnyLayout;
using layout::ComposedLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Rearrangement;

int64_t Tree::product() const {
  if (isLeaf)
    return value;
  int64_t all = 1;
  for (const Tree &mode : modes)
    all *= mode.product();
  return all;
}

void Tree::flatten(std::vector<Tree> &leaves) const {
  if (isLeaf)
    leaves.push_back(*this);
  for (const Tree &mode : modes)
    mode.flatten(leaves);
}

void Place::add(const Tree &stride, int64_t times) {
  if (stride.path.empty())
    number += stride.value * times;
  else
    along[stride.path] += stride.value * times;
}

void Place::add(const Place &other) {
  number += other.number;
  for (auto &[path, value] : other.along)
    along[path] += value;
}

static Tree coordinateAt(const Place &place, const Tree &shape, std::vector<uint32_t> &path) {
  if (auto found = place.along.find(path); found != place.along.end())
    return Tree::of(found->second);
  if (shape.isLeaf)
    return Tree::of(0);
  std::vector<Tree> modes;
  for (uint32_t i = 0; i < shape.modes.size(); ++i) {
    path.push_back(i);
    modes.push_back(coordinateAt(place, shape.modes[i], path));
    path.pop_back();
  }
  return Tree::of(std::move(modes));
}

Tree Place::coordinate(const Tree &shape) const {
  if (along.empty())
    return Tree::of(number);
  std::vector<uint32_t> path;
  return coordinateAt(*this, shape, path);
}

//===----------------------------------------------- from the types ---------------------------------------------===//

Tree treeOf(const IntTuple &tuple, const int64_t *&values) {
  if (tuple.isLeaf()) {
    const Leaf &leaf = tuple.leaf();
    Tree tree = Tree::of(leaf.isDynamic() ? *values++ : leaf.value);
    tree.isKept = leaf.isKeep();
    tree.path = leaf.path;
    return tree;
  }
  std::vector<Tree> modes;
  for (const IntTuple &mode : tuple.modes())
    modes.push_back(treeOf(mode, values));
  return Tree::of(std::move(modes));
}

static PlainLayout plainOf(const Layout &layout, const int64_t *&values) {
  Tree shape = treeOf(layout.shape(), values);
  return {std::move(shape), treeOf(layout.stride(), values)};
}

/// The number, or what a tree of numbers says along each mode.
static void addTree(const Tree &tree, std::vector<uint32_t> &path, Place &place) {
  if (tree.isLeaf && path.empty())
    place.number += tree.value;
  else if (tree.isLeaf)
    place.along[path] += tree.value;
  for (uint32_t i = 0; i < tree.modes.size(); ++i) {
    path.push_back(i);
    addTree(tree.modes[i], path, place);
    path.pop_back();
  }
}

Function functionOf(const AnyLayout &layout, const int64_t *&values) {
  if (auto *plain = std::get_if<Layout>(&layout))
    return {plainOf(*plain, values), std::nullopt, {}};
  auto &composed = std::get<ComposedLayout>(layout);
  Function function = functionOf(composed.outer(), values);
  Function::Step step;
  std::vector<uint32_t> path;
  addTree(treeOf(composed.offset(), values), path, step.offset);
  Function inner;
  if (auto *swizzle = std::get_if<layout::Swizzle>(&composed.inner()))
    inner.swizzle = *swizzle;
  else if (auto *plain = std::get_if<Layout>(&composed.inner()))
    inner = functionOf(AnyLayout(*plain), values);
  else
    inner = functionOf(AnyLayout(std::get<ComposedLayout>(composed.inner())), values);
  step.function = std::make_shared<const Function>(std::move(inner));
  function.steps.push_back(std::move(step));
  return function;
}

//===--------------------------------------------- coordinates to places ----------------------------------------===//

static void addPlace(const Tree &coordinate, const Tree &shape, const Tree &stride, Place &place) {
  if (coordinate.isLeaf && shape.isLeaf) {
    if (!coordinate.isKept)
      place.add(stride, coordinate.value);
    return;
  }
  if (!coordinate.isLeaf) {
    for (size_t i = 0; i < coordinate.modes.size(); ++i)
      addPlace(coordinate.modes[i], shape.mode(i), stride.mode(i), place);
    return;
  }
  if (coordinate.isKept)
    return;
  int64_t rest = coordinate.value; // one number for all modes, the first one fastest
  for (size_t i = 0; i < shape.modes.size(); ++i) {
    const int64_t extent = shape.modes[i].product();
    const bool isLast = i + 1 == shape.modes.size();
    addPlace(Tree::of(isLast || extent == 0 ? rest : rest % extent), shape.modes[i], stride.modes[i], place);
    rest = isLast || extent == 0 ? 0 : rest / extent;
  }
}

Place placeOf(const Tree &coordinate, const PlainLayout &layout) {
  Place place;
  addPlace(coordinate, layout.shape, layout.stride, place);
  return place;
}

static void keep(const Tree &coordinate, const Tree &shape, const Tree &stride, PlainLayout &kept) {
  if (coordinate.isLeaf) {
    if (coordinate.isKept)
      kept.shape.modes.push_back(shape), kept.stride.modes.push_back(stride);
    return;
  }
  for (size_t i = 0; i < coordinate.modes.size(); ++i)
    keep(coordinate.modes[i], shape.mode(i), stride.mode(i), kept);
}

PlainLayout keptOf(const Tree &coordinate, const PlainLayout &layout) {
  PlainLayout kept{Tree::of(std::vector<Tree>()), Tree::of(std::vector<Tree>())};
  keep(coordinate, layout.shape, layout.stride, kept);
  return kept;
}

static int64_t swizzled(const layout::Swizzle &swizzle, int64_t offset) {
  const int64_t bits = (int64_t(1) << swizzle.bits) - 1;
  if (swizzle.shift >= 0)
    return offset ^ (((offset >> (swizzle.base + swizzle.shift)) & bits) << swizzle.base);
  return offset ^ (((offset >> swizzle.base) & bits) << (swizzle.base - swizzle.shift));
}

Place Function::at(const Tree &coordinate) const {
  Place place = placeOf(coordinate, domain);
  for (const Step &step : steps) {
    place.add(step.offset);
    if (step.function->swizzle)
      place.number = swizzled(*step.function->swizzle, place.number);
    else
      place = step.function->at(place.coordinate(step.function->domain.shape));
  }
  return place;
}

int64_t Function::at(int64_t index) const {
  constexpr int64_t most = 4096;
  if (numbers.empty()) {
    const int64_t size = domain.size();
    if (size > most || size <= 0)
      return at(Tree::of(index)).number;
    for (int64_t i = 0; i < size; ++i)
      numbers.push_back(at(Tree::of(i)).number);
  }
  return index >= 0 && index < int64_t(numbers.size()) ? numbers[size_t(index)] : at(Tree::of(index)).number;
}

//===----------------------------------------------- rearrangements ---------------------------------------------===//

namespace {

struct FlatMode {
  int64_t extent;
  Tree stride;
};
using FlatModes = std::vector<FlatMode>;

FlatModes flatOf(const PlainLayout &layout) {
  std::vector<Tree> shape, stride;
  layout.shape.flatten(shape);
  layout.stride.flatten(stride);
  FlatModes modes;
  for (size_t i = 0; i < shape.size(); ++i)
    modes.push_back({shape[i].value, stride[i]});
  return modes;
}

Tree scaled(Tree stride, int64_t times) {
  stride.value *= times;
  return stride;
}

/// The same function of an index with the fewest modes. The last mode stays: indices beyond all extents go on there.
FlatModes coalesced(const FlatModes &modes) {
  FlatModes result;
  for (const FlatMode &mode : modes) {
    if (mode.extent == 1 && &mode != &modes.back())
      continue;
    if (!result.empty() && result.back().stride.path == mode.stride.path &&
        result.back().stride.value * result.back().extent == mode.stride.value)
      result.back().extent *= mode.extent;
    else
      result.push_back(mode);
  }
  if (result.empty())
    result.push_back({1, Tree::of(0)});
  return result;
}

PlainLayout layoutOf(const FlatModes &modes) {
  if (modes.size() == 1)
    return {Tree::of(modes[0].extent), modes[0].stride};
  PlainLayout layout{Tree::of(std::vector<Tree>()), Tree::of(std::vector<Tree>())};
  for (const FlatMode &mode : modes)
    layout.shape.modes.push_back(Tree::of(mode.extent)), layout.stride.modes.push_back(mode.stride);
  return layout;
}

PlainLayout modeOf(const PlainLayout &layout, size_t index) {
  return {layout.shape.mode(index), layout.stride.mode(index)};
}

/// Every `step`-th of the first elements of a function of an index, `extent` of them.
PlainLayout picked(const FlatModes &modes, int64_t extent, int64_t step) {
  if (step == 0)
    return {Tree::of(extent), Tree::of(0)};
  FlatModes result;
  int64_t left = extent, apart = step;
  for (size_t i = 0; i + 1 < modes.size(); ++i) {
    const int64_t inside = std::max<int64_t>(1, modes[i].extent / apart), taken = std::min(inside, left);
    if (taken > 1)
      result.push_back({taken, scaled(modes[i].stride, apart)});
    left = taken ? (left + taken - 1) / taken : left;
    apart = (apart + modes[i].extent - 1) / std::max<int64_t>(1, modes[i].extent);
  }
  if (left != 1 || result.empty())
    result.push_back({left, scaled(modes.back().stride, apart)});
  return layoutOf(result);
}

PlainLayout composed(const PlainLayout &layout, const PlainLayout &inner) {
  if (inner.shape.isLeaf)
    return picked(coalesced(flatOf(layout)), inner.shape.value, inner.stride.value);
  PlainLayout result{Tree::of(std::vector<Tree>()), Tree::of(std::vector<Tree>())};
  for (size_t i = 0; i < inner.shape.modes.size(); ++i) {
    PlainLayout mode = composed(layout, modeOf(inner, i));
    result.shape.modes.push_back(std::move(mode.shape));
    result.stride.modes.push_back(std::move(mode.stride));
  }
  return result;
}

/// What together with `layout` reaches each of `size` numbers.
PlainLayout complementOf(const PlainLayout &layout, int64_t size) {
  FlatModes modes = flatOf(layout), rest;
  std::stable_sort(modes.begin(), modes.end(),
                   [](const FlatMode &a, const FlatMode &b) { return a.stride.value < b.stride.value; });
  int64_t reached = 1;
  for (const FlatMode &mode : modes) {
    if (mode.stride.value == 0 || mode.extent == 1)
      continue;
    if (mode.stride.value / reached != 1)
      rest.push_back({mode.stride.value / reached, Tree::of(reached)});
    reached = mode.stride.value * mode.extent;
  }
  if (const int64_t more = (size + reached - 1) / reached; more != 1 || rest.empty())
    rest.push_back({more, Tree::of(reached)});
  return layoutOf(coalesced(rest));
}

PlainLayout sideBySide(std::vector<PlainLayout> layouts) {
  PlainLayout result{Tree::of(std::vector<Tree>()), Tree::of(std::vector<Tree>())};
  for (PlainLayout &layout : layouts)
    result.shape.modes.push_back(std::move(layout.shape)), result.stride.modes.push_back(std::move(layout.stride));
  return result;
}

/// A mode's tile and what is left of it.
struct Divided {
  std::vector<PlainLayout> tiles, rests; ///< by mode; modes without a tile are rests
  bool isTuple = false;
};

std::optional<PlainLayout> tiled(const PlainLayout &layout, const layout::Tile &tile, const int64_t *&values) {
  switch (tile.kind()) {
  case layout::Tile::Kind::Keep: return layout;
  case layout::Tile::Kind::Extent:
  case layout::Tile::Kind::Layout: return composed(layout, plainOf(tile.layout(), values));
  case layout::Tile::Kind::Tuple: break;
  }
  std::vector<PlainLayout> modes;
  for (size_t i = 0; i < layout.shape.rank(); ++i)
    if (i >= tile.rank())
      modes.push_back(modeOf(layout, i));
    else if (auto mode = tiled(modeOf(layout, i), tile.mode(i), values))
      modes.push_back(std::move(*mode));
    else
      return std::nullopt;
  return sideBySide(std::move(modes));
}

/// (tile, rest) of each mode.
std::optional<Divided> divided(const PlainLayout &layout, const layout::Tile &tile, const int64_t *&values) {
  Divided result;
  auto add = [&](const PlainLayout &mode, const layout::Tile &by) {
    if (by.kind() == layout::Tile::Kind::Keep) {
      // All of the mode is the tile.
      result.tiles.push_back(mode);
      result.rests.push_back({Tree::of(1), Tree::of(0)});
      return true;
    }
    if (by.isTuple())
      return false;
    const PlainLayout inner = plainOf(by.layout(), values);
    result.tiles.push_back(composed(mode, inner));
    result.rests.push_back(composed(mode, complementOf(inner, mode.size())));
    return true;
  };
  if (!tile.isTuple()) {
    if (!add(layout, tile))
      return std::nullopt;
    return result;
  }
  result.isTuple = true;
  for (size_t i = 0; i < tile.rank() && i < layout.shape.rank(); ++i)
    if (!add(modeOf(layout, i), tile.mode(i)))
      return std::nullopt;
  return result;
}

} // namespace

std::optional<PlainLayout> rearranged(const PlainLayout &layout, const Rearrangement &step, const int64_t *&values) {
  using Kind = Rearrangement::Kind;
  auto modesFrom = [&](size_t first) {
    std::vector<PlainLayout> modes;
    for (size_t i = first; i < layout.shape.rank(); ++i)
      modes.push_back(modeOf(layout, i));
    return modes;
  };
  switch (step.kind) {
  case Kind::Group:
  case Kind::Flatten: return layout; // the same leaves
  case Kind::Select: {
    std::vector<PlainLayout> modes;
    for (const Tree &mode : treeOf(step.tuple, values).modes)
      modes.push_back(modeOf(layout, size_t(mode.value)));
    return sideBySide(std::move(modes));
  }
  case Kind::Coalesce: return layoutOf(coalesced(flatOf(layout)));
  case Kind::Composition: return tiled(layout, step.tile, values);
  case Kind::LogicalDivide:
  case Kind::ZippedDivide:
  case Kind::TiledDivide:
  case Kind::FlatDivide: {
    auto parts = divided(layout, step.tile, values);
    if (!parts)
      return std::nullopt;
    std::vector<PlainLayout> more = parts->isTuple ? modesFrom(parts->tiles.size()) : std::vector<PlainLayout>();
    std::vector<PlainLayout> modes;
    if (step.kind == Kind::LogicalDivide) {
      for (size_t i = 0; i < parts->tiles.size(); ++i)
        modes.push_back(sideBySide({parts->tiles[i], parts->rests[i]}));
      modes.insert(modes.end(), more.begin(), more.end());
      return sideBySide(std::move(modes));
    }
    modes.push_back(sideBySide(parts->tiles));
    parts->rests.insert(parts->rests.end(), more.begin(), more.end());
    modes.push_back(sideBySide(parts->rests));
    return sideBySide(std::move(modes));
  }
  default: return std::nullopt;
  }
}

//===--------------------------------------------------- leaves -------------------------------------------------===//

static void addPlaceLeaves(const Place &place, std::vector<int64_t> &leaves) {
  if (place.along.empty())
    return leaves.push_back(place.number);
  for (auto &[path, value] : place.along)
    leaves.push_back(value);
}

std::vector<int64_t> leavesOf(const Function &function) {
  std::vector<int64_t> leaves;
  std::vector<Tree> shape, stride;
  if (!function.swizzle) {
    function.domain.shape.flatten(shape);
    function.domain.stride.flatten(stride);
  }
  for (const Tree &leaf : shape)
    leaves.push_back(leaf.value);
  for (const Tree &leaf : stride)
    leaves.push_back(leaf.value);
  for (const Function::Step &step : function.steps) {
    addPlaceLeaves(step.offset, leaves);
    const std::vector<int64_t> inner = leavesOf(*step.function);
    leaves.insert(leaves.end(), inner.begin(), inner.end());
  }
  return leaves;
}

static void addLeaves(const AnyLayout &layout, std::vector<Leaf> &leaves) {
  auto add = [&](const IntTuple &tuple) { tuple.forEachLeaf([&](const Leaf &leaf) { leaves.push_back(leaf); }); };
  if (auto *plain = std::get_if<Layout>(&layout)) {
    add(plain->shape());
    return add(plain->stride());
  }
  auto &composed = std::get<ComposedLayout>(layout);
  addLeaves(composed.outer(), leaves);
  add(composed.offset());
  if (auto *plain = std::get_if<Layout>(&composed.inner()))
    addLeaves(AnyLayout(*plain), leaves);
  else if (auto *more = std::get_if<ComposedLayout>(&composed.inner()))
    addLeaves(AnyLayout(*more), leaves);
}

LayoutLeaves::LayoutLeaves(const AnyLayout &layout) : modes(layout::domainOf(layout).shape().leafCount()) {
  addLeaves(layout, all);
  for (const Leaf &leaf : all)
    if (leaf.isDynamic())
      widths.push_back(leaf.bits);
}

std::optional<std::vector<int64_t>> dynamicLeavesOf(const LayoutLeaves &type, const std::vector<int64_t> &leaves) {
  if (type.all.size() != leaves.size())
    return std::nullopt;
  std::vector<int64_t> values;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const bool isStrideOfOne = i >= type.modes && i < 2 * type.modes && leaves[i - type.modes] == 1; // leads nowhere
    if (type.all[i].isDynamic())
      values.push_back(leaves[i]);
    else if (type.all[i].value != leaves[i] && !isStrideOfOne)
      return std::nullopt;
  }
  return values;
}

} // namespace fly::reference
