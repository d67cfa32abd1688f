// Values that were never written: silent where they are moved or discarded, found where they decide something.
#include "runtime/emulator/watch/InitCheck.h"
#include "runtime/emulator/watch/Report.h"
#include "tests/emulator/StepBench.h"

#include <gtest/gtest.h>

namespace fly::emulator::test {

namespace {

using Texts = std::vector<std::string>;

/// A wave at its start: v0 is 4 times the lane, s[0:1] the address of 1024 bytes, EXEC all ones.
struct Start {
  StepBench b;
  SecondMemories memories;
  InitCheck check;
  LaunchConfig config;
  FindingRecorder recorder;
  explicit Start(const std::string &arch, CheckMode mode = CheckMode::Error)
      : b(arch), check(memories, mode), recorder(b.program(), config) {
    b.setSgpr64(0, b.memory.allocate(1024, "out"));
    for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(0, l) = 4 * l;
    ScalarSet set;
    set[0] = set[1] = true;
    memories.lds.begin(b.lds.data(), b.lds.size());
    memories.scratch.begin(b.scratch.data(), b.scratch.size());
    Wave &w = b.wave();
    check.start(w, set);
    w.observers.add(recorder, {Hook::Finding});
    config.block = {b.lanes(), 1, 1};
  }
  /// The message of the first finding; empty if there is none.
  std::string run(const Texts &texts) {
    for (const std::string &text : texts)
      if (!b.run(text)) return b.wave().fault.kind == FaultKind::UninitialisedRead ? b.wave().fault.what : b.error();
    return {};
  }
};

constexpr int anyLane = -2;

struct Case {
  Texts texts;
  const char *finding; ///< a part of the message; empty: silent
  int lane = -1;
};

void check(const std::string &arch, const std::vector<Case> &cases) {
  for (const Case &c : cases) {
    std::string all = arch;
    for (const std::string &t : c.texts) all += "\n  " + t;
    SCOPED_TRACE(all);
    Start s(arch);
    const std::string what = s.run(c.texts);
    if (!*c.finding) EXPECT_EQ(what, "");
    else {
      EXPECT_NE(what.find(c.finding), std::string::npos) << "found: " << what;
      EXPECT_EQ(s.b.wave().fault.kind, FaultKind::UninitialisedRead);
      if (c.lane != anyLane) EXPECT_EQ(s.b.wave().fault.lane, c.lane);
    }
  }
}

const char *const store5 = "global_store_dword v0, v5, s[0:1]";
const char *const store6 = "global_store_dword v0, v6, s[0:1]";

} // namespace

TEST(InitCheck, StoresToGlobalMemory) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"})
    check(arch, {
                    {{store5}, "a store to `out` writes v5, which was never written", 0},
                    {{"v_mov_b32 v5, 1", store5}, ""},
                    {{"v_mov_b32 v6, v5"}, ""},
                    {{"v_mov_b32 v6, v5", store6}, "writes v6, whose value depends on v5", 0},
                    {{"v_add_u32 v6, v0, v5", store6}, "writes v6, whose value depends on v5", 0},
                    {{"v_mul_f32 v6, 0, v5", store6}, "depends on v5", 0},
                    {{"v_xor_b32 v6, v5, v5", store6}, ""},
                    {{"v_mov_b32 v6, s20", store6}, "depends on s20", 0},
                    {{"v_mov_b32 v6, s20", "v_mov_b32 v6, 0", store6}, ""},
                    // through a register that is written later
                    {{"v_mov_b32 v6, v5", "v_mov_b32 v5, 0", store5}, ""},
                    {{"v_mov_b32 v6, v5", "v_mov_b32 v5, 0", store6}, "depends on v5", 0},
                });
}

