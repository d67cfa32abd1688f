// Pairs of instructions that software must keep apart on gfx942 and gfx950, with the wait states that the documents
// demand.
//
// The distances are literals from AMD's "CDNA3" and "CDNA4 Instruction Set Architecture", table 11 (4.5) and the table
// of 7.6. `llvm` is what LLVM 22 keeps where that is less; the smaller number is the bound.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fly::isa::test {

struct WaitStateCase {
  const char *rule, *first, *second;
  unsigned cdna3, cdna4;
  unsigned llvm = 99;
  const char *only = nullptr; ///< the architecture that has the instructions; null: both
  bool isDoubt = false;       ///< LLVM alone demands it, and the manual's row names other instructions
};

inline const std::vector<WaitStateCase> &waitStateCases() {
  static const char *xdl2 = "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[4:5], v[6:7], v[0:3]";
  static const char *xdl4 = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]";
  static const char *xdl8 = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]";
  static const char *xdl16 = "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[32:33], v[34:35], v[0:31]";
  static const char *acc4 = "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]";
  static const char *sparse4 = "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[8:11], v12";
  static const char *sgemm2 = "v_mfma_f32_4x4x1_16b_f32 v[0:3], v4, v5, v[0:3]";
  static const char *sgemm8 = "v_mfma_f32_16x16x4_f32 v[0:3], v4, v5, v[0:3]";
  static const char *sgemm16 = "v_mfma_f32_32x32x2_f32 v[0:15], v16, v17, v[0:15]";
  static const char *f64 = "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]";
  static const char *f64small = "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[8:9], v[10:11], v[0:1]";
  static const char *readsC = "v_mfma_f32_16x16x16_f16 v[64:67], v[36:37], v[38:39], v[2:5]";
  static const char *readsA = "v_mfma_f32_16x16x16_f16 v[64:67], v[2:3], v[36:37], v[64:67]";
  static const char *readsB = "v_mfma_f32_16x16x16_f16 v[64:67], v[36:37], v[0:1], v[64:67]";
  static const char *reads = "v_add_f32_e32 v64, v65, v1", *writes = "v_mov_b32_e32 v1, v65",
                    *stores = "global_store_dword v64, v1, s[2:3]", *storesLds = "ds_write_b32 v64, v1";
  static const std::vector<WaitStateCase> cases = {
      {"setreg", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15", "s_getreg_b32 s0, hwreg(HW_REG_MODE)", 2, 2},
      {"setreg", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s1", 2, 2},
      {"zero-flag", "v_cmp_eq_u32_e32 vcc, v0, v1", "v_mov_b32_e32 v2, src_vccz", 5, 5},
      {"zero-flag", "v_cmpx_eq_u32_e32 vcc, v0, v1", "v_mov_b32_e32 v2, src_execz", 5, 5},
      {"lane-select", "v_readfirstlane_b32 s4, v0", "v_readlane_b32 s5, v1, s4", 4, 4},
      {"lane-select", "v_readfirstlane_b32 s4, v0", "v_writelane_b32 v1, 6, s4", 4, 4},
      {"div-fmas", "v_cmp_eq_u32_e32 vcc, v0, v1", "v_div_fmas_f32 v2, v3, v4, v5", 4, 4},
      {"store-data", "global_store_dwordx4 v8, v[0:3], s[2:3]", writes, 2, 2},
      {"store-data", "global_store_dwordx3 v8, v[0:2], s[2:3]", writes, 2, 2},
      {"store-data", "buffer_store_dwordx4 v[0:3], v8, s[4:7], 0 offen", writes, 2, 2},
      {"", "buffer_store_dwordx4 v[0:3], v8, s[4:7], s9 offen", writes, 0, 0},
      {"", "global_store_dwordx2 v8, v[0:1], s[2:3]", writes, 0, 0},
      {"memory-scalar", "v_readfirstlane_b32 s4, v0", "global_load_dword v1, v2, s[4:5]", 5, 5},
      {"memory-scalar", "v_readlane_b32 s7, v0, 3", "buffer_load_dword v1, v2, s[4:7], 0 offen", 5, 5},
      {"memory-scalar", "v_readfirstlane_b32 s8, v0", "buffer_load_dword v1, v2, s[4:7], s8 offen", 5, 5},
      {"", "s_mov_b32 s4, 0", "global_load_dword v1, v2, s[4:5]", 0, 0},
      {"m0", "s_mov_b32 m0, 0", "global_load_lds_dword v2, s[4:5]", 1, 1},
      {"m0", "s_mov_b32 m0, 0", "ds_read_addtid_b32 v2", 1, 1},
      {"m0", "s_mov_b32 m0, 0", "buffer_load_dword v2, s[4:7], 0 offen lds", 1, 1, 99, nullptr, true},
      {"m0", "s_mov_b32 m0, 0", "s_sendmsg 1", 1, 1},
      {"m0", "s_mov_b32 m0, 0", "s_movrels_b32 s0, s1", 1, 1},
      {"dpp", "v_mov_b32_e32 v0, v1", "v_mov_b32_dpp v2, v0 row_shl:1 row_mask:0xf bank_mask:0xf", 2, 2},
      {"dpp", "v_cmpx_eq_u32_e32 vcc, v0, v1", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", 5, 5},
      {"constant", "v_readfirstlane_b32 s4, v0", "v_add_f32_e32 v2, s4, v3", 2, 2},
      {"constant", "v_cmp_eq_u32_e32 vcc, v0, v1", "v_mov_b32_e32 v2, vcc_lo", 2, 2},
      {"constant", "v_cmpx_eq_u32_e32 vcc, v0, v1", "v_mov_b32_e32 v2, exec_lo", 2, 2},
      {"", "v_cmp_eq_u32_e32 vcc, v0, v1", "v_cndmask_b32_e32 v2, v3, v4, vcc", 0, 0},
      {"", "v_cmp_eq_u32_e64 s[4:5], v0, v1", "v_cndmask_b32_e64 v2, v3, v4, s[4:5]", 0, 0},
      {"", "v_cmp_eq_u32_e32 vcc, v0, v1", "v_addc_co_u32_e32 v2, vcc, v3, v4, vcc", 0, 0},
      {"exec-lane", "v_cmpx_eq_u32_e32 vcc, v0, v1", "v_readfirstlane_b32 s9, v2", 4, 4},
      {"readlane", "v_mov_b32_e32 v0, v1", "v_readlane_b32 s5, v0, 3", 1, 1},
      {"readlane", "v_mov_b32_e32 v0, v1", "v_readfirstlane_b32 s5, v0", 1, 1, 99, nullptr, true},
      {"part", "v_add_u16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD",
       "v_add_f32_e32 v3, v0, v4", 1, 1},
      {"part", "v_mad_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]", "v_add_f32_e32 v3, v0, v4", 1, 1},
      {"transcendental", "v_exp_f32_e32 v0, v1", "v_add_f32_e32 v3, v0, v4", 1, 1},
      {"", "v_exp_f32_e32 v0, v1", "v_log_f32_e32 v3, v0", 0, 0},
      {"permlane", "v_mov_b32_e32 v0, v1", "v_permlane32_swap_b32_e32 v0, v2", 2, 2, 99, "gfx950"},
      {"permlane", "v_cmpx_eq_u32_e32 vcc, v0, v1", "v_permlane16_swap_b32_e32 v4, v2", 4, 4, 99, "gfx950"},
      {"matrix-source", "v_mov_b32_e32 v4, v64", xdl4, 2, 2},
      {"matrix-source", "v_mov_b32_e32 v0, v64", xdl4, 2, 2},
      {"matrix-exec", "v_cmpx_eq_u32_e32 vcc, v64, v65", xdl4, 4, 4},
      {"dot", "v_dot2_f32_f16 v1, v64, v65, v1", "v_dot2_f32_f16 v3, v1, v65, v3", 3, 3},
      {"", "v_dot2_f32_f16 v1, v64, v65, v1", "v_dot2_f32_f16 v1, v66, v65, v1", 0, 0},
      {"dot", "v_dot2_f32_f16 v1, v64, v65, v1", reads, 3, 3},
      {"dot", "v_dot2_f32_f16 v1, v64, v65, v1", writes, 3, 3},
      {"dot", "v_dot2_f32_f16 v1, v64, v65, v1", stores, 3, 3},
      // Results of matrix products: as the same C, as a part of C, as A and B, by memory and by other VALU
      // instructions.
      {"matrix-result", xdl2, xdl2, 2, 2},
      {"", xdl4, xdl4, 0, 0},
      {"", xdl16, xdl16, 0, 0},
      {"matrix-result", xdl2, readsC, 3, 4},
      {"matrix-result", xdl4, readsC, 5, 6},
      {"matrix-result", xdl8, readsC, 9, 10},
      {"matrix-result", xdl16, readsC, 17, 18},
      {"matrix-result", xdl2, readsA, 5, 5},
      {"matrix-result", xdl4, readsA, 7, 8},
      {"matrix-result", xdl8, readsB, 11, 12},
      {"matrix-result", xdl16, readsA, 19, 20, 19},
      {"matrix-result", sparse4, readsA, 7, 8},
      {"matrix-result", xdl4, "v_smfmac_f32_16x16x32_f16 v[64:67], v[68:69], v[70:73], v1", 7, 8},
      {"matrix-result", xdl2, reads, 5, 5},
      {"matrix-result", xdl4, reads, 7, 8},
      {"matrix-result", xdl8, reads, 11, 12},
      {"matrix-result", xdl16, reads, 19, 20, 19},
      {"matrix-result", xdl4, writes, 7, 8},
      {"matrix-result", xdl8, stores, 11, 12},
      {"matrix-result", xdl4, storesLds, 7, 8},
      {"matrix-result", acc4, "v_accvgpr_read_b32 v64, a2", 7, 8},
      {"matrix-result", acc4, "global_store_dword v64, a2, s[2:3]", 7, 8},
      {"", acc4, reads, 0, 0},
      {"matrix-result", sgemm2, sgemm2, 2, 2},
      {"matrix-result", sgemm2, "v_mfma_f32_16x16x4_f32 v[64:67], v4, v5, v[2:5]", 2, 2},
      {"matrix-result", sgemm8, "v_mfma_f32_16x16x4_f32 v[64:67], v4, v5, v[2:5]", 8, 8},
      {"", sgemm8, readsC, 0, 0},
      {"matrix-result", sgemm8, readsA, 10, 10},
      {"matrix-result", sgemm16, reads, 18, 18},
      {"matrix-result", sgemm8, stores, 10, 10},
      {"matrix-result", sgemm2, writes, 4, 4},
      {"", f64, f64, 0, 0},
      {"matrix-result", f64, "v_mfma_f64_16x16x4_f64 v[64:71], v[8:9], v[10:11], v[2:9]", 9, 17},
      {"matrix-result", f64, "v_mfma_f64_16x16x4_f64 v[64:71], v[2:3], v[10:11], v[64:71]", 11, 19},
      {"matrix-result", f64, reads, 11, 19},
      {"matrix-result", f64, writes, 11, 19, 11},
      {"matrix-result", f64, stores, 18, 18},
      {"matrix-result", f64small, f64small, 4, 4},
      {"matrix-result", f64small, reads, 6, 6},
      {"matrix-result", f64small, stores, 9, 9},
      // C may not be overwritten while it is read.
      {"matrix-accumulator", "v_mfma_f32_4x4x4_16b_f16 v[68:71], v[4:5], v[6:7], v[0:3]", writes, 1, 1},
      {"matrix-accumulator", "v_mfma_f32_16x16x16_f16 v[68:71], v[4:5], v[6:7], v[0:3]", writes, 3, 3},
      {"matrix-accumulator", "v_mfma_f32_32x32x8_f16 v[68:83], v[16:17], v[18:19], v[0:15]", writes, 7, 7},
      {"matrix-accumulator", "v_mfma_f32_32x32x4_2b_f16 v[68:99], v[32:33], v[34:35], v[0:31]", writes, 15, 15},
      {"", "v_mfma_f32_16x16x4_f32 v[68:71], v4, v5, v[0:3]", writes, 0, 0},
      // Passes of products that only gfx950 has, and of xf32.
      {"matrix-result", "v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[6:7], v[0:3]", reads, 7, 7, 99, "gfx942"},
      {"matrix-result", "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3]", reads, 8, 8, 99, "gfx950"},
      {"matrix-result", "v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], v[0:15]", reads, 12, 12, 99, "gfx950"},
      {"matrix-result", "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3]", reads, 12, 12, 99, "gfx950"},
      {"matrix-result", "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:11], v[16:19], v[0:3] cbsz:4 blgp:4", reads, 8, 8, 99,
       "gfx950"},
      {"matrix-result", "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:19], v[20:23], v[0:15] cbsz:4 blgp:4", reads, 12, 12,
       99, "gfx950"},
  };
  return cases;
}

inline unsigned neededBy(const WaitStateCase &c, const std::string &arch) {
  return std::min(arch == "gfx942" ? c.cdna3 : c.cdna4, c.llvm);
}

} // namespace fly::isa::test
