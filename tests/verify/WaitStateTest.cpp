// Each distance of gfx942 and gfx950, on both sides of its bound; and what counts as a state.
#include "compiler/isa/WaitStates.h"
#include "tests/isa/WaitStateCases.h"
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

using namespace isa::test;

namespace {

std::string nops(unsigned states) {
  std::string out;
  for (; states > 8; states -= 8)
    out += "s_nop 7\n";
  return states ? out + "s_nop " + std::to_string(states - 1) + "\n" : out;
}

} // namespace

TEST(WaitStates, BelowTheDistanceAndNotAtIt) {
  for (const WaitStateCase &c : waitStateCases())
    for (const char *arch : {"gfx942", "gfx950"}) {
      if (c.only && std::string(c.only) != arch)
        continue;
      const unsigned needed = neededBy(c, arch);
      const std::string first = std::string(c.first) + "\n", second = std::string(c.second) + "\ns_endpgm\n";
      SCOPED_TRACE(std::string(arch) + " " + first + second + std::to_string(needed));
      EXPECT_EQ(errorsOf(first + nops(needed) + second, arch), "");
      if (!needed)
        continue;
      const Result result = resultOf(first + nops(needed - 1) + second, arch);
      ASSERT_EQ(result.errors.size(), c.isDoubt ? 0u : 1u);
      ASSERT_EQ(result.doubts.size(), c.isDoubt ? 1u : 0u);
      EXPECT_EQ((c.isDoubt ? result.doubts : result.errors)[0].rule->name, std::string(c.rule));
    }
}

TEST(WaitStates, AnyInstructionIsOne) {
  const std::string first = "v_exp_f32_e32 v0, v1\n", second = "v_add_f32_e32 v2, v0, v0\ns_endpgm\n";
  EXPECT_NE(errorsOf(first + second, "gfx942"), "");
  for (const char *between : {"s_nop 0\n", "v_nop\n", "s_mov_b32 s0, 0\n", "s_waitcnt vmcnt(0)\n"})
    EXPECT_EQ(errorsOf(first + between + second, "gfx942"), "") << between;
}

TEST(WaitStates, OnTheShortestPath) {
  // The jump leaves out the s_nop; around a loop, from its end to its beginning.
  EXPECT_NE(errorsOf("v_readfirstlane_b32 s4, v0\ns_cbranch_scc1 1\ns_nop 4\nglobal_load_dword v1, v2, s[4:5]\n"
                     "s_endpgm\n",
                     "gfx942"),
            "");
  EXPECT_NE(errorsOf("global_load_dword v1, v2, s[4:5]\nv_readfirstlane_b32 s4, v0\ns_cbranch_scc1 0xfffc\n"
                     "s_waitcnt vmcnt(0)\ns_endpgm\n",
                     "gfx942"),
            "");
}

TEST(WaitStates, AResultThatAnotherProductOverwroteIsNotReadAnyMore) {
  const std::string first = "v_mfma_f32_16x16x16_f16 v[24:27], v[40:41], v[42:43], v[24:27]\n",
                    second = "v_mfma_f32_16x16x16_f16 v[22:25], v[40:41], v[42:43], v[24:27]\n",
                    third = "v_mfma_f32_16x16x16_f16 v[22:25], v[40:41], v[42:43], v[22:25]\n", end = "s_endpgm\n";
  EXPECT_EQ(errorsOf(first + second + third + end, "gfx942"), "");
  EXPECT_NE(errorsOf(first + third + end, "gfx942"), "");
  // v26 is still the first one's; and on a path around the second one all are.
  EXPECT_NE(errorsOf(first + second + "v_mfma_f32_16x16x16_f16 v[26:29], v[40:41], v[42:43], v[26:29]\n" + end,
                     "gfx942", strict()),
            "");
  EXPECT_NE(errorsOf(first + "s_cbranch_scc1 2\n" + second + third + end, "gfx942"), "");
}

TEST(WaitStates, EveryRuleHasACase) {
  std::set<std::string> cases;
  for (const WaitStateCase &c : waitStateCases())
    cases.insert(c.rule);
  for (const isa::WaitStateRule &rule : isa::waitStateRules()) {
    EXPECT_TRUE(cases.count(rule.name)) << rule.name;
    EXPECT_NE(findRule(rule.name), nullptr) << rule.name;
  }
}

} // namespace fly::verify::test
