// What may be wrong, and only if somebody asks for it.
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

namespace {
std::vector<std::string> hints(const std::string &text, const char *arch, bool may = true) {
  std::vector<std::string> out;
  Options options;
  options.may = may;
  const Result result = resultOf(text, arch, options);
  EXPECT_TRUE(result.errors.empty());
  for (const Finding &f : result.hints)
    out.push_back(f.rule->name);
  return out;
}
} // namespace

TEST(Hints, BarriersOnOneOfTwoPaths) {
  // The branch depends on the work-item; without what makes it so, all waves decide alike.
  const std::string wave = "v_cmp_gt_u32_e32 vcc, 64, v0\ns_cbranch_vccz 1\n",
                    lanes = "v_cmp_gt_u32_e32 vcc, 64, v0\ns_and_saveexec_b64 s[2:3], vcc\ns_cbranch_execz 1\n",
                    first = "v_readfirstlane_b32 s4, v0\ns_cmp_gt_u32 s4, 63\ns_cbranch_scc1 1\n",
                    argument = "s_cmp_gt_u32 s4, 63\ns_cbranch_scc1 1\n",
                    rest = "s_barrier\ns_mov_b32 s0, 0\ns_barrier\ns_endpgm\n";
  for (const std::string &branch : {wave, lanes, first}) {
    EXPECT_EQ(hints(branch + rest, "gfx942"), std::vector<std::string>{"barrier-count"}) << branch;
    EXPECT_TRUE(hints(branch + rest, "gfx942", false).empty());
    // No barrier follows: a wave that has ended is not waited for.
    EXPECT_TRUE(hints(branch + "s_barrier\ns_mov_b32 s0, 0\ns_endpgm\n", "gfx942").empty());
  }
  EXPECT_TRUE(hints(argument + rest, "gfx942").empty());
  // The same number on both paths, and a path that ends.
  const std::string compare = "v_cmp_gt_u32_e32 vcc, 64, v0\n";
  EXPECT_TRUE(
      hints(compare + "s_cbranch_vccz 2\ns_barrier\ns_branch 1\ns_barrier\ns_barrier\ns_endpgm\n", "gfx942").empty());
  EXPECT_TRUE(hints(compare + "s_cbranch_vccz 1\ns_endpgm\ns_barrier\ns_endpgm\n", "gfx942").empty());
  EXPECT_EQ(hints("s_bitcmp1_b32 ttmp8, 25\ns_cbranch_scc1 2\ns_barrier_signal -1\ns_barrier_wait 0xffff\n"
                  "s_barrier_signal -1\ns_barrier_wait 0xffff\ns_endpgm\n",
                  "gfx1201"),
            std::vector<std::string>{"barrier-count"});
}

TEST(Hints, BarriersThatABranchOfAllWavesDecides) {
  // Waves part and meet again in front of an `if` about an argument: that one decides about the barrier.
  const std::string apart = "v_cmp_gt_u32_e32 vcc, 64, v0\ns_cbranch_vccz 1\ns_mov_b32 s9, 0\n",
                    all = "s_cmp_gt_u32 s4, 63\ns_cbranch_scc1 1\ns_barrier\ns_barrier\ns_endpgm\n";
  EXPECT_TRUE(hints(apart + all, "gfx942").empty());
  // Lanes that were inactive are back.
  const std::string lanes = "v_cmp_gt_u32_e32 vcc, 64, v0\ns_and_saveexec_b64 s[2:3], vcc\nv_mov_b32_e32 v1, 0\n"
                            "s_or_b64 exec, exec, s[2:3]\nv_mov_b32_e32 v2, s4\nv_readfirstlane_b32 s4, v2\n";
  EXPECT_TRUE(hints(lanes + all, "gfx942").empty());
}

TEST(Hints, OnceAKernel) {
  const std::string part = "v_cmp_gt_u32_e32 vcc, 64, v0\ns_cbranch_vccz 1\ns_barrier\n";
  Options options;
  options.may = true;
  const Result result = resultOf(part + part + part + "s_barrier\ns_endpgm\n", "gfx942", options);
  ASSERT_EQ(result.hints.size(), 1u);
  EXPECT_EQ(result.hints[0].others, 2u);
}

TEST(Hints, LdsUnderALoadToItThatNothingWaitsFor) {
  const std::string load = "s_mov_b32 m0, 0\ns_nop 0\nbuffer_load_dword v2, s[4:7], 0 offen lds\n",
                    read = "ds_read_b32 v3, v4\ns_waitcnt lgkmcnt(0)\n", wait = "s_waitcnt vmcnt(0)\n",
                    end = "s_endpgm\n";
  EXPECT_EQ(hints(load + read + end, "gfx942"), std::vector<std::string>{"lds-dma"});
  EXPECT_EQ(hints(load + read + wait + end, "gfx942"), std::vector<std::string>{"lds-dma"});
  EXPECT_TRUE(hints(load + wait + read + end, "gfx942").empty());
  // It loads ahead: what is read first is older.
  EXPECT_TRUE(hints(load + read + wait + "s_barrier\n" + read + end, "gfx942").empty());
  EXPECT_TRUE(hints(load + "ds_bpermute_b32 v3, v4, v5\ns_waitcnt lgkmcnt(0)\n" + end, "gfx942").empty());
}

TEST(Hints, LdsAtABarrier) {
  const std::string write = "ds_write_b32 v3, v4\n", rest = "s_barrier\ns_endpgm\n";
  EXPECT_EQ(hints(write + rest, "gfx942"), std::vector<std::string>{"lds-barrier"});
  EXPECT_TRUE(hints(write + "s_waitcnt lgkmcnt(0)\n" + rest, "gfx942").empty());
  EXPECT_EQ(
      hints("ds_store_b32 v3, v4\ns_barrier_signal -1\ns_wait_dscnt 0\ns_barrier_wait 0xffff\ns_endpgm\n", "gfx1201"),
      std::vector<std::string>{"lds-barrier"});
}

} // namespace fly::verify::test
