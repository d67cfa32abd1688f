// See TupleArithmetic.h.
#include "compiler/layout/TupleArithmetic.h"

#include <algorithm>

namespace fly::layout {

namespace {

Error unequal(const char *name, const IntTuple &left, const IntTuple &right) {
  return {std::string("`") + name + "` of `" + left.text() + "` and `" + right.text() +
          "`, which are nested differently"};
}

} // namespace

Result<IntTuple> eachLeaf(const IntTuple &left, const IntTuple &right, LeafFunction function, const char *name,
                          LeafArithmetic &arithmetic) {
  if (left.isLeaf() && right.isLeaf()) {
    FLY_TRY(leaf, (arithmetic.*function)(left.leaf(), right.leaf()));
    return IntTuple(std::move(leaf));
  }
  if (left.isTuple() && right.isTuple() && left.rank() != right.rank())
    return unequal(name, left, right);
  std::vector<IntTuple> modes;
  for (std::size_t i = 0, n = left.isTuple() ? left.rank() : right.rank(); i < n; ++i) {
    FLY_TRY(mode, eachLeaf(left.isTuple() ? left.mode(i) : left, right.isTuple() ? right.mode(i) : right, function,
                           name, arithmetic));
    modes.push_back(std::move(mode));
  }
  return IntTuple(std::move(modes));
}

IntTuple coordinateOf(const Leaf &leaf) {
  if (!leaf.isBasis())
    return leaf;
  Leaf value = leaf;
  value.path.clear();
  IntTuple result = value;
  for (auto mode = leaf.path.rbegin(); mode != leaf.path.rend(); ++mode) {
    std::vector<IntTuple> modes(*mode, IntTuple(0));
    modes.push_back(std::move(result));
    result = IntTuple(std::move(modes));
  }
  return result;
}

Result<IntTuple> addCoordinates(const IntTuple &left, const IntTuple &right, LeafArithmetic &arithmetic) {
  if (left.isLeaf() && left.leaf().isBasis())
    return addCoordinates(coordinateOf(left.leaf()), right, arithmetic);
  if (right.isLeaf() && right.leaf().isBasis())
    return addCoordinates(left, coordinateOf(right.leaf()), arithmetic);
  if (left.isLeaf() && right.isLeaf()) {
    FLY_TRY(sum, arithmetic.add(left.leaf(), right.leaf()));
    return IntTuple(std::move(sum));
  }
  if (left.isLeaf() && left.leaf().isStatic(0))
    return right;
  if (right.isLeaf() && right.leaf().isStatic(0))
    return left;
  if (left.isLeaf() || right.isLeaf())
    return Error{"the sum of the number `" + (left.isLeaf() ? left : right).text() + "` and the coordinate `" +
                 (left.isLeaf() ? right : left).text() + "`"};
  std::vector<IntTuple> modes;
  for (std::size_t i = 0; i < std::max(left.rank(), right.rank()); ++i) {
    if (i >= left.rank() || i >= right.rank()) {
      modes.push_back(i >= left.rank() ? right.mode(i) : left.mode(i));
      continue;
    }
    FLY_TRY(mode, addCoordinates(left.mode(i), right.mode(i), arithmetic));
    modes.push_back(std::move(mode));
  }
  return IntTuple(std::move(modes));
}

Result<Leaf> product(const IntTuple &tuple, LeafArithmetic &arithmetic) {
  if (tuple.isLeaf())
    return tuple.leaf();
  Leaf result = Leaf::known(1);
  for (const IntTuple &mode : tuple.modes()) {
    FLY_TRY(factor, product(mode, arithmetic));
    FLY_TRY(next, arithmetic.multiply(result, factor));
    result = std::move(next);
  }
  return result;
}

Result<IntTuple> productEach(const IntTuple &tuple, LeafArithmetic &arithmetic) {
  if (tuple.isLeaf())
    return tuple;
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : tuple.modes()) {
    FLY_TRY(total, product(mode, arithmetic));
    modes.push_back(std::move(total));
  }
  return IntTuple(std::move(modes));
}

Result<IntTuple> productLike(const IntTuple &tuple, const IntTuple &guide, LeafArithmetic &arithmetic) {
  if (guide.isLeaf()) {
    FLY_TRY(total, product(tuple, arithmetic));
    return IntTuple(std::move(total));
  }
  if (tuple.isLeaf() || tuple.rank() != guide.rank())
    return Error{"`" + tuple.text() + "` has no modes like those of `" + guide.text() + "`"};
  std::vector<IntTuple> modes;
  for (std::size_t i = 0; i < guide.rank(); ++i) {
    FLY_TRY(mode, productLike(tuple.mode(i), guide.mode(i), arithmetic));
    modes.push_back(std::move(mode));
  }
  return IntTuple(std::move(modes));
}

