// Rounding modes and denormal flushing of MODE, for each precision, against the host's FPU.
#include "tests/emulator/TestSupport.h"

#include "runtime/emulator/formats/SmallFloat.h"

#include <cfenv>
#include <cmath>
#include <limits>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

struct Three {
  double d;
  float s;
  _Float16 h;
};

template <class F> F flush(F v, bool flushes, double smallestNormal) {
  return flushes && std::fabs(double(v)) < smallestNormal ? F(std::copysign(0.0, double(v))) : v;
}

/// The exact result of the operation on two f16, rounded by `mode`: products and sums of f16 are exact in double.
_Float16 halfResult(double exact, unsigned mode) {
  uint16_t bits = uint16_t(doubleToHalfMode(exact, mode));
  _Float16 h;
  std::memcpy(&h, &bits, 2);
  return h;
}

TEST(Mode, RoundingAndDenormalsOfEachPrecision) {
  std::mt19937_64 random(21);
  std::vector<Three> in(128);
  for (size_t k = 0; k < in.size(); ++k) {
    int e = k % 3 == 0 ? -70 : 0; // so that products of singles are denormal in a third of the lanes
    in[k].s = std::ldexp(float(int(random() % 2000001) - 1000000) / 977.0f, e);
    in[k].d = std::ldexp(double(int(random() % 2000001) - 1000000) / 977.0, k % 3 == 1 ? -520 : 0);
    in[k].h = _Float16(std::ldexp(float(int(random() % 2001) - 1000) / 977.0f, k % 3 == 2 ? -9 : 0));
    if (k % 16 == 5) in[k] = {4e-310, 1e-40f, _Float16(3e-6f)};
  }
  const int host[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (const char *arch : {"gfx942", "gfx950"}) {
    Machine m("modes", arch, "O2");
    ASSERT_TRUE(m.module) << m.error;
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(in.size() * sizeof(Three), "out");
    auto check = [&](uint32_t mode) {
      LaunchResult r = m.device.launch(*m.module, "modes", shape(1, 64), arguments(out, a, mode));
      ASSERT_TRUE(r.ok) << r.report.text();
      auto got = m.download<Three>(out, in.size());
      unsigned round32 = mode & 3, round16 = mode >> 2 & 3;
      bool in32 = !(mode & 16), out32 = !(mode & 32), in16 = !(mode & 64), out16 = !(mode & 128);
      for (size_t t = 0; t < 64; ++t)
        for (unsigned operation = 0; operation < 2; ++operation) {
          volatile float sa = flush(in[2 * t].s, in32, 0x1p-126), sb = flush(in[2 * t + 1].s, in32, 0x1p-126);
          volatile double da = flush(in[2 * t].d, in16, 0x1p-1022), db = flush(in[2 * t + 1].d, in16, 0x1p-1022);
          double ha = double(flush(in[2 * t].h, in16, 0x1p-14)), hb = double(flush(in[2 * t + 1].h, in16, 0x1p-14));
          std::fesetround(host[round32]);
          volatile float s = operation ? sa + sb : sa * sb;
          std::fesetround(host[round16]);
          volatile double d = operation ? da + db : da * db;
          std::fesetround(FE_TONEAREST);
          Three want{flush(double(d), out16, 0x1p-1022), flush(float(s), out32, 0x1p-126),
                     flush(halfResult(operation ? ha + hb : ha * hb, round16), out16, 0x1p-14)};
          const Three &g = got[2 * t + operation];
          ASSERT_EQ(bitsOf(g.s), bitsOf(want.s))
              << arch << " mode " << mode << " work-item " << t << " operation " << operation;
          ASSERT_EQ(bitsOf(g.d), bitsOf(want.d))
              << arch << " mode " << mode << " work-item " << t << " operation " << operation;
          ASSERT_EQ(0, std::memcmp(&g.h, &want.h, 2))
              << arch << " mode " << mode << " work-item " << t << " operation " << operation;
        }
    };
    for (uint32_t mode = 0; mode < 256; ++mode) check(mode);
    recordNoticed(*m.module, "host", [&] {
      for (uint32_t mode : {0x00, 0xf5, 0xfa}) check(mode);
    });
  }
}

TEST(Mode, RoundingToHalfAgreesWithTheHostForEveryFloatExponent) {
  std::mt19937 random(5);
  for (uint32_t k = 0; k < 400000; ++k) {
    uint32_t bits = uint32_t(random());
    // Near f16's range and ties.
    if (k % 4) bits = (bits & 0x801fffff) | (0x33000000 + random() % 0x15000000 / 0x2000 * 0x2000);
    float f = floatOf(bits);
    _Float16 want = static_cast<_Float16>(f);
    uint16_t w;
    std::memcpy(&w, &want, 2);
    if (f != f) {
      ASSERT_GT(floatToHalf(f) & 0x7fffu, 0x7c00u);
      continue;
    }
    ASSERT_EQ(floatToHalf(f), w) << std::hex << bits;
    ASSERT_EQ(doubleToHalf(double(f)), w) << std::hex << bits;
    ASSERT_EQ(doubleToHalfMode(double(f), 0), w) << std::hex << bits;
    ASSERT_EQ(doubleToBfloatMode(double(f), 0), floatToBfloat(f)) << std::hex << bits;
  }
  for (uint32_t h = 0; h < 0x10000; ++h) {
    uint16_t bits = uint16_t(h);
    _Float16 v;
    std::memcpy(&v, &bits, 2);
    float f = float(v);
    if (f == f) {
      ASSERT_EQ(bitsOf(halfToFloat(h)), bitsOf(f)) << std::hex << h;
    }
  }
}

} // namespace
