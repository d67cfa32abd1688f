// gfx9's modes of program control (VSKIP, register indexing, fork and join), instructions that end or stop a wave, and
// what is said of those that cannot be executed. Expected values are those of AMD's ISA documents and their pseudocode.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/MemoryBench.h"
#include "tests/emulator/TestSupport.h"

#include <gtest/gtest.h>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

const char *const gfx9s[] = {"gfx942", "gfx950"};
constexpr uint32_t indexEnable = 1u << 27, vectorSkip = 1u << 28;

void record(const std::string &arch, std::initializer_list<const char *> names, const char *source = "document") {
  for (const char *name : names) recordSource(arch, name, source);
}

TEST(VectorSkip, SkipsVectorInstructionsAndNothingElse) {
  for (const char *arch : gfx9s) {
    MemoryBench b(arch, 4096);
    ASSERT_TRUE(b.run("s_setvskip 4, 2")) << b.error();
    EXPECT_EQ(b.mode() & vectorSkip, vectorSkip);
    b.splat(0, 7);
    b.splat(1, 1);
    for (unsigned l = 0; l < 64; ++l) b.setVgpr64(2, l, b.device + 4 * l);
    b.put(0, 0x1234u);
    b.sgpr(4) = 0;
    const char *skipped[] = {"v_mov_b32 v0, 9",
                             "v_exp_f32 v0, v1",
                             "global_load_dword v0, v[2:3], off",
                             "ds_read_b32 v0, v1",
                             "global_store_dword v[2:3], v1, off",
                             "v_mfma_f32_4x4x1_16b_f32 v[0:3], v1, v1, v[0:3]",
                             "v_readfirstlane_b32 s4, v1",
                             "v_cmp_eq_u32 vcc, v1, v1"};
    b.setVcc(0);
    for (const char *text : skipped) ASSERT_TRUE(b.run(text)) << b.error();
    EXPECT_EQ(b.vgpr(0, 0), 7u);
    EXPECT_EQ(b.word(0), 0x1234u);
    EXPECT_EQ(b.sgpr(4), 0u);
    EXPECT_EQ(b.vcc(), 0u);
    ASSERT_TRUE(b.run("s_mov_b32 s4, 5"));
    EXPECT_EQ(b.sgpr(4), 5u);
    // A skipped load counts in no counter: the wait is for the one that was issued.
    ASSERT_TRUE(b.run("s_setvskip 3, 2")) << b.error();
    EXPECT_EQ(b.mode() & vectorSkip, 0u);
    ASSERT_TRUE(
        b.runSequence({"global_load_dword v8, v[2:3], off", "s_setvskip 1, 0", "global_load_dword v9, v[2:3], off",
                       "s_setvskip 0, 0", "s_waitcnt vmcnt(0)", "v_mov_b32 v0, v8"}))
        << b.error();
    EXPECT_EQ(b.vgpr(0, 0), 0x1234u);
    record(arch, {"S_SETVSKIP"});
  }
}

