// The highest registers that code names, LDS with constant addresses, and arguments that code reads.
#include "compiler/report/Arguments.h"
#include "compiler/report/RegisterUse.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

TEST(RegisterUse, IsTheHighestNumber) {
  Code code = assemble("v_mov_b32 v7, 0\nv_accvgpr_write_b32 a3, v1\ns_load_dwordx4 s[20:23], s[0:1], 0x0\n"
                       "global_load_dwordx4 v[40:43], v0, s[20:21]\ns_mov_b64 vcc, 0\ns_endpgm\n",
                       "gfx942");
  RegisterUse use = registersUsed(code);
  EXPECT_EQ(use.vgprs, 44u);
  EXPECT_EQ(use.agprs, 4u);
  EXPECT_EQ(use.sgprs, 24u);
  EXPECT_FALSE(use.atLeast);
}

TEST(RegisterUse, IsALowerBoundWithAnIndex) {
  EXPECT_TRUE(
      registersUsed(assemble("s_set_gpr_idx_on s0, 0x1\nv_mov_b32 v1, v2\ns_set_gpr_idx_off\ns_endpgm\n", "gfx942"))
          .atLeast);
  EXPECT_TRUE(registersUsed(assemble("v_movrels_b32 v1, v2\ns_endpgm\n", "gfx1201")).atLeast);
}

TEST(LdsUse, OfConstantAddresses) {
  LdsUse use =
      ldsUsed(assemble("v_mov_b32 v1, 0x100\nds_write_b64 v1, v[2:3] offset:16\nv_mov_b32 v1, 0\n"
                       "ds_read2st64_b32 v[2:3], v1 offset0:1 offset1:3\nds_bpermute_b32 v4, v0, v2\ns_endpgm\n",
                       "gfx942"));
  EXPECT_EQ(use.accesses, 2u);
  EXPECT_EQ(use.constant, 2u);
  EXPECT_EQ(use.touched, 3u * 64 * 4 + 4);
  EXPECT_EQ(use.highestOffset, 3u * 64 * 4 + 4);
  // In another block: all writes of v1 move the same constant.
  use = ldsUsed(assemble("v_mov_b32 v1, 64\ns_cbranch_scc1 0\nds_read_b32 v2, v1\ns_endpgm\n", "gfx1201"));
  EXPECT_EQ(use.touched, 68u);
}

TEST(LdsUse, IsNotKnownOtherwise) {
  // v0 is the work-item's number; v1 is written twice; a flat access may be anywhere.
  EXPECT_FALSE(ldsUsed(assemble("ds_read_b32 v2, v0\ns_endpgm\n", "gfx942")).touched);
  EXPECT_FALSE(
      ldsUsed(assemble("v_mov_b32 v1, 0\ns_cbranch_scc1 1\nv_mov_b32 v1, 4\nds_read_b32 v2, v1\ns_endpgm\n", "gfx942"))
          .touched);
  LdsUse use =
      ldsUsed(assemble("v_mov_b32 v1, 0\nds_read_b32 v2, v1\nflat_load_dword v3, v[4:5]\ns_endpgm\n", "gfx942"));
  EXPECT_EQ(use.accesses, 2u);
  EXPECT_EQ(use.constant, 1u);
  EXPECT_FALSE(use.touched);
  EXPECT_EQ(ldsUsed(assemble("s_endpgm\n", "gfx942")).touched, 0u);
}

namespace {
std::string readsOf(const std::string &text, void (*set)(isa::KernelDescriptor &)) {
  Code code = assemble(text, "gfx942");
  isa::Kernel kernel = plainKernel();
  set(kernel.descriptor);
  code.kernel = &kernel;
  std::string out;
  for (const ArgumentRead &read : argumentReads(code))
    out += (out.empty() ? "" : " ") + std::to_string(read.offset) + "+" + std::to_string(read.bytes) +
           (read.preloaded ? "p" : "");
  return out;
}
} // namespace

TEST(ArgumentReads, FollowTheAddressOfTheArguments) {
  auto first = [](isa::KernelDescriptor &d) { d.kernargSegmentPtr = true; };
  EXPECT_EQ(readsOf("s_load_dwordx2 s[4:5], s[0:1], 0x8\ns_mov_b64 s[6:7], s[0:1]\ns_load_dword s0, s[0:1], 0x0\n"
                    "s_load_dwordx4 s[8:11], s[0:1], 0x20\n" // s0 is overwritten
                    "s_load_dword s8, s[6:7], 0x10\n"
                    "s_load_dword s9, s[6:7], s4\n" // no constant
                    "s_load_dword s9, s[4:5], 0x40\ns_endpgm\n",
                    first),
            "0+4 8+8 16+4");
  auto later = [](isa::KernelDescriptor &d) { d.kernargSegmentPtr = d.dispatchPtr = d.privateSegmentBuffer = true; };
  EXPECT_EQ(readsOf("s_load_dwordx2 s[8:9], s[6:7], 0x0\ns_load_dword s0, s[0:1], 0x4\ns_endpgm\n", later), "0+8");
  auto preload = [](isa::KernelDescriptor &d) {
    d.kernargSegmentPtr = true;
    d.preloadLength = 4;
    d.preloadOffset = 2;
  };
  EXPECT_EQ(readsOf("s_endpgm\n", preload), "8+16p");
  EXPECT_EQ(readsOf("s_load_dword s0, s[0:1], 0x0\ns_endpgm\n", [](isa::KernelDescriptor &) {}), "");
}

TEST(ArgumentReads, OnAllPaths) {
  // On one path the pair is overwritten.
  EXPECT_EQ(readsOf("s_cbranch_scc1 1\ns_mov_b64 s[0:1], 0\ns_load_dword s4, s[0:1], 0x0\ns_endpgm\n",
                    [](isa::KernelDescriptor &d) { d.kernargSegmentPtr = true; }),
            "");
}

} // namespace fly::report::test