Result<IntTuple> shapeDivide(const IntTuple &shape, const IntTuple &divisor, LeafArithmetic &arithmetic) {
  if (shape.isTuple() && divisor.isTuple()) {
    if (shape.rank() != divisor.rank())
      return unequal("shape_div", shape, divisor);
    std::vector<IntTuple> modes;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      FLY_TRY(mode, shapeDivide(shape.mode(i), divisor.mode(i), arithmetic));
      modes.push_back(std::move(mode));
    }
    return IntTuple(std::move(modes));
  }
  if (shape.isTuple()) { // the rest of the divisor divides the next mode
    IntTuple rest = divisor;
    std::vector<IntTuple> modes;
    for (const IntTuple &mode : shape.modes()) {
      FLY_TRY(divided, shapeDivide(mode, rest, arithmetic));
      FLY_TRY(total, product(mode, arithmetic));
      FLY_TRY(left, shapeDivide(rest, IntTuple(total), arithmetic));
      modes.push_back(std::move(divided));
      rest = std::move(left);
    }
    return IntTuple(std::move(modes));
  }
  if (divisor.isTuple()) {
    FLY_TRY(total, product(divisor, arithmetic));
    return shapeDivide(shape, IntTuple(total), arithmetic);
  }
  const Leaf &a = shape.leaf(), &b = divisor.leaf();
  if (a.isStatic() && b.isStatic() && b.value > 0 && a.value % b.value != 0) {
    if (a.value > 0 && b.value % a.value == 0)
      return IntTuple(1);
    return Error{"`" + leafText(a) + "` and `" + leafText(b) + "` do not divide each other"};
  }
  FLY_TRY(quotient, arithmetic.ceilDivide(a, b));
  return IntTuple(std::move(quotient));
}

Result<bool> elementsLess(const IntTuple &left, const IntTuple &right) {
  if (left.isLeaf() && right.isLeaf()) {
    if (!left.leaf().isStatic() || !right.leaf().isStatic())
      return Error{"whether `" + left.text() + "` is less than `" + right.text() + "` is known only at run time"};
    return left.leaf().value < right.leaf().value;
  }
  if (left.isTuple() && right.isTuple() && left.rank() > right.rank())
    return unequal("elem_less", left, right);
  for (std::size_t i = 0, n = left.isTuple() ? left.rank() : right.rank(); i < n; ++i) {
    FLY_TRY(less, elementsLess(left.isTuple() ? left.mode(i) : left, right.isTuple() ? right.mode(i) : right));
    if (!less)
      return false;
  }
  return true;
}

IntTuple flatten(const IntTuple &tuple) {
  std::vector<IntTuple> modes;
  tuple.forEachLeaf([&](const Leaf &leaf) { modes.push_back(leaf); });
  return IntTuple(std::move(modes));
}

namespace {

Result<IntTuple> takeLike(const std::vector<Leaf> &leaves, std::size_t &next, const IntTuple &guide) {
  if (guide.isLeaf())
    return IntTuple(leaves[next++]);
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : guide.modes()) {
    FLY_TRY(part, takeLike(leaves, next, mode));
    modes.push_back(std::move(part));
  }
  return IntTuple(std::move(modes));
}

/// `keep`: the modes at `_`; else the others.
Result<bool> pick(const IntTuple &coordinate, const IntTuple &tuple, bool keep, std::vector<IntTuple> &kept) {
  if (coordinate.isLeaf()) {
    if (coordinate.leaf().isKeep() == keep)
      kept.push_back(tuple);
    return true;
  }
  if (tuple.isLeaf() || tuple.rank() != coordinate.rank())
    return Error{"coordinate `" + coordinate.text() + "` does not fit `" + tuple.text() + "`"};
  for (std::size_t i = 0; i < coordinate.rank(); ++i)
    FLY_CHECK(pick(coordinate.mode(i), tuple.mode(i), keep, kept));
  return true;
}

} // namespace

Result<IntTuple> unflatten(const IntTuple &flat, const IntTuple &guide) {
  std::vector<Leaf> leaves = flat.leaves();
  if (leaves.size() != guide.leafCount())
    return Error{"`" + flat.text() + "` has " + std::to_string(leaves.size()) + " leaves, `" + guide.text() + "` " +
                 std::to_string(guide.leafCount())};
  std::size_t next = 0;
  return takeLike(leaves, next, guide);
}

Result<IntTuple> sliceTuple(const IntTuple &coordinate, const IntTuple &tuple) {
  if (coordinate.isLeaf() && coordinate.leaf().isKeep())
    return tuple;
  std::vector<IntTuple> kept;
  FLY_CHECK(pick(coordinate, tuple, true, kept));
  return IntTuple(std::move(kept));
}

Result<IntTuple> diceTuple(const IntTuple &coordinate, const IntTuple &tuple) {
  if (coordinate.isLeaf() && !coordinate.leaf().isKeep())
    return tuple;
  std::vector<IntTuple> kept;
  FLY_CHECK(pick(coordinate, tuple, false, kept));
  return IntTuple(std::move(kept));
}

} // namespace fly::layout
