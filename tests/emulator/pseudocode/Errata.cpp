// Where the documents' texts are wrong or say less than the hardware does, each with the reason.
#include "tests/emulator/pseudocode/Library.h"

namespace fly::pseudocode {

namespace {
const char *const evenly =
    "x + 0.5 is rounded before floor sees it, and the sign of a zero is lost; the instruction is IEEE "
    "roundToIntegralTiesToEven";
const char *const halfUp = "x + 0.5 must not be rounded before floor sees it";
const char *const fraction =
    "v_fract's result stays below 1: LLVM matches min(x - floor(x), the number before 1) to it";
const char *const exponents =
    "of a denormal the exponent is the true one, of zero 0 (the sentence beside the text; C's frexp)";
const char *const minimum =
    "a NaN loses and -0 is less than +0: LLVM selects the instruction for minnum and maxnum, and the RDNA4 texts, "
    "which "
    "alone spell out NaNs and zeros, say so";
const char *const halves =
    "written out by halves; as a plain f16 result it takes clamp and meets its register as all 16-bit results do";
const char *const randomBits =
    "the sum must carry into the exponent and then be cut off, not rounded again: HIP's headers add the same bits so "
    "(amd_hip_ocp_host.hpp, from_float_sr)";
const char *const twoOverPi =
    "the 53 bits that the shift brings to the top are meant (the comment in the text, LLVM's constant folding of the "
    "intrinsic), "
    "not the lowest ones";
const char *const grids =
    "gfx12 cuts the terms off to a common grid and rounds once, as measured (runtime/emulator/formats/AlignedDot.h)";
const char *const shifting = "a shift of bits has no range to saturate to; the unpacked one has no clamp";
const char *const unsignedFormat = "gfx1250's clamp chooses a format without sign, which RDNA4's text does not know";
const char *const dotRounding = "which modes a dot product obeys is not said";
const char *const overflow =
    "S1 is neither infinite nor NaN here; meant is the quotient's overflow, without which compiled divisions give NaN";
const char *const lanes = "ADDR is unsigned: \"high-order bits are ignored\"";
const char *const clamping =
    "the text leaves out what clamp does; here it saturates, as the ISA's chapter on modifiers says of integers";
const char *const viewed = "slices of a source of 64 bits are taken of a view of 32";
const char *const whole =
    "the address is 32 bits of a register; scalar base and offset count as in every other access (LLVM's assembler "
    "has them)";
const char *const table =
    "the text does not fill its table; LLVM folds llvm.amdgcn.cvt.off.f32.i4 to sixteenths of the signed number";
const char *const scaling =
    "the text's conditions cannot hold and its factors do not undo each other; these are by encoded exponents, as "
    "AMD's rocjitsu has "
    "them, checked on gfx1100 and gfx1201";
const char *const prose = "half of the text is prose: the active lanes, of which each gets the result";
const char *const base =
    "the base in M0, which an older document of the family has and LLVM sets on every machine, is left out";
const char *const bfloatMode = "which modes bf16 operands and results of v_fma_mix obey is not said";
const char *const keeps =
    "AMD's rocjitsu keeps denormal operands in every mode, the emulator flushes them as MODE says: one source, not "
    "followed yet";
} // namespace

const std::vector<Erratum> errata = {
    {"v_rndne_f16", "floor(S0.f16 + 16'0.5)", "roundeven(S0.f16)", evenly},
    {"v_rndne_f16", "fract(S0.f16) == 16'0.5", "1'0U", evenly},
    {"v_rndne_f32", "floor(S0.f32 + 0.5F)", "roundeven(S0.f32)", evenly},
    {"v_rndne_f32", "fract(S0.f32) == 0.5F", "1'0U", evenly},
    {"v_rndne_f64", "floor(S0.f64 + 0.5)", "roundeven(S0.f64)", evenly},
    {"v_rndne_f64", "fract(S0.f64) == 0.5", "1'0U", evenly},
    {"s_rndne_f16", "floor(S0.f16 + 16'0.5)", "roundeven(S0.f16)", evenly},
    {"s_rndne_f16", "fract(S0.f16) == 16'0.5", "1'0U", evenly},
    {"s_rndne_f32", "floor(S0.f32 + 0.5F)", "roundeven(S0.f32)", evenly},
    {"s_rndne_f32", "fract(S0.f32) == 0.5F", "1'0U", evenly},
    {"v_cvt_rpi_i32_f32", "floor(S0.f32 + 0.5F)", "roundhalfup(S0.f32)", halfUp},
    {"v_cvt_nearest_i32_f32", "floor(S0.f32 + 0.5F)", "roundhalfup(S0.f32)", halfUp},
    {"v_fract_f16", "S0.f16 + -floor(S0.f16)", "fractbelowone(S0.f16)", fraction},
    {"v_fract_f32", "S0.f32 + -floor(S0.f32)", "fractbelowone(S0.f32)", fraction},
    {"v_fract_f64", "S0.f64 + -floor(S0.f64)", "fractbelowone(S0.f64)", fraction},
    {"v_frexp_exp_i16_f16", "exponent(S0.f16) - 15 + 1", "frexpexponent(S0.f16)", exponents},
    {"v_frexp_exp_i32_f32", "exponent(S0.f32) - 127 + 1", "frexpexponent(S0.f32)", exponents},
    {"v_frexp_exp_i32_f64", "exponent(S0.f64) - 1023 + 1", "frexpexponent(S0.f64)", exponents},
    {"ds_min_f32", "src < tmp ? src : tmp", "minnum(src, tmp)", minimum},
    {"ds_min_rtn_f32", "src < tmp ? src : tmp", "minnum(src, tmp)", minimum},
    {"ds_max_f32", "src > tmp ? src : tmp", "maxnum(src, tmp)", minimum},
    {"ds_max_rtn_f32", "src > tmp ? src : tmp", "maxnum(src, tmp)", minimum},
    {"ds_min_f64", "src < tmp ? src : tmp", "minnum(src, tmp)", minimum},
    {"ds_min_rtn_f64", "src < tmp ? src : tmp", "minnum(src, tmp)", minimum},
    {"ds_max_f64", "src > tmp ? src : tmp", "maxnum(src, tmp)", minimum},
    {"ds_max_rtn_f64", "src > tmp ? src : tmp", "maxnum(src, tmp)", minimum},
    {"flat_atomic_min_f64", "src < tmp ? src : tmp", "minnum(src, tmp)", minimum},
    {"flat_atomic_max_f64", "src > tmp ? src : tmp", "maxnum(src, tmp)", minimum},
    {"global_atomic_min_f64", "src < tmp ? src : tmp", "minnum(src, tmp)", minimum},
    {"global_atomic_max_f64", "src > tmp ? src : tmp", "maxnum(src, tmp)", minimum},
    {"buffer_atomic_min_f64", "src < tmp ? src : tmp", "minnum(src, tmp)", minimum},
    {"buffer_atomic_max_f64", "src > tmp ? src : tmp", "maxnum(src, tmp)", minimum},
    {"ds_permute_b32", "32'I(VGPR[i][ADDR] + OFFSET.b32) / 4 % num_lanes",
     "32'U(VGPR[i][ADDR] + OFFSET.b32) / 4U % 32'U(num_lanes)", lanes},
    {"ds_bpermute_b32", "32'I(VGPR[i][ADDR] + OFFSET.b32) / 4 % num_lanes",
     "32'U(VGPR[i][ADDR] + OFFSET.b32) / 4U % 32'U(num_lanes)", lanes},
    {"ds_bpermute_fi_b32", "32'I(VGPR[i][ADDR] + OFFSET.b32) / 4 % num_lanes",
     "32'U(VGPR[i][ADDR] + OFFSET.b32) / 4U % 32'U(num_lanes)", lanes},
    {"v_div_fixup_f32", "exponent(S1.f32) == 255", "exponent(S2.f32) - exponent(S1.f32) > 128", overflow},
    {"v_div_fixup_f64", "exponent(S1.f64) == 2047", "exponent(S2.f64) - exponent(S1.f64) > 1024", overflow},
    {"v_mac_f16", "if OPSEL.u4[3] then\nD0 = { tmp.f16, D0[15 : 0] }\nelse\nD0 = { 16'0, tmp.f16 }\nendif",
     "D0.f16 = tmp.f16", halves},
    {"v_mad_legacy_f16", "if OPSEL.u4[3] then\nD0 = { tmp.f16, D0[15 : 0] }\nelse\nD0 = { 16'0, tmp.f16 }\nendif",
     "D0.f16 = tmp.f16", halves},
    {"v_fma_legacy_f16", "if OPSEL.u4[3] then\nD0 = { tmp.f16, D0[15 : 0] }\nelse\nD0 = { 16'0, tmp.f16 }\nendif",
     "D0.f16 = tmp.f16", halves},
    {"v_div_fixup_legacy_f16", "if OPSEL.u4[3] then\nD0 = { tmp.f16, D0[15 : 0] }\nelse\nD0 = { 16'0, tmp.f16 }\nendif",
     "D0.f16 = tmp.f16", halves},
    {"v_madak_f16", "D0 = { 16'0, tmp.f16 }", "D0.f16 = tmp.f16", halves},
    {"v_madmk_f16", "D0 = { 16'0, tmp.f16 }", "D0.f16 = tmp.f16", halves},
    {"v_cvt_sr_fp8_f32", "f32_to_fp8(tmp.f32)", "f32_to_fp8_sr(S0.f32, S1.u32)", randomBits},
    {"v_cvt_sr_bf8_f32", "f32_to_bf8(tmp.f32)", "f32_to_bf8_sr(S0.f32, S1.u32)", randomBits},
    {"v_cvt_scalef32_f16_fp8", "D0 = tmp.b32", "D0.f16 = tmp", halves},
    {"v_cvt_scalef32_f16_bf8", "D0 = tmp.b32", "D0.f16 = tmp", halves},
    {"v_dot2_f32_f16", "D0.f32 = tmp", "D0.f32 = aligneddot_f16_f16(tmp, S0.b32, S1.b32, S2.f32)", grids},
    {"v_dot2_f32_bf16", "D0.f32 = tmp", "D0.f32 = aligneddot_bf16_bf16(tmp, S0.b32, S1.b32, S2.f32)", grids},
    {"v_dual_dot2acc_f32_f16", "tmp = D0.f32;", "addend = D0.f32; tmp = addend;", grids},
    {"v_dual_dot2acc_f32_f16", "D0.f32 = tmp", "D0.f32 = aligneddot_f16_f16(tmp, S0.b32, S1.b32, addend)", grids},
    {"v_dual_dot2acc_f32_bf16", "tmp = D0.f32;", "addend = D0.f32; tmp = addend;", grids},
    {"v_dual_dot2acc_f32_bf16", "D0.f32 = tmp", "D0.f32 = aligneddot_bf16_bf16(tmp, S0.b32, S1.b32, addend)", grids},
    {"v_dot2_f16_f16", "D0.f16 = tmp", "D0.f16 = aligneddot_f16_f16(tmp, S0.b32, S1.b32, S2.f16)", grids},
    {"v_dot2_bf16_bf16", "D0.bf16 = tmp", "D0.bf16 = aligneddot_bf16_bf16(tmp, S0.b32, S1.b32, S2.bf16)", grids},
    {"v_dot4_f32_fp8_fp8", "D0.f32 = tmp", "D0.f32 = aligneddot_fp8_fp8(tmp, S0.b32, S1.b32, S2.f32)", grids},
    {"v_dot4_f32_fp8_fp8", "@mode", "", dotRounding},
    {"v_dot4_f32_fp8_bf8", "D0.f32 = tmp", "D0.f32 = aligneddot_fp8_bf8(tmp, S0.b32, S1.b32, S2.f32)", grids},
    {"v_dot4_f32_fp8_bf8", "@mode", "", dotRounding},
    {"v_dot4_f32_bf8_fp8", "D0.f32 = tmp", "D0.f32 = aligneddot_bf8_fp8(tmp, S0.b32, S1.b32, S2.f32)", grids},
    {"v_dot4_f32_bf8_fp8", "@mode", "", dotRounding},
    {"v_dot4_f32_bf8_bf8", "D0.f32 = tmp", "D0.f32 = aligneddot_bf8_bf8(tmp, S0.b32, S1.b32, S2.f32)", grids},
    {"v_dot4_f32_bf8_bf8", "@mode", "", dotRounding},
    {"v_trig_preop_f64", "64'F((1201'B(2.0 / PI)[1200 : 0] << shift.u32) & 1201'0x1fffffffffffff)",
     "twooverpi(shift.u32)", twoOverPi},
    {"v_cvt_pk_fp8_f32", "@clamp", "", unsignedFormat},
    {"v_cvt_sr_fp8_f32", "@clamp", "", unsignedFormat},
    {"v_pk_lshlrev_b16", "@clamp", "", shifting},
    {"v_cvt_pkaccum_u8_f32", "@mode", "", "how f32_to_u8 rounds is not said"},
    {"s_setpc_b64", nullptr, nullptr, "jumps anywhere; compiled calls test it"},
    {"s_swappc_b64", nullptr, nullptr, "jumps anywhere; compiled calls test it"},
    {"v_cvt_pk_u8_f32", "@mode", "", "how f32_to_u8 rounds is not said"},
    {"v_dot2_f32_f16", "@mode", "", dotRounding},
    {"v_dot2_f32_bf16", "@mode", "", dotRounding},
    {"v_dot2c_f32_f16", "@mode", "", dotRounding},
    {"v_dot2c_f32_bf16", "@mode", "", dotRounding},
    {"v_dot2_f16_f16", "@mode", "", dotRounding},
    {"v_dot2_bf16_bf16", "@mode", "", dotRounding},
    {"v_cvt_f32_bf16", "@mode", "", "whether a conversion that only moves bits flushes denormals is not said"},
    {"v_cvt_pk_bf16_f32", "@mode", "", "which denormal mode a bf16 result obeys is not said"},
    {"v_dual_dot2acc_f32_f16", "@mode", "", dotRounding},
    {"v_dual_dot2acc_f32_bf16", "@mode", "", dotRounding},
    {"v_add_co_u32", "@clamp", "", clamping},
    {"v_sub_co_u32", "@clamp", "", clamping},
    {"v_subrev_co_u32", "@clamp", "", clamping},
    {"v_addc_co_u32", "@clamp", "", clamping},
    {"v_subb_co_u32", "@clamp", "", clamping},
    {"v_subbrev_co_u32", "@clamp", "", clamping},
    {"v_add_co_ci_u32", "@clamp", "", clamping},
    {"v_sub_co_ci_u32", "@clamp", "", clamping},
    {"v_subrev_co_ci_u32", "@clamp", "", clamping},
    {"v_mad_u64_u32", "@clamp", "", clamping},
    {"v_mad_i64_i32", "@clamp", "", clamping},
    {"v_mad_co_u64_u32", "@clamp", "", clamping},
    {"v_mad_co_i64_i32", "@clamp", "", clamping},
    {"v_qsad_pk_u16_u8", "@clamp", "", clamping},
    {"v_mqsad_pk_u16_u8", "@clamp", "", clamping},
    {"v_mad_legacy_i16", "@clamp", "", clamping},
    {"v_mad_legacy_u16", "@clamp", "", clamping},
    {"v_cvt_f32_fp8", "@clamp", "",
     "on gfx1250 the bit selects another format, E5M3 (LLVM's names of the subtarget's features)"},
    {"v_permlane16_swap_b32", "@exec", "",
     "the text does without EXEC, though FI and BOUND_CTRL are there to say what inactive lanes give"},
    {"v_permlane32_swap_b32", "@exec", "",
     "the text does without EXEC, though FI and BOUND_CTRL are there to say what inactive lanes give"},
    {"v_pk_mov_b32", "S0.u32[", "S0.u64[", viewed},
    {"v_pk_mov_b32", "S1.u32[", "S1.u64[", viewed},
    {"global_load_block", "VGPR[laneId][ADDR].i32", "CalcGlobalAddr()", whole},
    {"global_store_block", "VGPR[laneId][ADDR].i32", "CalcGlobalAddr()", whole},
    {"scratch_load_block", "VGPR[laneId][ADDR].i32", "CalcScratchAddr()", whole},
    {"scratch_store_block", "VGPR[laneId][ADDR].i32", "CalcScratchAddr()", whole},
    {"v_cvt_off_f32_i4", "declare CVT_OFF_TABLE : 32'F[16];", "", table},
    {"v_cvt_off_f32_i4", "CVT_OFF_TABLE[S0.u32[3 : 0]]",
     "i32_to_f32(signext_from_bit(32'I(S0.u32[3 : 0]), 4)) * 0.0625F", table},
    {"v_div_scale_f32", "if ((64'F(S2.f32) == 0.0) || (64'F(S1.f32) == 0.0)) then\nD0.f32 = NAN.f32\nelsif exponent",
     "if exponent", scaling},
    {"v_div_scale_f32", "VCC = 0x0LL;", "VCC = 0x0LL; D0.f32 = S0.f32;", scaling},
    {"v_div_scale_f32",
     "(1.0 / 64'F(S1.f32) == DENORM.f64) && (S2.f32 / S1.f32 == DENORM.f32)) then\nVCC = 0x1LL;\n"
     "if S0.f32 == S1.f32 then\n// Only scale the denominator\nD0.f32 = ldexp(S0.f32, 64)",
     "(exponent(S1.f32) >= 253) && (exponent(S2.f32) - exponent(S1.f32) <= -96)) then\nVCC = 0x1LL;\n"
     "if S0.f32 == S1.f32 then\nD0.f32 = ldexp(S0.f32, -64)",
     scaling},
    {"v_div_scale_f32", "elsif 1.0 / 64'F(S1.f32) == DENORM.f64 then", "elsif exponent(S1.f32) >= 253 then", scaling},
    {"v_div_scale_f32", "elsif S2.f32 / S1.f32 == DENORM.f32 then",
     "elsif exponent(S2.f32) - exponent(S1.f32) <= -96 then", scaling},
    {"v_div_scale_f32", "S1.f32 == DENORM.f32", "exponent(S1.f32) == 0", scaling},
    {"v_div_scale_f32", "elsif exponent(S2.f32) <= 23 then\n// Numerator is tiny\nD0.f32 = ldexp(S0.f32, 64)\nendif",
     "elsif exponent(S2.f32) <= 24 then\nD0.f32 = ldexp(S0.f32, 64)\nendif;\n"
     "if ((64'F(S2.f32) == 0.0) || (64'F(S1.f32) == 0.0)) then\nD0.f32 = 32'F(0xffc00000)\nendif",
     scaling},
    {"v_div_scale_f32", "VCC = 0x1LL", "VCC.u64[laneId] = 1'1U", scaling},
    {"v_div_fmas_f32", "2.0F ** 32 * fma(S0.f32, S1.f32, S2.f32)",
     "fmascaled(S0.f32, S1.f32, S2.f32, exponent(S2.f32) > 127 ? 64 : -64)", scaling},
    {"v_div_scale_f64", "if ((S2.f64 == 0.0) || (S1.f64 == 0.0)) then\nD0.f64 = NAN.f64\nelsif exponent", "if exponent",
     scaling},
    {"v_div_scale_f64", "VCC = 0x0LL;", "VCC = 0x0LL; D0.f64 = S0.f64;", scaling},
    {"v_div_scale_f64",
     "(1.0 / S1.f64 == DENORM.f64) && (S2.f64 / S1.f64 == DENORM.f64)) then\nVCC = 0x1LL;\nif S0.f64 == S1.f64 then\n"
     "// Only scale the denominator\nD0.f64 = ldexp(S0.f64, 128)",
     "(exponent(S1.f64) >= 2045) && (exponent(S2.f64) - exponent(S1.f64) <= -768)) then\nVCC = 0x1LL;\n"
     "if S0.f64 == S1.f64 then\nD0.f64 = ldexp(S0.f64, -128)",
     scaling},
    {"v_div_scale_f64", "elsif 1.0 / S1.f64 == DENORM.f64 then", "elsif exponent(S1.f64) >= 2045 then", scaling},
    {"v_div_scale_f64", "elsif S2.f64 / S1.f64 == DENORM.f64 then",
     "elsif exponent(S2.f64) - exponent(S1.f64) <= -768 then", scaling},
    {"v_div_scale_f64", "S1.f64 == DENORM.f64", "exponent(S1.f64) == 0", scaling},
    {"v_div_scale_f64", "elsif exponent(S2.f64) <= 53 then\n// Numerator is tiny\nD0.f64 = ldexp(S0.f64, 128)\nendif",
     "elsif exponent(S2.f64) <= 53 then\nD0.f64 = ldexp(S0.f64, 128)\nendif;\n"
     "if ((S2.f64 == 0.0) || (S1.f64 == 0.0)) then\nD0.f64 = 64'F(0xfff8000000000000)\nendif",
     scaling},
    {"v_div_scale_f64", "VCC = 0x1LL", "VCC.u64[laneId] = 1'1U", scaling},
    {"v_div_fmas_f64", "2.0 ** 64 * fma(S0.f64, S1.f64, S2.f64)",
     "fmascaled(S0.f64, S1.f64, S2.f64, exponent(S2.f64) > 1023 ? 128 : -128)", scaling},
    {"ds_append", "valid mask", "WAVE64 ? EXEC.u64 : 64'U(EXEC_LO.u32)", prose},
    {"ds_append", "GPR[VDST] = rtnval",
     "for lane in 0 : WAVE64 ? 63 : 31 do if EXEC[lane].u1 then VGPR[lane][VDST] = rtnval endif endfor", prose},
    {"ds_consume", "valid mask", "WAVE64 ? EXEC.u64 : 64'U(EXEC_LO.u32)", prose},
    {"ds_consume", "GPR[VDST] = rtnval",
     "for lane in 0 : WAVE64 ? 63 : 31 do if EXEC[lane].u1 then VGPR[lane][VDST] = rtnval endif endfor", prose},
    {"s_sleep", nullptr, nullptr, "the text is an example of its use; it changes no register"},
    {"s_delay_alu", nullptr, nullptr, "the text is an example of its use; it changes no register"},
    {"s_code_end", nullptr, nullptr, "the text is an example of its use; nothing executes it"},
    {"s_setprio", nullptr, nullptr, "the text is a formula of priorities, which change no register"},
    {"s_waitcnt", nullptr, nullptr,
     "the text only names counters; what arrives when is tested with instructions before and after it"},
    {"s_trap", nullptr, nullptr,
     "it enters a trap handler, and there is none: the emulator ends the kernel with a fault"},
    {"s_alloc_vgpr", nullptr, nullptr, "how many registers are granted is left to a function that nothing defines"},
    {"global_atomic_ordered_add_b64", nullptr, nullptr,
     "VGT_GS_MAX_WAVE_ID belongs to the graphics pipeline and has no value here"},
    {"s_barrier_signal", nullptr, nullptr,
     "the state of a barrier belongs to a workgroup of several waves and completion is left to a function that "
     "nothing defines; the tests of barriers run such workgroups"},
    {"s_barrier_signal_isfirst", nullptr, nullptr,
     "the state of a barrier belongs to a workgroup of several waves and completion is left to a function that "
     "nothing defines; the tests of barriers run such workgroups"},
    {"s_barrier_wait", nullptr, nullptr,
     "the state of a barrier belongs to a workgroup of several waves and completion is left to a function that "
     "nothing defines; the tests of barriers run such workgroups"},
    {"s_get_barrier_state", nullptr, nullptr,
     "the state of a barrier belongs to a workgroup of several waves and completion is left to a function that "
     "nothing defines; the tests of barriers run such workgroups"},
    {"ds_swizzle_b32", nullptr, nullptr,
     "the text is the end of a C program or a table, of one of the three modes; the tests of cross-lane instructions "
     "have all three"},
    {"v_fma_mix_f32_bf16", "@mode", "", bfloatMode},
    {"v_fma_mixlo_bf16", "@mode", "", bfloatMode},
    {"v_fma_mixhi_bf16", "@mode", "", bfloatMode},
    {"ds_append", "addr = offset", "addr = M0[15 : 0].u32 + offset", base},
    {"ds_consume", "addr = offset", "addr = M0[15 : 0].u32 + offset", base},
    {"v_div_fmas_f32", "@mode", "", keeps},
    {"v_div_fmas_f64", "@mode", "", keeps},
};

} // namespace fly::pseudocode
