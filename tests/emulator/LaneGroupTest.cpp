// gfx1250's cross-lane moves within groups, its table look-ups and saturating packs, against their description written
// as loops over lanes.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"

#include <bit>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

// The expectations are those of CDNA5's manual, 15.14 and 15.8, in our own words; the emulator follows HIP's headers. A
// lane that has no partner in its group keeps its own value; every lane is read, whatever EXEC says.
TEST(LaneGroups, BroadcastUpDownXorAndAddresses) {
  StepBench bench("gfx1250");
  std::mt19937 random(6);
  struct {
    const char *op, *name;
    std::function<unsigned(unsigned lane, unsigned base, unsigned s, unsigned width)> from;
  } moves[] = {
      {"v_permlane_bcast_b32", "V_PERMLANE_BCAST_B32",
       [](unsigned, unsigned base, unsigned s, unsigned w) { return base + (s & (w - 1)); }},
      {"v_permlane_up_b32", "V_PERMLANE_UP_B32",
       [](unsigned l, unsigned base, unsigned s, unsigned) { return l - base < s ? l : l - s; }},
      {"v_permlane_down_b32", "V_PERMLANE_DOWN_B32",
       [](unsigned l, unsigned base, unsigned s, unsigned w) { return l - base + s < w ? l + s : l; }},
      {"v_permlane_xor_b32", "V_PERMLANE_XOR_B32",
       [](unsigned l, unsigned base, unsigned s, unsigned w) { return s < 32 && (l ^ s) < base + w ? l ^ s : l; }},
  };
  for (auto &m : moves) {
    for (unsigned width : {2u, 4u, 8u, 16u, 32u})
      for (unsigned s = 0; s < 64; ++s) {
        for (unsigned l = 0; l < 32; ++l) bench.vgpr(2, l) = 1000 + l, bench.vgpr(1, l) = 7;
        bench.sgpr(4) = s;
        bench.sgpr(5) = width;
        const uint32_t exec = uint32_t(random());
        bench.setExec(exec);
        ASSERT_TRUE(bench.run(std::string(m.op) + " v1, v2, s4, s5")) << bench.error();
        for (unsigned l = 0; l < 32; ++l)
          ASSERT_EQ(bench.vgpr(1, l), exec >> l & 1 ? 1000 + m.from(l, l / width * width, s, width) : 7u)
              << m.op << " lane " << l << " of " << width << " by " << s;
        for (unsigned l = 0; l < 32; ++l) bench.vgpr(2, l) = uint32_t(random());
        ASSERT_TRUE(bench.run("v_permlane_idx_gen_b32 v3, v2, s5")) << bench.error();
        for (unsigned l = 0; l < 32; ++l)
          if (exec >> l & 1) {
            ASSERT_EQ(bench.vgpr(3, l), 4 * ((bench.vgpr(2, l) & 63 & (width - 1)) + l / width * width));
          }
      }
    recordSource("gfx1250", m.name, "manual");
  }
  recordSource("gfx1250", "V_PERMLANE_IDX_GEN_B32", "manual");
}

TEST(LaneGroups, TheFirstRowOfOneRegisterForTheSecondOfAnother) {
  StepBench bench("gfx1250");
  std::mt19937 random(8);
  for (unsigned round = 0; round < 64; ++round) {
    uint32_t source[32], destination[32];
    for (unsigned l = 0; l < 32; ++l)
      bench.vgpr(2, l) = source[l] = uint32_t(random()), bench.vgpr(1, l) = destination[l] = uint32_t(random());
    const uint32_t exec = round ? uint32_t(random()) : ~0u;
    bench.setExec(exec);
    ASSERT_TRUE(bench.run("v_permlane16_swap_b32 v1, v2 fi:1")) << bench.error();
    for (unsigned l = 0; l < 32; ++l) {
      EXPECT_EQ(bench.vgpr(2, l), l < 16 && exec >> l & 1 ? destination[l + 16] : source[l]) << l;
      EXPECT_EQ(bench.vgpr(1, l), l >= 16 && exec >> l & 1 ? source[l - 16] : destination[l]) << l;
    }
  }
  recordSource("gfx1250", "V_PERMLANE16_SWAP_B32", "manual");
}

TEST(LaneGroups, RowsPermutedByEachLane) {
  for (const char *arch : {"gfx1201", "gfx1250"}) {
    StepBench bench(arch);
    std::mt19937 random(3);
    for (unsigned l = 0; l < 32; ++l) bench.vgpr(2, l) = uint32_t(random()), bench.vgpr(3, l) = uint32_t(random());
    ASSERT_TRUE(bench.run("v_permlane16_var_b32 v4, v2, v3")) << bench.error();
    ASSERT_TRUE(bench.run("v_permlanex16_var_b32 v5, v2, v3")) << bench.error();
    for (unsigned l = 0; l < 32; ++l) {
      unsigned select = bench.vgpr(3, l) % 16, row = l / 16;
      EXPECT_EQ(bench.vgpr(4, l), bench.vgpr(2, row * 16 + select));
      EXPECT_EQ(bench.vgpr(5, l), bench.vgpr(2, (1 - row) * 16 + select));
    }
  }
}

