// offsetsOf: a layout of plain numbers, also in front of a swizzle, is walked mode by mode, which takes a fraction of
// the time of `evaluate` for each coordinate.
//
//   (2,3):(1,4)     0 1, and then both of them 4 and 8 further: 0 1 4 5 8 9
#include "compiler/layout/ComposedLayout.h"

#include <optional>

namespace fly::layout {

namespace {

bool isNumber(const Leaf &leaf) { return leaf.isStatic() && !leaf.isBasis(); }

/// Of a layout of plain numbers; nothing for any other, and where a number has no 64 bits.
std::optional<std::vector<std::int64_t>> walk(const Layout &layout) {
  const std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::vector<std::int64_t> offsets = {0};
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    if (!isNumber(shape[mode]) || !isNumber(stride[mode]))
      return std::nullopt;
    const std::size_t inner = offsets.size();
    if (shape[mode].value <= 0)
      return std::vector<std::int64_t>();
    for (std::int64_t i = 1; i < shape[mode].value; ++i) {
      std::int64_t step;
      if (__builtin_mul_overflow(i, stride[mode].value, &step))
        return std::nullopt;
      for (std::size_t j = 0; j < inner; ++j) {
        std::int64_t sum;
        if (__builtin_add_overflow(offsets[j], step, &sum))
          return std::nullopt;
        offsets.push_back(sum);
      }
    }
  }
  return offsets;
}

} // namespace

Result<std::vector<std::int64_t>> offsetsOf(const AnyLayout &layout) {
  if (auto *plain = std::get_if<Layout>(&layout))
    if (auto offsets = walk(*plain))
      return *std::move(offsets);
  InferringArithmetic arithmetic;
  if (auto *composed = std::get_if<ComposedLayout>(&layout))
    if (auto *swizzle = std::get_if<Swizzle>(&composed->inner());
        swizzle && composed->offset().isLeaf() && isNumber(composed->offset().leaf())) {
      FLY_TRY(offsets, offsetsOf(composed->outer()));
      for (std::int64_t &offset : offsets)
        if (__builtin_add_overflow(offset, composed->offset().leaf().value, &offset) || offset < 0)
          return Error{"`" + textOf(layout) + "` leads to a position that has no number"};
        else
          offset = swizzle->apply(offset);
      return offsets;
    }
  FLY_TRY(count, size(domainOf(layout), arithmetic));
  if (!isNumber(count))
    return Error{"the size of `" + textOf(layout) + "` is not known"};
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count.value; ++i) {
    FLY_TRY(offset, evaluate(i, layout, arithmetic));
    if (!offset.isLeaf() || !isNumber(offset.leaf()))
      return Error{"`" + textOf(layout) + "` does not give known numbers"};
    offsets.push_back(offset.leaf().value);
  }
  return offsets;
}

} // namespace fly::layout
