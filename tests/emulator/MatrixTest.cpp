// MFMA: products against double.
#include "tests/emulator/StepBench.h"

#include "runtime/emulator/SmallFloat.h"

#include <gtest/gtest.h>
#include <random>

namespace fly::emulator::test {

TEST(Matrix, MultipliesHalves) {
  StepBench bench("gfx942");
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-2, 2);
  double a[16][16], b[16][16];
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned v = 0; v < 4; ++v) {
      uint32_t x = floatToHalf(values(random)), y = floatToHalf(values(random));
      if (v % 2 == 0) bench.vgpr(4 + v / 2, l) = bench.vgpr(6 + v / 2, l) = 0;
      bench.vgpr(4 + v / 2, l) |= x << v % 2 * 16;
      bench.vgpr(6 + v / 2, l) |= y << v % 2 * 16;
      a[l % 16][4 * (l / 16) + v] = halfToFloat(x);
      b[4 * (l / 16) + v][l % 16] = halfToFloat(y);
    }
  bench.setExec(1); // has no effect
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], 1.0")) << bench.error();
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned v = 0; v < 4; ++v) {
      double sum = 1;
      for (unsigned k = 0; k < 16; ++k) sum += a[4 * (l / 16) + v][k] * b[k][l % 16];
      EXPECT_NEAR(floatOf(bench.agpr(v, l)), sum, 1e-4);
    }
}

} // namespace fly::emulator::test
