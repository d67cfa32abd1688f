// Operand values worth trying: what formats treat specially, and what lies next to it.
#include "tests/emulator/pseudocode/Encodings.h"

namespace fly::pseudocode {

Wide interesting(Random &random, unsigned bits, unsigned floatBits, bool bfloat) {
  auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  if (bits > 64) return Wide(random()) << 64 | random();
  if (floatBits && bits >= 2 * floatBits) { // packed
    Wide v = 0;
    for (unsigned k = 0; k < bits; k += floatBits) v |= interesting(random, floatBits, floatBits, bfloat) << k;
    return v;
  }
  if (floatBits >= 16) {
    unsigned mantissa = bfloat            ? 7
                        : floatBits == 16 ? 10
                        : floatBits == 32 ? 23
                                          : 52,
             exponent = floatBits - 1 - mantissa;
    uint64_t top = (1ull << exponent) - 1, bias = top >> 1, m = random() & ((1ull << mantissa) - 1),
             sign = static_cast<uint64_t>(below(2)) << (floatBits - 1);
    uint64_t quiet = 1ull << (mantissa - 1);
    auto make = [&](uint64_t e, uint64_t f) { return sign | e << mantissa | (f & ((1ull << mantissa) - 1)); };
    // clang-format off
    switch (below(20)) {
    case 0: return sign;                                             // zeros
    case 1: return make(0, 1);                                       // least denormal
    case 2: return make(0, m | 1);                                   // denormals
    case 3: return make(0, ~0ull);
    case 4: return make(1, below(2));                                // least normal
    case 5: return make(top - 1, ~0ull);                             // largest
    case 6: return make(top, 0);                                     // infinity
    case 7: return make(top, quiet | m);                             // quiet NaN
    case 8: return make(top, (m & (quiet - 1)) | 1);                 // signalling NaN
    case 9: return make(bias + below(2 * mantissa + 4) - below(8), below(2) ? 0 : below(2) ? 1 : ~0ull); // near 2^k
    case 10: return make(bias + below(6), m & (~0ull << (mantissa - 3 < 64 ? mantissa - 3 : 0))); // halves, quarters
    case 11: case 12: case 13: return sign | (random() & ((1ull << (floatBits - 1)) - 1)); // any bits
    case 14: return make(1 + below(floatBits == 16 ? 6 : 40), m);    // small normals
    default: return make(bias - 4 + below(9), m);                    // around one
    }
    // clang-format on
  }
  Wide all = maskOf(bits);
  switch (below(8)) {
  case 0: {
    static const uint64_t specials[] = {0, 1, ~0ull, 2, 31, 32, 63, 64};
    return specials[below(8)] & all;
  }
  case 1: return (Wide(1) << below(bits)) & all;
  case 2: return ((Wide(1) << below(bits)) - 1) & all;
  case 3: return ((Wide(1) << (bits - 1)) + below(3) - 1) & all;
  case 4: return below(256);
  default: return random() & all;
  }
}

} // namespace fly::pseudocode
