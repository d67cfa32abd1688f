// See ComposedAlgebra.h.
#include "compiler/layout/ComposedAlgebra.h"

#include <algorithm>
#include <cstdlib>

namespace fly::layout {

Result<Layout> nullspace(const AnyLayout &layout, LeafArithmetic &arithmetic) {
  if (auto *plain = std::get_if<Layout>(&layout))
    return nullspace(*plain, arithmetic);
  const auto &composed = std::get<ComposedLayout>(layout);
  if (std::holds_alternative<Swizzle>(composed.inner()))
    return nullspace(composed.outer(), arithmetic);
  if (auto *chain = std::get_if<ComposedLayout>(&composed.inner())) { // (f o a o g) o b o h is f o a o (g o b o h)
    FLY_TRY(rest, chain->offset().isLeaf() || !givesCoordinates(chain->outer())
                      ? compose(functionOf(chain->outer()), composed.offset(), composed.outer())
                      : Result<AnyLayout>(Error{"the null space of `" + composed.text() +
                                                "` is that of a chain through coordinates"}));
    FLY_TRY(whole, compose(chain->inner(), chain->offset(), std::move(rest)));
    return nullspace(whole, arithmetic);
  }
  // A linear function of one mode is the same at every offset, up to a constant.
  const Layout &inner = std::get<Layout>(composed.inner());
  auto *outer = std::get_if<Layout>(&composed.outer());
  bool fromZero = composed.offset().isLeaf() && composed.offset().leaf().isStatic(0);
  FLY_TRY(simple, coalesce(inner, arithmetic));
  if (!outer || (!fromZero && simple.rank() != 1))
    return Error{"the null space of `" + composed.text() +
                 "` is that of a layout after another one; compose them first"};
  FLY_TRY(both, composition(inner, *outer, arithmetic));
  return nullspace(both, arithmetic);
}

// S and T of one shift: x ^ (x & (Y_S ^ Y_T)) >> shift where S does not read what T writes.
static Result<Swizzle> composeSwizzles(const Swizzle &outer, const Swizzle &inner) {
  if (outer.isIdentity() || inner.isIdentity())
    return outer.isIdentity() ? inner : outer;
  auto no = [&](const std::string &why) {
    return Error{"`" + outer.text() + "` after `" + inner.text() + "` is not a swizzle: " + why};
  };
  if (outer.shift != inner.shift)
    return no("their shifts differ");
  if (outer.sourceMask() & inner.targetMask())
    return no("the outer one reads bits that the inner one changes");
  auto mask = static_cast<unsigned long long>(outer.sourceMask() ^ inner.sourceMask());
  if (mask == 0)
    return Swizzle{};
  int low = __builtin_ctzll(mask), bits = __builtin_popcountll(mask);
  if (mask >> low != (1ull << bits) - 1)
    return no("the bits that they read are not adjacent");
  return makeSwizzle(bits, low - std::max(0, outer.shift), outer.shift);
}

Result<AnyFunction> composition(const AnyFunction &outer, const Swizzle &inner, LeafArithmetic &arithmetic) {
  if (auto *swizzle = std::get_if<Swizzle>(&outer)) {
    FLY_TRY(both, composeSwizzles(*swizzle, inner));
    return AnyFunction(both);
  }
  AnyLayout after = std::holds_alternative<Layout>(outer) ? AnyLayout(std::get<Layout>(outer))
                                                          : AnyLayout(std::get<ComposedLayout>(outer));
  if (inner.isIdentity())
    return outer;
  FLY_TRY(count, size(domainOf(after), arithmetic));
  FLY_TRY(numbers, compose(inner, 0, Layout(count, 1)));
  FLY_TRY(reached, cosize(numbers, arithmetic));
  std::int64_t block = std::int64_t(1) << (inner.bits + inner.base + std::max(0, -inner.shift));
  if (count.isStatic() ? !(reached == count) : count.divisor() % block != 0)
    return Error{"`" + inner.text() + "` leads out of the " + leafText(count) + " coordinates of `" + textOf(after) +
                 "`"};
  FLY_TRY(both, composition(outer, numbers, arithmetic));
  return functionOf(both);
}

Result<IntTuple> idx2crd(const Leaf &index, const AnyLayout &layout, LeafArithmetic &arithmetic) {
  if (auto *plain = std::get_if<Layout>(&layout))
    return idx2crd(index, *plain, arithmetic);
  const auto &composed = std::get<ComposedLayout>(layout);
  auto *swizzle = std::get_if<Swizzle>(&composed.inner());
  if (!swizzle || !composed.offset().leaf().isStatic())
    return Error{"no coordinate of `" + composed.text() +
                 "` is found by an index: only `swizzle o offset o layout` with a known offset leads back"};
  FLY_TRY(swizzled, swizzle->apply(index, arithmetic));
  FLY_TRY(inside, arithmetic.add(swizzled, Leaf::known(-composed.offset().leaf().value)));
  if (inside.isStatic() && inside.value < 0)
    return Error{"`" + leafText(index) + "` is not an index of the layout `" + composed.text() + "`"};
  Result<IntTuple> found = idx2crd(inside, composed.outer(), arithmetic);
  if (!found)
    return Error{"`" + leafText(index) + "` leads through `" + swizzle->text() + "` to " + leafText(inside) + ": " +
                 found.text()};
  return found;
}

Result<Layout> maxCommonLayout(const AnyLayout &a, const AnyLayout &b, LeafArithmetic &arithmetic) {
  FLY_TRY(common, maxCommonLayout(domainOf(a), domainOf(b), arithmetic));
  if (std::holds_alternative<Layout>(a) && std::holds_alternative<Layout>(b))
    return common;
  FLY_TRY(count, maxCommonVector(a, b, arithmetic));
  FLY_TRY(whole, size(common, arithmetic));
  return count == whole ? Result<Layout>(common) : composition(common, Layout(count, 1), arithmetic);
}

Result<Swizzle> recastSwizzle(const Swizzle &swizzle, std::int64_t fromBits, std::int64_t toBits) {
  FLY_TRY(factors, recastFactors(fromBits, toBits));
  FLY_TRY(parts, downcast(swizzle, factors.down));
  return upcast(parts, factors.up);
}

} // namespace fly::layout
