// Control flow, LDS, scratch, calls, wave operations and atomics against the host.
#include "tests/emulator/TestSupport.h"

#include <cmath>
#include <limits>
#include <set>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

std::vector<int32_t> numbers(size_t count) {
  std::vector<int32_t> v(count);
  std::mt19937 random(7);
  for (auto &x : v) x = static_cast<int32_t>(random());
  return v;
}
/// Small positive ones.
std::vector<int32_t> smallNumbers(size_t count) {
  std::vector<int32_t> v = numbers(count);
  for (auto &x : v) x = (x & 0x7fffffff) % 1000;
  return v;
}

#define RUN(MACHINE, KERNEL, CONFIG, ...)                                                                              \
  do {                                                                                                                 \
    LaunchResult result = (MACHINE).device.launch(*(MACHINE).module, KERNEL, CONFIG, arguments(__VA_ARGS__));          \
    ASSERT_TRUE(result.ok) << result.report.text();                                                                           \
  } while (0)

TEST(Structure, BlockSumThroughLdsInEveryWaveOrder) {
  everywhere("structure", [](Machine &m) {
    auto in = numbers(1000);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(16, "out");
    for (WaveOrder order : {WaveOrder::Ascending, WaveOrder::Descending, WaveOrder::Seeded}) {
      LaunchConfig c = shape(4, 256);
      c.order = order;
      c.seed = 5;
      RUN(m, "block_sum", c, out, a, int32_t(1000));
      auto got = m.download<uint32_t>(out, 4);
      for (unsigned g = 0; g < 4; ++g) {
        uint32_t want = 0;
        for (unsigned k = 256 * g; k < std::min(1000u, 256 * g + 256); ++k) want += static_cast<uint32_t>(in[k]);
        EXPECT_EQ(got[g], want);
      }
    }
  });
}

TEST(Structure, TransposeThroughLds) {
  everywhere("structure", [](Machine &m) {
    const uint32_t rows = 37, columns = 50;
    std::vector<float> in(rows * columns);
    for (size_t k = 0; k < in.size(); ++k) in[k] = static_cast<float>(k);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(in.size() * 4, "out");
    LaunchConfig c;
    c.grid = {4, 3, 1};
    c.block = {16, 16, 1};
    RUN(m, "transpose", c, out, a, int32_t(rows), int32_t(columns));
    auto got = m.download<float>(out, in.size());
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t k = 0; k < columns; ++k) ASSERT_EQ(got[k * rows + r], in[r * columns + k]);
  });
}

TEST(Structure, DivergentLoopsEndLaneByLane) {
  everywhere("structure", [](Machine &m) {
    auto in = numbers(300);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(1200, "out");
    RUN(m, "collatz", shape(3, 128), out, a, int32_t(300));
    auto got = m.download<int32_t>(out, 300);
    for (unsigned i = 0; i < 300; ++i) {
      uint64_t v = static_cast<uint32_t>(in[i]) % 10000 + 1;
      int32_t steps = 0;
      while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v >> 1;
        if (++steps > 300) break;
      }
      ASSERT_EQ(got[i], steps);
    }
  });
}

TEST(Structure, IdsOfThreeDimensions) {
  everywhere("structure", [](Machine &m) {
    LaunchConfig c;
    c.grid = {3, 2, 2};
    c.block = {5, 4, 3};
    uint64_t out = m.device.allocate(12 * 60 * 4, "out");
    RUN(m, "ids", c, out);
    auto got = m.download<uint32_t>(out, 720);
    for (uint32_t g = 0; g < 12; ++g)
      for (uint32_t t = 0; t < 60; ++t) {
        uint32_t want = t % 5 | t / 5 % 4 << 5 | t / 20 << 10 | g % 3 << 15 | g / 3 % 2 << 20 | g / 6 << 25;
        ASSERT_EQ(got[g * 60 + t], want);
      }
  });
}

int32_t hostPrivateArray(int32_t v) {
  int32_t local[16];
  auto at = [&](int j) { return (static_cast<uint32_t>(j) + static_cast<uint32_t>(v)) % 15; };
  for (int k = 0; k < 16; ++k) local[k] = v * (k + 1);
  for (int k = 0; k < 15; ++k)
    for (int j = 0; j < 15 - k; ++j)
      if (local[at(j)] > local[at(j) + 1]) std::swap(local[at(j)], local[at(j) + 1]);
  uint32_t r = 0;
  for (int k = 0; k < 16; ++k) r = r * 31 + static_cast<uint32_t>(local[k]);
  return static_cast<int32_t>(r);
}
int32_t hostTwist(int32_t a, int32_t depth) {
  uint32_t keep[4] = {uint32_t(a), uint32_t(a) * 3, uint32_t(a) ^ 5, uint32_t(depth)};
  for (int k = 0; k < depth; ++k) keep[k & 3] += keep[(k + 1) & 3] * 7;
  return static_cast<int32_t>(keep[0] ^ keep[1] ^ keep[2] ^ keep[3]);
}

