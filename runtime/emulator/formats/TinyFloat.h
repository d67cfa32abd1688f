// The number formats below 16 bits: fp8, bf8, fp6, bf6, fp4, the unsigned fp8 of block scales, powers of two (E8M0).
//
// One descriptor a format, one decoder and two encoders for all. What differs between formats, and is easy to get
// wrong, is their top:
//
//            exponent mantissa bias  largest   infinity        NaN
//     fp8        4        3     7      448       -             s.1111.111           OCP (gfx950, gfx12)
//     bf8        5        2    15    57344    s.11111.00       s.11111.01 to 11     OCP
//     fp8Fnuz    4        3     8      240       -             1.0000.000 alone     gfx942
//     bf8Fnuz    5        2    16    57344       -             1.00000.00 alone     gfx942
//     fp6        2        3     1      7.5       -             -
//     bf6        3        2     3       28       -             -
//     fp4        2        1     1        6       -             -
//     ufp8       5        3    15   114688       -             11111.111            no sign (block scales of gfx1250)
//     e8m0       2^(code - 127), NaN is 255
//
// fnuz has no negative zero. A format without infinity turns overflow into NaN, one without NaN into its largest
// number; with `saturate` (MODE.FP16_OVFL) overflow of finite values gives the largest number in all of them, while
// infinities stay what they were ("preserving true INF values", AMD's ISA documents; captured on RDNA4). ufp8 always
// saturates, including infinity, and turns negative values into zero, as in the replacement code that AMD's code object
// manager writes for it.
//
// Encoders take a double: every f32, f16 and bf16 times any power of two that E8M0 can name is exact in it, so a
// scaled conversion is one multiplication before a single rounding.
//
// Stochastic rounding is an addition of random bits below the last one kept, then truncation. The value is first
// aligned to the format's smallest normal exponent *within the width of its source*, bits shifted out being lost, and
// the random number contributes its top bits (20 of them for f32 to fp8). This is what AMD's HIP headers compute on
// the host and what was captured on RDNA4; the ISA's pseudocode says S1[31:12], the same bits, but lets the mantissa
// wrap without carrying into the exponent, which cannot be meant.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace fly::emulator {

struct TinyFormat {
  enum class Nan : uint8_t { None, AllOnes, Ieee, NegativeZero };
  unsigned exponentBits, mantissaBits;
  int bias;
  Nan nan;
  bool infinity;
  bool hasSign = true;

  bool operator==(const TinyFormat &) const = default;
  constexpr unsigned magnitudeBits() const { return exponentBits + mantissaBits; }
  constexpr unsigned bits() const { return magnitudeBits() + hasSign; }
  constexpr uint32_t signBit() const { return hasSign ? 1u << magnitudeBits() : 0; }
  constexpr uint32_t allOnes() const { return (1u << magnitudeBits()) - 1; }
  /// Code of the largest finite magnitude.
  constexpr uint32_t largest() const {
    return nan == Nan::AllOnes ? allOnes() - 1
           : nan == Nan::Ieee  ? (((1u << exponentBits) - 1) << mantissaBits) - 1
                               : allOnes();
  }
  constexpr uint32_t infinityCode() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  /// A quiet NaN's code without sign; the largest number where there is none (so do AMD's HIP headers).
  constexpr uint32_t nanCode() const {
    return nan == Nan::NegativeZero ? signBit()
           : nan == Nan::Ieee       ? infinityCode() | (1u << (mantissaBits - 1))
                                    : allOnes();
  }
  constexpr bool isNan(uint32_t code) const {
    uint32_t magnitude = code & allOnes();
    switch (nan) {
    case Nan::None: return false;
    case Nan::AllOnes: return magnitude == allOnes();
    case Nan::Ieee: return magnitude > infinityCode();
    case Nan::NegativeZero: return (code & (signBit() | allOnes())) == signBit();
    }
    return false;
  }
};

namespace tiny {
inline constexpr TinyFormat fp8{4, 3, 7, TinyFormat::Nan::AllOnes, false};
inline constexpr TinyFormat bf8{5, 2, 15, TinyFormat::Nan::Ieee, true};
inline constexpr TinyFormat fp8Fnuz{4, 3, 8, TinyFormat::Nan::NegativeZero, false};
inline constexpr TinyFormat bf8Fnuz{5, 2, 16, TinyFormat::Nan::NegativeZero, false};
inline constexpr TinyFormat fp6{2, 3, 1, TinyFormat::Nan::None, false};
inline constexpr TinyFormat bf6{3, 2, 3, TinyFormat::Nan::None, false};
inline constexpr TinyFormat fp4{2, 1, 1, TinyFormat::Nan::None, false};
inline constexpr TinyFormat ufp8{5, 3, 15, TinyFormat::Nan::AllOnes, false, false};
} // namespace tiny

/// 2^exponent as a double; exponent within its normal range.
constexpr double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

