// Rule `lds-copy`: reads of LDS whose bytes a copy of the same wave is still writing.
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

namespace {

/// Of a workgroup of 64 threads.
std::string found(const std::string &text, const char *arch = "gfx942") {
  Options options;
  options.workgroup = {64, 1, 1};
  std::string out;
  for (const Finding &f : resultOf(text, arch, options).errors)
    out += std::string(f.rule->name) + " " + std::to_string(f.first) + " " + std::to_string(f.second) + "\n";
  return out;
}

/// Fills the bytes from `at`: 256, or 1024 on gfx950.
std::string copy(unsigned at, const std::string &width = "dword") {
  return "s_mov_b32 m0, " + std::to_string(at) + "\ns_nop 0\nbuffer_load_" + width + " v2, s[4:7], 0 offen lds\n";
}
const std::string address = "v_lshlrev_b32_e32 v1, 2, v0\n", end = "s_waitcnt lgkmcnt(0)\ns_endpgm\n";

} // namespace

TEST(LdsCopy, AReadOfTheSameBytes) {
  EXPECT_EQ(found(address + copy(0) + "ds_read_b32 v3, v1\n" + end), "lds-copy 3 4\n");
  EXPECT_EQ(found(address + copy(256) + "ds_read_b32 v3, v1 offset:256\n" + end), "lds-copy 3 4\n");
  EXPECT_EQ(found(address + copy(0, "dwordx4") + "ds_read_b32 v3, v1 offset:768\n" + end, "gfx950"), "lds-copy 3 4\n");
}

TEST(LdsCopy, AReadOfTwoPlaces) {
  EXPECT_EQ(found(address + copy(256) + "ds_read2st64_b32 v[4:5], v1 offset1:1\n" + end), "lds-copy 3 4\n");
  EXPECT_EQ(found(address + copy(512) + "ds_read2st64_b32 v[4:5], v1 offset1:1\n" + end), "");
}

TEST(LdsCopy, NotAfterAWait) {
  EXPECT_EQ(found(address + copy(0) + "s_waitcnt vmcnt(0)\nds_read_b32 v3, v1\n" + end), "");
  // Of two copies, the wait covers the first.
  EXPECT_EQ(found(address + copy(0) + copy(256) + "s_waitcnt vmcnt(1)\nds_read_b32 v3, v1\n" + end), "");
  EXPECT_EQ(found(address + copy(0) + copy(256) + "s_waitcnt vmcnt(1)\nds_read_b32 v3, v1 offset:256\n" + end),
            "lds-copy 6 8\n");
}

TEST(LdsCopy, NotElsewhere) {
  EXPECT_EQ(found(address + copy(256) + "ds_read_b32 v3, v1\n" + end), "");
  EXPECT_EQ(found(address + copy(0) + "ds_read_b32 v3, v1 offset:4\n" + end), "") << "its last lane is beyond";
}

TEST(LdsCopy, NotWhereAPlaceIsNotKnown) {
  EXPECT_EQ(found(copy(0) + "ds_read_b32 v3, v1\n" + end), "");
  EXPECT_EQ(found(address +
                  "s_mov_b32 m0, s8\ns_nop 0\nbuffer_load_dword v2, s[4:7], 0 offen lds\n"
                  "ds_read_b32 v3, v1\n" +
                  end),
            "");
  // One of two places, as a loop or a branch chooses.
  EXPECT_EQ(found(address +
                  "s_mov_b32 m0, 0\ns_cbranch_scc1 1\ns_movk_i32 m0, 0x100\ns_nop 0\n"
                  "buffer_load_dword v2, s[4:7], 0 offen lds\nds_read_b32 v3, v1\n" +
                  end),
            "");
}

} // namespace fly::verify::test
