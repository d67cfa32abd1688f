// IntTuple: CuTe's tree of integers, which represents shapes, strides, coordinates and tilers.
//
// A leaf is an integer that is known (`8`), one that only the running kernel knows (`?`), or, in coordinates, the mark
// that keeps a mode (`_`). A tree is a leaf or a tuple of trees; `8` and `(8)` are different profiles, as in CuTe.
//
//   (?{div=4},(2,8))      a pair: a dynamic 32-bit multiple of 4, and a pair of known integers
//   (_,(3,?{i64}))        a coordinate that keeps mode 0 and fixes both parts of mode 1
//   (1@0,4@1)             strides of a layout whose results are coordinates: 1 along mode 0, 4 along mode 1
//   2@1@0                 2 along mode 1 inside of mode 0: CuTe prints the innermost mode first
//
// A dynamic leaf knows a divisor of its value and its width; the opaque `handle` represents it at run time, and the
// algebra only passes it along (see LeafArithmetic.h). Handles do not affect equality, hash and text.
#pragma once

#include "compiler/layout/Result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fly::layout {

struct Leaf {
  enum class Kind : std::uint8_t { Static, Dynamic, Keep };

  Kind kind = Kind::Static;
  std::uint8_t bits = 32;          // width of a dynamic leaf: 32 or 64
  std::int64_t value = 0;          // of a static leaf
  std::int64_t divisibility = 1;   // at least 1: every value of a dynamic leaf is a multiple of it
  void *handle = nullptr;          // what a dynamic leaf is at run time, for the LeafArithmetic in use
  std::vector<std::uint32_t> path; // of a scaled basis: the modes from the outermost; empty for a plain integer

  static Leaf known(std::int64_t value) { return {Kind::Static, 32, value, 1, nullptr, {}}; }
  static Leaf dynamic(unsigned bits = 32, std::int64_t divisibility = 1, void *handle = nullptr) {
    return {Kind::Dynamic, static_cast<std::uint8_t>(bits), 0, divisibility, handle, {}};
  }
  static Leaf keep() { return {Kind::Keep, 32, 0, 1, nullptr, {}}; }
  /// 1 along the mode at `path`, CuTe's E<...>.
  static Leaf basis(std::vector<std::uint32_t> path) { return {Kind::Static, 32, 1, 1, nullptr, std::move(path)}; }

  bool isStatic() const { return kind == Kind::Static; }
  /// The plain integer `number`.
  bool isStatic(std::int64_t number) const { return isStatic() && value == number && path.empty(); }
  bool isBasis() const { return !path.empty(); }
  bool isDynamic() const { return kind == Kind::Dynamic; }
  bool isKeep() const { return kind == Kind::Keep; }

  /// The width in bits that this leaf needs in arithmetic: 64 for an i64 leaf and for a known value beyond 32 bits.
  unsigned width() const;
  /// The largest known divisor: |value| of a static leaf, where 0 stands for "divisible by everything".
  std::int64_t divisor() const;

  bool operator==(const Leaf &other) const;
};

class IntTuple {
public:
  IntTuple() = default; // the empty tuple `()`
  IntTuple(Leaf leaf) : tuple(false), single(std::move(leaf)) {}
  IntTuple(std::int64_t value) : tuple(false), single(Leaf::known(value)) {}
  explicit IntTuple(std::vector<IntTuple> elements) : elements(std::move(elements)) {}

  bool isLeaf() const { return !tuple; }
  bool isTuple() const { return tuple; }
  const Leaf &leaf() const { return single; }
  /// The number of modes: of a leaf 1, of the empty tuple 0.
  std::size_t rank() const { return tuple ? elements.size() : 1; }
  /// 0 for a leaf, else one more than the deepest element's; `()` has depth 1.
  unsigned depth() const;
  /// Mode `index`, smaller than rank(); mode 0 of a leaf is the leaf itself.
  const IntTuple &mode(std::size_t index) const { return tuple ? elements[index] : *this; }
  const std::vector<IntTuple> &modes() const { return elements; }
  void append(IntTuple element) { elements.push_back(std::move(element)); }

  /// Leaves from left to right.
  std::size_t leafCount() const;
  std::vector<Leaf> leaves() const;
  void forEachLeaf(const std::function<void(const Leaf &)> &visit) const;
  /// The same tree with each leaf replaced, in order.
  IntTuple mapLeaves(const std::function<Leaf(const Leaf &)> &replace) const;

  bool isStatic() const;
  /// Some leaf is a scaled basis.
  bool hasBasis() const;
  /// Some leaf is `_`.
  bool hasKeep() const;
  /// True where both trees have the same tuples in the same places.
  bool hasProfileOf(const IntTuple &other) const;

  bool operator==(const IntTuple &other) const;

  /// `(?{div=4},(2,_))`; the inverse of parseIntTuple.
  std::string text() const;

private:
  bool tuple = true;
  Leaf single;
  std::vector<IntTuple> elements;
};

/// Reads the text form; blanks are allowed, everything must be used.
Result<IntTuple> parseIntTuple(std::string_view text);

/// `4`, `?`, `?{div=8}`, `?{i64}`, `?{i64,div=8}`, `_`, `4@1`.
std::string leafText(const Leaf &leaf);
/// Only the braces: properties of a dynamic leaf that follow its name; may be empty.
std::string leafAnnotation(const Leaf &leaf);

// For llvm::hash_combine, found by argument-dependent look-up.
std::size_t hash_value(const IntTuple &tuple);

/// How deep tuples may nest in text; deeper input is an error, so that recursion is bounded.
inline constexpr unsigned maximumDepth = 64;
/// The largest number of a mode that a step may name; coordinates of that many modes are made.
inline constexpr std::uint32_t maximumMode = 255;

} // namespace fly::layout
