// See SwizzleSplit.h.
#include "compiler/layout/SwizzleSplit.h"

#include <cstdlib>

namespace fly::layout {

std::int64_t unitAbove(const Swizzle &swizzle) {
  return swizzle.isIdentity() ? 1 : std::int64_t(1) << (swizzle.bits + swizzle.base + std::abs(swizzle.shift));
}

SwizzleSplit split(const Swizzle &swizzle, std::int64_t constant, std::int64_t ones) {
  if (constant < 0)
    return {constant, 0, 0};
  SwizzleSplit result;
  const std::int64_t unit = unitAbove(swizzle);
  result.after = constant & -unit;
  std::int64_t apart = 0;
  // From below, because sums carry upwards: what was found apart stays so.
  for (std::int64_t bit = 1; bit < unit; bit <<= 1) {
    if (!(constant & bit))
      continue;
    if (!(ones & bit)) {
      apart |= bit;
      continue;
    }
    // The sum carries as far as there are ones, into the first place where there is none. No place above matters.
    result.before |= bit;
    std::int64_t last = bit;
    while (last < unit && (ones & last))
      last <<= 1;
    ones |= last;
  }
  const std::int64_t moved = swizzle.apply(apart), reached = ones | swizzle.apply(ones & swizzle.sourceMask());
  result.flipped = moved & reached;
  result.after |= moved & ~reached;
  return result;
}

} // namespace fly::layout
