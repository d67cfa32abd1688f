// composition: one layout after another, the operation on which divisions and products are built.
//
// composition(A, s:d) for A coalesced to (s0,...,sk):(d0,...,dk) picks every d-th element of A, s of them:
//
//   (6,2):(8,2) o 4:3   rest = 4:3
//     mode 6:8   3 fits into 6 twice: 2 elements, stride 3*8 = 24; the rest is 2:1
//     mode 2:2   the last mode takes what is left: 2:2
//   = (2,2):(24,2)
//
// Step by step, with the rest r:e, for each mode s:d but the last:
//   1. (r-1)*e < s: all r elements lie in this mode: r:e*d, and nothing is left;
//   2. s divides e: the mode is stepped over; the rest is r:e/s;
//   3. e divides s, and s/e divides r: s/e elements are taken, s/e:e*d, and the rest is r/(s/e):1.
// The last mode takes the rest, also beyond its end. Several modes of the second layout that take from one mode of A
// must not take more than it has in total: (8,2):(1,9) o (5,2):(1,5) is 9 at (4,1), which lies in the next row,
// although 5:1 and 2:5 both stay in the first. CuTe does not check the sum; here it is refused. If no step applies, the
// result is not a layout: an error names the mode (CuTe asserts this for static layouts in most cases, and otherwise
// ignores it). With dynamic leaves, a step is taken only if known divisors decide it.
//
// A basis stride in the second layout picks a mode of the first: A o (s:d@1) is mode 1 of A after s:d.
#include "compiler/layout/Algebra.h"

#include <map>

namespace fly::layout {

namespace {

class Composer {
public:
  /// `weak`: see compositionWeak.
  Composer(const Layout &outer, const Layout &inner, bool weak, LeafArithmetic &arithmetic)
      : outer(outer), inner(inner), weak(weak), arithmetic(arithmetic) {}

  /// After the mode of `inner` at `place` ("mode 1 of ...").
  Result<Layout> compose(const Layout &coalesced, const Layout &mode) {
    if (mode.shape().isTuple()) {
      std::vector<Layout> modes;
      for (const Layout &part : mode.modes()) {
        FLY_TRY(composed, compose(coalesced, part));
        modes.push_back(std::move(composed));
      }
      return layoutOfModes(modes);
    }
    const Leaf &step = mode.stride().leaf();
    if (step.isBasis())
      return composeBasis(mode.shape().leaf(), step);
    return composeLeaf(coalesced, mode.shape().leaf(), step, taken[{}]);
  }

private:
  /// The number of the last element that is taken so far, in each mode of the first layout.
  using Taken = std::vector<std::int64_t>;

  Error fail(const std::string &why) const {
    return {"composition of `" + outer.text() + "` with `" + inner.text() + "`: " + why};
  }
  Error indivisible(std::size_t mode, const Layout &coalesced, const std::string &left, const Leaf &right) const {
    return fail(left + " and " + leafText(right) + ", the extent of mode " + std::to_string(mode) + " of `" +
                coalesced.text() + "`, do not divide each other");
  }

  Result<Layout> composeBasis(const Leaf &extent, const Leaf &step) {
    Layout picked = outer;
    for (std::uint32_t mode : step.path) {
      if (picked.shape().isLeaf() || mode >= picked.rank())
        return fail("there is no mode for the step `" + leafText(step) + "`");
      picked = picked.mode(mode);
    }
    Leaf scale = step;
    scale.path.clear();
    FLY_TRY(coalesced, coalesceBeyond(picked, arithmetic));
    return composeLeaf(coalesced, extent, scale, taken[step.path]);
  }

