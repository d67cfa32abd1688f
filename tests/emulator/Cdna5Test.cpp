// Where gfx1250 departs from RDNA: rules of the CDNA5 ISA manual of July 2026, by section, and of AMD's corrections to
// its own emulator (ROCm/rocm-systems, by number). Buffers are in BufferRangeTest, barriers in BarrierTest.
#include "tests/emulator/MemoryBench.h"

#include <bit>
#include <gtest/gtest.h>
#include <limits>

namespace fly::emulator::test {

namespace {

uint32_t bits(float v) { return std::bit_cast<uint32_t>(v); }
struct Bench : MemoryBench {
  explicit Bench(const std::string &arch = "gfx1250") : MemoryBench(arch, 4096) {}
  void does(const std::string &text) { ASSERT_TRUE(run(text)) << text << ": " << error(); }
};
constexpr uint32_t flushAll = 0, keepAll = 0xf0, keepAllTowardsZero = 0xff, overflowClamps = 1u << 23;

} // namespace

TEST(Cdna5, Section3_3_2_3_SecondRegisterOfFmamkHasTheBitsOfSrc2) {
  StepBench b("gfx1250");
  for (unsigned l = 0; l < b.lanes(); ++l) {
    b.vgpr(5, l) = bits(2.0f);
    b.vgpr(44, l) = bits(100.0f);
    b.vgpr(300, l) = bits(float(l));
  }
  ASSERT_TRUE(b.runSequence({"s_set_vgpr_msb 0x10", "v_fmamk_f32 v7, v5, 0x40400000, v44"})) << b.error();
  for (unsigned l = 0; l < b.lanes(); ++l) EXPECT_EQ(b.vgpr(7, l), bits(6.0f + float(l))) << l;
}

// LLVM 22's feature setreg-vgpr-msb-fixup: bits 19:12 of what s_setreg writes to MODE are dst, src0, src1, src2.
TEST(Cdna5, WritesOfModeSelectRegisters) {
  StepBench b("gfx1250");
  for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(5, l) = 7 + l;
  ASSERT_TRUE(b.runSequence({"s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0x1001", "v_mov_b32 v7, v5"}))
      << b.error();
  for (unsigned l = 0; l < b.lanes(); ++l) EXPECT_EQ(b.vgpr(263, l), 7 + l) << l;
  b.wave().scalar[9] = 0x4000; // src0
  ASSERT_TRUE(b.runSequence({"s_setreg_b32 hwreg(HW_REG_WAVE_MODE, 0, 4), s9", "v_mov_b32 v8, v7"})) << b.error();
  for (unsigned l = 0; l < b.lanes(); ++l) EXPECT_EQ(b.vgpr(8, l), 7 + l) << l;
}

TEST(Cdna5, Section13_1_5_D16LoadsClearTheOtherHalf) {
  struct Case {
    const char *arch, *low, *high;
    uint32_t otherLow, otherHigh;
  };
  for (const Case &c :
       {Case{"gfx1250", "global_load_d16_b16 v1, v[2:3], off", "global_load_d16_hi_b16 v1, v[2:3], off", 0, 0},
        Case{"gfx1201", "global_load_d16_b16 v1, v[2:3], off", "global_load_d16_hi_b16 v1, v[2:3], off", 0x1111,
             0x2222},
        Case{"gfx942", "global_load_short_d16 v1, v[2:3], off", "global_load_short_d16_hi v1, v[2:3], off", 0x1111,
             0x2222}}) {
    Bench b(c.arch); // gfx942: of an object without a setting; tests/objects has the settings
    b.put<uint16_t>(0, 0xabcd);
    for (unsigned l = 0; l < b.lanes(); ++l) b.setVgpr64(2, l, b.device), b.vgpr(1, l) = 0x11112222;
    b.does(c.low);
    EXPECT_EQ(b.vgpr(1, 3), c.otherLow << 16 | 0xabcd) << c.arch;
    b.splat(1, 0x11112222);
    b.does(c.high);
    EXPECT_EQ(b.vgpr(1, 3), 0xabcd0000 | c.otherHigh) << c.arch;
  }
}

TEST(Cdna5, Section11_2_4_TransposingLoadsOfLdsIgnoreExec) {
  Bench b;
  for (unsigned k = 0; k < 512; ++k) b.putLds<uint16_t>(2 * k, uint16_t(k));
  for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = 16 * l;
  b.does("ds_load_tr16_b128 v[4:7], v1");
  std::vector<uint32_t> whole;
  for (unsigned r = 4; r < 8; ++r)
    for (unsigned l = 0; l < 32; ++l) whole.push_back(b.vgpr(r, l));
  for (uint64_t exec : {0ull, 0xffull}) {
    for (unsigned r = 4; r < 8; ++r) b.splat(r, 0xdead);
    b.setExec(exec);
    b.does("ds_load_tr16_b128 v[4:7], v1");
    for (unsigned r = 4, k = 0; r < 8; ++r)
      for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(b.vgpr(r, l), whole[k++]) << exec;
  }
}

TEST(Cdna5, Section12_2_LdsFloatAtomicsFollowMode) {
  const uint32_t denormal = 3, least = 0x00800000;
  for (bool flushes : {false, true}) {
    Bench b;
    b.setMode(flushes ? flushAll : keepAll);
    b.setExec(1);
    b.vgpr(1, 0) = 0;
    auto after = [&](const char *text, uint32_t memory, uint32_t data) {
      b.putLds<uint32_t>(0, memory);
      b.vgpr(2, 0) = data;
      b.does(text);
      return b.ldsWord(0);
    };
    EXPECT_EQ(after("ds_add_f32 v1, v2", denormal, 0), flushes ? 0 : denormal) << "read";
    EXPECT_EQ(after("ds_add_f32 v1, v2", least, 0x80000000 | (least + 5)), flushes ? 0x80000000u : 0x80000005u)
        << "written";
    EXPECT_EQ(after("ds_min_num_f32 v1, v2", bits(1.0f), denormal), flushes ? 0 : denormal);
    // 12.3
    EXPECT_EQ(after("ds_add_f32 v1, v2", 0x7f800000, 0xff800000), 0xffc00000u);
    EXPECT_EQ(after("ds_add_f32 v1, v2", 0x7f800001, 0x7fc00007), 0x7fc00001u) << "the first NaN, quiet";
    b.setVgpr64(2, 0, 0);
    b.putLds<uint64_t>(0, 3); // doubles are added as they are
    b.does("ds_add_f64 v1, v[2:3]");
    EXPECT_EQ(b.ldsWord(0), 3u);
  }
}

TEST(Cdna5, Section7_7_PackedBfloatsIgnoreModeButForOverflow) {
  Bench b;
  b.setExec(1);
  for (uint32_t mode : {keepAll, keepAllTowardsZero, flushAll}) {
    b.setMode(mode);
    b.vgpr(1, 0) = 0x3f80'0001; // 1, and the least denormal
    b.vgpr(2, 0) = 0x3b80'0001; // 2^-8, half of the last bit of 1
    b.does("v_pk_add_bf16 v3, v1, v2");
    EXPECT_EQ(b.vgpr(3, 0), 0x3f80'0002u) << mode << ": ties to even; denormals are kept";
    b.vgpr(2, 0) = 0x3bc0'0000; // three quarters
    b.does("v_pk_add_bf16 v3, v1, v2");
    EXPECT_EQ(b.vgpr(3, 0), 0x3f81'0001u) << mode;
  }
  b.vgpr(1, 0) = 0x7f7f'7f80; // the largest, infinity
  b.vgpr(2, 0) = 0x7f7f'3f80;
  b.setMode(keepAll);
  b.does("v_pk_add_bf16 v3, v1, v2");
  EXPECT_EQ(b.vgpr(3, 0), 0x7f80'7f80u);
  b.setMode(keepAll | overflowClamps);
  b.does("v_pk_add_bf16 v3, v1, v2");
  EXPECT_EQ(b.vgpr(3, 0), 0x7f7f'7f80u);
}

TEST(Cdna5, RocmSystems10806_MixedFmaRoundsOnce) {
  Bench b;
  b.setExec(1);
  b.setMode(keepAll);
  b.vgpr(1, 0) = bits(1.0f);
  b.vgpr(2, 0) = bits(1.0f + 0x1p-8f); // a tie, which the addend breaks
  b.vgpr(3, 0) = bits(0x1p-40f);
  b.vgpr(4, 0) = 0x5555'5555;
  b.does("v_fma_mixlo_bf16 v4, v1, v2, v3");
  EXPECT_EQ(b.vgpr(4, 0), 0x5555'3f81u);
  b.does("v_fma_mixhi_bf16 v4, v1, v2, v3");
  EXPECT_EQ(b.vgpr(4, 0), 0x3f81'3f81u);
  b.vgpr(2, 0) = bits(1.0f + 0x1p-11f);
  b.does("v_fma_mixlo_f16 v4, v1, v2, v3");
  EXPECT_EQ(b.vgpr(4, 0), 0x3f81'3c01u);
}

TEST(Cdna5, Section7_6_2_InfinitiesBecomeTheLargestFp8IfOverflowClamps) {
  Bench b;
  b.setExec(1);
  b.vgpr(1, 0) = 0x7f800000;
  b.vgpr(2, 0) = 0xff800000;
  for (bool clamps : {false, true}) {
    b.setMode(keepAll | (clamps ? overflowClamps : 0));
    b.splat(3, 0);
    b.does("v_cvt_pk_fp8_f32 v3.l, v1, v2");
    EXPECT_EQ(b.vgpr(3, 0) & 0x7f7f, clamps ? 0x7e7eu : 0x7f7fu);
    b.does("v_cvt_pk_bf8_f32 v3.l, v1, v2");
    EXPECT_EQ(b.vgpr(3, 0) & 0xffff, clamps ? 0xfb7bu : 0xfc7cu);
  }
}

TEST(Cdna5, Section7_2_3_1_OutputModifiersApplyWithDenormals) {
  for (const char *arch : {"gfx1250", "gfx1201"}) {
    const bool cdna5 = std::string(arch) == "gfx1250";
    Bench b(arch);
    b.setExec(1);
    b.setMode(keepAll);
    b.vgpr(1, 0) = bits(3.0f);
    b.vgpr(2, 0) = bits(4.0f);
    b.does("v_add_f32_e64 v3, v1, v2 mul:2");
    EXPECT_EQ(b.vgpr(3, 0), bits(cdna5 ? 14.0f : 7.0f)) << arch;
    b.vgpr(1, 0) = b.vgpr(2, 0) = 0x80000000;
    b.does("v_add_f32_e64 v3, v1, v2 mul:2");
    EXPECT_EQ(b.vgpr(3, 0), cdna5 ? 0 : 0x80000000u) << arch << ": -0";
    b.vgpr(1, 0) = 0x00800000;
    b.vgpr(2, 0) = 0;
    b.does("v_add_f32_e64 v3, v1, v2 div:2");
    EXPECT_EQ(b.vgpr(3, 0), cdna5 ? 0 : 0x00800000u) << arch << ": a denormal result";
  }
}

} // namespace fly::emulator::test
