// Recasts: the same memory as elements of another size.
//
//   upcast(8:1, 4)       ->  2:1      four elements become one: in the contiguous mode, and strides count fours
//   downcast(2:1, 4)     ->  8:1      each element becomes four
//   recast 16 -> 32 bit  =   upcast by 2; 32 -> 24 bit: downcast to 8 bit, then upcast by 3
//
// What the new elements would tear apart is refused, with the mode.
#include "compiler/layout/Algebra.h"

#include <cstdlib>
#include <numeric>

namespace fly::layout {

namespace {

using Recast = Result<Layout> (*)(const Leaf &, const Leaf &, const Leaf &, LeafArithmetic &);

/// `extent:step` of a mode that is one number each.
Result<Layout> eachMode(const Layout &layout, const Leaf &factor, Recast recast, LeafArithmetic &arithmetic) {
  if (layout.shape().isLeaf())
    return recast(layout.shape().leaf(), layout.stride().leaf(), factor, arithmetic);
  std::vector<Layout> modes;
  for (const Layout &mode : layout.modes()) {
    FLY_TRY(done, eachMode(mode, factor, recast, arithmetic));
    modes.push_back(std::move(done));
  }
  return layoutOfModes(modes);
}

Result<Layout> upcastMode(const Leaf &extent, const Leaf &step, const Leaf &factor, LeafArithmetic &arithmetic) {
  if (step.isStatic(0))
    return Layout(extent, step);
  auto torn = [&] {
    return Error{"`" + leafText(extent) + ":" + leafText(step) + "` cannot be taken in units of " + leafText(factor)};
  };
  if (step.isBasis())
    return Error{"`" + leafText(step) + "` is a step along a mode of a coordinate, which has no size in memory"};
  if (!step.isStatic()) {
    if (step.divisor() % factor.value != 0)
      return Error{"`" + leafText(extent) + ":" + leafText(step) + "` is in units of " + leafText(factor) +
                   " only if the stride is a multiple of it; give its divisibility"};
    FLY_TRY(next, arithmetic.floorDivide(step, factor));
    return Layout(extent, std::move(next));
  }
  std::int64_t magnitude = step.divisor();
  if (magnitude % factor.value == 0)
    return Layout(extent, Leaf::known(step.value / factor.value));
  if (factor.value % magnitude != 0 && !extent.isStatic(1))
    return torn();
  if (extent.isStatic(1))
    return Layout(extent, step.value / factor.value + (step.value > 0));
  Leaf inUnit = Leaf::known(factor.value / magnitude); // elements of this mode in one unit
  if (extent.isStatic() && extent.value % inUnit.value != 0 && (extent.value == 0 || inUnit.value % extent.value != 0))
    return torn();
  if (extent.isDynamic() && extent.divisor() % inUnit.value != 0)
    return torn();
  FLY_TRY(count, arithmetic.ceilDivide(extent, inUnit));
  return Layout(std::move(count), step.value < 0 ? -1 : 1);
}

Result<Layout> downcastMode(const Leaf &extent, const Leaf &step, const Leaf &factor, LeafArithmetic &arithmetic) {
  if (step.isBasis())
    return Error{"`" + leafText(step) + "` is a step along a mode of a coordinate, which has no size in memory"};
  if (step.isStatic() && step.divisor() == 1) {
    FLY_TRY(count, arithmetic.multiply(extent, factor));
    return Layout(std::move(count), step);
  }
  FLY_TRY(next, arithmetic.multiply(step, factor));
  return Layout(extent, std::move(next));
}

Result<bool> checkFactor(std::int64_t factor) {
  if (factor < 1)
    return Error{"a recast by `" + std::to_string(factor) + "`; the factor must be positive"};
  return true;
}

} // namespace

Result<Layout> upcast(const Layout &layout, std::int64_t factor, LeafArithmetic &arithmetic) {
  FLY_CHECK(checkFactor(factor));
  return eachMode(layout, Leaf::known(factor), upcastMode, arithmetic);
}

Result<Layout> downcast(const Layout &layout, std::int64_t factor, LeafArithmetic &arithmetic) {
  FLY_CHECK(checkFactor(factor));
  return eachMode(layout, Leaf::known(factor), downcastMode, arithmetic);
}

Result<RecastFactors> recastFactors(std::int64_t fromBits, std::int64_t toBits) {
  if (fromBits < 1 || toBits < 1)
    return Error{"elements have a positive number of bits"};
  std::int64_t common = std::gcd(fromBits, toBits);
  return RecastFactors{fromBits / common, toBits / common};
}

Result<Layout> recastLayout(const Layout &layout, std::int64_t fromBits, std::int64_t toBits,
                            LeafArithmetic &arithmetic) {
  FLY_TRY(factors, recastFactors(fromBits, toBits));
  if (factors.down == 1 && factors.up == 1)
    return layout;
  if (factors.down == 1)
    return upcast(layout, factors.up, arithmetic);
  FLY_TRY(parts, downcast(layout, factors.down, arithmetic));
  return factors.up == 1 ? parts : upcast(parts, factors.up, arithmetic);
}

} // namespace fly::layout
