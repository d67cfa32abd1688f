// Layout: a function from coordinates to element offsets, given by a shape and a stride of one profile.
//
//   ((4),?):((1),4)     shape ((4),?), stride ((1),4): the offset of ((i),j) is i + 4*j
//   (4,8):(1@1,1@0)     strides along modes: the result is a coordinate, that of (i,j) is (j,i)
//
// The value alone; operations on layouts are in Algebra.h. Offsets and strides count elements, not bytes.
#pragma once

#include "compiler/layout/IntTuple.h"

namespace fly::layout {

class Layout {
public:
  Layout() = default; // `():()`: one element
  /// Of two trees of one profile; see makeLayout for a checked form.
  Layout(IntTuple shape, IntTuple stride) : shapeTree(std::move(shape)), strideTree(std::move(stride)) {}

  const IntTuple &shape() const { return shapeTree; }
  const IntTuple &stride() const { return strideTree; }
  std::size_t rank() const { return shapeTree.rank(); }
  unsigned depth() const { return shapeTree.depth(); }
  Layout mode(std::size_t index) const { return {shapeTree.mode(index), strideTree.mode(index)}; }
  /// All of them; of a leaf the layout itself.
  std::vector<Layout> modes() const;
  bool isStatic() const { return shapeTree.isStatic() && strideTree.isStatic(); }

  /// The dynamic leaves in the order in which the IR lists them: those of the shape, then those of the stride.
  std::vector<Leaf> dynamicLeaves() const;
  /// The same layout with the dynamic leaves' handles replaced, in that order; `handles` has one for each.
  Layout withHandles(const std::vector<void *> &handles) const;

  bool operator==(const Layout &other) const = default;

  /// `shape:stride`; the inverse of parseLayout.
  std::string text() const;

private:
  IntTuple shapeTree;
  IntTuple strideTree;
};

/// A layout of two trees, or why they make none: unequal profiles, a `_`, a negative extent.
Result<Layout> makeLayout(IntTuple shape, IntTuple stride);

/// The layout of these modes side by side: `4:1` and `(2,3):(4,8)` give `(4,(2,3)):(1,(4,8))`.
Layout layoutOfModes(const std::vector<Layout> &modes);

/// Reads `shape:stride`.
Result<Layout> parseLayout(std::string_view text);

std::size_t hash_value(const Layout &layout);

} // namespace fly::layout