TEST(Structure, PrivateArraysAndCallsUseScratch) {
  everywhere("structure", [](Machine &m) {
    auto in = smallNumbers(200);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(800, "out");
    RUN(m, "private_array", shape(4, 64), out, a, int32_t(200));
    auto got = m.download<int32_t>(out, 200);
    for (unsigned i = 0; i < 200; ++i) ASSERT_EQ(got[i], hostPrivateArray(in[i])) << i;
    RUN(m, "calls", shape(4, 64), out, a, int32_t(200));
    got = m.download<int32_t>(out, 200);
    for (unsigned i = 0; i < 200; ++i)
      ASSERT_EQ(got[i], int32_t(uint32_t(hostTwist(in[i], 5)) + uint32_t(hostTwist(in[i] + 1, int32_t(i & 7))))) << i;
  });
}

TEST(Structure, SwitchesWithFallThrough) {
  everywhere("structure", [](Machine &m) {
    auto in = smallNumbers(200);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(800, "out");
    RUN(m, "branches", shape(2, 128), out, a, int32_t(200));
    auto got = m.download<int32_t>(out, 200);
    for (int i = 0; i < 200; ++i) {
      int32_t v = in[size_t(i)], r = 0;
      switch (uint32_t(v) % 9) {
      case 0: r = v + 1; break;
      case 1: r = v * 2; break;
      case 2: r = (v ^ 77) + 5; break;
      case 3: r = 5; break;
      case 5:
        for (int k = 0; k < (i & 15); ++k) r += k * v;
        break;
      case 7: r = -v; break;
      default: r = 1000 + v; break;
      }
      ASSERT_EQ(got[size_t(i)], r);
    }
  });
}

TEST(Structure, WideAccessesToGlobalMemoryAndLds) {
  everywhere("structure", [](Machine &m) {
    auto in = numbers(4 * 500);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(8000, "out");
    RUN(m, "wide", shape(2, 256), out, a, int32_t(500));
    auto got = m.download<uint32_t>(out, 2000);
    for (uint32_t i = 0; i < 500; ++i)
      for (uint32_t k = 0; k < 4; ++k)
        ASSERT_EQ(got[4 * i + k], uint32_t(in[4 * i + k]) + uint32_t(in[4 * (i ^ 1) + k]));
  });
}

TEST(Structure, LanesSeeEachOther) {
  everywhere("structure", [](Machine &m) {
    auto in = smallNumbers(32);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(128, "out");
    RUN(m, "lanes", shape(1, 32), out, a);
    auto got = m.download<uint32_t>(out, 32);
    for (uint32_t t = 0; t < 32; ++t)
      EXPECT_EQ(got[t], uint32_t(in[0]) + t * 1000 + uint32_t(in[(t + 5) & 31]) * 3 + uint32_t(in[7]));
  });
}

TEST(Structure, DppMovesWithinRows) {
  everywhere("structure", [](Machine &m) {
    auto in = smallNumbers(32);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(512, "out");
    RUN(m, "dpp", shape(1, 32), out, a);
    auto got = m.download<uint32_t>(out, 128);
    for (uint32_t t = 0; t < 32; ++t) {
      uint32_t row = t & ~15u, in16 = t & 15;
      EXPECT_EQ(got[4 * t], uint32_t(in[(t & ~3u) | (3 - (t & 3))]));
      EXPECT_EQ(got[4 * t + 1], in16 ? uint32_t(in[t - 1]) : 12u);
      EXPECT_EQ(got[4 * t + 2], uint32_t(in[row | ((in16 + 12) & 15)]));
      EXPECT_EQ(got[4 * t + 3], in16 + 2 < 16 ? uint32_t(in[t + 2]) : 0u);
    }
  });
}

TEST(Structure, AtomicsCountEveryLane) {
  everywhere("structure", [](Machine &m) {
    std::vector<uint32_t> counters = {0, 0xffffffff, 0, 0};
    std::vector<uint64_t> wide = {0};
    std::vector<float> sums = {0};
    uint64_t c = m.upload(counters, "counters"), w = m.upload(wide, "wide"), s = m.upload(sums, "sum"),
             order = m.device.allocate(1600, "order");
    RUN(m, "atomics", shape(4, 100), c, w, order, s);
    auto got = m.download<uint32_t>(order, 400);
    EXPECT_EQ(std::set<uint32_t>(got.begin(), got.end()).size(), 400u);
    counters = m.download<uint32_t>(c, 3);
    EXPECT_EQ(counters[0], 400u);
    EXPECT_LT(counters[1], 100u); // whichever lane came first
    EXPECT_EQ(counters[2], 99u * 100 / 2);
    EXPECT_EQ(m.download<uint64_t>(w, 1)[0], 99ull << 33);
    EXPECT_EQ(m.download<float>(s, 1)[0], 400.0f);
  });
}

