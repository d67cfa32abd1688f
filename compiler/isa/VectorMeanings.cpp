// Meanings of the VALU's instructions, except conversions and matrices.
//
// `v_pk_add_f16` is `v_add_f16` for two numbers at once, so packed names are looked up without `pk`; what is packed in
// another way has rows of its own, in front.
#include "compiler/isa/MeaningPatterns.h"

namespace fly::isa {

namespace {

constexpr MeaningRow packed[] = {
    {"pk_mov_b32", "low word of d = a word of a, high word = a word of b; op_sel selects them"},
    {"qsad_pk_u16_u8", "d = c + four sums of |a - b| over bytes, with the bytes of a from 0, 1, 2 and 3 on, four u16"},
    {"mqsad_pk_u16_u8",
     "d = c + four sums of |a - b| over bytes, with the bytes of a from 0, 1, 2 and 3 on, where b is not "
     "0, four u16"},
    {"mqsad_u32_u8",
     "d = c + four sums of |a - b| over bytes, with the bytes of a from 0, 1, 2 and 3 on, where b is not 0, "
     "four u32"},
    {"ashr_pk_i8_i32", "one half of d = a >> c and b >> c, saturated to i8"},
    {"ashr_pk_u8_i32", "one half of d = a >> c and b >> c, saturated to u8"},
    {"sat_pk_u8_i16", "one half of d = the two i16 of a, saturated to u8"},
    {"sat_pk4_i4_i8", "one half of d = the four i8 of a, saturated to i4"},
    {"sat_pk4_u4_u8", "one half of d = the four u8 of a, saturated to u4"},
    {"perm_pk16_b4_u4",
     "d = 16 values of 4 bits that the 4-bit indices in c select from the table a:b (b is the lower part)"},
    {"perm_pk16_b6_u4",
     "d = 16 values of 6 bits that the 4-bit indices in c select from the table a:b (b is the lower part)"},
    {"perm_pk16_b8_u4",
     "d = 16 values of 8 bits that the 4-bit indices in c select from the table a:b (b is the lower part)"},
    {"pack_b32_f16", "low half of d = the f16 a, high half = the f16 b"},
};

constexpr MeaningRow arithmetic[] = {
    // sums and products
    {"add_nc?_T", "d = a + b, {1}"},
    {"sub_nc?_T", "d = a - b, {1}"},
    {"subrev_nc?_T", "d = b - a, {1}"},
    {"add_co_I", "d = a + b, {1}; carry = mask of the lanes that overflow"},
    {"sub_co_I", "d = a - b, {1}; carry = mask of the lanes that borrow"},
    {"subrev_co_I", "d = b - a, {1}; carry = mask of the lanes that borrow"},
    {"add_co_ci_I", "d = a + b + the lane's bit in c, {1}; carry = mask of the lanes that overflow"},
    {"addc_co_I", "d = a + b + the lane's bit in c, {1}; carry = mask of the lanes that overflow"},
    {"sub_co_ci_I", "d = a - b - the lane's bit in c, {1}; carry = mask of the lanes that borrow"},
    {"subb_co_I", "d = a - b - the lane's bit in c, {1}; carry = mask of the lanes that borrow"},
    {"subrev_co_ci_I", "d = b - a - the lane's bit in c, {1}; carry = mask of the lanes that borrow"},
    {"subbrev_co_I", "d = b - a - the lane's bit in c, {1}; carry = mask of the lanes that borrow"},
    {"mul_F", "d = a * b, {1}"},
    {"mul_legacy|dx9_zero?_f32", "d = a * b, but 0 where a or b is 0, f32"},
    {"mul_lo_I", "d = a * b, low half of the product, {1}"},
    {"mul_u64", "d = a * b, low half of the product, u64"},
    {"mul_hi_I", "d = a * b, high half of the product, {1}"},
    {"mul_i32_i24", "d = a * b, i24 factors, i32"},
    {"mul_u32_u24", "d = a * b, u24 factors, u32"},
    {"mul_hi_i32_i24", "d = a * b, i24 factors, bits 32 and up of the product"},
    {"mul_hi_u32_u24", "d = a * b, u24 factors, bits 32 and up of the product"},
    {"mullit_f32",
     "d = a * b, but the most negative number if c <= 0 or c is a NaN, or b is a NaN or as low as that, f32"},
    {"fma_F", "d = a * b + c, rounded once, {1}"},
    {"fma_dx9_zero_f32", "d = a * b + c, rounded once, but c where a or b is 0, f32"},
    {"fma_legacy_f16", "d = a * b + c, rounded once, f16; clears the high half of d"},
    {"fmac_F", "d = a * b + d, rounded once, {1}"},
    {"fmaak_F", "d = a * b + k, rounded once, {1}"},
    {"fmamk_F", "d = a * k + b, rounded once, {1}"},
    {"fma_mix_f32",
     "d = a * b + c, rounded once, f32; op_sel_hi makes a source an f16, in the half that op_sel selects"},
    {"fma_mix_f32_bf16",
     "d = a * b + c, rounded once, f32; op_sel_hi makes a source a bf16, in the half that op_sel selects"},
    {"fma_mixlo_F",
     "low half of d = a * b + c, {1}; sources are f32, or {1} with op_sel_hi, in the half that op_sel selects"},
    {"fma_mixhi_F",
     "high half of d = a * b + c, {1}; sources are f32, or {1} with op_sel_hi, in the half that op_sel selects"},
    {"mad_F", "d = a * b + c, product and sum rounded separately, {1}"},
    {"mad_legacy_T", "d = a * b + c, {1}; clears the high half of d"},
    {"mac_F", "d = a * b + d, product and sum rounded separately, {1}"},
    {"madak_F", "d = a * b + k, product and sum rounded separately, {1}"},
    {"madmk_F", "d = a * k + b, product and sum rounded separately, {1}"},
    {"mad_I", "d = a * b + c, low half of the bits, {1}"},
    {"mad_u64_u32", "d = a * b + c, u32 factors, u64; carry = mask of the lanes that overflow"},
    {"mad_i64_i32", "d = a * b + c, i32 factors, i64; carry = mask of the lanes that overflow"},
    {"mad_co_I_I", "d = a * b + c, {2} factors, {1}; carry = mask of the lanes that overflow"},
    {"mad_nc?_I_I", "d = a * b + c, {2} factors, {1}"},
    {"add3_u32", "d = a + b + c, u32"},
    {"lshl_add_I", "d = (a << b) + c, {1}"},
    {"add_lshl_u32", "d = (a + b) << c, u32"},
    {"xad_u32", "d = (a ^ b) + c, u32"},
    {"add_min_I", "d = min(a + b, c), the sum saturated, {1}"},
    {"add_max_I", "d = max(a + b, c), the sum saturated, {1}"},
    // minima and maxima
    {"min_I", "d = min(a, b), {1}"},
    {"max_I", "d = max(a, b), {1}"},
    {"min3_I", "d = min(a, b, c), {1}"},
    {"max3_I", "d = max(a, b, c), {1}"},
    {"med3_I", "d = median of a, b and c, {1}"},
    {"minmax_I", "d = max(min(a, b), c), {1}"},
    {"maxmin_I", "d = min(max(a, b), c), {1}"},
    {"min_num?_F", "d = min(a, b), {1}; a number wins over a NaN"},
    {"max_num?_F", "d = max(a, b), {1}; a number wins over a NaN"},
    {"min3_num?_F", "d = min(a, b, c), {1}; a number wins over a NaN"},
    {"max3_num?_F", "d = max(a, b, c), {1}; a number wins over a NaN"},
    {"med3_num?_F", "d = median of a, b and c, {1}; with a NaN, the smallest number among them"},
    {"minmax_num_F", "d = max(min(a, b), c), {1}; a number wins over a NaN"},
    {"maxmin_num_F", "d = min(max(a, b), c), {1}; a number wins over a NaN"},
    {"minimum_F", "d = min(a, b), {1}; a NaN wins over a number"},
    {"maximum_F", "d = max(a, b), {1}; a NaN wins over a number"},
    {"minimum3_F", "d = min(a, b, c), {1}; a NaN wins over a number"},
    {"maximum3_F", "d = max(a, b, c), {1}; a NaN wins over a number"},
    {"minimummaximum_F", "d = max(min(a, b), c), {1}; a NaN wins over a number"},
    {"maximumminimum_F", "d = min(max(a, b), c), {1}; a NaN wins over a number"},
    // functions
    {"rcp_F", "d = 1 / a, approximately, {1}"},
    {"rcp_iflag_f32", "d = 1 / a, approximately, f32; raises only the exception of integer division by zero"},
    {"sqrt_F", "d = square root of a, approximately, {1}"},
    {"rsq_F", "d = 1 / square root of a, approximately, {1}"},
    {"exp_legacy?_F", "d = 2 to the power of a, approximately, {1}"},
    {"log_legacy?_F", "d = base-2 logarithm of a, approximately, {1}"},
    {"sin_F", "d = sine of 2 * pi * a, approximately, {1}"},
    {"cos_F", "d = cosine of 2 * pi * a, approximately, {1}"},
    {"tanh_F", "d = hyperbolic tangent of a, approximately, {1}"},
    {"s_rcp_F", "d = 1 / the scalar a, approximately, {1}"},
    {"s_sqrt_F", "d = square root of the scalar a, approximately, {1}"},
    {"s_rsq_F", "d = 1 / square root of the scalar a, approximately, {1}"},
    {"s_exp_F", "d = 2 to the power of the scalar a, approximately, {1}"},
    {"s_log_F", "d = base-2 logarithm of the scalar a, approximately, {1}"},
    {"floor_F", "d = a rounded down to an integer, {1}"},
    {"ceil_F", "d = a rounded up to an integer, {1}"},
    {"trunc_F", "d = a rounded towards zero to an integer, {1}"},
    {"rndne_F", "d = a rounded to the nearest integer, ties to even, {1}"},
    {"fract_F", "d = a - floor(a), {1}"},
    {"frexp_mant_F", "d = the mantissa of a: a / 2^n with a magnitude of at least 0.5 and below 1, {1}"},
    {"frexp_exp_I_F",
     "d = the exponent n of the {2} a, for which a / 2^n has a magnitude of at least 0.5 and below 1, {1}"},
    {"ldexp_F", "d = a * 2^b, {1}; b is an integer"},
    {"div_scale_F", "d = a (which is b or c), scaled by a power of two if the division c / b needs it, {1}; mask = the "
                    "lanes whose quotient "
                    "v_div_fmas scales back"},
    {"div_fmas_f32", "d = a * b + c, rounded once, f32; multiplied by 2^32 if the lane's bit in VCC is set"},
    {"div_fmas_f64", "d = a * b + c, rounded once, f64; multiplied by 2^64 if the lane's bit in VCC is set"},
    {"div_fixup_F", "d = the quotient c / b: a, corrected for signs, zeros, infinities and NaNs, {1}"},
    {"div_fixup_legacy_f16",
     "d = the quotient c / b: a, corrected for signs, zeros, infinities and NaNs, f16; clears the high "
     "half of d"},
    {"trig_preop_f64",
     "d = the b-th group of 53 bits of 2 / pi, counted from the first bit that matters for the angle a, f64"},
    {"prng_b32", "d = the number that follows a in a pseudo-random sequence"},
    // sums of products and of differences
    {"dot2_F_F", "d = c + sum of a * b over two {2}, {1}"},
    {"dot2_I_I", "d = c + sum of a * b over two {2}, {1}"},
    {"dot2c|dot2acc_T_T", "d = d + sum of a * b over two {2}, {1}"},
    {"dot4_i32_iu8", "d = c + sum of a * b over four bytes, i32; neg_lo says which source is signed"},
    {"dot8_i32_iu4", "d = c + sum of a * b over eight numbers of 4 bits, i32; neg_lo says which source is signed"},
    {"dot4_T_T", "d = c + sum of a * b over four {2}, {1}"},
    {"dot4_f32_T_T", "d = c + sum of a * b over four elements, {1} in a and {2} in b, f32"},
    {"dot4c_T_T", "d = d + sum of a * b over four {2}, {1}"},
    {"dot8_T_T", "d = c + sum of a * b over eight {2}, {1}"},
    {"dot8c_T_T", "d = d + sum of a * b over eight {2}, {1}"},
    {"sad_u8", "d = c + sum of |a - b| over four bytes, u32"},
    {"sad_hi_u8", "d = c + (sum of |a - b| over four bytes << 16), u32"},
    {"sad_u16", "d = c + sum of |a - b| over two u16, u32"},
    {"sad_u32", "d = c + |a - b|, u32"},
    {"msad_u8", "d = c + sum of |a - b| over the bytes of b that are not 0, u32"},
    {"lerp_u8", "d = (a + b + the lowest bit of c) >> 1, for each of four bytes"},
};

constexpr MeaningRow bits[] = {
    {"and_T", "d = a & b, {1}"},
    {"or_T", "d = a | b, {1}"},
    {"xor_T", "d = a ^ b, {1}"},
    {"xnor_T", "d = ~(a ^ b), {1}"},
    {"not_T", "d = ~a, {1}"},
    {"and_or_b32", "d = (a & b) | c"},
    {"or3_b32", "d = a | b | c"},
    {"xor3_b32", "d = a ^ b ^ c"},
    {"lshl_or_b32", "d = (a << b) | c"},
    {"lshlrev_T", "d = b << a, {1}"},
    {"lshrrev_T", "d = b >> a, logical, {1}"},
    {"ashrrev_T", "d = b >> a, arithmetic, {1}"},
    {"bfi_b32", "d = (a & b) | (~a & c): a selects bits of b or c"},
    {"bfe_u32", "d = c bits of a, starting at bit b, zero-extended"},
    {"bfe_i32", "d = c bits of a, starting at bit b, sign-extended"},
    {"bfm_b32", "d = a mask of a ones, starting at bit b"},
    {"bfrev_b32", "d = a with its bits reversed"},
    {"bcnt_u32_b32", "d = b + the number of ones in a"},
    {"alignbit_b32", "d = low 32 bits of (a:b) >> c; a is the upper half"},
    {"alignbyte_b32", "d = low 32 bits of (a:b) >> 8 * c; a is the upper half"},
    {"ffbh|clz_u32", "d = number of leading zeros of a; -1 if a is 0"},
    {"clz_i32_u32", "d = number of leading zeros of a; -1 if a is 0"},
    {"ffbh|cls_i32", "d = number of leading bits of a that equal its sign bit; -1 if all do"},
    {"ffbl_b32", "d = number of trailing zeros of a; -1 if a is 0"},
    {"ctz_i32_b32", "d = number of trailing zeros of a; -1 if a is 0"},
    {"bitop2_b32", "d = the bitwise function of a and b whose truth table is bitop3"},
    {"bitop3_b32|b16", "d = the bitwise function of a, b and c whose truth table is bitop3"},
    {"perm_b32",
     "each byte of d = what a byte of c selects: a byte of a:b (b is the lower half), copies of a sign, 0 or 255"},
};

constexpr MeaningRow moves[] = {
    {"mov_T", "d = a"},
    {"swap_b32", "exchanges d and a"},
    {"swap_b16", "exchanges d and a, which are halves of registers"},
    {"cndmask_T", "d = b if the lane's bit in c is set, else a"},
    {"accvgpr_read_b32", "d = a, from an AGPR to a VGPR"},
    {"accvgpr_write_b32", "d = a, from a VGPR or a constant to an AGPR"},
    {"accvgpr_mov_b32", "d = a, from an AGPR to an AGPR"},
    {"movreld_b32", "d = a, with M0 added to the register number of d"},
    {"movrels_b32", "d = a, with M0 added to the register number of a"},
    {"movrelsd_b32", "d = a, with M0 added to both register numbers"},
    {"movrelsd_2_b32", "d = a, with M0[9:0] added to the register number of a and M0[25:16] to that of d"},
    {"swaprel_b32", "exchanges d and a, with M0[9:0] added to the register number of a and M0[25:16] to that of d"},
    // between lanes
    {"readfirstlane_b32", "d = a of the first active lane, as a scalar"},
    {"readlane_b32", "d = a of lane b, as a scalar"},
    {"writelane_b32", "d of lane b = the scalar a; other lanes of d are unchanged"},
    {"mbcnt_lo_u32_b32",
     "d = b + number of ones of a below the bit with the lane's number; all of them for lanes from 32 on"},
    {"mbcnt_hi_u32_b32",
     "d = b + number of ones of a below the bit with the lane's number - 32; none for lanes below 32"},
    {"permlane16_b32", "d = a of a lane of the same row of 16; four bits of c:b select it for each place in a row"},
    {"permlanex16_b32",
     "d = a of a lane of the other row of 16 in the pair; four bits of c:b select it for each place in a row"},
    {"permlane16_var_b32", "d = a of the lane of the same row of 16 that the lane's b selects"},
    {"permlanex16_var_b32", "d = a of the lane of the other row of 16 in the pair that the lane's b selects"},
    {"permlane16_swap_b32", "exchanges the odd rows of 16 lanes of d with the even rows of a"},
    {"permlane32_swap_b32", "exchanges lanes 32 to 63 of d with lanes 0 to 31 of a"},
    {"permlane64_b32", "d = a of the lane in the other half of a wave64; does nothing in wave32"},
    {"permlane_bcast_b32", "d = a of lane b of the same group of c lanes"},
    {"permlane_up_b32", "d = a of the lane b places lower in the group of c lanes; its own a where there is none"},
    {"permlane_down_b32", "d = a of the lane b places higher in the group of c lanes; its own a where there is none"},
    {"permlane_xor_b32",
     "d = a of the lane with the number own ^ b in the group of c lanes; its own a where there is none"},
    {"permlane_idx_gen_b32", "d = the address with which ds_bpermute reads lane a of the group of b lanes"},
    // graphics
    {"cubeid_f32", "d = the face of a cube map, 0 to 5, in the direction (a, b, c), f32"},
    {"cubema_f32", "d = twice the coordinate of (a, b, c) with the largest magnitude, for a cube map, f32"},
    {"cubesc_f32", "d = the first coordinate on the cube map's face in the direction (a, b, c), f32"},
    {"cubetc_f32", "d = the second coordinate on the cube map's face in the direction (a, b, c), f32"},
    {"screen_partition_4se_b32", "d = mask of the shader engines, of four, that the rectangle of tiles a touches"},
    {"interp_p10_f32",
     "d = a of lane 1 of four * b + c of lane 0 of four, f32: first step of interpolating an attribute"},
    {"interp_p2_f32", "d = a of lane 2 of four * b + c, f32: second step of interpolating an attribute"},
    {"interp_p10_rtz?_f16_f32", "d = the f16 a of lane 1 of four * b + the f16 c of lane 0 of four, f32: first step of "
                                "interpolating an attribute"},
    {"interp_p2_rtz?_f16_f32",
     "d = the f16 a of lane 2 of four * b + c, f16: second step of interpolating an attribute"},
    // nothing
    {"nop", "does nothing"},
    {"clrexcp", "clears the flags of floating-point exceptions"},
    {"pipeflush", "waits until earlier VALU instructions are done"},
    {"illegal", "not an instruction: raises an exception"},
};

constexpr MeaningRow comparisons[] = {
    {"C_T", "mask of the lanes where {1}, {2}"},
    {"f_T", "no lane: the mask is 0"},
    {"t|tru_T", "mask of all active lanes"},
    {"class_F",
     "mask of the lanes where the {1} a is of a class whose bit is set in b: NaNs, infinities, normal, denormal, "
     "zero"},
};

std::string comparison(llvm::StringRef name) {
  const bool narrows = name.consume_front("cmpx_");
  if (!narrows && !name.consume_front("cmp_")) return "";
  const std::string what = meaningIn(comparisons, name);
  if (what.empty()) return "";
  return (narrows ? "EXEC (and d, if there is one) = " : "d = ") + what;
}

} // namespace

std::string vectorMeaning(llvm::StringRef name) {
  if (std::string meaning = comparison(name); !meaning.empty()) return meaning;
  if (std::string meaning = meaningIn(packed, name); !meaning.empty()) return meaning;
  const bool isPair = name.consume_front("pk_");
  for (llvm::ArrayRef<MeaningRow> table :
       {llvm::ArrayRef<MeaningRow>(arithmetic), llvm::ArrayRef<MeaningRow>(bits), llvm::ArrayRef<MeaningRow>(moves)}) {
    std::string meaning = meaningIn(table, name);
    if (meaning.empty()) continue;
    if (!isPair) return meaning;
    // "..., f16; a number wins" -> "..., two f16 at once; a number wins"
    const llvm::StringRef type = wordsOf(name).back();
    if (const size_t at = meaning.find(", " + type.str()); at != std::string::npos)
      meaning.replace(at, type.size() + 2, ", two " + type.str() + " at once");
    return meaning;
  }
  return "";
}

} // namespace fly::isa
