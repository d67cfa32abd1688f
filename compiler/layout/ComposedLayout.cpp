// See ComposedLayout.h.
#include "compiler/layout/ComposedLayout.h"

#include "compiler/layout/Recast.h"

#include <algorithm>

namespace fly::layout {

ComposedLayout::ComposedLayout(AnyFunction inner, IntTuple offset, AnyLayout outer)
    : parts(std::make_shared<const Parts>(Parts{std::move(inner), std::move(outer)})), shift(std::move(offset)) {}

const AnyFunction &ComposedLayout::inner() const { return parts->inner; }
const AnyLayout &ComposedLayout::outer() const { return parts->outer; }
const Layout &ComposedLayout::domain() const { return domainOf(parts->outer); }

bool ComposedLayout::operator==(const ComposedLayout &other) const {
  return parts == other.parts ? shift == other.shift
                              : shift == other.shift && inner() == other.inner() && outer() == other.outer();
}

const Layout &domainOf(const AnyLayout &layout) {
  if (auto *composed = std::get_if<ComposedLayout>(&layout))
    return composed->domain();
  return std::get<Layout>(layout);
}

std::string textOf(const AnyLayout &layout) {
  return std::visit([](const auto &part) { return part.text(); }, layout);
}
std::string textOf(const AnyFunction &function) {
  return std::visit([](const auto &part) { return part.text(); }, function);
}

std::string ComposedLayout::text() const {
  auto bracketed = [](const std::string &text, bool composed) { return composed ? "[" + text + "]" : text; };
  return bracketed(textOf(inner()), std::holds_alternative<ComposedLayout>(inner())) + " o " + shift.text() + " o " +
         bracketed(textOf(outer()), std::holds_alternative<ComposedLayout>(outer()));
}

AnyFunction functionOf(const AnyLayout &layout) {
  if (auto *composed = std::get_if<ComposedLayout>(&layout))
    return *composed;
  return std::get<Layout>(layout);
}

namespace {

/// Functions nest as deep as their text or the program makes them; bounded, as all recursion here.
unsigned depthOf(const AnyFunction &function);
unsigned depthOf(const AnyLayout &layout) {
  auto *composed = std::get_if<ComposedLayout>(&layout);
  return composed ? 1 + std::max(depthOf(composed->inner()), depthOf(composed->outer())) : 0;
}
unsigned depthOf(const AnyFunction &function) {
  auto *composed = std::get_if<ComposedLayout>(&function);
  return composed ? 1 + std::max(depthOf(composed->inner()), depthOf(composed->outer())) : 0;
}

} // namespace

bool givesCoordinates(const AnyLayout &layout) {
  if (auto *composed = std::get_if<ComposedLayout>(&layout)) {
    if (auto *inner = std::get_if<Layout>(&composed->inner()))
      return inner->stride().hasBasis();
    if (auto *inner = std::get_if<ComposedLayout>(&composed->inner()))
      return givesCoordinates(AnyLayout(*inner));
    return false;
  }
  return std::get<Layout>(layout).stride().hasBasis();
}

// ---------------------------------------------------------------------------------------------------------
// Leaves

namespace {

using Replace = std::function<Leaf(const Leaf &)>;
AnyLayout mapLeaves(const AnyLayout &layout, const Replace &replace);

AnyFunction mapLeaves(const AnyFunction &function, const Replace &replace) {
  if (std::holds_alternative<Swizzle>(function))
    return function;
  if (auto *plain = std::get_if<Layout>(&function))
    return functionOf(mapLeaves(AnyLayout(*plain), replace));
  return functionOf(mapLeaves(AnyLayout(std::get<ComposedLayout>(function)), replace));
}

AnyLayout mapLeaves(const AnyLayout &layout, const Replace &replace) {
  if (auto *plain = std::get_if<Layout>(&layout)) {
    IntTuple shape = plain->shape().mapLeaves(replace);
    return Layout(std::move(shape), plain->stride().mapLeaves(replace));
  }
  const auto &composed = std::get<ComposedLayout>(layout);
  AnyLayout outer = mapLeaves(composed.outer(), replace);
  IntTuple offset = composed.offset().mapLeaves(replace);
  return ComposedLayout(mapLeaves(composed.inner(), replace), std::move(offset), std::move(outer));
}

} // namespace

std::vector<Leaf> dynamicLeaves(const AnyLayout &layout) {
  std::vector<Leaf> leaves;
  (void)mapLeaves(layout, [&](const Leaf &leaf) {
    if (leaf.isDynamic())
      leaves.push_back(leaf);
    return leaf;
  });
  return leaves;
}

AnyLayout withHandles(const AnyLayout &layout, const std::vector<void *> &handles) {
  std::size_t next = 0;
  return mapLeaves(layout, [&](Leaf leaf) {
    if (leaf.isDynamic())
      leaf.handle = next < handles.size() ? handles[next++] : nullptr;
    return leaf;
  });
}

bool isStatic(const AnyLayout &layout) { return dynamicLeaves(layout).empty(); }

std::size_t hash_value(const AnyLayout &layout) {
  if (auto *plain = std::get_if<Layout>(&layout))
    return hash_value(*plain);
  const auto &composed = std::get<ComposedLayout>(layout);
  return hash_value(composed.domain()) * 31 + hash_value(composed.offset()) +
         std::hash<std::string>()(textOf(composed.inner()));
}

Result<AnyLayout> checked(const AnyLayout &layout) {
  if (auto *plain = std::get_if<Layout>(&layout)) {
    FLY_TRY(made, makeLayout(plain->shape(), plain->stride()));
    return AnyLayout(std::move(made));
  }
  const auto &composed = std::get<ComposedLayout>(layout);
  FLY_TRY(outer, checked(composed.outer()));
  if (auto *plain = std::get_if<Layout>(&composed.inner()))
    FLY_CHECK(makeLayout(plain->shape(), plain->stride()));
  if (auto *inner = std::get_if<ComposedLayout>(&composed.inner()))
    FLY_CHECK(checked(AnyLayout(*inner)));
  return compose(composed.inner(), composed.offset(), std::move(outer));
}

// ---------------------------------------------------------------------------------------------------------
// Making and calling

Result<AnyLayout> compose(AnyFunction inner, IntTuple offset, AnyLayout outer) {
  if (offset.hasKeep() || offset.hasBasis())
    return Error{"the offset of a composed layout is a number or a coordinate; found `" + offset.text() + "`"};
  if (auto *swizzle = std::get_if<Swizzle>(&inner)) {
    if (offset.isTuple() || givesCoordinates(outer))
      return Error{"`" + swizzle->text() + "` takes offsets; `" + textOf(outer) + "` gives coordinates"};
    if (offset.leaf().isStatic() && offset.leaf().value < 0)
      return Error{"`" + swizzle->text() + "` takes non-negative offsets; found `" + offset.text() + "`"};
    if (swizzle->isIdentity() && offset.leaf().isStatic(0))
      return outer;
  }
  ComposedLayout composed(std::move(inner), std::move(offset), std::move(outer));
  if (depthOf(AnyLayout(composed)) > maximumDepth)
    return Error{"a composed layout nests deeper than " + std::to_string(maximumDepth) + " levels"};
  return AnyLayout(std::move(composed));
}

Result<IntTuple> evaluate(const IntTuple &coordinate, const AnyFunction &function, LeafArithmetic &arithmetic) {
  if (auto *layout = std::get_if<Layout>(&function))
    return evaluate(coordinate, *layout, arithmetic);
  if (auto *swizzle = std::get_if<Swizzle>(&function)) {
    if (coordinate.isTuple())
      return Error{"`" + swizzle->text() + "` takes an offset; found the coordinate `" + coordinate.text() + "`"};
    FLY_TRY(offset, swizzle->apply(coordinate.leaf(), arithmetic));
    return IntTuple(std::move(offset));
  }
  return evaluate(coordinate, AnyLayout(std::get<ComposedLayout>(function)), arithmetic);
}

Result<IntTuple> evaluate(const IntTuple &coordinate, const AnyLayout &layout, LeafArithmetic &arithmetic) {
  if (auto *plain = std::get_if<Layout>(&layout))
    return evaluate(coordinate, *plain, arithmetic);
  const auto &composed = std::get<ComposedLayout>(layout);
  FLY_TRY(reached, evaluate(coordinate, composed.outer(), arithmetic));
  FLY_TRY(shifted, addCoordinates(composed.offset(), reached, arithmetic));
  return evaluate(shifted, composed.inner(), arithmetic);
}

Result<AnyLayout> changeDomain(const AnyLayout &layout, const LayoutChange &change) {
  auto *composed = std::get_if<ComposedLayout>(&layout);
  if (!composed) {
    FLY_TRY(changed, change(std::get<Layout>(layout)));
    return AnyLayout(std::move(changed));
  }
  FLY_TRY(outer, changeDomain(composed->outer(), change));
  return AnyLayout(ComposedLayout(composed->inner(), composed->offset(), std::move(outer)));
}

Result<AnySlice> sliceAndOffset(const IntTuple &coordinate, const AnyLayout &layout, LeafArithmetic &arithmetic) {
  if (auto *plain = std::get_if<Layout>(&layout)) {
    FLY_TRY(part, sliceAndOffset(coordinate, *plain, arithmetic));
    return AnySlice{std::move(part.layout), std::move(part.offset)};
  }
  const auto &composed = std::get<ComposedLayout>(layout);
  FLY_TRY(part, sliceAndOffset(coordinate, composed.outer(), arithmetic));
  FLY_TRY(offset, addCoordinates(composed.offset(), part.offset, arithmetic));
  return AnySlice{ComposedLayout(composed.inner(), std::move(offset), std::move(part.layout)), 0};
}

Result<AnyLayout> composition(const AnyFunction &outer, const AnyLayout &inner, LeafArithmetic &arithmetic) {
  if (auto *layout = std::get_if<Layout>(&outer)) {
    if (auto *plain = std::get_if<Layout>(&inner)) {
      FLY_TRY(composed, composition(*layout, *plain, arithmetic));
      return AnyLayout(std::move(composed));
    }
    // A after (f o offset o L) is (A after f) o offset o L, where A after f is a function of its own.
    const auto &composed = std::get<ComposedLayout>(inner);
    if (auto *first = std::get_if<Layout>(&composed.inner())) {
      FLY_TRY(both, composition(*layout, *first, arithmetic));
      return compose(std::move(both), composed.offset(), composed.outer());
    }
    return compose(*layout, 0, inner);
  }
  if (auto *composed = std::get_if<ComposedLayout>(&outer)) {
    FLY_TRY(rest, composition(functionOf(composed->outer()), inner, arithmetic));
    return compose(composed->inner(), composed->offset(), std::move(rest));
  }
  return compose(outer, 0, inner);
}

namespace {

using RecastLayout = Result<Layout> (*)(const Layout &, std::int64_t, LeafArithmetic &);
using RecastSwizzle = Result<Swizzle> (*)(const Swizzle &, std::int64_t);

Result<AnyLayout> recast(const AnyLayout &layout, std::int64_t factor, RecastLayout ofLayout, RecastSwizzle ofSwizzle,
                         LeafOperation ofOffset, LeafArithmetic &arithmetic) {
  if (auto *plain = std::get_if<Layout>(&layout)) {
    FLY_TRY(done, ofLayout(*plain, factor, arithmetic));
    return AnyLayout(std::move(done));
  }
  const auto &composed = std::get<ComposedLayout>(layout);
  auto *swizzle = std::get_if<Swizzle>(&composed.inner());
  if (!swizzle)
    return Error{"`" + composed.text() + "` cannot be recast: its inner function is not a swizzle"};
  FLY_TRY(inner, ofSwizzle(*swizzle, factor));
  const Leaf &offset = composed.offset().leaf();
  if (ofOffset == LeafOperation::FloorDivide && offset.divisor() % factor != 0)
    return Error{"the offset " + leafText(offset) + " of `" + composed.text() + "` is inside of a unit of " +
                 std::to_string(factor)};
  FLY_TRY(shifted, ofOffset == LeafOperation::FloorDivide ? arithmetic.floorDivide(offset, Leaf::known(factor))
                                                          : arithmetic.multiply(offset, Leaf::known(factor)));
  FLY_TRY(outer, recast(composed.outer(), factor, ofLayout, ofSwizzle, ofOffset, arithmetic));
  return compose(inner, IntTuple(std::move(shifted)), std::move(outer));
}

} // namespace

Result<AnyLayout> upcast(const AnyLayout &layout, std::int64_t factor, LeafArithmetic &arithmetic) {
  return recast(layout, factor, upcast, upcast, LeafOperation::FloorDivide, arithmetic);
}

Result<AnyLayout> downcast(const AnyLayout &layout, std::int64_t factor, LeafArithmetic &arithmetic) {
  return recast(layout, factor, downcast, downcast, LeafOperation::Multiply, arithmetic);
}

Result<AnyLayout> recastLayout(const AnyLayout &layout, std::int64_t fromBits, std::int64_t toBits,
                               LeafArithmetic &arithmetic) {
  FLY_TRY(factors, recastFactors(fromBits, toBits));
  AnyLayout result = layout;
  if (factors.down != 1) {
    FLY_TRY(parts, downcast(result, factors.down, arithmetic));
    result = std::move(parts);
  }
  if (factors.up == 1)
    return result;
  FLY_TRY(units, upcast(result, factors.up, arithmetic));
  FLY_CHECK(checkFull(domainOf(result), factors.up));
  return units;
}

namespace {

using Inverse = Result<Layout> (*)(const Layout &, LeafArithmetic &);

Result<AnyLayout> invert(const AnyLayout &layout, Inverse inverse, bool isLeft, LeafArithmetic &arithmetic) {
  if (auto *plain = std::get_if<Layout>(&layout)) {
    FLY_TRY(done, inverse(*plain, arithmetic));
    return AnyLayout(std::move(done));
  }
  const auto &composed = std::get<ComposedLayout>(layout);
  auto *swizzle = std::get_if<Swizzle>(&composed.inner());
  auto *outer = std::get_if<Layout>(&composed.outer());
  if (!swizzle || !outer)
    return Error{"`" + composed.text() + "` has no inverse: only `swizzle o offset o layout` has"};
  const Leaf &offset = composed.offset().leaf();
  if (isLeft ? !offset.isStatic() : !offset.isStatic(0))
    return Error{
        "`" + composed.text() + "` has no " +
        (isLeft ? "left inverse: its offset is known only at run time" : "right inverse: its offset is not 0")};
  FLY_TRY(back, inverse(*outer, arithmetic));
  FLY_TRY(count, size(back, arithmetic));
  if (!isLeft) { // A(R(i)) == i for whole blocks of the swizzle only
    std::int64_t block = std::int64_t(1) << (swizzle->bits + swizzle->base + std::max(0, -swizzle->shift));
    if (!count.isStatic() || count.value % block != 0)
      return Error{"`" + composed.text() + "` has no right inverse: the " + leafText(count) +
                   " offsets that it reaches without a gap do not fill whole blocks of " + std::to_string(block)};
  } else {
    FLY_TRY(reached, cosize(layout, arithmetic));
    count = std::move(reached);
  }
  return compose(std::move(back), IntTuple(-offset.value), ComposedLayout(*swizzle, 0, Layout(count, 1)));
}

} // namespace

Result<AnyLayout> rightInverse(const AnyLayout &layout, LeafArithmetic &arithmetic) {
  return invert(layout, rightInverse, false, arithmetic);
}

Result<AnyLayout> leftInverse(const AnyLayout &layout, LeafArithmetic &arithmetic) {
  return invert(layout, leftInverse, true, arithmetic);
}

Result<Leaf> maxCommonVector(const AnyLayout &a, const AnyLayout &b, LeafArithmetic &arithmetic) {
  auto parts = [](const AnyLayout &layout) -> Result<std::tuple<Swizzle, IntTuple, Layout>> {
    if (auto *plain = std::get_if<Layout>(&layout))
      return std::tuple{Swizzle{}, IntTuple(0), *plain};
    const auto &composed = std::get<ComposedLayout>(layout);
    auto *swizzle = std::get_if<Swizzle>(&composed.inner());
    auto *outer = std::get_if<Layout>(&composed.outer());
    if (!swizzle || !outer)
      return Error{"the common vector of `" + composed.text() + "`: only `swizzle o offset o layout` has one"};
    return std::tuple{*swizzle, composed.offset(), *outer};
  };
  FLY_TRY(left, parts(a));
  FLY_TRY(right, parts(b));
  const auto &[swizzleA, offsetA, layoutA] = left;
  const auto &[swizzleB, offsetB, layoutB] = right;
  FLY_TRY(common, maxCommonVector(layoutA, layoutB, arithmetic));
  if (swizzleA == swizzleB && offsetA == offsetB)
    return common;
  for (const auto &[swizzle, offset] : {std::pair{swizzleA, offsetA}, std::pair{swizzleB, offsetB}}) {
    if (swizzle.isIdentity())
      continue;
    // Elements within one unit of the swizzle stay together, as far as the offset is aligned.
    std::int64_t unit = std::int64_t(1) << swizzle.base, aligned = offset.leaf().divisor();
    if (aligned != 0)
      unit = std::min(unit, aligned & -aligned);
    FLY_TRY(smaller, arithmetic.minimum(common, Leaf::known(unit)));
    common = std::move(smaller);
  }
  return common;
}

} // namespace fly::layout
