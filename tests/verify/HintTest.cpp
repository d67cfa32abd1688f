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
  const std::string one = "s_cbranch_scc1 1\ns_barrier\ns_mov_b32 s0, 0\ns_endpgm\n";
  EXPECT_EQ(hints(one, "gfx942"), std::vector<std::string>{"barrier-count"});
  EXPECT_TRUE(hints(one, "gfx942", false).empty());
  // The same number on both paths, and a path that ends.
  EXPECT_TRUE(hints("s_cbranch_scc1 2\ns_barrier\ns_branch 1\ns_barrier\ns_endpgm\n", "gfx942").empty());
  EXPECT_TRUE(hints("s_cbranch_scc1 1\ns_endpgm\ns_barrier\ns_endpgm\n", "gfx942").empty());
  EXPECT_EQ(hints("s_cbranch_scc1 2\ns_barrier_signal -1\ns_barrier_wait 0xffff\ns_endpgm\n", "gfx1201"),
            std::vector<std::string>{"barrier-count"});
}

TEST(Hints, LdsUnderALoadToIt) {
  const std::string load = "s_mov_b32 m0, 0\ns_nop 0\nbuffer_load_dword v2, s[4:7], 0 offen lds\n",
                    read = "ds_read_b32 v3, v4\ns_waitcnt lgkmcnt(0)\ns_endpgm\n";
  EXPECT_EQ(hints(load + read, "gfx942"), std::vector<std::string>{"lds-dma"});
  EXPECT_TRUE(hints(load + "s_waitcnt vmcnt(0)\n" + read, "gfx942").empty());
  EXPECT_TRUE(hints(load + "ds_bpermute_b32 v3, v4, v5\ns_waitcnt lgkmcnt(0)\ns_endpgm\n", "gfx942").empty());
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
