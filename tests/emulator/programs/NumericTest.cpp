// inputs/numeric.c against the host: exactly where IEEE says so, else within a bound.
#include "runtime/emulator/device/Architecture.h"
#include "tests/emulator/programs/ProgramSupport.h"

#include <cmath>
#include <complex>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

TEST(NumericPrograms, FourierTransform) {
  everywhere("numeric", [](Machine &m) {
    const uint32_t n = 256, groups = 2;
    auto in = randomFloats(2 * n * groups, 1, -1, 1);
    std::vector<float> twiddle(n);
    for (uint32_t k = 0; k < n / 2; ++k) {
      twiddle[2 * k] = static_cast<float>(std::cos(-2 * M_PI * k / n));
      twiddle[2 * k + 1] = static_cast<float>(std::sin(-2 * M_PI * k / n));
    }
    std::vector<double> want;
    for (uint32_t g = 0; g < groups; ++g)
      for (uint32_t f = 0; f < n; ++f) {
        std::complex<double> sum;
        for (uint32_t k = 0; k < n; ++k)
          sum += std::complex<double>(in[2 * (g * n + k)], in[2 * (g * n + k) + 1]) *
                 std::polar(1.0, -2 * M_PI * f * k / n);
        want.push_back(sum.real());
        want.push_back(sum.imag());
      }
    uint64_t data = m.upload(in, "data");
    run(m, "fft", shape(groups, 128), data, m.upload(twiddle, "twiddle"));
    EXPECT_LT(worstError(m.download<float>(data, in.size()), want), 16 * 6e-8); // log2(n) rounded steps
  });
}

TEST(NumericPrograms, Bodies) {
  everywhere("numeric", [](Machine &m) {
    const uint32_t n = 131;
    auto body = randomFloats(4 * n, 2, -1, 1);
    std::vector<double> want(4 * n);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t k = 0; k < n; ++k) {
        double d[3], r2 = 0.01f;
        for (int c = 0; c < 3; ++c) {
          d[c] = static_cast<double>(body[4 * k + c]) - body[4 * i + c];
          r2 += d[c] * d[c];
        }
        for (int c = 0; c < 3; ++c) want[4 * i + c] += d[c] * body[4 * k + 3] / (r2 * std::sqrt(r2));
      }
    uint64_t out = m.device.allocate(n * 16, "acceleration");
    run(m, "nbody", shape(blocks(n, 64), 64), out, m.upload(body, "body"), n);
    EXPECT_LT(worstError(m.download<float>(out, 4 * n), want), 3e-6);
  });
}

float bfloatOf(float f) { // nearest even
  uint32_t u;
  std::memcpy(&u, &f, 4);
  u = (u + 0x7fff + (u >> 16 & 1)) & 0xffff0000u;
  std::memcpy(&f, &u, 4);
  return f;
}

TEST(NumericPrograms, HalvesAndBfloatsRoundAfterEachOperation) {
  everywhere("numeric", [](Machine &m) {
    const uint32_t n = 500;
    auto in = randomFloats(n, 3, -30, 30);
    uint64_t h = m.device.allocate(2 * n, "h"), b = m.device.allocate(2 * n, "b");
    run(m, "small_floats", shape(blocks(n, 64), 64), h, b, m.upload(in, "in"), n);
    auto gotHalf = m.download<_Float16>(h, n);
    auto gotBfloat = m.download<uint16_t>(b, n);
    for (uint32_t k = 0; k < n; ++k) {
      _Float16 x = static_cast<_Float16>(in[k]);
      EXPECT_EQ(gotHalf[k],
                static_cast<_Float16>(
                    static_cast<_Float16>(static_cast<_Float16>(static_cast<_Float16>(x * x) * _Float16(0.5f)) - x) +
                    _Float16(2.0f)));
      float y = bfloatOf(in[k]), want = bfloatOf(bfloatOf(y * y) - y);
      uint32_t bits;
      std::memcpy(&bits, &want, 4);
      EXPECT_EQ(gotBfloat[k], bits >> 16) << in[k];
    }
  });
}

TEST(NumericPrograms, PackedHalves) {
  everywhere("numeric", [](Machine &m) {
    const uint32_t n = 300;
    auto fa = randomFloats(2 * n, 4, -50, 50), fb = randomFloats(2 * n, 5, -50, 50);
    std::vector<_Float16> a(fa.begin(), fa.end()), b(fb.begin(), fb.end()), want(2 * n);
    for (uint32_t k = 0; k < 2 * n; ++k) {
      _Float16 top = a[k] > b[k] ? a[k] : b[k], sum = a[k] + b[k], product = a[k] * b[k ^ 1], both = sum * product;
      want[k] = top - both;
    }
    uint64_t out = m.device.allocate(4 * n, "out");
    run(m, "packed_halves", shape(blocks(n, 64), 64), out, m.upload(a, "a"), m.upload(b, "b"), n);
    EXPECT_EQ(m.download<_Float16>(out, 2 * n), want);
  });
}