TEST(VectorSkip, CanBeSetThroughMode) {
  MemoryBench b("gfx942", 4096);
  b.splat(0, 7);
  ASSERT_TRUE(b.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1")) << b.error();
  ASSERT_TRUE(b.run("v_mov_b32 v0, 9"));
  EXPECT_EQ(b.vgpr(0, 0), 7u);
  ASSERT_TRUE(b.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0"));
  ASSERT_TRUE(b.run("v_mov_b32 v0, 9"));
  EXPECT_EQ(b.vgpr(0, 0), 9u);
}

TEST(RegisterIndexing, M0SaysWhichOperandsAndWhenever) {
  for (const char *arch : gfx9s) {
    StepBench b(arch);
    for (unsigned r = 0; r < 32; ++r) b.splat(r, 100 + r);
    b.m0() = 0xabcd0f00;
    b.sgpr(0) = 0x105; // only 7:0 count
    ASSERT_TRUE(b.run("s_set_gpr_idx_on s0, 0x1")) << b.error();
    EXPECT_EQ(b.m0(), 0xabcd1f05u);
    EXPECT_EQ(b.mode() & indexEnable, indexEnable);
    ASSERT_TRUE(b.run("v_add_u32 v0, v1, v2"));
    EXPECT_EQ(b.vgpr(0, 0), 106u + 102u);
    ASSERT_TRUE(b.run("s_set_gpr_idx_mode 0xa")); // Src1 and Dst
    EXPECT_EQ(b.m0(), 0xabcdaf05u);
    ASSERT_TRUE(b.run("v_add_u32 v4, v1, v2"));
    EXPECT_EQ(b.vgpr(9, 0), 101u + 107u);
    ASSERT_TRUE(b.run("s_set_gpr_idx_idx 3"));
    EXPECT_EQ(b.m0(), 0xabcdaf03u);
    ASSERT_TRUE(b.run("v_add_u32 v4, v1, v2"));
    EXPECT_EQ(b.vgpr(7, 0), 101u + 105u);
    ASSERT_TRUE(b.run("s_mov_b32 m0, 0x1002")); // M0 is an ordinary register all the while
    ASSERT_TRUE(b.run("v_mov_b32 v20, v1"));
    EXPECT_EQ(b.vgpr(20, 0), 103u);
    ASSERT_TRUE(b.run("s_set_gpr_idx_off"));
    EXPECT_EQ(b.mode() & indexEnable, 0u);
    EXPECT_EQ(b.m0(), 0x1002u);
    ASSERT_TRUE(b.run("v_mov_b32 v20, v1"));
    EXPECT_EQ(b.vgpr(20, 0), 101u);
    // The mode alone does not turn it on.
    ASSERT_TRUE(b.run("s_set_gpr_idx_mode 0x1"));
    ASSERT_TRUE(b.run("v_mov_b32 v20, v2"));
    EXPECT_EQ(b.vgpr(20, 0), 102u);
    record(arch, {"S_SET_GPR_IDX_ON", "S_SET_GPR_IDX_MODE", "S_SET_GPR_IDX_IDX", "S_SET_GPR_IDX_OFF"});
  }
}

TEST(ForkAndJoin, WalkBothSidesTheSmallerOneFirst) {
  for (const char *arch : gfx9s) {
    Machine m("forks", arch, "s");
    ASSERT_TRUE(m.module) << m.error;
    uint64_t out = m.device.allocate(65 * 4, "out");
    auto run = [&] { return m.device.launch(*m.module, "forks", shape(1, 64), arguments(out)); };
    LaunchResult r = run();
    ASSERT_TRUE(r.ok) << r.report.text();
    auto got = m.download<uint32_t>(out, 65);
    for (uint32_t l = 0; l < 64; ++l) EXPECT_EQ(got[l], 0x100u + (l < 40 ? 2 : 65 + (l < 42 ? 16 : 32))) << l;
    EXPECT_EQ(got[64], 0b1'0'0'1'1u) << "the order of the sides";
    record(arch, {"S_CBRANCH_I_FORK", "S_CBRANCH_G_FORK", "S_CBRANCH_JOIN"});
  }
}

TEST(ForkAndJoin, AFullStackIsAFault) {
  StepBench b("gfx942", {});
  b.program().limits.sgprs = 16;
  b.wave().mode.set(4u << 29);
  EXPECT_FALSE(b.run("s_cbranch_g_fork 5, -1"));
  EXPECT_EQ(b.wave().fault.kind, FaultKind::RegisterOutOfRange);
}

TEST(ScreenPartition, IsThePublishedTable) {
  // The table of v_screen_partition_4se_b32 in AMD's Vega ISA document, a hexadecimal digit an entry.
  const std::string table = "137f5fff7fffffff"
                            "f26efafffbffffff"
                            "df4cff5fffdfffff"
                            "9bf8fffafffeffff"
                            "ffff4cdf6fffefff"
                            "fffff89bf99ffdff"
                            "ffff7f13ff9fffbf"
                            "ffff6ef26ff6fff7"
                            "bfffffff23bfafff"
                            "f7fffffff19df5ff"
                            "ffefffffef8cffaf"
                            "fffdffff67f4fff5"
                            "9fffdfffffff8cef"
                            "f66ffefffffff467"
                            "ff6fff7fffffbf23"
                            "9ff9fffbffff9df1";
  for (const char *arch : gfx9s) {
    StepBench b(arch);
    for (unsigned base = 0; base < 256; base += 64) {
      for (unsigned l = 0; l < 64; ++l) b.vgpr(1, l) = 0xab00 | (base + l);
      ASSERT_TRUE(b.run("v_screen_partition_4se_b32 v0, v1")) << b.error();
      for (unsigned l = 0; l < 64; ++l)
        EXPECT_EQ(b.vgpr(0, l), static_cast<uint32_t>(std::stoul(table.substr(base + l, 1), nullptr, 16))) << base + l;
    }
    record(arch, {"V_SCREEN_PARTITION_4SE_B32"}, "facts");
  }
}

TEST(ScalarScratch, CountsItsRegisterOffsetIn64Bytes) {
  for (const char *arch : gfx9s) {
    MemoryBench b(arch, 4096);
    for (uint32_t k = 0; k < 1024; ++k) b.put(4 * k, 0x1000 + k);
    b.setSgpr64(2, b.device);
    b.sgpr(6) = 3;
    ASSERT_TRUE(b.run("s_scratch_load_dword s10, s[2:3], s6")) << b.error();
    EXPECT_EQ(b.sgpr(10), 0x1000u + 3 * 16);
    ASSERT_TRUE(b.run("s_scratch_load_dwordx2 s[10:11], s[2:3], 0x10")) << b.error();
    EXPECT_EQ(b.sgpr(11), 0x1005u);
    ASSERT_TRUE(b.run("s_scratch_load_dwordx4 s[12:15], s[2:3], s6 offset:0x8")) << b.error();
    EXPECT_EQ(b.sgpr(12), 0x1000u + 3 * 16 + 2);
    EXPECT_EQ(b.sgpr(15), 0x1000u + 3 * 16 + 5);
    b.m0() = 2;
    ASSERT_TRUE(b.run("s_scratch_store_dwordx4 s[12:15], s[2:3], m0")) << b.error();
    EXPECT_EQ(b.word(128), b.sgpr(12));
    EXPECT_EQ(b.word(140), b.sgpr(15));
    ASSERT_TRUE(b.run("s_scratch_store_dwordx2 s[14:15], s[2:3], 0x4")) << b.error();
    EXPECT_EQ(b.word(8), b.sgpr(15));
    ASSERT_TRUE(b.run("s_scratch_store_dword s14, s[2:3], 0x0")) << b.error();
    EXPECT_EQ(b.word(0), b.sgpr(14));
    record(arch, {"S_SCRATCH_LOAD_DWORD", "S_SCRATCH_LOAD_DWORDX2", "S_SCRATCH_LOAD_DWORDX4", "S_SCRATCH_STORE_DWORD",
                  "S_SCRATCH_STORE_DWORDX2", "S_SCRATCH_STORE_DWORDX4"});
  }
}

TEST(BufferStatus, TheRegisterBehindTheDataIsZero) {
  struct Case {
    const char *text;
    unsigned data;
  } cases[] = {{"buffer_load_b32 v[10:11], v1, s[8:11], null offen tfe", 1},
               {"buffer_load_b128 v[10:14], v1, s[8:11], null offen tfe", 4},
               {"buffer_load_u8 v[10:11], v1, s[8:11], null offen tfe", 1},
               {"buffer_load_d16_hi_b16 v[10:11], v1, s[8:11], null offen tfe", 1}};
  for (const char *arch : {"gfx1201", "gfx1250"})
    for (const Case &c : cases) {
      MemoryBench b(arch, 4096);
      for (uint32_t k = 0; k < 1024; ++k) b.put(4 * k, 0x1000 + k);
      b.resource(4096, 0, 3u << 28);
      for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = 16 * l;
      b.setExec(0x7fffffff);
      std::string plain = c.text;
      plain = plain.substr(0, plain.size() - 4);
      if (c.data == 1) plain.replace(plain.find("v[10:11]"), 8, "v10");
      else plain.replace(plain.find("v[10:14]"), 8, "v[10:13]");
      ASSERT_TRUE(b.run(plain)) << b.error();
      std::vector<uint32_t> expected;
      for (unsigned k = 0; k < c.data; ++k)
        for (unsigned l = 0; l < 32; ++l) expected.push_back(b.vgpr(10 + k, l));
      for (unsigned k = 0; k <= c.data; ++k) b.splat(10 + k, poisonWord);
      ASSERT_TRUE(b.run(c.text)) << b.error();
      for (unsigned k = 0; k < c.data; ++k)
        for (unsigned l = 0; l < 31; ++l) EXPECT_EQ(b.vgpr(10 + k, l), expected[32 * k + l]);
      for (unsigned l = 0; l < 31; ++l) EXPECT_EQ(b.vgpr(10 + c.data, l), 0u);
      EXPECT_EQ(b.vgpr(10 + c.data, 31), poisonWord);
      // It arrives with the data.
      EXPECT_FALSE(b.runSequence({c.text, "v_mov_b32 v2, v" + std::to_string(10 + c.data)}));
      EXPECT_EQ(b.wave().fault.kind, FaultKind::MissingWait);
    }
}

TEST(Endings, KilledWavesEnd) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1201"}) {
    StepBench b(arch);
    ASSERT_TRUE(b.run("s_setkill 0"));
    EXPECT_NE(b.wave().stop, Stop::End);
    ASSERT_TRUE(b.run("s_setkill 1"));
    EXPECT_EQ(b.wave().stop, Stop::End);
    record(arch, {"S_SETKILL"});
  }
  for (const char *arch : gfx9s) {
    StepBench b(arch);
    ASSERT_TRUE(b.run("s_endpgm_ordered_ps_done"));
    EXPECT_EQ(b.wave().stop, Stop::End);
    record(arch, {"S_ENDPGM_ORDERED_PS_DONE"});
  }
}

