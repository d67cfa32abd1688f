// Places: layouts of the running kernel, evaluated by their definition.
//
// Here every leaf is a number, so that none of compiler/layout's algebra on unknown numbers is needed: a shape and a
// stride of one profile, and what follows them in a composed layout. compiler/layout holds the values, no more.
#pragma once

#include "compiler/layout/ComposedLayout.h"
#include "compiler/layout/Rearrangement.h"

#include <map>
#include <memory>
#include <optional>

namespace fly::reference {

/// A tree of numbers; of a stride that leads along a mode, with the path of that mode.
struct Tree {
  bool isLeaf = true;
  bool isKept = false; ///< `_` of a coordinate
  int64_t value = 0;
  std::vector<uint32_t> path;
  std::vector<Tree> modes;

  static Tree of(int64_t value) { return {true, false, value, {}, {}}; }
  static Tree of(std::vector<Tree> modes) { return {false, false, 0, {}, std::move(modes)}; }
  size_t rank() const { return isLeaf ? 1 : modes.size(); }
  const Tree &mode(size_t index) const { return isLeaf ? *this : modes[index]; }
  int64_t product() const;
  void flatten(std::vector<Tree> &leaves) const;
};

/// What a layout gives for a coordinate: a number, and a number along each mode that it names.
struct Place {
  int64_t number = 0;
  std::map<std::vector<uint32_t>, int64_t> along;
  void add(const Tree &stride, int64_t times);
  void add(const Place &other);
  /// As a coordinate of a layout with this shape.
  Tree coordinate(const Tree &shape) const;
};

struct PlainLayout {
  Tree shape, stride;
  int64_t size() const { return shape.product(); }
};

/// A layout whose leaves are numbers, or a swizzle.
struct Function {
  PlainLayout domain;
  std::optional<layout::Swizzle> swizzle;
  /// Of a composed layout: applied one after the other to what the domain gives, each after its offset.
  struct Step {
    Place offset;
    std::shared_ptr<const Function> function;
  };
  std::vector<Step> steps;

  Place at(const Tree &coordinate) const;
  /// The number for one index of all modes; remembered.
  int64_t at(int64_t index) const;

  mutable std::vector<int64_t> numbers = {}; ///< by index, filled by `at`
};

/// The layout with its dynamic leaves from left to right as `values`, which moves past them.
Function functionOf(const layout::AnyLayout &layout, const int64_t *&values);
Tree treeOf(const layout::IntTuple &tuple, const int64_t *&values);

/// The offset of a coordinate in a plain layout; kept modes count as 0.
Place placeOf(const Tree &coordinate, const PlainLayout &layout);
/// The modes that the coordinate keeps.
PlainLayout keptOf(const Tree &coordinate, const PlainLayout &layout);

/// The domain after the step, none if this is not one of: divisions, compositions, and what regroups modes.
std::optional<PlainLayout> rearranged(const PlainLayout &layout, const layout::Rearrangement &step,
                                      const int64_t *&values);

/// The numbers of all leaves: of the domain's shape and stride, then of what follows, in the order of the IR.
std::vector<int64_t> leavesOf(const Function &function);
/// A layout in a type: its leaves in that order, and how many modes its shape has.
struct LayoutLeaves {
  explicit LayoutLeaves(const layout::AnyLayout &layout);
  std::vector<layout::Leaf> all;
  std::vector<unsigned> widths; ///< of the dynamic ones, in bits
  size_t modes;
};
/// The values of a type's dynamic leaves if a layout of that type has these leaves; none if it has others.
std::optional<std::vector<int64_t>> dynamicLeavesOf(const LayoutLeaves &type, const std::vector<int64_t> &leaves);

} // namespace fly::reference