TEST(NumericPrograms, DivisionAndRootAreCorrectlyRounded) {
  everywhere("numeric", [](Machine &m) {
    const uint32_t n = 400;
    std::mt19937_64 random(6);
    std::vector<double> a(n), b(n);
    for (uint32_t k = 0; k < n; ++k) {
      auto draw = [&] {
        return std::ldexp(static_cast<double>(random() >> 11) + 1, -53 + static_cast<int>(random() % 200) - 100) *
               (random() & 1 ? 1 : -1);
      };
      a[k] = draw();
      b[k] = draw();
    }
    uint64_t f = m.device.allocate(8 * n, "f"), d = m.device.allocate(16 * n, "d");
    run(m, "division", shape(blocks(n, 64), 64), f, d, m.upload(a, "a"), m.upload(b, "b"), n);
    auto gotSingle = m.download<float>(f, 2 * n);
    auto gotDouble = m.download<double>(d, 2 * n);
    for (uint32_t k = 0; k < n; ++k) {
      float x = static_cast<float>(a[k]), y = static_cast<float>(b[k]);
      EXPECT_EQ(gotSingle[2 * k], x / y) << x << " / " << y;
      EXPECT_EQ(gotSingle[2 * k + 1], std::sqrt(std::fabs(x))) << x;
      EXPECT_EQ(gotDouble[2 * k], a[k] / b[k]);
      EXPECT_EQ(gotDouble[2 * k + 1], std::sqrt(std::fabs(b[k])));
    }
  });
}

/// The value of a code with a sign bit, `e` exponent and `m` mantissa bits; NaN where the format has one.
double tinyValue(unsigned code, int e, int m, bool fnuz) {
  int bias = (1 << (e - 1)) - (fnuz ? 0 : 1), exponent = static_cast<int>(code >> m & ((1u << e) - 1)),
      fraction = static_cast<int>(code & ((1u << m) - 1));
  double sign = code & 0x80 ? -1 : 1;
  if (fnuz && code == 0x80) return NAN;
  if (!fnuz && e == 5 && exponent == 31) return fraction ? NAN : sign * INFINITY;
  if (!fnuz && e == 4 && (code & 0x7f) == 0x7f) return NAN;
  return sign * (exponent ? std::ldexp((1 << m) + fraction, exponent - bias - m) : std::ldexp(fraction, 1 - bias - m));
}
/// The nearest code; of two, the even one.
unsigned nearestCode(double v, int e, int m, bool fnuz) {
  unsigned best = 0;
  double distance = INFINITY;
  for (unsigned code = 0; code < 256; ++code) {
    double w = tinyValue(code, e, m, fnuz);
    // FNUZ has one zero, for both signs.
    if (!std::isfinite(w) || (std::signbit(w) != std::signbit(v) && !(fnuz && w == 0))) continue;
    double d = std::fabs(w - v);
    if (d < distance || (d == distance && !(code & 1))) {
      distance = d;
      best = code;
    }
  }
  return best;
}

TEST(NumericPrograms, EightBitFloats) {
  everywhere("numeric", [](Machine &m) {
    bool fnuz = m.device.architecture().name == "gfx942";
    const uint32_t n = 200;
    auto in = randomFloats(2 * n, 7, -200, 200);
    for (uint32_t k = 0; k < n; ++k) in[k] = std::ldexp(in[k], -static_cast<int>(k % 20));
    uint64_t out = m.device.allocate(16 * n, "out"), codes = m.device.allocate(4 * n, "codes");
    run(m, "fp8", shape(blocks(n, 64), 64), out, codes, m.upload(in, "in"), n);
    auto gotCodes = m.download<uint32_t>(codes, n);
    auto got = m.download<float>(out, 4 * n);
    for (uint32_t k = 0; k < 2 * n; ++k) {
      unsigned half = k & 1;
      unsigned fp = gotCodes[k / 2] >> 8 * half & 0xff, bf = gotCodes[k / 2] >> (16 + 8 * half) & 0xff;
      auto same = [&](unsigned got, unsigned want) { return got == want || (fnuz && want == 0x80 && got == 0); };
      EXPECT_TRUE(same(fp, nearestCode(in[k], 4, 3, fnuz))) << in[k] << ": " << fp;
      EXPECT_TRUE(same(bf, nearestCode(in[k], 5, 2, fnuz))) << in[k] << ": " << bf;
      EXPECT_EQ(got[4 * (k / 2) + half], tinyValue(fp, 4, 3, fnuz));
      EXPECT_EQ(got[4 * (k / 2) + 2 + half], tinyValue(bf, 5, 2, fnuz));
    }
  });
}

} // namespace
