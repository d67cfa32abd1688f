// What the proof does not follow is never silence.
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

namespace {
std::string gaps(const std::string &text, const char *arch) {
  std::string out;
  for (const Gap &d : resultOf(text, arch).gaps)
    out += std::to_string(d.instruction) + " " + d.why + "\n";
  return out;
}
} // namespace

TEST(Gaps, CallsAndJumps) {
  EXPECT_EQ(gaps("s_swappc_b64 s[30:31], s[4:5]\ns_endpgm\n", "gfx942"), "0 a call\n");
  EXPECT_EQ(gaps("s_setpc_b64 s[4:5]\n", "gfx942"), "0 a jump through a register\n");
  EXPECT_EQ(gaps("s_branch 100\n", "gfx942"), "0 a jump out of the code\n");
  EXPECT_EQ(gaps("s_mov_b32 s0, 0\n", "gfx942"), "0 execution runs off the end of the code\n");
  EXPECT_EQ(gaps("s_endpgm\n", "gfx942"), "");
  EXPECT_EQ(gaps("s_cbranch_scc1 1\ns_endpgm\ns_trap 2\n", "gfx942"), "");
  EXPECT_EQ(gaps("s_trap 3\n", "gfx942"), "0 execution runs off the end of the code\n");
}

TEST(Gaps, RegisterBanksOfPathsThatMeet) {
  EXPECT_EQ(gaps("s_set_vgpr_msb 0x1\nv_mov_b32_e32 v0, v1\ns_cbranch_scc1 1\ns_set_vgpr_msb 0x0\n"
                 "v_mov_b32_e32 v0, v1\ns_endpgm\n",
                 "gfx1250"),
            "4 paths with different states of s_set_vgpr_msb meet\n");
  EXPECT_EQ(
      gaps("s_cbranch_scc1 2\ns_set_vgpr_msb 0x1\ns_set_vgpr_msb 0x0\nv_mov_b32_e32 v0, v1\ns_endpgm\n", "gfx1250"),
      "");
}

TEST(Gaps, RegisterBanksTellRegistersApart) {
  const std::string load = "s_set_vgpr_msb 0x40\nglobal_load_b32 v1, v0, s[2:3]\ns_set_vgpr_msb 0x0\n";
  EXPECT_EQ(errorsOf(load + "v_mov_b32_e32 v2, v1\ns_endpgm\n", "gfx1250"), "");
  EXPECT_NE(errorsOf(load + "s_set_vgpr_msb 0x1\nv_mov_b32_e32 v2, v1\ns_endpgm\n", "gfx1250"), "");
}

TEST(Gaps, SchedulingModes) {
  EXPECT_NE(gaps("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 2\ns_endpgm\n", "gfx1250"), "");
}

TEST(Gaps, RegistersThroughAnIndex) {
  const std::string index = "s_set_gpr_idx_on s0, gpr_idx(SRC0)\nv_mov_b32_e32 v8, v9\ns_set_gpr_idx_off\ns_endpgm\n";
  EXPECT_EQ(gaps(index, "gfx942"), "");
  EXPECT_NE(gaps("global_load_dword v20, v0, s[2:3]\n" + index, "gfx942"), "");
}

} // namespace fly::verify::test