TEST(InitCheck, MaskedLanes) {
  check("gfx942",
        {
            {{"s_mov_b64 exec, 5", "v_mov_b32 v5, 1", store5}, ""},
            {{"s_mov_b64 exec, 5", "v_mov_b32 v5, 1", "s_mov_b64 exec, 7", store5}, "v5, which was never written", 1},
            {{"s_mov_b64 exec, 0", store5, "global_load_dword v6, v5, s[0:1]"}, ""},
            {{"s_mov_b64 exec, 5", "v_mov_b32 v5, 1", "v_add_u32 v6, v5, v5", store6}, ""},
            // both ways of a branch write the register
            {{"s_mov_b64 exec, 5", "v_mov_b32 v5, 1", "s_not_b64 exec, exec", "v_mov_b32 v5, 2", "s_mov_b64 exec, -1",
              store5},
             ""},
        });
  check("gfx1201", {
                       {{"s_mov_b32 exec_lo, 5", "v_mov_b32 v5, 1", store5}, ""},
                       {{"s_mov_b32 exec_lo, 5", "v_mov_b32 v5, 1", "s_mov_b32 exec_lo, 7", store5},
                        "v5, which was never written",
                        1},
                   });
}

TEST(InitCheck, Bytes) {
  const char *byte = "global_store_byte v0, v6, s[0:1]", *half = "global_store_short v0, v6, s[0:1]",
             *high = "global_store_short_d16_hi v0, v6, s[0:1]";
  for (const char *arch : {"gfx942", "gfx1201"})
    check(
        arch,
        {
            {{"v_and_b32 v6, 0xffffff00, v5", byte}, ""},
            {{"v_and_b32 v6, 0xffffff00, v5", half}, "depends on v5", 0},
            {{"v_lshlrev_b32 v6, 16, v5", half}, ""},
            {{"v_lshlrev_b32 v6, 16, v5", high}, "depends on v5", 0},
            {{"v_lshrrev_b32 v6, 16, v5", high}, ""},
            {{"v_or_b32 v6, -1, v5", store6}, ""},
            {{"v_mov_b32 v7, 3", "s_mov_b32 s9, 0x0c0c0400", "v_perm_b32 v6, v5, v7, s9", store6}, "depends on v5", 0},
            {{"v_mov_b32 v7, 3", "s_mov_b32 s9, 0x0c0c0100", "v_perm_b32 v6, v5, v7, s9", store6}, ""},
            {{"v_bfe_u32 v6, v5, 0, 8", high}, ""},
            {{"v_bfe_u32 v6, v5, 0, 8", byte}, "depends on v5", 0},
            {{"v_cvt_f32_f16 v6, v5", store6}, "depends on v5", 0},
            {{"v_lshlrev_b32 v7, 16, v5", "v_cvt_f32_f16 v6, v7", store6}, ""},
            {{"v_and_b32 v7, 0xffff, v5", "v_pk_add_f16 v6, v7, v7", high}, ""},
            {{"v_and_b32 v7, 0xffff, v5", "v_pk_add_f16 v6, v7, v7 op_sel:[0,0] op_sel_hi:[0,0]", high},
             "depends on v5",
             0},
            // halves of a load are merged into an unset register
            {{"global_load_short_d16 v6, v0, s[0:1]", half}, ""},
            {{"global_load_short_d16 v6, v0, s[0:1]", "global_load_short_d16_hi v6, v0, s[0:1]", store6}, ""},
        });
  check("gfx942",
        {
            {{"v_mov_b32_sdwa v6, v5 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0", half}, ""},
            {{"v_mov_b32 v7, 0",
              "v_add_u32_sdwa v6, v7, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_0", high},
             ""},
            {{"global_load_short_d16 v6, v0, s[0:1]", store6}, "v6, which was never written", 0},
        });
}

TEST(InitCheck, ComparisonsOfHalves) {
  for (const char *integer : {"v_cmp_eq_u16 vcc_lo, 0, v1", "v_cmp_gt_i16 vcc_lo, 0, v1", "v_cmp_eq_f16 vcc_lo, 0, v1"})
    check("gfx1201", {{{"v_add_nc_u16 v1.l, v0.l, 1", std::string(integer) + ".l", "v_cndmask_b32 v2, 0, 1, vcc_lo",
                        "global_store_b32 v0, v2, s[0:1]"},
                       ""},
                      {{"v_add_nc_u16 v1.l, v0.l, 1", std::string(integer) + ".h", "v_cndmask_b32 v2, 0, 1, vcc_lo",
                        "global_store_b32 v0, v2, s[0:1]"},
                       "depends on v1",
                       0}});
}

