// SwizzleSplit: the constant of an offset, split by where it can be added to a swizzle.
//
// A swizzle is linear over xor: S(a ^ b) == S(a) ^ S(b). So a constant that shares no bit with the value it is added to
// passes through the swizzle separately, as one xor. Its bits that nothing else reaches become one addition, which is
// an instruction's immediate:
//
//   S<3,2,3>(32 * lane + 2052)     lane < 64:   (S(32 * lane) ^ 4) + 2048
//
// With that, all accesses of a tile share one S(dynamic part).
#pragma once

#include "compiler/layout/Swizzle.h"

namespace fly::layout {

struct SwizzleSplit {
  std::int64_t before = 0, flipped = 0, after = 0;

  bool operator==(const SwizzleSplit &) const = default;
};

/// For every x without a bit outside of `ones`:  swizzle(x + constant) == (swizzle(x + before) ^ flipped) + after.
SwizzleSplit split(const Swizzle &swizzle, std::int64_t constant, std::int64_t ones);

/// The lowest bit such that the swizzle neither reads nor changes it or any bit above it: multiples of it pass
/// unchanged.
std::int64_t unitAbove(const Swizzle &swizzle);

} // namespace fly::layout