  Result<Layout> composeLeaf(const Layout &coalesced, const Leaf &extent, const Leaf &stride, Taken &last) const {
    if (stride.isStatic(0) || extent.isStatic(0))
      return Layout(extent, 0);
    if (stride.isStatic() && stride.value < 0 && coalesced.rank() > 1)
      return fail("the negative stride " + leafText(stride) + " leads before the first element");
    std::vector<IntTuple> shape, strides;
    Leaf rest = extent, step = stride;
    last.resize(coalesced.rank());
    if (rest.isStatic(1)) // never moves: the stride is only for show, CuTe's
      for (std::size_t i = 0; i + 1 < coalesced.rank(); ++i) {
        const Leaf &size = coalesced.shape().mode(i).leaf();
        FLY_TRY(next, arithmetic.ceilDivide(step, size.isStatic(0) ? Leaf::known(1) : size));
        step = std::move(next);
      }
    auto take = [&](const Leaf &count, std::size_t mode) -> Result<bool> {
      if (mode + 1 < coalesced.rank() && !weak)
        FLY_CHECK(addTaken(coalesced, mode, count.value, step.value, last[mode]));
      FLY_TRY(product, arithmetic.multiply(step, coalesced.stride().mode(mode).leaf()));
      shape.push_back(count);
      strides.push_back(std::move(product));
      return true;
    };
    for (std::size_t i = 0; i + 1 < coalesced.rank() && !rest.isStatic(1); ++i) {
      const Leaf &size = coalesced.shape().mode(i).leaf();
      if (size.isStatic(0))
        return fail("mode " + std::to_string(i) + " of `" + coalesced.text() + "` is empty");
      FLY_TRY(inside, liesInside(rest, step, size));
      if (inside) {
        FLY_CHECK(take(rest, i));
        rest = Leaf::known(1);
        break;
      }
      bool divides =
          size.isStatic() && step.isStatic() && (size.value % step.value == 0 || step.value % size.value == 0);
      if (size.isStatic() && step.isStatic() && !divides && !(weak && step.value < size.value))
        return indivisible(i, coalesced, "the stride " + leafText(step), size);
      if (size.isStatic() && step.divisor() % size.value == 0) { // stepped over
        FLY_TRY(next, arithmetic.floorDivide(step, size));
        step = std::move(next);
        continue;
      }
      if (!size.isStatic() || !step.isStatic())
        return undecided();
      Leaf count = Leaf::known(size.value / step.value + (size.value % step.value != 0));
      if (rest.isStatic() && rest.value % count.value != 0)
        return indivisible(i, coalesced, "the extent " + leafText(rest) + " at stride " + leafText(step), size);
      if (rest.divisor() % count.value != 0)
        return undecided();
      FLY_CHECK(take(count, i));
      FLY_TRY(remaining, arithmetic.floorDivide(rest, count));
      rest = std::move(remaining);
      step = Leaf::known(1);
    }
    if (shape.empty() || !rest.isStatic(1))
      FLY_CHECK(take(rest, coalesced.rank() - 1));
    if (shape.size() == 1)
      return Layout(shape.front(), strides.front());
    return Layout(IntTuple(std::move(shape)), IntTuple(std::move(strides)));
  }

  Result<bool> addTaken(const Layout &coalesced, std::size_t mode, std::int64_t count, std::int64_t step,
                        std::int64_t &last) const {
    const Leaf &size = coalesced.shape().mode(mode).leaf();
    std::int64_t room = size.isStatic() ? size.value : size.divisor(); // a dynamic extent is at least its divisor
    if (__builtin_mul_overflow(count - 1, step, &step) || __builtin_add_overflow(last, step, &last) || last >= room)
      return fail("its modes together reach beyond the " + leafText(size) + " of mode " + std::to_string(mode) +
                  " of `" + coalesced.text() + "`");
    return true;
  }

  Error undecided() const {
    return {"composition of `" + outer.text() + "` with `" + inner.text() +
            "` depends on a value that is known only at run time; flatten the mode or give its extent"};
  }

  /// Step 1 of the algorithm; a dynamic size decides it where it is a multiple of the whole reach.
  Result<bool> liesInside(const Leaf &count, const Leaf &step, const Leaf &size) const {
    if (!count.isStatic() || !step.isStatic())
      return false;
    if (size.isStatic())
      return step.value < size.value && count.value - 1 <= (size.value - 1) / step.value;
    std::int64_t reach;
    if (__builtin_mul_overflow(count.value, step.value, &reach))
      return false;
    return reach > 0 && size.divisor() % reach == 0;
  }

  const Layout &outer, &inner;
  bool weak;
  LeafArithmetic &arithmetic;
  std::map<std::vector<std::uint32_t>, Taken> taken; // by the path of the mode of `outer`
};

} // namespace

Result<Layout> composition(const Layout &outer, const Layout &inner, LeafArithmetic &arithmetic) {
  FLY_TRY(coalesced, coalesceBeyond(outer, arithmetic));
  return Composer(outer, inner, false, arithmetic).compose(coalesced, inner);
}

Result<Layout> compositionWeak(const Layout &outer, const Layout &inner, LeafArithmetic &arithmetic) {
  FLY_TRY(coalesced, coalesceBeyond(outer, arithmetic));
  return Composer(outer, inner, true, arithmetic).compose(coalesced, inner);
}

Result<Layout> composition(const Layout &outer, const Tile &tile, LeafArithmetic &arithmetic) {
  switch (tile.kind()) {
  case Tile::Kind::Keep: return outer;
  case Tile::Kind::Extent:
  case Tile::Kind::Layout: return composition(outer, tile.layout(), arithmetic);
  case Tile::Kind::Tuple: break;
  }
  if (outer.shape().isLeaf() || tile.rank() > outer.rank())
    return Error{"the tiler has " + std::to_string(tile.rank()) + " modes, the layout `" + outer.text() + "` only " +
                 std::to_string(outer.rank())};
  std::vector<Layout> modes = outer.modes();
  for (std::size_t i = 0; i < tile.rank(); ++i) {
    FLY_TRY(mode, composition(modes[i], tile.mode(i), arithmetic));
    modes[i] = std::move(mode);
  }
  return layoutOfModes(modes);
}

} // namespace fly::layout
