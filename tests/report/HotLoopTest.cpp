// Which loop is marked as hot.
#include "compiler/report/HotLoop.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

namespace {

const std::string product = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]\n";
const std::string add = "v_add_f32 v20, v20, v20\n";

/// The address of the hot loop, relative to the code's; "none".
std::string hotIn(const std::string &text) {
  Code code = assemble(text, "gfx942");
  auto loops = findLoops(code);
  int hot = hotLoop(code, loops);
  if (hot < 0)
    return "none";
  return std::to_string(loops[hot].entries.front() == 0 ? 0 : code.flow.blocks()[loops[hot].entries.front()].first);
}

} // namespace

TEST(HotLoop, IsNoneWithoutLoops) { EXPECT_EQ(hotIn(product + "s_endpgm\n"), "none"); }

TEST(HotLoop, IsNotOneThatPolls) { EXPECT_EQ(hotIn("s_nop 0\ns_sleep 1\ns_cbranch_scc1 0xfffe\ns_endpgm\n"), "none"); }

TEST(HotLoop, HasTheMostMatrixInstructions) {
  // 1: one product and many additions; 6: two products
  EXPECT_EQ(hotIn("s_nop 0\n" + product + add + add + add + "s_cbranch_scc1 0xfffa\n" + product + product +
                  "s_cbranch_scc1 0xfffb\ns_endpgm\n"),
            "6");
}

TEST(HotLoop, IsTheInnerOneThoughTheOuterHasMore) {
  // 1: the outer loop has two products of its own, the inner one at 3 has one.
  EXPECT_EQ(
      hotIn("s_nop 0\n" + product + product + product + "s_cbranch_scc1 0xfffd\ns_cbranch_scc0 0xfff8\ns_endpgm\n"),
      "3");
  // Without a product in it, it is not.
  EXPECT_EQ(hotIn("s_nop 0\n" + product + product + add + "s_cbranch_scc1 0xfffe\ns_cbranch_scc0 0xfff9\ns_endpgm\n"),
            "1");
}

TEST(HotLoop, CountsWorkIfNothingIsMultiplied) {
  EXPECT_EQ(hotIn("s_nop 0\n" + add + "s_cbranch_scc1 0xfffe\n" + add + "global_load_dword v1, v0, s[0:1]\n" +
                  "s_cbranch_scc1 0xfffc\ns_endpgm\n"),
            "3");
  // Of equals the first.
  EXPECT_EQ(hotIn("s_nop 0\n" + add + "s_cbranch_scc1 0xfffe\n" + add + "s_cbranch_scc1 0xfffe\ns_endpgm\n"), "1");
}

TEST(HotLoop, MayBeIrreducible) {
  EXPECT_EQ(hotIn("s_cbranch_scc1 1\n" + add + add + "s_cbranch_scc0 0xfffd\ns_endpgm\n"), "1");
}

} // namespace fly::report::test
