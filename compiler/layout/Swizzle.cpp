// See Swizzle.h.
#include "compiler/layout/Swizzle.h"

#include <algorithm>
#include <cstdlib>

namespace fly::layout {

std::int64_t Swizzle::sourceMask() const { return ((std::int64_t(1) << bits) - 1) << (base + std::max(0, shift)); }

std::int64_t Swizzle::targetMask() const { return ((std::int64_t(1) << bits) - 1) << (base + std::max(0, -shift)); }

std::int64_t Swizzle::apply(std::int64_t offset) const {
  std::int64_t source = offset & sourceMask();
  return offset ^ (shift >= 0 ? source >> shift : source << -shift);
}

// The bits are moved by a division or multiplication with a power of two, which every arithmetic knows.
Result<Leaf> Swizzle::apply(const Leaf &offset, LeafArithmetic &arithmetic) const {
  if (isIdentity())
    return offset;
  FLY_TRY(source, arithmetic.bitAnd(offset, Leaf::known(sourceMask())));
  Leaf distance = Leaf::known(std::int64_t(1) << std::abs(shift));
  FLY_TRY(moved, shift >= 0 ? arithmetic.floorDivide(source, distance) : arithmetic.multiply(source, distance));
  return arithmetic.bitXor(offset, moved);
}

std::string Swizzle::text() const {
  return "S<" + std::to_string(bits) + "," + std::to_string(base) + "," + std::to_string(shift) + ">";
}

Result<Swizzle> makeSwizzle(std::int64_t bits, std::int64_t base, std::int64_t shift) {
  std::string text = "S<" + std::to_string(bits) + "," + std::to_string(base) + "," + std::to_string(shift) + ">";
  if (bits < 0 || base < 0)
    return Error{"`" + text + "` has a negative number of bits"};
  if (bits > 62 || base > 62 || shift > 62 || shift < -62 || bits + base + std::abs(shift) > 62)
    return Error{"`" + text + "` reaches beyond 62 bits"};
  if (std::abs(shift) < bits)
    return Error{"`" + text + "` is not a bijection: a shift of " + std::to_string(shift) + " lets its " +
                 std::to_string(bits) + " bits overlap"};
  return Swizzle{static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift)};
}

namespace {

Result<int> logarithm(std::int64_t factor) {
  if (factor < 1 || (factor & (factor - 1)) != 0)
    return Error{"a swizzle is recast by powers of two; found `" + std::to_string(factor) + "`"};
  return static_cast<int>(__builtin_ctzll(static_cast<unsigned long long>(factor)));
}

} // namespace

// Units larger than the blocks that the swizzle keeps together are split by it: refused (CuTe drops the bits).
Result<Swizzle> upcast(const Swizzle &swizzle, std::int64_t factor) {
  FLY_TRY(low, logarithm(factor));
  if (swizzle.isIdentity())
    return Swizzle{0, std::max(0, swizzle.base - low), swizzle.shift};
  if (low <= swizzle.base)
    return Swizzle{swizzle.bits, swizzle.base - low, swizzle.shift};
  return Error{"a unit of " + std::to_string(factor) + " elements is split by `" + swizzle.text() +
               "`, which keeps only " + std::to_string(std::int64_t(1) << swizzle.base) + " together"};
}

Result<Swizzle> downcast(const Swizzle &swizzle, std::int64_t factor) {
  FLY_TRY(low, logarithm(factor));
  return makeSwizzle(swizzle.bits, swizzle.base + low, swizzle.shift);
}

} // namespace fly::layout
