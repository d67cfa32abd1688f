// Registers that are used before their memory operation has been waited for.
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

namespace {
const std::string end = "s_endpgm\n";
const std::string a = "global_load_dword v1, v0, s[2:3]\n", b = "global_load_dword v2, v0, s[2:3] offset:4\n",
                  useA = "v_mov_b32_e32 v8, v1\n", useB = "v_mov_b32_e32 v9, v2\n";
} // namespace

TEST(Wait, NamesRegisterWaitAndPlaces) {
  EXPECT_EQ(errorsOf(a + b + useA + end, "gfx942"),
            "wait-read 0 2: v1 is read before its value has arrived: `s_waitcnt vmcnt(1)` is missing\n");
  EXPECT_EQ(errorsOf(a + "v_mov_b32_e32 v1, 0\n" + end, "gfx942"),
            "wait-overwrite 0 1: v1 is overwritten before its value has arrived: `s_waitcnt vmcnt(0)` is missing\n");
}

TEST(Wait, CountsOfOneLineInOrder) {
  EXPECT_EQ(errorsOf(a + b + "s_waitcnt vmcnt(1)\n" + useA + "s_waitcnt vmcnt(0)\n" + useB + end, "gfx942"), "");
  EXPECT_NE(errorsOf(a + b + "s_waitcnt vmcnt(1)\n" + useB + end, "gfx942"), "");
  EXPECT_NE(errorsOf(a + b + "s_waitcnt vmcnt(2)\n" + useA + end, "gfx942"), "");
  // A store is in line with loads on gfx9, and not on gfx12.
  EXPECT_EQ(errorsOf(a + "global_store_dword v0, v5, s[2:3]\ns_waitcnt vmcnt(1)\n" + useA + end, "gfx942"), "");
  EXPECT_NE(errorsOf("global_load_b32 v1, v0, s[2:3]\nglobal_store_b32 v0, v5, s[2:3]\ns_wait_loadcnt 1\n" + useA + end,
                     "gfx1201"),
            "");
}

TEST(Wait, ScalarLoadsInAnyOrder) {
  const std::string two = "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\n", use = "s_mov_b32 s6, s4\n";
  EXPECT_NE(errorsOf(two + "s_waitcnt lgkmcnt(1)\n" + use + end, "gfx942"), "");
  EXPECT_EQ(errorsOf(two + "s_waitcnt lgkmcnt(0)\n" + use + end, "gfx942"), "");
  // LDS after a scalar load is in line, and is not: only its own kind is.
  const std::string lds = "ds_read_b32 v1, v0\ns_load_dword s5, s[0:1], 0x4\ns_waitcnt lgkmcnt(1)\n";
  EXPECT_NE(errorsOf(lds + useA + end, "gfx942"), "");
}

TEST(Wait, OnTheShortestPath) {
  // The jump leaves out the wait.
  const Result result = resultOf(a + "s_cbranch_scc1 1\ns_waitcnt vmcnt(0)\n" + useA + end, "gfx942");
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_EQ(result.errors[0].path, std::vector<uint32_t>{1});
  // Around a loop: the wait for all but one is enough before it, and not in it.
  const std::string loop = "s_waitcnt vmcnt(1)\n" + useA + a + b + "s_cbranch_scc1 0xfff9\ns_waitcnt vmcnt(0)\n";
  EXPECT_EQ(errorsOf(a + b + loop + end, "gfx942"), "");
  const std::string early = "s_waitcnt vmcnt(1)\n" + useA + b + a + "s_cbranch_scc1 0xfff9\ns_waitcnt vmcnt(0)\n";
  EXPECT_NE(errorsOf(a + b + early + end, "gfx942"), "");
}

TEST(Wait, ResultsInOrderMayOverwrite) {
  EXPECT_EQ(errorsOf(a + a + "s_waitcnt vmcnt(0)\n" + useA + end, "gfx942"), "");
  const std::string load = "global_load_b32 v1, v0, s[2:3]\n", lds = "ds_load_b32 v1, v0\n";
  EXPECT_NE(errorsOf(load + load + "s_wait_loadcnt 0\n" + useA + end, "gfx1201"), "");
  EXPECT_EQ(errorsOf(lds + lds + "s_wait_dscnt 0\n" + useA + end, "gfx1201"), "");
  EXPECT_NE(errorsOf(a + "ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0) vmcnt(0)\n" + useA + end, "gfx942"), "");
}

TEST(Wait, FlatGoesToOneOfTwoUnits) {
  const std::string flat = "flat_load_dword v1, v[2:3]\n";
  EXPECT_NE(errorsOf(flat + useA + end, "gfx942"), "");
  EXPECT_EQ(resultOf(flat + "s_waitcnt vmcnt(0) lgkmcnt(0)\n" + useA + end, "gfx942").verdict(), Verdict::Proved);
  // One of its counters: right if it goes to memory.
  EXPECT_EQ(resultOf(flat + "s_waitcnt vmcnt(0)\n" + useA + end, "gfx942").verdict(), Verdict::NotProved);
}

TEST(Wait, AFullCounterDelays) {
  std::string many = a;
  for (int i = 0; i < 63; ++i)
    many += "global_load_dword v" + std::to_string(10 + i) + ", v0, s[2:3]\n";
  EXPECT_EQ(errorsOf(many + useA + end, "gfx942"), "");
  EXPECT_NE(errorsOf(many.substr(0, many.rfind("global_load")) + useA + end, "gfx942"), "");
}

TEST(Wait, LoadsOfAHalfFillTheRegister) {
  const std::string low = "global_load_d16_b16 v1, v0, s[2:3]\n";
  EXPECT_NE(errorsOf(low + "v_add_f16_e32 v2.l, v1.l, v3.l\n" + end, "gfx1201"), "");
  EXPECT_NE(errorsOf(low + "v_add_f16_e32 v2.l, v1.h, v3.l\n" + end, "gfx1201"), "");
}

TEST(Wait, SourcesOfTranslations) {
  const std::string store = "global_store_b32 v0, v5, s[2:3]\n", write = "v_mov_b32_e32 v5, 0\n";
  EXPECT_EQ(errorsOf(store + write + end, "gfx1201"), "");
  EXPECT_EQ(errorsOf(store + write + end, "gfx1250").substr(0, 16), "wait-source 0 1:");
  for (const char *wait : {"s_wait_xcnt 0\n", "s_wait_storecnt 0\n", "s_load_b32 s8, s[0:1], 0x0\n"})
    EXPECT_EQ(errorsOf(store + wait + write + end, "gfx1250"), "") << wait;
  // Only the last one: see docs/verify.md.
  EXPECT_EQ(errorsOf(store + "global_load_b32 v6, v7, s[2:3]\n" + write + end, "gfx1250"), "");
}

TEST(Wait, RulesCanBeTurnedOff) {
  EXPECT_EQ(errorsOf(a + useA + end, "gfx942", {.off = {"wait-read"}, .may = false}), "");
}

} // namespace fly::verify::test
