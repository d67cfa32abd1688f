// A pair of instructions that is too close is a fault, and one that keeps the distance is none.
#include "tests/emulator/StepBench.h"
#include "tests/isa/HazardCases.h"
#include "tests/isa/WaitStateCases.h"

#include <gtest/gtest.h>

namespace fly::emulator::test {

using namespace isa::test;

TEST(Hazard, IsAFaultBelowTheDistanceOfItsRuleAndNotAtIt) {
  for (const HazardCase &c : hazardCases())
    for (unsigned between = 0; between <= c.needed; ++between) {
      SCOPED_TRACE(std::string(c.first) + " / " + std::to_string(between) + " " + c.filler + " / " + c.second);
      StepBench b(c.arch);
      const bool ran = b.runSequence(textsOf(c, between));
      EXPECT_EQ(ran, between == c.needed) << b.error();
      if (ran) continue;
      EXPECT_EQ(b.wave().fault.kind, FaultKind::Hazard) << b.error();
      EXPECT_NE(b.error().find(": " + std::to_string(c.needed - between) + " "), std::string::npos) << b.error();
      EXPECT_NE(b.wave().fault.earlier, 0u);
    }
}

TEST(Hazard, InOneInstruction) {
  StepBench b("gfx1250");
  EXPECT_FALSE(b.runSequence({pairThatOverwrites}));
  EXPECT_EQ(b.wave().fault.kind, FaultKind::Hazard);
  EXPECT_NE(b.error().find("CDNA5 ISA 7.8"), std::string::npos) << b.error();
  for (const char *pair : pairsThatMayRun) {
    StepBench other("gfx1250");
    EXPECT_TRUE(other.runSequence({pair})) << other.error();
  }
}

TEST(Hazard, TuplesBeginWithEvenRegisters) {
  // v_add_f64_e32 v[1:2], v[2:3], v[4:5] and v_add_f64_e32 v[0:1], v[2:3], v[4:5]; LLVM assembles the second alone
  StepBench b("gfx1250");
  EXPECT_FALSE(b.step(b.add(llvm::ArrayRef<uint8_t>{0x02, 0x09, 0x02, 0x04})));
  EXPECT_EQ(b.wave().fault.kind, FaultKind::Hazard) << b.error();
  EXPECT_TRUE(b.step(b.add(llvm::ArrayRef<uint8_t>{0x02, 0x09, 0x00, 0x04}))) << b.error();
}

TEST(Hazard, FollowsRegistersAbove255) {
  const char *first = "v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], v[16:23]";
  StepBench same("gfx1250"), other("gfx1250");
  EXPECT_FALSE(same.runSequence({"s_set_vgpr_msb 0x40", first, "s_set_vgpr_msb 0x1", "v_mov_b32_e32 v64, v16"}));
  EXPECT_EQ(same.wave().fault.kind, FaultKind::Hazard) << same.error(); // reads v272
  EXPECT_TRUE(other.runSequence({"s_set_vgpr_msb 0x40", first, "s_set_vgpr_msb 0x0", "v_mov_b32_e32 v64, v18"}))
      << other.error();
}

TEST(Hazard, CanBeOff) {
  StepBench b("gfx1250");
  b.wave().checkHazards = CheckMode::Off;
  EXPECT_TRUE(b.runSequence({"v_exp_f32_e32 v0, v1", "v_mov_b32_e32 v2, v0"})) << b.error();
}

// Which of the waits ends the hazard of gfx1201's SGPRs; compiler/isa/SgprHazards.h has the rule.
TEST(Hazard, SgprsThatValuHasReadAndThatAreWrittenAgain) {
  const char *fields[] = {"sa_sdst", "va_sdst", "va_vcc"};
  struct Case {
    std::vector<std::string> before;
    std::string field, last;
  };
  const Case cases[] = {
      {{"v_mov_b32_e32 v0, s4", "s_mov_b32 s4, 1"}, "sa_sdst", "v_mov_b32_e32 v1, s4"},
      {{"v_mov_b32_e32 v0, s5", "s_mov_b32 s4, 1"}, "sa_sdst", "v_mov_b32_e32 v1, s4"}, // the other one of the pair
      {{"v_mov_b32_e32 v0, s4", "s_mov_b32 s4, 1"}, "sa_sdst", "s_add_co_i32 s6, s4, s5"},
      {{"v_mov_b32_e32 v0, s4", "v_readfirstlane_b32 s4, v0"}, "va_sdst", "v_mov_b32_e32 v1, s4"},
      {{"v_cndmask_b32_e32 v1, v2, v3, vcc_lo", "v_cmp_eq_u32_e32 vcc_lo, v0, v1"},
       "va_vcc",
       "v_cndmask_b32_e32 v1, v2, v3, vcc_lo"},
      {{"v_cndmask_b32_e32 v1, v2, v3, vcc_lo", "s_mov_b32 vcc_lo, 5"},
       "sa_sdst",
       "v_cndmask_b32_e32 v1, v2, v3, vcc_lo"},
  };
  for (const Case &c : cases)
    for (const char *field : fields) {
      SCOPED_TRACE(c.before[1] + " / " + field + " / " + c.last);
      std::vector<std::string> texts = c.before;
      texts.push_back("s_wait_alu depctr_" + std::string(field) + "(0)");
      texts.push_back(c.last);
      StepBench b("gfx1201");
      EXPECT_EQ(b.runSequence(texts), c.field == field) << b.error();
      if (c.field == field) continue;
      EXPECT_EQ(b.wave().fault.kind, FaultKind::Hazard);
      EXPECT_NE(b.error().find("`s_wait_alu depctr_" + c.field + "(0)` is missing"), std::string::npos) << b.error();
    }
}

TEST(Hazard, SgprsThatNeedNoWait) {
  const std::string valuReads = "v_mov_b32_e32 v0, s4", saluWrites = "s_mov_b32 s4, 1", reads = "v_mov_b32_e32 v1, s4";
  const std::vector<std::string> sequences[] = {
      {saluWrites, reads},                                                    // VALU has not read it
      {"v_mov_b32_e32 v0, s2", saluWrites, reads},                            // nor its pair
      {valuReads, "v_readfirstlane_b32 s4, v0", "s_mov_b32 s8, s9", reads},   // SALU waits for VALU
      {valuReads, "ds_nop", "ds_nop", "ds_nop", "ds_nop", saluWrites, reads}, // forgotten
      {valuReads, saluWrites, "s_mov_b32 m0, 0", "s_wait_alu depctr_sa_sdst(0)", reads, reads},
  };
  for (const std::vector<std::string> &texts : sequences) {
    StepBench b("gfx1201");
    EXPECT_TRUE(b.runSequence(texts)) << b.error();
  }
  StepBench b("gfx1250");
  EXPECT_TRUE(b.runSequence({valuReads, saluWrites, reads})) << b.error();
}

TEST(Hazard, WaitStatesOfOlderMachines) {
  unsigned found = 0;
  for (const WaitStateCase &c : waitStateCases())
    for (const char *arch : {"gfx942", "gfx950"}) {
      if (c.only && std::string(c.only) != arch) continue;
      const unsigned needed = neededBy(c, arch);
      for (unsigned between = needed ? needed - 1 : 0; between <= needed; ++between) {
        SCOPED_TRACE(std::string(arch) + " " + c.first + " / " + std::to_string(between) + " / " + c.second);
        std::vector<std::string> texts{c.first};
        texts.insert(texts.end(), between, "s_nop 0");
        texts.push_back(c.second);
        StepBench b(arch);
        b.wave().checkWaits = CheckMode::Off;
        const bool ran = b.runSequence(texts);
        if (!ran && b.wave().fault.kind != FaultKind::Hazard) continue; // registers hold no address, no descriptor
        EXPECT_EQ(ran, between == needed) << b.error();
        EXPECT_EQ(!ran, b.wave().fault.earlier != 0);
        found += !ran;
      }
    }
  EXPECT_GT(found, 100u);
}

} // namespace fly::emulator::test