TEST(InitCheck, Lanes) {
  check("gfx942",
        {
            {{"s_mov_b64 exec, 0xf", "v_mov_b32 v5, 1", "s_mov_b64 exec, -1", "v_readlane_b32 s5, v5, 2",
              "v_mov_b32 v6, s5", store6},
             ""},
            {{"s_mov_b64 exec, 0xf", "v_mov_b32 v5, 1", "s_mov_b64 exec, -1", "v_readlane_b32 s5, v5, 4",
              "v_mov_b32 v6, s5", store6},
             "depends on v5",
             0},
            {{"s_mov_b32 s5, 1", "v_writelane_b32 v5, s5, 3", "s_mov_b64 exec, 8", store5}, ""},
            {{"s_mov_b32 s5, 1", "v_writelane_b32 v5, s5, 3", "s_mov_b64 exec, 24", store5},
             "v5, which was never written",
             4},
            {{"s_mov_b64 exec, 1", "v_mov_b32 v5, 1", "s_mov_b64 exec, -1",
              "v_mov_b32_dpp v6, v5 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf", "s_mov_b64 exec, 15", store6},
             ""},
            {{"s_mov_b64 exec, 1", "v_mov_b32 v5, 1", "s_mov_b64 exec, -1",
              "v_mov_b32_dpp v6, v5 quad_perm:[0,1,0,0] row_mask:0xf bank_mask:0xf", "s_mov_b64 exec, 15", store6},
             "depends on v5",
             1},
            {{"v_mov_b32 v7, 0", "s_mov_b64 exec, 1", "v_mov_b32 v5, 1", "s_mov_b64 exec, -1",
              "ds_bpermute_b32 v6, v7, v5", store6},
             ""},
            {{"v_mov_b32 v7, 4", "s_mov_b64 exec, 1", "v_mov_b32 v5, 1", "s_mov_b64 exec, -1",
              "ds_bpermute_b32 v6, v7, v5", store6},
             "depends on v5",
             0},
        });
}

TEST(InitCheck, Addresses) {
  for (const char *arch : {"gfx942", "gfx1250"})
    check(arch, {
                    {{"global_load_dword v6, v5, s[0:1]"}, "an address is in v5, which was never written", 0},
                    {{"v_mov_b32 v6, v5", "global_store_dword v6, v0, s[0:1]"},
                     "an address is in v6, whose value depends on v5, which was never written",
                     0},
                    {{"global_load_dword v6, v0, s[20:21]"}, "an address is in s20, which was never written"},
                    {{"s_load_dword s4, s[20:21], 0x0"}, "an address is in s20, which was never written"},
                    {{"s_load_dword s4, s[0:1], 0x0", "v_mov_b32 v6, s4", store6}, ""},
                    {{"ds_read_b32 v6, v5"}, "an address is in v5, which was never written", 0},
                    {{"v_and_b32 v6, 0, v5", "ds_read_b32 v6, v6"}, ""},
                });
}