TEST(Structure, ApproximationsAreRoundedOnceAndFlushDenormals) {
  everywhere("structure", [](Machine &m) {
    std::vector<float> in = {0.0f,  -0.0f,  1.0f,    0.5f,    3.0f,     10.3f,     -2.25f, 1e-40f,
                             1e30f, 126.9f, -126.5f, -200.0f, INFINITY, -INFINITY, NAN,    0.1f};
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(in.size() * 16, "out");
    RUN(m, "approximations", shape(1, 64), out, a, int32_t(in.size()));
    auto got = m.download<float>(out, in.size() * 4);
    auto flush = [](double v) {
      float f = float(v);
      return std::fabs(f) < std::numeric_limits<float>::min() ? std::copysign(0.0f, f) : f;
    };
    auto same = [](float x, float y) { return (x != x && y != y) || std::memcmp(&x, &y, 4) == 0; };
    for (size_t k = 0; k < in.size(); ++k) {
      double v = flush(in[k]);
      EXPECT_TRUE(same(got[4 * k], flush(std::exp2(v)))) << k;
      EXPECT_TRUE(same(got[4 * k + 1], flush(std::log2(v)))) << k;
      EXPECT_TRUE(same(got[4 * k + 2], flush(1 / v))) << k;
      EXPECT_TRUE(same(got[4 * k + 3], flush(1 / std::sqrt(v)))) << k;
    }
  });
}

TEST(Structure, PackedArithmetic) {
  everywhere("structure", [](Machine &m) {
    const int n = 40;
    std::mt19937 random(3);
    std::vector<_Float16> h(size_t(4 * n));
    std::vector<float> s(size_t(4 * n));
    std::vector<uint16_t> u(size_t(4 * n));
    for (size_t k = 0; k < h.size(); ++k) {
      h[k] = _Float16(float(int(random() % 2001) - 1000) / 37.0f);
      s[k] = float(int(random() % 2001) - 1000) / 39.0f;
      u[k] = uint16_t(random());
    }
    uint64_t dh = m.upload(h, "h"), ds = m.upload(s, "s"), du = m.upload(u, "u");
    RUN(m, "packed", shape(1, 64), dh, ds, du, int32_t(n));
    auto gh = m.download<_Float16>(dh, h.size());
    auto gs = m.download<float>(ds, s.size());
    auto gu = m.download<uint16_t>(du, u.size());
    for (size_t i = 0; i < size_t(n); ++i)
      for (size_t k = 0; k < 2; ++k) {
        const _Float16 *a = &h[4 * i], *b = a + 2;
        _Float16 product = a[k] * b[k];
        ASSERT_EQ(float(gh[4 * i + k]), float(_Float16(product + a[1 - k])));
        product = b[0] * _Float16(0.5);
        ASSERT_EQ(float(gh[4 * i + 2 + k]), float(_Float16(product - a[k])));
        const float *c = &s[4 * i], *d = c + 2;
        float single = c[k] * d[k];
        ASSERT_EQ(gs[4 * i + k], single + c[1 - k]);
        single = c[0] * d[k];
        ASSERT_EQ(gs[4 * i + 2 + k], single + 3.25f);
        const uint16_t *e = &u[4 * i], *f = e + 2;
        ASSERT_EQ(gu[4 * i + k], uint16_t(uint32_t(e[k]) * f[k] + e[1 - k]));
        ASSERT_EQ(gu[4 * i + 2 + k], uint16_t((e[k] << (f[k] & 15)) + (f[k] >> 3)));
      }
  });
}

TEST(Structure, RegistersBeyond256) {
  Machine m("registers", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  EXPECT_GT(kernelProperties(*m.module, "many_registers")->vgprs, 256u);
  std::vector<float> in(400 * 32);
  for (size_t k = 0; k < in.size(); ++k) in[k] = float(k * 7919 % 1000) / 16.0f;
  uint64_t a = m.upload(in, "in"), out = m.device.allocate(128, "out");
  auto check = [&] {
    RUN(m, "many_registers", shape(1, 32), out, a);
    auto got = m.download<float>(out, 32);
    for (size_t t = 0; t < 32; ++t) {
      float r = 0;
      for (size_t k = 0; k < 400; ++k) {
        float half = r * 0.5f, product = in[32 * k + t] * in[32 * (399 - k) + t];
        r = half + product;
      }
      EXPECT_EQ(got[t], r);
    }
  };
  check();
  recordNoticed(*m.module, "program", check);
}

TEST(Structure, BrainFloatRoundsToNearestEven) {
  everywhere("structure", [](Machine &m) {
    const size_t n = 100;
    std::mt19937 random(9);
    std::vector<uint16_t> in(2 * n);
    for (auto &x : in) x = uint16_t(0x3000 + random() % 0x1fff + (random() & 0x8000));
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(4 * n, "out");
    RUN(m, "bf16", shape(2, 64), out, a, int32_t(n));
    auto got = m.download<uint16_t>(out, 2 * n);
    auto wide = [](uint16_t b) {
      uint32_t u = uint32_t(b) << 16;
      float f;
      std::memcpy(&f, &u, 4);
      return f;
    };
    auto round = [](float f) {
      uint32_t u;
      std::memcpy(&u, &f, 4);
      return uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
    };
    for (size_t i = 0; i < n; ++i) {
      ASSERT_EQ(got[2 * i], round(wide(in[2 * i]) + wide(in[2 * i + 1])));
      ASSERT_EQ(got[2 * i + 1], round(wide(in[2 * i]) * wide(in[2 * i + 1])));
    }
  });
}

} // namespace
