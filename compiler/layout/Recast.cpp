// Recasts: the same memory as elements of another size.
//
//   upcast(8:1, 4)       ->  2:1      four elements become one: in the contiguous mode, and strides count fours
//   downcast(2:1, 4)     ->  8:1      each element becomes four
//   recast 16 -> 32 bit  =   upcast by 2; 32 -> 24 bit: downcast to 8 bit, then upcast by 3
//
// A recast whose new elements would split a mode is refused, and the error names the mode. So are the cases that CuTe
// silently gets wrong: the parts of an element follow each other, so they need a mode of stride 1 (one of extent 1
// becomes it), and no more than one; a mode of stride -1 would walk through them backwards. Units have no gaps
// (Recast.h).
#include "compiler/layout/Recast.h"

#include "compiler/layout/Algebra.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

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

Error ofCoordinate(const Leaf &step) {
  return {"`" + leafText(step) + "` is a step along a mode of a coordinate, which has no size in memory"};
}
Error backwards(const Leaf &extent, const Leaf &step) {
  return {"`" + leafText(extent) + ":" + leafText(step) +
          "` runs backwards inside one element; recast first, then reverse the mode"};
}

Result<Layout> upcastMode(const Leaf &extent, const Leaf &step, const Leaf &factor, LeafArithmetic &arithmetic) {
  if (step.isStatic(0))
    return Layout(extent, step);
  auto torn = [&] {
    return Error{"`" + leafText(extent) + ":" + leafText(step) + "` cannot be taken in units of " + leafText(factor)};
  };
  if (step.isBasis())
    return ofCoordinate(step);
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
  if (step.value < 0)
    return backwards(extent, step);
  Leaf inUnit = Leaf::known(factor.value / magnitude); // elements of this mode in one unit
  if (extent.isStatic() && extent.value % inUnit.value != 0 && (extent.value == 0 || inUnit.value % extent.value != 0))
    return torn();
  if (extent.isDynamic() && extent.divisor() % inUnit.value != 0)
    return torn();
  FLY_TRY(count, arithmetic.ceilDivide(extent, inUnit));
  return Layout(std::move(count), 1);
}

/// The leaf along which the parts of an element are stored: the one of stride 1, or else one of extent 1.
Result<std::size_t> leafOfParts(const Layout &layout) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::optional<std::size_t> contiguous, single;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].isStatic(1)) {
      if (!single || (!stride[*single].isStatic(1) && stride[i].isStatic(1)))
        single = i;
    } else if (stride[i].isStatic(-1)) {
      return backwards(shape[i], stride[i]);
    } else if (stride[i].isStatic(1)) {
      if (contiguous)
        return Error{"`" + layout.text() + "` has two modes of stride 1, leaves " + std::to_string(*contiguous) +
                     " and " + std::to_string(i) + ": the parts of its elements can be along one"};
      contiguous = i;
    }
  }
  if (!contiguous && !single)
    return Error{"`" + layout.text() + "` has no mode of stride 1 for the parts of its elements"};
  return contiguous ? *contiguous : *single;
}

Result<bool> checkFactor(std::int64_t factor) {
  if (factor < 1)
    return Error{"a recast by `" + std::to_string(factor) + "`; the factor must be positive"};
  return true;
}

/// The last element of a unit of `factor` that the modes reach together; `factor` if that is beyond it.
std::int64_t lastInUnit(const Layout &layout, std::int64_t factor) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::int64_t last = 0;
  for (std::size_t i = 0; i < shape.size() && last < factor; ++i)
    if (std::int64_t step = stride[i].value;
        stride[i].isStatic() && step > 0 && step < factor && !shape[i].isStatic(1)) {
      std::int64_t inUnit = factor / step, extent = shape[i].isStatic() ? std::min(shape[i].value, inUnit) : inUnit;
      if (__builtin_add_overflow(last, (extent - 1) * step, &last))
        return factor;
    }
  return std::min(last, factor);
}

} // namespace

Result<bool> checkFull(const Layout &layout, std::int64_t factor) {
  if (lastInUnit(layout, factor) == factor - 1)
    return true;
  return Error{"`" + layout.text() + "` does not fill units of " + std::to_string(factor) +
               " elements, each of which would be one element"};
}

Result<Layout> upcast(const Layout &layout, std::int64_t factor, LeafArithmetic &arithmetic) {
  FLY_CHECK(checkFactor(factor));
  FLY_TRY(result, eachMode(layout, Leaf::known(factor), upcastMode, arithmetic));
  if (lastInUnit(layout, factor) >= factor)
    return Error{"the modes of `" + layout.text() + "` overlap inside of a unit of " + std::to_string(factor)};
  return result;
}

Result<Layout> downcast(const Layout &layout, std::int64_t factor, LeafArithmetic &arithmetic) {
  FLY_CHECK(checkFactor(factor));
  if (factor == 1)
    return layout;
  for (const Leaf &step : layout.stride().leaves())
    if (step.isBasis())
      return ofCoordinate(step);
  FLY_TRY(ofParts, leafOfParts(layout));
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == ofParts)
      stride[i] = Leaf::known(1);
    FLY_TRY(scaled, arithmetic.multiply(i == ofParts ? shape[i] : stride[i], Leaf::known(factor)));
    (i == ofParts ? shape : stride)[i] = std::move(scaled);
  }
  std::size_t nextExtent = 0, nextStep = 0;
  return Layout(layout.shape().mapLeaves([&](const Leaf &) { return shape[nextExtent++]; }),
                layout.stride().mapLeaves([&](const Leaf &) { return stride[nextStep++]; }));
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
  FLY_TRY(parts, downcast(layout, factors.down, arithmetic));
  if (factors.up == 1)
    return parts;
  FLY_TRY(result, upcast(parts, factors.up, arithmetic));
  FLY_CHECK(checkFull(parts, factors.up));
  return result;
}

} // namespace fly::layout
