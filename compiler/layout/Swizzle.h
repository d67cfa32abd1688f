// Swizzle: the bijection of offsets that spreads rows of a tile over the banks of shared memory.
//
//   S<bits,base,shift>(x) = x ^ ((x & Y) >> shift)     Y: `bits` bits from base + shift upwards
//
//   S<2,3,3>   0b...YYzZZxxx   the two bits Y are xored onto the two bits Z; the lowest 3 bits stay, so that
//              8 elements next to each other stay next to each other
//
// A negative shift moves the other way: the lower bits are xored onto the higher ones. Twice the swizzle is the
// identity, because Y itself does not change. Names and text are CuTe's.
#pragma once

#include "compiler/layout/LeafArithmetic.h"

namespace fly::layout {

struct Swizzle {
  int bits = 0;
  int base = 0;
  int shift = 0;

  /// The bits that are read, and those that they are xored onto.
  std::int64_t sourceMask() const;
  std::int64_t targetMask() const;
  bool isIdentity() const { return bits == 0; }
  /// Of a number that is not negative; without overflow for a swizzle that makeSwizzle accepts.
  std::int64_t apply(std::int64_t offset) const;
  Result<Leaf> apply(const Leaf &offset, LeafArithmetic &arithmetic) const;

  bool operator==(const Swizzle &) const = default;

  /// `S<2,3,3>`.
  std::string text() const;
};

/// Refuses negative counts, a shift that lets Y and Z overlap, and bits beyond 62.
Result<Swizzle> makeSwizzle(std::int64_t bits, std::int64_t base, std::int64_t shift);

/// The swizzle of units of `factor` elements, a power of two; of an element's `factor` parts.
Result<Swizzle> upcast(const Swizzle &swizzle, std::int64_t factor);
Result<Swizzle> downcast(const Swizzle &swizzle, std::int64_t factor);

} // namespace fly::layout
