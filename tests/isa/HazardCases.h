// Pairs of instructions that software must keep apart, with the distance that the documents demand; for the tests of
// the emulator, which takes one path, and of the reports, which take all.
//
// The distances are literals from AMD's "CDNA5 Instruction Set Architecture" (27 July 2026), 7.12.1, 5.7.2 and 7.8, and
// from the RDNA4 manual, 7.12.1. LLVM 22 inserts the same number of v_nop, and one more for WMMA of 16x16x128 fp8,
// f8f6f4 and 32x16x128 f4.
#pragma once

#include <string>
#include <vector>

namespace fly::isa::test {

struct HazardCase {
  const char *arch, *first, *second;
  unsigned needed; ///< instructions in between
  const char *filler = "v_nop";
};

inline const std::vector<HazardCase> &hazardCases() {
  static const char *f16 = "v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], v[16:23]";
  static const char *short8 = "v_wmma_f32_16x16x64_fp8_bf8 v[16:23], v[0:7], v[8:15], v[16:23]";
  static const char *long8 = "v_wmma_f32_16x16x128_bf8_fp8 v[40:47], v[0:15], v[16:31], v[40:47]";
  static const char *mixed = "v_wmma_f32_16x16x128_f8f6f4 v[40:47], v[0:15], v[16:31], v[40:47]";
  static const char *small = "v_wmma_f32_16x16x128_f8f6f4 v[40:47], v[0:7], v[16:23], v[40:47] "
                             "matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4";
  static const char *half4 = "v_wmma_f32_16x16x128_f8f6f4 v[40:47], v[0:15], v[16:23], v[40:47] "
                             "matrix_b_fmt:MATRIX_FMT_FP4";
  static const char *tall = "v_wmma_f32_32x16x128_f4 v[40:55], v[0:15], v[16:23], v[40:55]";
  static const char *iu8 = "v_wmma_i32_16x16x64_iu8 v[16:23], v[0:7], v[8:15], v[16:23]";
  static const char *sparse = "v_swmmac_f32_16x16x64_bf16 v[32:39], v[0:7], v[8:23], v24";
  static const char *sparse8 = "v_swmmac_f32_16x16x128_fp8_fp8 v[32:39], v[0:7], v[8:23], v[24:25]";
  static const char *sparseInt = "v_swmmac_i32_16x16x128_iu8 v[32:39], v[0:7], v[8:23], v[24:25]";
  static const char *exp = "v_exp_f32_e32 v0, v1", *cmpx = "v_cmpx_eq_u32_e32 v0, v1";
  static const char *set = "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 4), 15";
  static const std::vector<HazardCase> cases = {
      // D read as A, as B, as index; D partly; C is the hardware's business.
      {"gfx1250", f16, "v_wmma_f32_16x16x32_f16 v[64:71], v[16:23], v[8:15], v[64:71]", 5},
      {"gfx1250", f16, "v_wmma_f32_16x16x32_f16 v[64:71], v[0:7], v[22:29], v[64:71]", 5},
      {"gfx1250", f16, "v_swmmac_f32_16x16x64_bf16 v[64:71], v[0:7], v[32:47], v16", 5},
      {"gfx1250", f16, "v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], v[16:23]", 0},
      {"gfx1250", short8, "v_wmma_f32_16x16x32_f16 v[64:71], v[16:23], v[8:15], v[64:71]", 2},
      {"gfx1250", small, "v_wmma_f32_16x16x32_f16 v[64:71], v[40:47], v[8:15], v[64:71]", 2},
      {"gfx1250", long8, "v_wmma_f32_16x16x32_f16 v[64:71], v[40:47], v[8:15], v[64:71]", 4},
      {"gfx1250", mixed, "v_wmma_f32_16x16x32_f16 v[64:71], v[40:47], v[8:15], v[64:71]", 4},
      {"gfx1250", half4, "v_wmma_f32_16x16x32_f16 v[64:71], v[40:47], v[8:15], v[64:71]", 4},
      {"gfx1250", tall, "v_wmma_f32_16x16x32_f16 v[64:71], v[48:55], v[8:15], v[64:71]", 4},
      {"gfx1250", iu8, "v_wmma_f32_16x16x32_f16 v[64:71], v[16:23], v[8:15], v[64:71]", 9},
      {"gfx1250", sparse, "v_wmma_f32_16x16x32_f16 v[64:71], v[32:39], v[8:15], v[64:71]", 3},
      {"gfx1250", sparse8, "v_wmma_f32_16x16x32_f16 v[64:71], v[32:39], v[8:15], v[64:71]", 3},
      {"gfx1250", sparseInt, "v_wmma_f32_16x16x32_f16 v[64:71], v[32:39], v[8:15], v[64:71]", 5},
      // Ordinary VALU: reads D, overwrites D, overwrites A, B, the index; reads A.
      {"gfx1250", f16, "v_add_f32_e32 v64, v65, v23", 4},
      {"gfx1250", f16, "v_mov_b32_e32 v16, 0", 4},
      {"gfx1250", f16, "v_mov_b32_e32 v7, 0", 4},
      {"gfx1250", f16, "v_mov_b32_e32 v8, 0", 4},
      {"gfx1250", f16, "v_mov_b32_e32 v64, v7", 0},
      {"gfx1250", f16, "v_mov_b32_e32 v24, v15", 0},
      {"gfx1250", f16, "v_dual_mov_b32 v64, v65 :: v_dual_mov_b32 v67, v18", 4},
      {"gfx1250", short8, "v_add_f32_e32 v64, v65, v23", 1},
      {"gfx1250", small, "v_add_f32_e32 v64, v65, v41", 1},
      {"gfx1250", long8, "v_add_f32_e32 v64, v65, v41", 3},
      {"gfx1250", mixed, "v_add_f32_e32 v64, v65, v41", 3},
      {"gfx1250", half4, "v_add_f32_e32 v64, v65, v41", 3},
      {"gfx1250", tall, "v_add_f32_e32 v64, v65, v55", 3},
      {"gfx1250", iu8, "v_add_f32_e32 v64, v65, v23", 8},
      {"gfx1250", sparse, "v_add_f32_e32 v64, v65, v33", 2},
      {"gfx1250", sparse, "v_mov_b32_e32 v24, 0", 2},
      {"gfx1250", sparseInt, "v_add_f32_e32 v64, v65, v33", 4},
      // Independent VALU counts as v_nop does, and so does another WMMA.
      {"gfx1250", f16, "v_add_f32_e32 v64, v65, v23", 4, "v_mov_b32_e32 v70, v71"},
      {"gfx1250", f16, "v_add_f32_e32 v64, v65, v23", 4, "v_wmma_f32_16x16x32_f16 v[80:87], v[0:7], v[8:15], v[80:87]"},
      // Transcendental: its result read or overwritten, its source overwritten. Another one may follow; 64 bits are
      // ordinary.
      {"gfx1250", exp, "v_add_f32_e32 v2, v0, v3", 1},
      {"gfx1250", exp, "v_mov_b32_e32 v0, v3", 1},
      {"gfx1250", exp, "v_mov_b32_e32 v1, v3", 1},
      {"gfx1250", exp, "v_mov_b32_e32 v2, v1", 0},
      {"gfx1250", exp, "v_log_f32_e32 v2, v0", 0},
      {"gfx1250", "v_rcp_f64_e32 v[0:1], v[2:3]", "v_mov_b32_e32 v4, v0", 0},
      {"gfx1250", "v_s_exp_f32 s1, s2", "v_mov_b32_e32 v4, s1", 1},
      {"gfx1201", exp, "v_add_f32_e32 v2, v0, v3", 0},
      // Any instruction in between is enough.
      {"gfx1250", cmpx, "v_permlane16_b32 v4, v5, s0, s1", 1, "s_nop 0"},
      {"gfx1250", cmpx, "v_permlane_xor_b32 v4, v5, 1, 32", 1, "v_nop"},
      {"gfx1250", "v_cmp_eq_u32_e32 v0, v1", "v_permlane16_b32 v4, v5, s0, s1", 0},
      {"gfx1250", set, "s_set_vgpr_msb 0x0", 1, "s_nop 0"},
      {"gfx1250", "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 1", "s_set_vgpr_msb 0x0", 0},
      // RDNA 4
      {"gfx1201", "v_wmma_f32_16x16x16_f16 v[16:23], v[0:3], v[4:7], v[16:23]",
       "v_wmma_f32_16x16x16_f16 v[32:39], v[16:19], v[4:7], v[32:39]", 1},
      {"gfx1201", "v_wmma_f32_16x16x16_f16 v[16:23], v[0:3], v[4:7], v[16:23]",
       "v_wmma_f32_16x16x16_f16 v[16:23], v[0:3], v[4:7], v[16:23]", 0},
      {"gfx1201", "v_wmma_f32_16x16x16_f16 v[16:23], v[0:3], v[4:7], v[16:23]", "v_mov_b32_e32 v32, v16", 0},
  };
  return cases;
}

/// `first`, `between` fillers, `second`.
inline std::vector<std::string> textsOf(const HazardCase &c, unsigned between) {
  std::vector<std::string> texts(between, c.filler);
  texts.insert(texts.begin(), c.first);
  texts.push_back(c.second);
  return texts;
}

/// Two in one, gfx1250: X takes several cycles and writes what Y reads; it does not; X is short.
inline constexpr const char *pairThatOverwrites = "v_dual_add_f64 v[0:1], v[2:3], v[4:5] :: v_dual_add_f32 v7, v0, v11";
inline constexpr const char *pairsThatMayRun[] = {"v_dual_add_f64 v[0:1], v[2:3], v[4:5] :: v_dual_add_f32 v7, v8, v11",
                                                  "v_dual_add_f32 v0, v2, v4 :: v_dual_add_f32 v7, v0, v11"};

} // namespace fly::isa::test
