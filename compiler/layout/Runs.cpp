// See Runs.h.
#include "compiler/layout/Runs.h"

#include <algorithm>

namespace fly::layout {

Result<Runs> runsOf(const AnyLayout &layout, std::int64_t widest, std::int64_t alignment) {
  InferringArithmetic arithmetic;
  Runs result;
  AnyLayout relative = layout;
  std::int64_t together = widest; // elements that the inner function keeps side by side
  if (auto *composed = std::get_if<ComposedLayout>(&layout); composed && !isStatic(layout)) {
    result.isBeforeInner = true;
    relative = composed->outer();
    together = 1;
    if (auto *swizzle = std::get_if<Swizzle>(&composed->inner()); swizzle && composed->offset().isLeaf()) {
      std::int64_t start = composed->offset().leaf().divisor();
      together = std::min(widest, std::int64_t(1) << swizzle->base);
      if (start != 0)
        together = std::min(together, start & -start);
    }
  }
  FLY_TRY(total, size(domainOf(layout), arithmetic));
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < total.value; ++i) {
    FLY_TRY(offset, evaluate(i, relative, arithmetic));
    if (offset.isTuple() || !offset.leaf().isStatic() || offset.leaf().isBasis())
      return Error{"the places of `" + textOf(layout) + "` must be known at compile time"};
    offsets.push_back(offset.leaf().value);
  }
  std::int64_t count = total.value, limit = std::min({widest, together, alignment});
  for (std::int64_t first = 0; first < count;) {
    std::int64_t run = 1;
    while (run < limit && first + run < count && offsets[first + run] == offsets[first] + run)
      ++run;
    std::int64_t taken = 1;
    while (taken * 2 <= run && offsets[first] % (taken * 2) == 0)
      taken *= 2;
    result.runs.push_back({first, taken, offsets[first]});
    first += taken;
  }
  return result;
}

} // namespace fly::layout
