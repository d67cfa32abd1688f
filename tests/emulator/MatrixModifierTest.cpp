// MFMA's modifiers and operands: broadcasts of A (cbsz, abid), lane patterns of B (blgp), negation of f64, AGPRs,
// inline constants, operands that overlap, EXEC. Broadcast and lane patterns as AMD's calculator and ISA documents
// state them: block x uses the A of block (x rounded down to 2^cbsz) + abid; blgp 1, 2: one half of the wave for both,
// 3: 16 lanes further, 4 to 7: one quarter for all.
#include "tests/emulator/MatrixSupport.h"

namespace fly::emulator::test {
namespace {

void fill(StepBench &bench, std::mt19937 &random, unsigned first, unsigned count) {
  for (unsigned r = first; r < first + count; ++r)
    for (unsigned l = 0; l < 64; ++l)
      bench.vgpr(r, l) = bitsOf(static_cast<float>(static_cast<int>(random() % 17) - 8));
}
std::vector<uint32_t> result(StepBench &bench, unsigned first, unsigned count) {
  std::vector<uint32_t> words;
  for (unsigned r = first; r < first + count; ++r)
    for (unsigned l = 0; l < 64; ++l) words.push_back(bench.vgpr(r, l));
  return words;
}

TEST(MatrixModifier, BroadcastBlocksOfA) {
  std::mt19937 random(41);
  struct Case {
    const char *name;
    unsigned m, blocks, registers;
  };
  for (Case c : {Case{"v_mfma_f32_4x4x1_16b_f32", 4, 16, 4}, Case{"v_mfma_f32_16x16x1_4b_f32", 16, 4, 16},
                 Case{"v_mfma_f32_32x32x1_2b_f32", 32, 2, 32}})
    for (unsigned cbsz = 0; 1u << cbsz <= c.blocks; ++cbsz)
      for (unsigned abid = 0; abid < 1u << cbsz; ++abid) {
        StepBench bench("gfx942");
        fill(bench, random, 64, 3);
        // The same by moving A by hand: block x is lanes m x to m x + m - 1.
        for (unsigned l = 0; l < 64; ++l) {
          unsigned block = ((l / c.m) >> cbsz << cbsz) + abid;
          bench.vgpr(66, l) = bench.vgpr(64, block * c.m + l % c.m);
        }
        std::string d = range('v', 0, c.registers),
                    modifiers = " cbsz:" + std::to_string(cbsz) + " abid:" + std::to_string(abid);
        ASSERT_TRUE(bench.run(std::string(c.name) + " " + d + ", v64, v65, 0" + modifiers)) << bench.error();
        auto got = result(bench, 0, c.registers);
        ASSERT_TRUE(bench.run(std::string(c.name) + " " + d + ", v66, v65, 0"));
        EXPECT_EQ(got, result(bench, 0, c.registers)) << c.name << modifiers;
      }
}

TEST(MatrixModifier, LanePatternsOfB) {
  std::mt19937 random(42);
  const unsigned quarters[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
                                   {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
  for (unsigned blgp = 0; blgp < 8; ++blgp) {
    StepBench bench("gfx942");
    fill(bench, random, 64, 3);
    for (unsigned l = 0; l < 64; ++l) bench.vgpr(66, l) = bench.vgpr(65, quarters[blgp][l / 16] * 16 + l % 16);
    ASSERT_TRUE(bench.run("v_mfma_f32_16x16x1_4b_f32 v[0:15], v64, v65, 0 blgp:" + std::to_string(blgp)))
        << bench.error();
    auto got = result(bench, 0, 16);
    ASSERT_TRUE(bench.run("v_mfma_f32_16x16x1_4b_f32 v[0:15], v64, v66, 0"));
    EXPECT_EQ(got, result(bench, 0, 16)) << "blgp " << blgp;
  }
}

TEST(MatrixModifier, ABroadcastOfMoreBlocksThanThereAreIsRefused) {
  StepBench bench("gfx942");
  EXPECT_FALSE(bench.run("v_mfma_f32_16x16x1_4b_f32 v[0:15], v64, v65, 0 cbsz:3"));
  EXPECT_FALSE(bench.run("v_mfma_f32_16x16x1_4b_f32 v[0:15], v64, v65, 0 cbsz:1 abid:2"));
}

TEST(MatrixModifier, NegationOfDoubles) {
  for (unsigned neg = 0; neg < 8; ++neg) {
    StepBench bench("gfx942");
    for (unsigned l = 0; l < 64; ++l) {
      bench.setVgpr64(64, l, bitsOf(3.0));
      bench.setVgpr64(66, l, bitsOf(5.0));
      for (unsigned r = 0; r < 8; r += 2) bench.setVgpr64(32 + r, l, bitsOf(100.0));
    }
    std::string modifiers =
        " neg:[" + std::to_string(neg & 1) + "," + std::to_string(neg >> 1 & 1) + "," + std::to_string(neg >> 2) + "]";
    ASSERT_TRUE(bench.run("v_mfma_f64_16x16x4_f64 v[0:7], v[64:65], v[66:67], v[32:39]" + modifiers)) << bench.error();
    double product = (neg & 1 ? -1 : 1) * (neg & 2 ? -1 : 1) * 60.0, addend = neg & 4 ? -100.0 : 100.0;
    EXPECT_EQ(doubleOf(bench.vgpr64(4, 9)), product + addend) << modifiers;
  }
}

TEST(MatrixModifier, AccumulationRegistersAnywhere) {
  std::mt19937 random(43);
  StepBench bench("gfx942");
  fill(bench, random, 64, 2);
  fill(bench, random, 32, 4);
  for (unsigned l = 0; l < 64; ++l) {
    bench.agpr(10, l) = bench.vgpr(64, l);
    bench.agpr(11, l) = bench.vgpr(65, l);
    for (unsigned r = 0; r < 4; ++r) bench.agpr(r, l) = bench.vgpr(32 + r, l);
  }
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x4_f32 v[0:3], v64, v65, v[32:35]")) << bench.error();
  auto expected = result(bench, 0, 4);
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x4_f32 a[4:7], a10, a11, a[0:3]")) << bench.error();
  EXPECT_EQ(expected, result(bench, bench.vgprCount() + 4, 4));
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x4_f32 a[0:3], v64, a11, a[0:3]")) << bench.error();
  EXPECT_EQ(expected, result(bench, bench.vgprCount(), 4));
}

TEST(MatrixModifier, ConstantsAsC) {
  StepBench bench("gfx942");
  for (unsigned r = 60; r < 70; ++r) bench.splat(r, 0);
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x4_f32 v[0:3], v64, v65, -4.0")) << bench.error();
  EXPECT_EQ(floatOf(bench.vgpr(3, 63)), -4.0f);
  ASSERT_TRUE(bench.run("v_mfma_i32_16x16x32_i8 v[0:3], v[64:65], v[66:67], -5")) << bench.error();
  EXPECT_EQ(bench.vgpr(3, 63), static_cast<uint32_t>(-5));
  ASSERT_TRUE(bench.run("v_mfma_f64_16x16x4_f64 v[0:7], v[64:65], v[66:67], 2.0")) << bench.error();
  EXPECT_EQ(doubleOf(bench.vgpr64(6, 63)), 2.0);
}

TEST(MatrixModifier, ResultMayOverwriteItsSources) {
  std::mt19937 random(44);
  StepBench bench("gfx942");
  fill(bench, random, 64, 4);
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x4_f32 v[0:3], v64, v65, 1.0")) << bench.error();
  auto expected = result(bench, 0, 4);
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x4_f32 v[64:67], v64, v65, 1.0")) << bench.error();
  EXPECT_EQ(expected, result(bench, 64, 4));
}

TEST(MatrixModifier, ExecAndModeHaveNoEffect) {
  std::mt19937 random(45);
  StepBench bench("gfx942");
  fill(bench, random, 64, 2);
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x4_f32 v[0:3], v64, v65, 0x3e22f983")) << bench.error();
  auto expected = result(bench, 0, 4);
  bench.setExec(0);
  bench.setMode(0xf); // towards zero, denormals flushed
  ASSERT_TRUE(bench.run("v_mfma_f32_16x16x4_f32 v[0:3], v64, v65, 0x3e22f983"));
  EXPECT_EQ(expected, result(bench, 0, 4));
}

} // namespace
} // namespace fly::emulator::test