TEST(InitCheck, Branches) {
  check("gfx942",
        {
            {{"s_cmp_eq_u32 s20, 0"}, ""},
            {{"s_cmp_eq_u32 s20, 0", "s_cbranch_scc1 0"}, "a branch reads SCC, whose value depends on s20"},
            {{"s_cbranch_scc1 0"}, "a branch reads SCC, which was never written"},
            {{"s_mov_b32 s20, 1", "s_cmp_eq_u32 s20, 0", "s_cbranch_scc1 0"}, ""},
            {{"s_and_b32 s21, s20, 0", "s_cbranch_scc1 0"}, ""},
            {{"s_and_b32 s21, s20, 3", "s_cbranch_scc1 0"}, "depends on s20"},
            {{"s_or_b32 s21, s20, 3", "s_cbranch_scc0 0"}, ""},
            {{"v_cmp_lt_u32 vcc, v0, v5", "s_cbranch_vccnz 0"}, "a branch reads VCC, whose value depends on v5"},
            // another lane makes VCC nonzero
            {{"v_mov_b32 v6, -1", "s_mov_b64 exec, 1", "v_mov_b32 v6, v5", "s_mov_b64 exec, -1",
              "v_cmp_lt_u32 vcc, v0, v6", "s_cbranch_vccz 0"},
             ""},
            {{"v_readfirstlane_b32 s5, v5", "s_cmp_gt_i32 s5, 4", "s_cbranch_scc0 0"}, "depends on v5"},
            // the lanes that the unset operand has are not in the mask
            {{"v_cmp_lt_u32 vcc, v0, v5", "s_mov_b64 s[10:11], 0", "s_and_b64 exec, vcc, s[10:11]"}, ""},
        });
}

TEST(InitCheck, Exec) {
  check("gfx942",
        {
            {{"v_cmp_lt_u32 vcc, v0, v5", "s_and_saveexec_b64 s[10:11], vcc"},
             "EXEC is written with a value that depends on v5",
             0},
            {{"s_mov_b64 exec, 6", "v_mov_b32 v5, 1", "v_cmp_lt_u32 vcc, v0, v5", "s_and_saveexec_b64 s[10:11], vcc"},
             ""},
            {{"v_cmp_lt_u32 vcc, v0, v5", "s_mov_b64 s[10:11], vcc"}, ""},
        });
  check("gfx1250", {{{"v_cmpx_lt_u32 v0, v5"}, "EXEC is written with a value that depends on v5", 0}});
}

TEST(InitCheck, Lds) {
  for (const char *arch : {"gfx942", "gfx1201"})
    check(arch,
          {
              {{"ds_read_b32 v6, v0 offset:128"}, ""},
              {{"ds_read_b32 v6, v0 offset:128", store6},
               "writes v6, whose value depends on byte 128 of LDS, which was never written",
               0},
              {{"v_mov_b32 v7, 1", "ds_write_b32 v0, v7 offset:128", "ds_read_b32 v6, v0 offset:128", store6}, ""},
              {{"v_mov_b32 v7, 1", "ds_write_b32 v0, v7 offset:128", "ds_read_b32 v6, v0 offset:132", store6},
               "depends on byte ",
               anyLane},
              {{"v_mov_b32 v7, 1", "ds_write_b8 v0, v7", "ds_read_u8 v6, v0", store6}, ""},
              {{"v_mov_b32 v7, 1", "ds_write_b8 v0, v7", "ds_read_u16 v6, v0", store6}, "depends on byte 1 of LDS", 0},
              {{"ds_write_b32 v0, v5", "ds_read_b32 v6, v0", store6}, "depends on v5", 0},
              {{"ds_write_b16 v0, v5", "v_mov_b32 v7, 1", "ds_write_b16 v0, v7", "ds_read_u16 v6, v0", store6}, ""},
              {{"v_mov_b32 v7, 1", "ds_add_u32 v0, v7", "ds_read_b32 v6, v0", store6}, "depends on byte 0 of LDS", 0},
              {{"v_mov_b32 v7, 1", "ds_write_b32 v0, v7", "ds_add_rtn_u32 v6, v0, v7", store6}, ""},
          });
}

TEST(InitCheck, Scratch) {
  check("gfx942",
        {
            {{"scratch_store_dword off, v5, off offset:8", "scratch_load_dword v6, off, off offset:8"}, ""},
            {{"scratch_store_dword off, v5, off offset:8", "scratch_load_dword v6, off, off offset:8", store6},
             "depends on v5",
             0},
            {{"scratch_store_dword off, v0, off offset:8", "scratch_load_dword v6, off, off offset:8", store6}, ""},
            {{"scratch_store_dword off, v0, off offset:8", "scratch_load_dword v6, off, off offset:12", store6},
             "depends on byte 12 of scratch",
             0},
        });
}