// CDNA5 ISA, 15.5: s_endpgm_saved ends the wave after all that is under way. s_sethalt halts, in either way (bit 2), if
// bit 0 is set, and else clears the halt; a halted wave cannot go on here.
TEST(Endings, OfCdna5) {
  for (const char *end : {"s_endpgm_saved", "s_sethalt 1", "s_sethalt 5"}) {
    MemoryBench b("gfx1250", 4096);
    const bool ends = std::string(end) == "s_endpgm_saved";
    for (unsigned l = 0; l < 32; ++l) {
      b.setVgpr64(0, l, b.device + 4 * l);
      b.vgpr(2, l) = 70 + l;
    }
    b.put(4 * 9, 0u);
    EXPECT_EQ(b.runSequence({"global_store_b32 v[0:1], v2, off", end}), ends);
    EXPECT_EQ(b.wave().stop, ends ? Stop::End : Stop::Fault) << end;
    if (ends) EXPECT_EQ(b.word(4 * 9), 79u);
    else EXPECT_EQ(b.wave().fault.kind, FaultKind::Trap) << end;
  }
  StepBench b("gfx1250");
  EXPECT_TRUE(b.run("s_sethalt 0")) << b.error();
  EXPECT_TRUE(b.run("s_sethalt 4")) << b.error();
  record("gfx1250", {"S_ENDPGM_SAVED", "S_SETHALT"}, "manual");
}

