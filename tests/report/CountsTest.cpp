// Widths and directions of accesses, moves between files, waits by value.
#include "compiler/report/Counts.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

TEST(Counts, WidthsFromNames) {
  struct Row {
    const char *op, *width;
  };
  const Row rows[] = {
      {"DS_READ_B32", "b32"},
      {"DS_READ_B128", "b128"},
      {"DS_READ2_B32", "2xb32"},
      {"DS_WRITE2ST64_B64", "2xb64"},
      {"DS_READ_U16_D16_HI", "b16"},
      {"DS_READ_I8", "b8"},
      {"DS_READ_B64_TR_B16", "b64"},
      {"DS_ADD_U32", "b32"},
      {"DS_PK_ADD_F16", "b32"},
      {"DS_BPERMUTE_B32", "b32"},
      {"GLOBAL_LOAD_DWORD", "b32"},
      {"GLOBAL_LOAD_DWORDX3", "b96"},
      {"BUFFER_LOAD_DWORDX4", "b128"},
      {"GLOBAL_LOAD_SBYTE_D16", "b8"},
      {"GLOBAL_STORE_SHORT", "b16"},
      {"GLOBAL_ATOMIC_ADD", "b32"},
      {"GLOBAL_ATOMIC_ADD_X2", "b64"},
      {"GLOBAL_ATOMIC_ADD_F64", "b64"},
      {"GLOBAL_ATOMIC_PK_ADD_BF16", "b32"},
      {"S_LOAD_DWORDX16", "b512"},
      {"S_LOAD_U16", "b16"},
      {"GLOBAL_LOAD_TR_B128", "b128"},
      {"BUFFER_WBL2", "other"},
  };
  for (const Row &row : rows)
    EXPECT_EQ(accessWidth(row.op).name, row.width) << row.op;
}

TEST(Counts, OfASmallKernel) {
  Code code = assemble(
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\n"
      "v_mov_b32 v1, s2\nv_mov_b32 v2, v1\nv_mov_b32 v3, 0\nv_readfirstlane_b32 s3, v1\nv_readlane_b32 s3, v1, 2\n"
      "v_writelane_b32 v1, s3, 1\n"
      "v_accvgpr_write_b32 a0, v1\nv_accvgpr_read_b32 v1, a0\ns_mov_b32 m0, s1\n"
      "v_exp_f32 v1, v1\nds_write_b64 v0, v[2:3]\nds_read2_b32 v[4:5], v0 offset0:1\n"
      "s_waitcnt vmcnt(3) lgkmcnt(0)\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
      "v_add_f32_dpp v1, v1, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"
      "s_endpgm\n",
      "gfx942");
  Counts c = count(code, code.whole());
  using Moves = std::map<std::string, uint32_t>;
  EXPECT_EQ(c.moves, (Moves{{"sgpr_to_vgpr", 2},
                            {"vgpr_to_vgpr", 1},
                            {"vgpr_to_sgpr", 2},
                            {"vgpr_to_agpr", 1},
                            {"agpr_to_vgpr", 1},
                            {"sgpr_to_sgpr", 1}}));
  EXPECT_EQ(c.waits[isa::Counter::Vm], (std::map<unsigned, uint32_t>{{3, 1}}));
  EXPECT_EQ(c.waits[isa::Counter::Lgkm], (std::map<unsigned, uint32_t>{{0, 2}}));
  EXPECT_EQ((c.accesses["lds"]["write"][{64, "b64"}]), 1u);
  EXPECT_EQ((c.accesses["lds"]["read"][{64, "2xb32"}]), 1u);
  EXPECT_EQ((c.accesses["smem"]["read"][{128, "b128"}]), 1u);
  EXPECT_EQ(c.mnemonics["v_add_f32"], 1u);
  EXPECT_EQ(c.mnemonics["v_mov_b32"], 3u);
}

TEST(Counts, ClassesOfAPart) {
  Code code = assemble("v_mov_b32 v1, 0\ns_nop 0\ns_cbranch_scc1 0xfffe\ns_endpgm\n", "gfx942");
  Counts part = count(code, {1u, 2u});
  EXPECT_EQ(part.classes[0], 2u);
  EXPECT_EQ(part.bytes, 8u);
}

} // namespace fly::report::test
