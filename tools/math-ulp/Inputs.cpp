// Which arguments are tried.
#include "tools/math-ulp/MathUlp.h"

#include <cmath>

namespace fly::ulp {

namespace {
/// SplitMix64: the same inputs everywhere.
struct Random {
  uint64_t state;
  uint64_t operator()() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  double unit() { return double((*this)() >> 11) * 0x1p-53; }
};

std::vector<uint64_t> specials(host::Number number) {
  const auto &format = host::format(number);
  std::vector<uint64_t> out;
  uint64_t sign = 1ull << (format.bits - 1);
  auto both = [&](uint64_t bits) { out.push_back(bits), out.push_back(bits | sign); };
  auto near = [&](double value) {
    uint64_t bits = host::encode(number, value);
    both(bits), both(bits + 1);
    if (bits)
      both(bits - 1);
  };
  // clang-format off
  for (double value : {0.0, host::smallestNormal(number), 0.25, 0.5, 0.55, 0.70710678118654752, 1.0, 1.5, 2.0, 3.0, 4.0,
                       10.0, 100.0, 0.785398163397448309, 1.57079632679489662, 3.14159265358979324, 88.72284,
                       709.782712893384, 105615.0, 0x1p24, 0x1p28, 0x1p30, 0x1p53})
    // clang-format on
    near(value);
  both(host::encode(number, host::largest(number)));
  both(host::encode(number, INFINITY));
  out.push_back(host::encode(number, NAN));
  return out;
}
} // namespace

Inputs inputsOf(const Function &function, host::Number number, uint64_t count) {
  const auto &format = host::format(number);
  Inputs in;
  Random random{0x666c79};
  if (!function.two && format.bits == 16) {
    for (uint64_t bits = 0; bits < 0x10000; ++bits)
      in.x.push_back(bits);
    return in;
  }
  auto special = specials(number);
  if (function.two) {
    for (uint64_t x : special)
      for (uint64_t y : special)
        in.x.push_back(x), in.y.push_back(y);
  } else
    in.x = special;
  // One from each of `count` strata, of the bit patterns and of the function's range.
  int shift = 64 - int(format.bits);
  auto inRange = [&](double u) { return host::encode(number, function.low + (function.high - function.low) * u); };
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t stratum = uint64_t((unsigned __int128)(i) * ~0ull / count);
    in.x.push_back((stratum + random() / count) >> shift);
    in.x.push_back(inRange((double(i) + random.unit()) / double(count)));
    if (!function.two)
      continue;
    in.y.push_back(random() >> shift);
    // pow near 1 with large powers, where its logarithm counts; else the range.
    in.y.push_back(inRange(random.unit()));
    if (i % 4 == 0) {
      in.x.push_back(host::encode(number, 1 + (random.unit() - 0.5) * 0.25));
      in.y.push_back(host::encode(number, (random.unit() - 0.5) * 1000));
    }
  }
  return in;
}

} // namespace fly::ulp
