// Operand values worth trying: what formats treat specially, and what lies next to it.
#pragma once

#include <cstdint>

namespace fly::hardware {

/// splitmix64.
struct Random {
  uint64_t state;
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t operator()() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>((*this)() % n); }
};

constexpr uint64_t lowBits(unsigned count) { return count >= 64 ? ~0ull : (1ull << count) - 1; }

/// A float of 16, 32 or 64 bits.
inline uint64_t floatValue(Random &random, unsigned bits, bool bfloat) {
  const unsigned mantissa = bfloat ? 7 : bits == 16 ? 10 : bits == 32 ? 23 : 52, exponent = bits - 1 - mantissa;
  const uint64_t top = lowBits(exponent), bias = top >> 1, m = random() & lowBits(mantissa);
  const uint64_t sign = static_cast<uint64_t>(random.below(2)) << (bits - 1), quiet = 1ull << (mantissa - 1);
  auto make = [&](uint64_t e, uint64_t f) { return sign | e << mantissa | (f & lowBits(mantissa)); };
  // clang-format off
  switch (random.below(20)) {
  case 0: return sign;                                             // zeros
  case 1: return make(0, 1);                                       // least denormal
  case 2: return make(0, m | 1);                                   // denormals
  case 3: return make(0, ~0ull);
  case 4: return make(1, random.below(2));                         // least normal
  case 5: return make(top - 1, ~0ull);                             // largest
  case 6: return make(top, 0);                                     // infinity
  case 7: return make(top, quiet | m);                             // quiet NaN
  case 8: return make(top, (m & (quiet - 1)) | 1);                 // signalling NaN
  case 9: return make(bias + random.below(2 * mantissa + 4) - random.below(8),
                      random.below(2) ? 0 : random.below(2) ? 1 : ~0ull); // near 2^k
  case 10: return make(bias + random.below(6), m & (~0ull << (mantissa - 3))); // halves, quarters
  case 11: case 12: case 13: return sign | (random() & lowBits(bits - 1));     // any bits
  case 14: return make(1 + random.below(bits == 16 ? 6 : 40), m);  // small normals
  default: return make(bias - 4 + random.below(9), m);             // around one
  }
  // clang-format on
}

/// An integer of at most 64 bits.
inline uint64_t integerValue(Random &random, unsigned bits) {
  switch (random.below(8)) {
  case 0: {
    static constexpr uint64_t specials[] = {0, 1, ~0ull, 2, 31, 32, 63, 64};
    return specials[random.below(8)] & lowBits(bits);
  }
  case 1: return 1ull << random.below(bits);
  case 2: return lowBits(random.below(bits));
  case 3: return ((1ull << (bits - 1)) + random.below(3) - 1) & lowBits(bits);
  case 4: return random.below(256);
  default: return random() & lowBits(bits);
  }
}

/// A value of at most 64 bits that is read as floats of `floatBits` bits, packed if there is room for more than one; 0
/// or 8 floatBits: as an integer.
inline uint64_t operandValue(Random &random, unsigned bits, unsigned floatBits, bool bfloat) {
  if (floatBits < 16)
    return integerValue(random, bits);
  if (floatBits >= bits)
    return floatValue(random, bits, bfloat);
  uint64_t value = 0;
  for (unsigned k = 0; k < bits; k += floatBits)
    value |= floatValue(random, floatBits, bfloat) << k;
  return value;
}

} // namespace fly::hardware