TEST(Endings, IllegalInstructionsTrap) {
  for (const char *arch : {"gfx1201", "gfx1250"}) {
    StepBench b(arch);
    EXPECT_FALSE(b.run("v_illegal"));
    EXPECT_EQ(b.wave().fault.kind, FaultKind::Trap);
    record(arch, {"V_ILLEGAL"});
  }
}

// CDNA5 ISA, 3.4.3 and 15.5: rounding is MODE's bits 3:0, denormals are its bits 7:4.
TEST(Cdna5Modes, RoundingAndDenormalsAreSetApart) {
  StepBench b("gfx1250");
  for (unsigned value = 0; value < 16; ++value)
    for (uint32_t before : {0x00u, 0xf0u, 0x5au, 0xffu}) {
      b.setMode(before);
      ASSERT_TRUE(b.run("s_round_mode " + std::to_string(value))) << b.error();
      EXPECT_EQ(b.mode() & 0xff, (before & 0xf0) | value);
      b.setMode(before);
      ASSERT_TRUE(b.run("s_denorm_mode " + std::to_string(value))) << b.error();
      EXPECT_EQ(b.mode() & 0xff, (before & 0x0f) | value << 4);
    }
  record("gfx1250", {"S_ROUND_MODE", "S_DENORM_MODE"}, "manual");
}

