// See Profiles.h.
#include "compiler/layout/Profiles.h"

#include "compiler/layout/Algebra.h"

namespace fly::layout {

bool weaklyCongruent(const IntTuple &left, const IntTuple &right) {
  if (left.isLeaf())
    return true;
  if (right.isLeaf() || left.rank() != right.rank())
    return false;
  for (std::size_t i = 0; i < left.rank(); ++i)
    if (!weaklyCongruent(left.mode(i), right.mode(i)))
      return false;
  return true;
}

namespace {

using OfSizes = bool (*)(std::int64_t, std::int64_t);

Result<bool> eachMode(const IntTuple &left, const IntTuple &right, OfSizes fits) {
  if (left.isLeaf()) {
    InferringArithmetic arithmetic;
    FLY_TRY(whole, size(right, arithmetic));
    for (const Leaf &leaf : {left.leaf(), whole})
      if (!leaf.isStatic() || leaf.isBasis())
        return Error{"`" + left.text() + "` and `" + right.text() +
                     "` are compared by extents that are known at compile time; found `" + leafText(leaf) + "`"};
    return fits(left.leaf().value, whole.value);
  }
  if (right.isLeaf() || left.rank() != right.rank())
    return false;
  for (std::size_t i = 0; i < left.rank(); ++i) {
    FLY_TRY(fit, eachMode(left.mode(i), right.mode(i), fits));
    if (!fit)
      return false;
  }
  return true;
}

} // namespace

Result<bool> compatible(const IntTuple &left, const IntTuple &right) {
  return eachMode(left, right, [](std::int64_t a, std::int64_t b) { return a == b; });
}

Result<bool> weaklyCompatible(const IntTuple &left, const IntTuple &right) {
  return eachMode(left, right, [](std::int64_t a, std::int64_t b) { return a != 0 && b % a == 0; });
}

Result<IntTuple> scaleElements(const IntTuple &left, const IntTuple &right, LeafArithmetic &arithmetic) {
  if (left.isLeaf()) {
    FLY_TRY(factor, product(right, arithmetic));
    FLY_TRY(scaled, arithmetic.multiply(left.leaf(), factor));
    return IntTuple(std::move(scaled));
  }
  if (right.isLeaf() || left.rank() != right.rank())
    return Error{"elem_scale of `" + left.text() + "` by `" + right.text() + "`: the profiles differ"};
  std::vector<IntTuple> modes;
  for (std::size_t i = 0; i < left.rank(); ++i) {
    FLY_TRY(mode, scaleElements(left.mode(i), right.mode(i), arithmetic));
    modes.push_back(std::move(mode));
  }
  return IntTuple(std::move(modes));
}

Result<Leaf> innerProduct(const IntTuple &left, const IntTuple &right, LeafArithmetic &arithmetic) {
  if (!left.hasProfileOf(right))
    return Error{"inner_product of `" + left.text() + "` and `" + right.text() + "`: the profiles differ"};
  std::vector<Leaf> a = left.leaves(), b = right.leaves();
  Leaf sum = Leaf::known(0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    FLY_TRY(term, arithmetic.multiply(a[i], b[i]));
    FLY_TRY(next, arithmetic.add(sum, term));
    sum = std::move(next);
  }
  return sum;
}

Result<IntTuple> crd2crd(const IntTuple &coordinate, const IntTuple &from, const IntTuple &to,
                         LeafArithmetic &arithmetic) {
  if (coordinate.isTuple() && from.isTuple() && to.isTuple() && from.rank() == to.rank() &&
      coordinate.rank() == from.rank()) {
    std::vector<IntTuple> modes;
    for (std::size_t i = 0; i < from.rank(); ++i) {
      FLY_TRY(mode, crd2crd(coordinate.mode(i), from.mode(i), to.mode(i), arithmetic));
      modes.push_back(std::move(mode));
    }
    return IntTuple(std::move(modes));
  }
  FLY_TRY(count, size(from, arithmetic));
  FLY_TRY(wanted, size(to, arithmetic));
  if (count.isStatic() && wanted.isStatic() && !(count == wanted))
    return Error{"`" + from.text() + "` has " + leafText(count) + " coordinates, `" + to.text() + "` " +
                 leafText(wanted)};
  FLY_TRY(compact, columnMajor(from, arithmetic));
  FLY_TRY(index, crd2idx(coordinate, compact, arithmetic));
  return idx2crd(index, to, arithmetic);
}

} // namespace fly::layout
