// What one source calls wrong and another one, or the data, may make right: beside the errors that are next to it.
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

namespace {

const std::string end = "s_endpgm\n";

/// "error m0", "doubt m0" or "".
std::string kindOf(const std::string &text, const char *arch = "gfx942") {
  const Result result = resultOf(text + end, arch);
  EXPECT_LE(result.errors.size() + result.doubts.size(), 1u) << text;
  // Both are errors in code that flyc has made.
  EXPECT_EQ(resultOf(text + end, arch, strict()).errors.size(), result.errors.size() + result.doubts.size()) << text;
  for (const Finding &f : result.errors) {
    EXPECT_EQ(f.doubt, "");
    return "error " + std::string(f.rule->name);
  }
  for (const Finding &f : result.doubts) {
    EXPECT_NE(f.doubt, "");
    EXPECT_EQ(result.verdict(), Verdict::Proved);
    return "doubt " + std::string(f.rule->name);
  }
  return "";
}

std::string nops(unsigned states) { return states ? "s_nop " + std::to_string(states - 1) + "\n" : ""; }

} // namespace

TEST(Doubts, InstructionsThatTheManualsRowLeavesOut) {
  const std::string m0 = "s_mov_b32 m0, 0\n", vector = "v_mov_b32_e32 v0, v1\n";
  for (const char *arch : {"gfx942", "gfx950"}) {
    EXPECT_EQ(kindOf(m0 + "buffer_load_dword v2, s[4:7], 0 offen lds\n", arch), "doubt m0");
    EXPECT_EQ(kindOf(m0 + "buffer_load_dword off, s[4:7], 0 lds\n", arch), "doubt m0");
    EXPECT_EQ(kindOf(m0 + "s_nop 0\nbuffer_load_dword v2, s[4:7], 0 offen lds\n", arch), "");
    EXPECT_EQ(kindOf(m0 + "global_load_lds_dword v2, s[4:5]\n", arch), "error m0");
    EXPECT_EQ(kindOf(m0 + "scratch_load_lds_dword off, off\n", arch), "error m0");
    EXPECT_EQ(kindOf(m0 + "s_sendmsg 1\n", arch), "error m0");
    EXPECT_EQ(kindOf(vector + "v_readfirstlane_b32 s5, v0\n", arch), "doubt readlane");
    EXPECT_EQ(kindOf(vector + "v_readlane_b32 s5, v0, 3\n", arch), "error readlane");
  }
}

TEST(Doubts, ProductsThatWaitForTheMatrixUnit) {
  // 8 passes, and 4 of another product, which is issued in state 8. A use needs 11 states in between.
  const std::string first = "v_mfma_f32_32x32x8_f16 v[0:15], v[64:65], v[66:67], v[0:15]\n",
                    other = "v_mfma_f32_16x16x16_f16 v[32:35], v[64:65], v[66:67], v[32:35]\n",
                    use = "v_add_f32_e32 v70, v0, v0\n";
  EXPECT_EQ(kindOf(first + use), "error matrix-result");
  EXPECT_EQ(kindOf(first + nops(10) + use), "error matrix-result");
  EXPECT_EQ(kindOf(first + nops(11) + use), "");
  EXPECT_EQ(kindOf(first + other + use), "error matrix-result");           // 8 states
  EXPECT_EQ(kindOf(first + other + nops(2) + use), "error matrix-result"); // 10
  EXPECT_EQ(kindOf(first + other + nops(3) + use), "doubt matrix-result"); // 11
  EXPECT_EQ(kindOf(first + other + nops(9) + use), "doubt matrix-result"); // LLVM counts 10
  EXPECT_EQ(kindOf(first + other + nops(10) + use), "");
  // The other product finds the unit free: it waits for nothing.
  EXPECT_EQ(kindOf(first + nops(7) + other + use), "error matrix-result");         // 8
  EXPECT_EQ(kindOf(first + nops(7) + other + other + use), "doubt matrix-result"); // 12
  // A use that is a product waits itself.
  const std::string product = "v_mfma_f32_16x16x16_f16 v[36:39], v[0:1], v[66:67], v[36:39]\n";
  EXPECT_EQ(kindOf(first + product), "error matrix-result");         // 7
  EXPECT_EQ(kindOf(first + other + product), "doubt matrix-result"); // 11
}