// CDNA5 ISA, 5.7.1 and 15.5: stores are in STOREcnt, transfers between LDS and memory in ASYNCcnt; s_wait_idle is for
// all.
TEST(Cdna5Waits, ArriveAtTheirOwnCounters) {
  struct {
    const char *text;
    const char *wait, *name;
    bool toLds;
  } cases[] = {{"global_store_b32 v[0:1], v3, off", "s_wait_storecnt 0x0", "S_WAIT_STORECNT", false},
               {"global_load_async_to_lds_b32 v2, v[0:1], off", "s_wait_asynccnt 0x0", "S_WAIT_ASYNCCNT", true}};
  const char *const waits[] = {"s_wait_storecnt 0x0", "s_wait_asynccnt 0x0",  "s_wait_loadcnt 0x0", "s_wait_dscnt 0x0",
                               "s_wait_kmcnt 0x0",    "s_wait_tensorcnt 0x0", "s_wait_idle"};
  for (auto &c : cases) {
    for (const char *wait : waits) {
      MemoryBench b("gfx1250", 4096);
      std::fill(b.lds.begin(), b.lds.end(), 0);
      for (unsigned l = 0; l < 32; ++l) {
        b.setVgpr64(0, l, b.device + 4 * l);
        b.vgpr(2, l) = 256 + 4 * l;
        b.vgpr(3, l) = 5000 + l;
        b.put(4 * l, c.toLds ? 5000 + l : 0u);
      }
      ASSERT_TRUE(b.runSequence({c.text, wait})) << b.error();
      const bool right = std::string(wait) == c.wait || std::string(wait) == "s_wait_idle";
      EXPECT_EQ(c.toLds ? b.ldsWord(256 + 4 * 7) : b.word(4 * 7), right ? 5007u : 0u) << c.text << " " << wait;
    }
    record("gfx1250", {c.name}, "manual");
  }
  record("gfx1250", {"S_WAIT_IDLE"}, "manual");
}

TEST(Unsupported, SaysWhy) {
  struct Case {
    const char *arch, *text, *why;
  } cases[] = {{"gfx950", "v_mfma_ld_scale_b32 v0, v1", "v_mfma_*_f8f6f4"},
               {"gfx1250", "v_wmma_ld_scale_paired_b32 v0, v1", "v_wmma_*_f8f6f4"},
               {"gfx942", "s_rfe_b64 s[0:1]", "trap handler"},
               {"gfx942", "s_rfe_restore_b64 s[0:1], s2", "trap handler"},
               {"gfx1250", "s_rfe_b64 s[0:1]", "trap handler"},
               {"gfx1250", "tensor_save s[0:1]", "context switch"},
               {"gfx1250", "tensor_stop", "context switch"},
               {"gfx942", "ds_gws_barrier v0 gds", "global"}};
  for (const Case &c : cases) {
    StepBench b(c.arch);
    EXPECT_FALSE(b.run(c.text));
    EXPECT_EQ(b.wave().fault.kind, FaultKind::UnknownInstruction) << c.text;
    EXPECT_NE(b.error().find(c.why), std::string::npos) << b.error();
  }
}

} // namespace
