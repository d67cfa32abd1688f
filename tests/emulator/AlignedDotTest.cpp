// gfx1201's dot products against what the machine gave: captures of a Radeon AI Pro R9700, published with AMD's
// rocjitsu (ROCm/rocm-systems, emulation/rocjitsu/tests/fixtures/float_dot/gfx1201_cases.h). Chosen are the cases that
// tell the rule from a sum in f32: cancellation, terms below the common grid, denormals, NaNs and which of them wins.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"

#include <gtest/gtest.h>

namespace fly::emulator::test {

namespace {

struct Capture {
  uint32_t a, b, c, result;
};

constexpr Capture halves[] = {
    {0x48004200, 0x44004800, 0xbf800000, 0x425c0000}, {0x3c003c00, 0x3c003c00, 0xc0000000, 0x00000000},
    {0x3c003c00, 0x3c003c00, 0x7f812345, 0x7fc12345}, {0x3c003c00, 0x3c003c00, 0xff812345, 0xffc12345},
    {0x3c007c01, 0x3c003c00, 0x00000000, 0xffc00a3d}, {0x3c007c00, 0x3c000000, 0x00000000, 0xffc00000},
    {0xfc007c00, 0x3c003c00, 0x00000000, 0xffc00000}, {0x7c007e01, 0x00003c00, 0x7fc12345, 0xffc00a3d},
    {0x3c007c00, 0x3c000000, 0x7fc12345, 0xffc00000}, {0xfc007c00, 0x3c003c00, 0x7fc12345, 0xffc00000},
    {0x80008000, 0x3c003c00, 0x00800000, 0x00800000}, {0x00000001, 0x3c003c00, 0x00000000, 0x33800000},
    {0x00000001, 0x3c008001, 0x00000000, 0xa7800000}, {0xeb9b023d, 0x803b6249, 0xf96d2663, 0xf96d2663},
    {0xf9e2d6b1, 0xe2adf60c, 0xeddb846f, 0xeddb846f}, {0x49b3fce2, 0x573a122b, 0x246a3c33, 0xffc00a3d},
    {0x058ef3f3, 0x2b241c4a, 0xb8eed486, 0xc2886106}, {0xcd6c4d6c, 0x78af78af, 0x00000000, 0x00000000},
    {0x84950495, 0x3d283d28, 0x80000000, 0x00000000}, {0x3644b644, 0xc365c365, 0x80000000, 0x00000000},
    {0xbc003c00, 0x0001fbff, 0x7f800000, 0x7f800000}, {0x8000fc00, 0x04013c00, 0x00800000, 0xff800000},
    {0x7c000401, 0x80000401, 0xff9a5ce2, 0xffc00000}, {0x3c003c00, 0x7bff7e5a, 0xffa6c1fe, 0xffc00a3d},
};
constexpr Capture bfloats[] = {
    {0x3f803f80, 0x3f803f80, 0xc0000000, 0x00000000}, {0x3f807f81, 0x3f803f80, 0x00000000, 0xffc00a3d},
    {0xff807f80, 0x3f803f80, 0x7fc12345, 0xffc00000}, {0x00800000, 0x3f808000, 0x00000001, 0x00800001},
    {0x00000001, 0x3f804980, 0x00000000, 0x07000000}, {0x00000700, 0x3f803f80, 0x00000000, 0x07000000},
    {0x00800080, 0x3f003f00, 0x00000000, 0x00800000}, {0xff7f7f7f, 0x7f7f7f7f, 0x00000000, 0x00000000},
    {0xf9e2d6b1, 0xe2adf60c, 0xeddb846f, 0x7f800000}, {0x49b3fce2, 0x573a122b, 0x246a3c33, 0x61820e00},
    {0x714025c9, 0xfdfca829, 0x916be0f9, 0xff800000}, {0x058ef3f3, 0x2b241c4a, 0xb8eed486, 0xd0bfbe00},
    {0xc395629b, 0xd9633359, 0xdc60025c, 0x5d504184}, {0xce354e35, 0x7bfd7bfd, 0x00000000, 0x00000000},
    {0xbf803f80, 0x0001ff7f, 0x7f800000, 0x7f800000}, {0x8000ff80, 0x00813f80, 0x00800000, 0xff800000},
    {0x2061bc39, 0x96b40093, 0x0056dd77, 0x00553463}, {0x81ff0e0d, 0x12cc2d3b, 0x007a3a08, 0x007a6d87},
    {0x37d6ba90, 0x8901852c, 0x80800007, 0x81674c04}, {0x08e7393d, 0xb7d307aa, 0x80800005, 0x8006c205},
    {0x0364bc8c, 0x3c468385, 0x807ffffe, 0x0069a402}, {0x993b1798, 0x263ca825, 0x00800000, 0x8026a200},
    {0x31c03a01, 0x0dfd8564, 0x007ffffe, 0x00a56dfe}, {0x8129061c, 0xbfaab964, 0x007ffffd, 0x017db7fe},
    {0x31d937e8, 0x0ef388d8, 0x00800003, 0x00947603}, {0x8522326b, 0xbbd88d2f, 0x00800002, 0x01949b60},
    {0xafebac5f, 0x8fe594b6, 0x80800002, 0x0198d0e0}, {0x0d040199, 0xb3fb3e6b, 0x807ffff8, 0x817c9e7c},
    {0x89298151, 0xb6953e7a, 0x00800007, 0x007c5007}, {0xb18c20ea, 0x0eb21ff4, 0x00800003, 0x013db002},
    {0x889d8fb2, 0xb704b02a, 0x00800007, 0x01239404}, {0xa5e88082, 0x9b613ea3, 0x00800002, 0x01e18f40},
    {0x98ea1190, 0x2720af4c, 0x80800004, 0x81b75001}, {0x2dd81116, 0x924aaedf, 0x807ffffa, 0x81568cfd},
};

template <size_t N> void expectCaptured(const Capture (&captures)[N], const char *single, const char *dual) {
  StepBench bench("gfx1201");
  for (const Capture &c : captures) {
    bench.splat(0, c.a);
    bench.splat(1, c.b);
    bench.splat(2, c.c);
    bench.splat(4, c.c);
    ASSERT_TRUE(bench.run(std::string(single) + " v3, v0, v1, v2")) << bench.error();
    EXPECT_EQ(bench.vgpr(3, 5), c.result) << single << std::hex << " of " << c.a << ", " << c.b << ", " << c.c;
    ASSERT_TRUE(bench.run(std::string(dual) + " v4, v0, v1 :: v_dual_mov_b32 v7, v2")) << bench.error();
    EXPECT_EQ(bench.vgpr(4, 5), c.result) << dual << std::hex << " of " << c.a << ", " << c.b << ", " << c.c;
  }
}

} // namespace

TEST(AlignedDot, HalvesGiveWhatTheMachineGave) {
  expectCaptured(halves, "v_dot2_f32_f16", "v_dual_dot2acc_f32_f16");
  for (const char *name : {"V_DOT2_F32_F16", "V_DOT2C_F32_F16"}) recordSource("gfx1201", name, "facts");
}

TEST(AlignedDot, BfloatsGiveWhatTheMachineGave) {
  expectCaptured(bfloats, "v_dot2_f32_bf16", "v_dual_dot2acc_f32_bf16");
  for (const char *name : {"V_DOT2_F32_BF16", "V_DOT2C_F32_BF16"}) recordSource("gfx1201", name, "facts");
}

/// The last place of 1 in bf16 is 2^-7.
TEST(AlignedDot, CutsOffABfloatResultAndRoundsAHalf) {
  StepBench bench("gfx1201");
  bench.splat(0, 0x00003f80); // 1 * 2^-8 * 1.9921875, less than one unit above
  bench.splat(1, 0x00003bff);
  bench.splat(2, 0x3f80);
  ASSERT_TRUE(bench.run("v_dot2_bf16_bf16 v3, v0, v1, v2")) << bench.error();
  EXPECT_EQ(bench.vgpr(3, 0) & 0xffff, 0x3f80u);
  bench.splat(0, 0x00003c00); // 2^-11 * 1.5 above 1, whose last place is 2^-10
  bench.splat(1, 0x00001200);
  bench.splat(2, 0x3c00);
  ASSERT_TRUE(bench.run("v_dot2_f16_f16 v3, v0, v1, v2")) << bench.error();
  EXPECT_EQ(bench.vgpr(3, 0) & 0xffff, 0x3c01u);
}

} // namespace fly::emulator::test