TEST(Doubts, OnlyIfEachPathWaits) {
  const std::string first = "v_mfma_f32_32x32x8_f16 v[0:15], v[64:65], v[66:67], v[0:15]\n",
                    other = "v_mfma_f32_16x16x16_f16 v[32:35], v[64:65], v[66:67], v[32:35]\n",
                    use = "s_nop 2\nv_add_f32_e32 v70, v0, v0\n";
  EXPECT_EQ(kindOf(first + "s_nop 0\n" + other + use), "doubt matrix-result");
  EXPECT_EQ(kindOf(first + "s_cbranch_scc1 2\n" + other + use), "error matrix-result");
  // What was issued before waits, too: the second product begins in state 8, the use of s4 comes in state 9.
  const std::string lane = "v_readfirstlane_b32 s4, v70\n", load = "global_load_dword v71, v72, s[4:5]\n";
  EXPECT_EQ(kindOf(first + lane + other + load), "doubt memory-scalar");
  EXPECT_EQ(kindOf(first + lane + "s_cbranch_scc1 2\n" + other + load), "error memory-scalar");
  EXPECT_EQ(kindOf(lane + other + load), "error memory-scalar");
}

TEST(Doubts, TheSameBytesLoadedTwice) {
  const std::string two = "s_load_dwordx2 s[96:97], s[0:1], 0x10\n", low = "s_load_dword s96, s[0:1], 0x10\n",
                    high = "s_load_dword s97, s[0:1], 0x14\n", wait = "s_waitcnt lgkmcnt(0)\n";
  for (const std::string &again : {two, low, high})
    EXPECT_EQ(kindOf(two + again + wait), "doubt wait-overwrite") << again;
  EXPECT_EQ(kindOf(low + two + wait), "doubt wait-overwrite");
  EXPECT_EQ(kindOf(two + wait + low + wait), "");
  EXPECT_EQ(kindOf(two + "s_load_dword s96, s[0:1], 0x14\n" + wait), "error wait-overwrite");
  EXPECT_EQ(kindOf(two + "s_load_dword s96, s[2:3], 0x10\n" + wait), "error wait-overwrite");
  EXPECT_EQ(kindOf(two + "s_add_u32 s0, s0, 4\n" + low + wait), "error wait-overwrite");
  EXPECT_EQ(kindOf(two + "s_cbranch_scc1 1\ns_add_u32 s0, s0, 4\n" + low + wait), "error wait-overwrite");
  EXPECT_EQ(kindOf(two + "s_cbranch_scc1 1\ns_add_u32 s2, s0, 4\n" + low + wait), "doubt wait-overwrite");
  // Around a loop, and with an offset in a register.
  EXPECT_EQ(kindOf("s_load_dword s96, s[0:1], 0x10\ns_cbranch_scc1 0xfffd\n" + wait), "doubt wait-overwrite");
  EXPECT_EQ(kindOf("s_load_dword s96, s[0:1], s9\ns_load_dword s96, s[0:1], s9\n" + wait), "doubt wait-overwrite");
  EXPECT_EQ(kindOf("s_load_dword s96, s[0:1], s9\ns_load_dword s96, s[0:1], s8\n" + wait), "error wait-overwrite");
  // Who reads it is too early whatever it is.
  EXPECT_EQ(kindOf(two + "s_mov_b32 s3, s96\n"), "error wait-read");
  EXPECT_EQ(kindOf("s_load_b32 s96, s[0:1], 0x10\ns_load_b32 s96, s[0:1], 0x10\ns_wait_kmcnt 0\n", "gfx1201"),
            "doubt wait-overwrite");
}

} // namespace fly::verify::test
