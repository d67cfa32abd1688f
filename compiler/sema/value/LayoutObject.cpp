// See LayoutObject.h.
#include "compiler/sema/value/LayoutObject.h"

namespace fly::sema {

using layout::AnyFunction;
using layout::AnyLayout;
using layout::ComposedLayout;
using layout::Layout;
using layout::Leaf;
using layout::Swizzle;
using layout::Tile;

std::optional<AnyLayout> LayoutObject::layout() const {
  if (auto *plain = as<Layout>())
    return *plain;
  if (auto *composed = as<ComposedLayout>())
    return *composed;
  return std::nullopt;
}

std::optional<AnyFunction> LayoutObject::function() const {
  if (auto *swizzle = as<Swizzle>())
    return *swizzle;
  if (auto any = layout())
    return layout::functionOf(*any);
  return std::nullopt;
}

/// The dynamic leaves of any kind.
static std::vector<Leaf> leavesOf(const LayoutObject::Kind &kind) {
  std::vector<Leaf> leaves;
  auto visit = [&](const Leaf &leaf) {
    if (leaf.isDynamic())
      leaves.push_back(leaf);
  };
  if (auto *plain = std::get_if<Layout>(&kind))
    return plain->dynamicLeaves();
  if (auto *composed = std::get_if<ComposedLayout>(&kind))
    return layout::dynamicLeaves(AnyLayout(*composed));
  if (auto *tile = std::get_if<Tile>(&kind))
    tile->forEachLeaf(visit);
  if (auto *leaf = std::get_if<Leaf>(&kind))
    visit(*leaf);
  return leaves;
}

bool LayoutObject::hasMachineParts() const {
  return llvm::any_of(leavesOf(kind), [](const Leaf &leaf) { return leaf.handle != nullptr; });
}

bool LayoutObject::isSame(const LayoutObject &other) const {
  auto handlesOf = [](const Kind &kind) {
    std::vector<void *> handles;
    for (const Leaf &leaf : leavesOf(kind))
      handles.push_back(leaf.handle);
    return handles;
  };
  return kind == other.kind && handlesOf(kind) == handlesOf(other.kind);
}

std::string LayoutObject::text() const {
  if (auto *leaf = as<Leaf>())
    return layout::leafText(*leaf);
  if (auto *tile = as<Tile>())
    return tile->text();
  return layout::textOf(*function());
}

std::string LayoutObject::description() const {
  static const char *const names[] = {"the layout", "the composed layout", "the swizzle", "the tile", "the leaf"};
  auto *leaf = as<Leaf>();
  if (leaf && leaf->isKeep())
    return "`_`";
  if (leaf)
    return leaf->isBasis() ? "the step `" + text() + "`" : "a number that is not known, `" + text() + "`";
  return std::string(names[kind.index()]) + " `" + text() + "`";
}

Value makeLayoutValue(LayoutObject::Kind kind) {
  return Value(LayoutValue{std::make_shared<const LayoutObject>(std::move(kind))});
}
Value makeLayoutValue(const AnyLayout &layout) {
  return std::visit([](const auto &part) { return makeLayoutValue(LayoutObject::Kind(part)); }, layout);
}
Value makeLayoutValue(const AnyFunction &function) {
  return std::visit([](const auto &part) { return makeLayoutValue(LayoutObject::Kind(part)); }, function);
}

Value keepValue() {
  static const Value keep = makeLayoutValue(LayoutObject::Kind(Leaf::keep()));
  return keep;
}

} // namespace fly::sema
