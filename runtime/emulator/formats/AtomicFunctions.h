// What atomics compute: the new value from the old one and the data. Shared by the tables of LDS, global, buffer and
// scalar atomics, on all types they have.
//
// The floats are the hard part: which NaN and which zero is the smaller number. Equality compares numbers, not bits.
#pragma once

#include "runtime/emulator/formats/SmallFloat.h"

#include <cmath>
#include <cstdint>

namespace fly::emulator {

namespace atomics {
inline constexpr auto swap = [](auto, auto b) { return b; };
inline constexpr auto add = [](auto a, auto b) { return decltype(a)(a + b); };
inline constexpr auto sub = [](auto a, auto b) { return decltype(a)(a - b); };
inline constexpr auto rsub = [](auto a, auto b) { return decltype(a)(b - a); };
inline constexpr auto min = [](auto a, auto b) { return b < a ? b : a; };
inline constexpr auto max = [](auto a, auto b) { return b > a ? b : a; };
inline constexpr auto bitAnd = [](auto a, auto b) { return decltype(a)(a & b); };
inline constexpr auto bitOr = [](auto a, auto b) { return decltype(a)(a | b); };
inline constexpr auto bitXor = [](auto a, auto b) { return decltype(a)(a ^ b); };
inline constexpr auto inc = [](auto a, auto b) { return a >= b ? decltype(a)(0) : decltype(a)(a + 1); };
inline constexpr auto dec = [](auto a, auto b) { return a == 0 || a > b ? b : decltype(a)(a - 1); };
inline constexpr auto addFloat = [](auto a, auto b) { return settle(a + b, a, b); };
/// A NaN loses, and -0 < +0: AMD's pseudocode for gfx12. The one for gfx9 ("src < tmp ? src : tmp") is less specific,
/// but LLVM selects its instructions for minnum and maxnum too.
inline constexpr auto minNumber = [](auto a, auto b) {
  if (a != a || b != b) return a != a && b != b ? decltype(a)(b + b) : a != a ? b : a; // b + b: quiet
  return b < a || (b == 0 && a == 0 && std::signbit(b)) ? b : a;
};
inline constexpr auto maxNumber = [](auto a, auto b) {
  if (a != a || b != b) return a != a && b != b ? decltype(a)(b + b) : a != a ? b : a;
  return b > a || (b == 0 && a == 0 && !std::signbit(b)) ? b : a;
};
/// ds_mskor, ds_cmpst_f32/f64 (equality of numbers, not of bits), ds_wrap, ds_condxchg32.
inline constexpr auto maskedOr = [](auto old, auto mask, auto bits) { return decltype(old)((old & ~mask) | bits); };
inline constexpr auto compareStore = [](auto old, auto expected, auto now) { return old == expected ? now : old; };
inline constexpr auto wrap = [](uint32_t old, uint32_t a, uint32_t b) { return old >= a ? old - a : old + b; };
inline constexpr auto exchangeHalves = [](uint64_t old, uint64_t data) {
  auto half = [](uint32_t o, uint32_t d) { return d >> 31 ? d & 0x7fffffffu : o; };
  return static_cast<uint64_t>(half(static_cast<uint32_t>(old >> 32), static_cast<uint32_t>(data >> 32))) << 32 |
         half(static_cast<uint32_t>(old), static_cast<uint32_t>(data));
};
inline constexpr auto condSub = [](auto a, auto b) { return a >= b ? decltype(a)(a - b) : a; };
inline constexpr auto subClamp = [](auto a, auto b) { return a < b ? decltype(a)(0) : decltype(a)(a - b); };
inline constexpr auto addHalves = [](uint32_t a, uint32_t b) {
  return floatToHalf(halfToFloat(a & 0xffff) + halfToFloat(b & 0xffff)) |
         floatToHalf(halfToFloat(a >> 16) + halfToFloat(b >> 16)) << 16;
};
inline constexpr auto addBfloats = [](uint32_t a, uint32_t b) {
  return floatToBfloat(bfloatToFloat(a & 0xffff) + bfloatToFloat(b & 0xffff)) |
         floatToBfloat(bfloatToFloat(a >> 16) + bfloatToFloat(b >> 16)) << 16;
};
} // namespace atomics

} // namespace fly::emulator