TEST(InitCheck, MatricesByElement) {
  // A(3, :) is unset: D(3, :) is in register 3 of lanes 0 to 15 with both instructions.
  const Texts prepare = {"v_mov_b32 v30, 0", "v_mov_b32 v31, 0", "v_mov_b32 v32, 0", "v_mov_b32 v33, 0"};
  for (const char *arch : {"gfx942", "gfx1201"}) {
    const bool wmma = std::string(arch) == "gfx1201";
    for (unsigned reg = 0; reg < 4; ++reg) {
      SCOPED_TRACE(std::string(arch) + " " + std::to_string(reg));
      Start s(arch);
      Texts texts = prepare;
      for (unsigned k = 8; k < 20; ++k)
        if (wmma || (k != 16 && k != 17)) texts.push_back("v_mov_b32 v" + std::to_string(k) + ", 0");
      ASSERT_EQ(s.run(texts), "");
      // B is in v[30:..], C is 0; A is set in the lanes that do not have row 3
      s.b.setExec(s.b.laneMask() & ~0x0008000800080008ull);
      ASSERT_EQ(s.run({"v_mov_b32 v40, 0", "v_mov_b32 v41, 0", "v_mov_b32 v42, 0", "v_mov_b32 v43, 0"}), "");
      s.b.setExec(s.b.laneMask());
      ASSERT_EQ(s.run({wmma ? "v_wmma_f32_16x16x16_f16 v[8:15], v[40:43], v[30:33], v[8:15]"
                            : "v_mfma_f32_16x16x16_f16 v[8:11], v[40:41], v[30:31], 0"}),
                "");
      const std::string what = s.run({"global_store_dword v0, v" + std::to_string(8 + reg) + ", s[0:1]"});
      if (reg != 3) EXPECT_EQ(what, "");
      else {
        EXPECT_NE(what.find("writes v11, whose value depends on v40"), std::string::npos) << what;
        EXPECT_LT(s.b.wave().fault.lane, 16);
        // the lanes of the other half have row 7 or 11
        s.b.setExec(s.b.laneMask() & ~0xffffull);
        EXPECT_EQ(s.run({"global_store_dword v0, v11, s[0:1]"}), "");
      }
    }
  }
}

TEST(InitCheck, AccumulatorWithoutFill) {
  // C(i, j) is unset in one lane: so is the element of D that is there, and no other.
  Start s("gfx950");
  ASSERT_EQ(
      s.run({"v_mov_b32 v30, 0", "v_mov_b32 v31, 0", "v_mov_b32 v9, 0", "v_mov_b32 v10, 0", "v_mov_b32 v11, 0",
             "s_mov_b64 exec, 0xfffffffffffffffb", "v_mov_b32 v8, 0", "s_mov_b64 exec, -1",
             "v_mfma_f32_16x16x16_f16 v[8:11], v[30:31], v[30:31], v[8:11]",
             "v_mfma_f32_16x16x16_f16 v[8:11], v[30:31], v[30:31], v[8:11]", "global_store_dword v0, v9, s[0:1]"}),
      "");
  EXPECT_NE(s.run({"global_store_dword v0, v8, s[0:1]"}).find("v8, which was never written"), std::string::npos);
  EXPECT_EQ(s.b.wave().fault.lane, 2);
}

TEST(InitCheck, WarnsOncePerPlace) {
  Start s("gfx942", CheckMode::Warn);
  EXPECT_EQ(s.run({"v_mov_b32 v6, v5", store6, store6, store6, "v_mov_b32 v6, v5", store6}), "");
  ASSERT_EQ(s.recorder.list.size(), 1u);
  const Finding &f = s.recorder.list.begin()->second;
  EXPECT_EQ(f.kind, FaultKind::UninitialisedRead);
  EXPECT_EQ(f.count, 2u); // what is reported is then taken for written
  EXPECT_NE(f.text().find("first read by: v_mov_b32"), std::string::npos) << f.text();
}

} // namespace fly::emulator::test
