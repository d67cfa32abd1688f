// MFMA and SMFMAC: element maps against facts, products against double.
#include "tests/emulator/StepBench.h"

#include <chrono>
#include <gtest/gtest.h>

namespace fly::emulator::test {
TEST(Matrix, Time) {
  for (auto [arch, text] : {std::pair{"gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]"},
        std::pair{"gfx950", "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3]"},
        std::pair{"gfx950", "v_mfma_f32_32x32x16_bf16 v[0:15], v[20:23], v[24:27], v[0:15]"},
        std::pair{"gfx950", "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[20:27], v[28:35], v[0:15]"},
        std::pair{"gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[20:23], v[28:31], v[0:3], v40, v40 cbsz:4 blgp:4"},
        std::pair{"gfx950", "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[20:27], v[28:35], v[0:3]"},
        std::pair{"gfx942", "v_mfma_f32_4x4x1_16b_f32 v[0:3], v20, v21, v[0:3]"},
        std::pair{"gfx942", "v_mfma_f64_16x16x4_f64 v[0:7], v[20:21], v[22:23], v[0:7]"},
        std::pair{"gfx942", "v_mfma_i32_32x32x16_i8 v[0:15], v[20:21], v[22:23], v[0:15]"},
        std::pair{"gfx950", "v_smfmac_f32_16x16x64_f16 v[0:3], v[4:7], v[8:15], v40"}}) {
    StepBench bench(arch);
    for (unsigned r = 0; r < 64; ++r)
      for (unsigned l = 0; l < 64; ++l) bench.vgpr(r, l) = 0x38003800 + r * 16 + l;
    int n = bench.add(text);
    ASSERT_GE(n, 0) << bench.error();
    ASSERT_TRUE(bench.step(n)) << bench.error();
    auto begin = std::chrono::steady_clock::now();
    for (unsigned k = 0; k < 20000; ++k) bench.step(n);
    double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / 20000;
    printf("%-100s %7.0f ns\n", text, ns);
  }
}
} // namespace fly::emulator::test