/// Element k of `bits` bits in consecutive registers.
uint32_t elementOf(StepBench &b, unsigned r, unsigned lane, unsigned k, unsigned bits) {
  uint32_t v = 0;
  for (unsigned n = 0; n < bits; ++n) v |= (b.vgpr(r + (k * bits + n) / 32, lane) >> (k * bits + n) % 32 & 1) << n;
  return v;
}

TEST(LaneGroups, TablesAreSecondSourceThenFirst) {
  StepBench bench("gfx1250");
  std::mt19937 random(4);
  // The table in registers as the host would lay it out: v20 (low) on.
  struct {
    const char *text, *name;
    unsigned bits;
  } looks[] = {{"v_perm_pk16_b4_u4 v[4:5], v21, v20, v[30:31]", "V_PERM_PK16_B4_U4", 4},
               {"v_perm_pk16_b6_u4 v[4:6], v22, v[20:21], v[30:31]", "V_PERM_PK16_B6_U4", 6},
               {"v_perm_pk16_b8_u4 v[4:7], v[22:23], v[20:21], v[30:31]", "V_PERM_PK16_B8_U4", 8}};
  for (auto &look : looks) {
    for (unsigned r = 20; r < 32; ++r)
      for (unsigned l = 0; l < 32; ++l) bench.vgpr(r, l) = uint32_t(random());
    ASSERT_TRUE(bench.run(look.text)) << bench.error();
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned k = 0; k < 16; ++k)
        ASSERT_EQ(elementOf(bench, 4, l, k, look.bits),
                  elementOf(bench, 20, l, elementOf(bench, 30, l, k, 4), look.bits))
            << look.text << " element " << k;
    recordSource("gfx1250", look.name, "document");
  }
}

TEST(LaneGroups, BytesSaturateToNibbles) {
  StepBench bench("gfx1250");
  for (unsigned round = 0; round < 64; ++round) {
    for (unsigned l = 0; l < 32; ++l)
      bench.vgpr(2, l) = (round * 4 + l % 4) | (l * 8) << 8 | ((255 - round) & 255) << 16 | (l * 7 & 255) << 24;
    ASSERT_TRUE(bench.run("v_sat_pk4_i4_i8 v4, v2")) << bench.error();
    ASSERT_TRUE(bench.run("v_sat_pk4_u4_u8 v5, v2")) << bench.error();
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned k = 0; k < 4; ++k) {
        uint32_t byte = bench.vgpr(2, l) >> 8 * k & 255;
        int asSigned = byte >= 128 ? int(byte) - 256 : int(byte);
        int want = std::min(7, std::max(-8, asSigned));
        ASSERT_EQ(bench.vgpr(4, l) >> 4 * k & 15, uint32_t(want) & 15) << byte;
        ASSERT_EQ(bench.vgpr(5, l) >> 4 * k & 15, std::min(15u, byte)) << byte;
      }
  }
  recordSource("gfx1250", "V_SAT_PK4_I4_I8", "document");
  recordSource("gfx1250", "V_SAT_PK4_U4_U8", "document");
}

TEST(LaneGroups, HalvesAndRelativeRegistersChangePlaces) {
  StepBench bench("gfx1201");
  bench.splat(1, 0x11112222);
  bench.splat(2, 0x33334444);
  ASSERT_TRUE(bench.run("v_swap_b16 v1.l, v2.h")) << bench.error();
  EXPECT_EQ(bench.vgpr(1, 5), 0x11113333u);
  EXPECT_EQ(bench.vgpr(2, 5), 0x22224444u);
  bench.splat(13, 13);
  bench.splat(27, 27);
  bench.m0() = 17u << 16 | 3;
  ASSERT_TRUE(bench.run("v_swaprel_b32 v10, v10")) << bench.error();
  EXPECT_EQ(bench.vgpr(13, 0), 27u);
  EXPECT_EQ(bench.vgpr(27, 0), 13u);
  ASSERT_TRUE(bench.run("v_movrelsd_2_b32 v10, v10")) << bench.error();
  EXPECT_EQ(bench.vgpr(27, 0), 27u);
  bench.m0() = 255u << 16;
  EXPECT_FALSE(bench.run("v_movrelsd_2_b32 v10, v10")) << "beyond the last register";
}

} // namespace
