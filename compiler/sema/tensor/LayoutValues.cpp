// See LayoutValues.h.
#include "compiler/sema/tensor/LayoutCalls.h"
#include "compiler/sema/number/Conversions.h"

namespace fly::sema {

using layout::IntTuple;
using layout::Leaf;

Value fromTuple(const IntTuple &tuple) {
  if (tuple.isLeaf()) {
    const Leaf &leaf = tuple.leaf();
    if (leaf.isStatic() && !leaf.isBasis())
      return Value(leaf.value);
    if (leaf.isDynamic() && leaf.handle && !leaf.isBasis())
      return valueOf(leaf);
    return makeLayoutValue(LayoutObject::Kind(leaf));
  }
  Values parts;
  for (auto &mode : tuple.modes())
    parts.push_back(fromTuple(mode));
  return makeTuple(std::move(parts));
}

static IntTuple readTuple(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what, unsigned depth) {
  if (depth > layout::maximumDepth)
    e.fail(diag::bad_layout, range,
           {what.str() + " nests deeper than " + std::to_string(layout::maximumDepth) + " levels"});
  if (value.isNone())
    return Leaf::keep();
  if (auto *slice = value.as<SliceValue>();
      slice && llvm::all_of(*slice->parts, [](auto &part) { return part.isNone(); }))
    return Leaf::keep();
  if (auto *object = value.as<LayoutValue>())
    if (auto *leaf = object->object->as<Leaf>())
      return *leaf;
  if (auto *parts = value.sequence()) {
    std::vector<IntTuple> modes;
    for (auto &part : *parts) {
      e.step(range);
      modes.push_back(readTuple(e, part, range, what, depth + 1));
    }
    return IntTuple(std::move(modes));
  }
  if (auto *machine = value.as<MachineValue>(); machine && e.onDevice())
    return machineLeaf(e, *machine, range, false);
  if (auto *h = value.as<HostValue>())
    return launchLeaf(e, *h, range, what);
  if (!value.is<Int>() && !value.is<MachineValue>()) {
    auto builder = e.report(diag::wrong_value, range, {what.str(), "an integer or a tuple of them", describe(value)});
    if (value.is<SliceValue>())
      builder.help("`:` keeps a whole mode; a part of it is a tile: `zipped_divide(t, (2,))[:, 0]` is the first two");
    throw Failed{};
  }
  return IntTuple(requireInt(e, value, range, what));
}

IntTuple toTuple(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what) {
  return readTuple(e, value, range, what, 0);
}

} // namespace fly::sema