/// Exact. NaN is f32's quiet NaN with the code's sign (fnuz: positive).
template <TinyFormat F> constexpr float computeTiny(uint32_t code) {
  uint32_t magnitude = code & F.allOnes();
  bool negative = code & F.signBit();
  if (F.isNan(code))
    return std::bit_cast<float>(0x7fc00000u | (negative && F.nan != TinyFormat::Nan::NegativeZero ? 0x80000000u : 0));
  float r;
  if (F.infinity && magnitude == F.infinityCode()) r = std::bit_cast<float>(0x7f800000u);
  else {
    uint32_t exponent = magnitude >> F.mantissaBits, mantissa = magnitude & ((1u << F.mantissaBits) - 1);
    if (exponent) mantissa |= 1u << F.mantissaBits;
    else exponent = 1;
    r = static_cast<float>(mantissa *
                           powerOfTwo(static_cast<int>(exponent) - F.bias - static_cast<int>(F.mantissaBits)));
  }
  return negative ? -r : r;
}
template <TinyFormat F> inline constexpr auto tinyTable = [] {
  std::array<float, 1u << F.bits()> table{};
  for (uint32_t code = 0; code < table.size(); ++code) table[code] = computeTiny<F>(code);
  return table;
}();
/// The value of a code; bits above the format's are ignored.
template <TinyFormat F> constexpr float decodeTiny(uint32_t code) {
  return tinyTable<F>[code & ((1u << F.bits()) - 1)];
}

namespace detail {
/// Puts sign and specials to a magnitude that was rounded without limit.
template <TinyFormat F> constexpr uint32_t finishTiny(uint64_t bits, uint32_t magnitude, bool saturate) {
  constexpr uint64_t infinity = 0x7ff0000000000000ull;
  const uint64_t size = bits & ~(1ull << 63);
  const bool negative = bits >> 63, infinite = size == infinity;
  const uint32_t sign = negative ? F.signBit() : 0;
  const uint32_t overflow = F.infinity ? F.infinityCode() : F.nanCode();
  if (size > infinity) return F.nan == TinyFormat::Nan::NegativeZero ? F.nanCode() : sign | F.nanCode();
  if (!F.hasSign && negative) magnitude = 0;
  else if (infinite || magnitude > F.largest()) {
    if (F.nan == TinyFormat::Nan::None || !F.hasSign || (saturate && !infinite)) return sign | F.largest();
    return F.nan == TinyFormat::Nan::NegativeZero ? F.nanCode() : sign | overflow;
  }
  return F.nan == TinyFormat::Nan::NegativeZero && magnitude == 0 ? 0 : sign | magnitude;
}
/// How far the 53-bit significand of a double is above the format's last bit, and the exponent field to add.
template <TinyFormat F>
constexpr void alignTiny(uint64_t bits, uint64_t &significand, unsigned &below, uint32_t &field) {
  const int exponent = static_cast<int>(bits >> 52 & 2047) - 1023 + F.bias; // of the format
  significand = (bits & ((1ull << 52) - 1)) | (1ull << 52);
  below = exponent < 1 ? static_cast<unsigned>(1 - exponent) : 0;
  field = exponent < 1 ? 0 : static_cast<uint32_t>(exponent - 1);
  if (field >> F.exponentBits) field = 1u << F.exponentBits; // beyond the format; keeps the sum small
}
} // namespace detail

/// To nearest, ties to even.
template <TinyFormat F> constexpr uint32_t encodeTiny(double value, bool saturate) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  uint64_t significand;
  unsigned below;
  uint32_t field;
  detail::alignTiny<F>(bits, significand, below, field);
  unsigned shift = 52 - F.mantissaBits + below;
  if (shift > 54) shift = 54; // then less than half of the last bit remains whatever it was
  uint64_t odd = significand >> shift & 1;
  uint64_t rounded = (significand + ((1ull << (shift - 1)) - 1) + odd) >> shift;
  return detail::finishTiny<F>(bits, static_cast<uint32_t>(rounded) + (field << F.mantissaBits), saturate);
}

/// Stochastic. `sourceMantissa`: explicit mantissa bits of the type the value comes from (23, 10, 7).
template <TinyFormat F>
constexpr uint32_t encodeTinyStochastic(double value, unsigned sourceMantissa, uint32_t random, bool saturate) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  uint64_t significand;
  unsigned below;
  uint32_t field;
  detail::alignTiny<F>(bits, significand, below, field);
  const unsigned dropped = sourceMantissa - F.mantissaBits;
  const unsigned invisible = 52 - sourceMantissa + below;
  uint64_t aligned = invisible < 64 ? significand >> invisible : 0;
  if ((bits << 1) == 0) return detail::finishTiny<F>(bits, 0, saturate); // zero stays zero
  uint64_t rounded = (aligned + (random >> (32 - dropped))) >> dropped;
  return detail::finishTiny<F>(bits, static_cast<uint32_t>(rounded) + (field << F.mantissaBits), saturate);
}

/// E8M0: 2^(code - 127) as a double, NaN for 255. Exact in double, unlike in f32 (2^-127 is denormal there).
constexpr double decodeScale(uint32_t code) {
  code &= 255;
  return code == 255 ? std::bit_cast<double>(0x7ff8000000000000ull) : powerOfTwo(static_cast<int>(code) - 127);
}

/// v_prng_b32: one step of the linear feedback shift register that stochastic conversions of several elements use.
constexpr uint32_t nextRandom(uint32_t v) { return v << 1 ^ (v >> 31 ? 197u : 0u); }

} // namespace fly::emulator
