// What is said of instructions: something of each, and the right thing of some of each family.
#include "compiler/isa/InstructionClasses.h"
#include "compiler/isa/Meanings.h"
#include "compiler/isa/OpcodeList.h"
#include "tests/isa/TestSupport.h"

#include <set>

namespace fly::isa::test {

namespace {

class MeaningTest : public testing::TestWithParam<std::string> {};

TEST_P(MeaningTest, EveryInstructionHasOne) {
  auto list = listOpcodes(GetParam());
  ASSERT_TRUE(bool(list)) << errorOf(list);
  std::set<std::string> names;
  for (const OpcodeEntry &entry : list->entries)
    for (const OpcodeExample &example : entry.examples)
      names.insert(mnemonic(example.text).str());
  EXPECT_GT(names.size(), 1000u);
  for (const std::string &name : names) {
    const std::string meaning = meaningOf(name);
    EXPECT_FALSE(meaning.empty()) << name;
    EXPECT_EQ(meaning.find_first_of("{}\n"), std::string::npos) << name << ": " << meaning; // all places filled in
    EXPECT_LT(meaning.size(), 170u) << name << ": " << meaning;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, MeaningTest, testing::ValuesIn(architectures()), [](const auto &i) { return i.param; });

TEST(Meaning, IsOfInstructionsAlone) {
  for (const char *name : {"",
                           "v_",
                           "v_add",
                           "v_add_f31",
                           "v_pk_add",
                           "v_frobnicate_f32",
                           "ds_",
                           "ds_read_b7",
                           "s_and_b31",
                           "s_and_saveexec",
                           "buffer_load",
                           "buffer_load_format_xz",
                           "global_atomic_frobnicate",
                           "flat_store_ubyte",
                           "v_mfma_f32_16x16_f16",
                           "v_mfma_f32_16x16x16_f17",
                           "v_cvt_scalef32_pk_fp8",
                           "v_cmp_f32",
                           "s_load_b7",
                           "v_cvt_f32",
                           "image_load"})
    EXPECT_EQ(meaningOf(name), "") << name;
}

struct Case {
  const char *name, *meaning;
};
class OneMeaning : public testing::TestWithParam<Case> {};
TEST_P(OneMeaning, IsThis) { EXPECT_EQ(meaningOf(GetParam().name), GetParam().meaning); }

constexpr Case cases[] = {
    // VALU
    {"v_add_f32", "d = a + b, f32"},
    {"v_subrev_nc_u32", "d = b - a, u32"},
    {"v_addc_co_u32", "d = a + b + the lane's bit in c, u32; carry = mask of the lanes that overflow"},
    {"v_mad_i32_i24", "d = a * b + c, i24 factors, i32"},
    {"v_mul_hi_u32", "d = a * b, high half of the product, u32"},
    {"v_fma_f64", "d = a * b + c, rounded once, f64"},
    {"v_fmamk_f32", "d = a * k + b, rounded once, f32"},
    {"v_pk_fma_f32", "d = a * b + c, rounded once, two f32 at once"},
    {"v_pk_max3_num_f16", "d = max(a, b, c), two f16 at once; a number wins over a NaN"},
    {"v_maximumminimum_f32", "d = min(max(a, b), c), f32; a NaN wins over a number"},
    {"v_minmax_num_f16", "d = max(min(a, b), c), f16; a number wins over a NaN"},
    {"v_lshlrev_b32", "d = b << a, b32"},
    {"v_ashrrev_i64", "d = b >> a, arithmetic, i64"},
    {"v_bfe_i32", "d = c bits of a, starting at bit b, sign-extended"},
    {"v_ffbh_u32", "d = number of leading zeros of a; -1 if a is 0"},
    {"v_cmp_nge_f16", "d = mask of the lanes where not a >= b, f16"},
    {"v_cmpx_lt_u32", "EXEC (and d, if there is one) = mask of the lanes where a < b, u32"},
    {"v_dual_fmac_f32", "d = a * b + d, rounded once, f32"},
    {"v_dot4_i32_iu8", "d = c + sum of a * b over four bytes, i32; neg_lo says which source is signed"},
    {"v_dot2c_f32_bf16", "d = d + sum of a * b over two bf16, f32"},
    {"v_permlane32_swap_b32", "exchanges lanes 32 to 63 of d with lanes 0 to 31 of a"},
    {"v_sad_hi_u8", "d = c + (sum of |a - b| over four bytes << 16), u32"},
    // conversions
    {"v_cvt_i32_f32", "d = the f32 a as i32, rounded towards zero, saturated"},
    {"v_cvt_f16_f32", "d = the f32 a as f16, rounded as MODE says"},
    {"v_cvt_pk_bf16_f32", "d = the f32 a and b as bf16, rounded to nearest even, packed"},
    {"v_cvt_pk_fp8_f32", "one half of d = the f32 a and b as fp8, rounded to nearest even"},
    {"v_cvt_sr_bf8_f32", "one byte of d = the f32 a as bf8, rounded by the random bits b"},
    {"v_cvt_scalef32_2xpk16_fp6_f32",
     "d = 32 f32 of a and b in turn / 2^e as fp6, e being the exponent of the f32 c, rounded to nearest even"},
    {"v_cvt_scalef32_sr_pk8_fp4_bf16",
     "d = eight bf16 of a / 2^e as fp4, e being the exponent of the f32 c, rounded by the random bits b"},
    {"v_cvt_scale_pk8_f16_fp8", "d = eight fp8 of a times the scale in b that scale_sel selects, as f16"},
    // matrices
    {"v_mfma_f32_32x32x8_f16", "d = a * b + c: 32x32 f32, a 32x8 and b 8x32 f16"},
    {"v_mfma_f32_4x4x4_16b_bf16", "d = a * b + c: 4x4 f32, a 4x4 and b 4x4 bf16; 16 independent products"},
    {"v_mfma_scale_f32_16x16x128_f8f6f4",
     "d = a * b + c: 16x16 f32, a 16x128 fp8, bf8, fp6, bf6 or fp4 (cbsz), b 128x16 fp8, bf8, fp6, bf6 or fp4 (blgp); "
     "a scale for "
     "every 32 values along k"},
    {"v_smfmac_i32_32x32x32_i8",
     "d = a * b + d: 32x32 i32, a 32x32 and b 32x32 i8; a is sparse, two of every four values along k, at the places "
     "in index"},
    {"v_wmma_f32_16x16x64_fp8_bf8", "d = a * b + c: 16x16 f32, a 16x64 fp8, b 64x16 bf8"},
    // scalar
    {"s_add_u32", "d = a + b, u32; SCC = carry"},
    {"s_sub_co_i32", "d = a - b, i32; SCC = overflow"},
    {"s_and_saveexec_b64", "d = EXEC, then EXEC = a & EXEC; SCC = EXEC != 0"},
    {"s_andn1_wrexec_b64", "d and EXEC = ~a & EXEC; SCC = EXEC != 0"},
    {"s_cmp_lg_i32", "SCC = a != b, i32"},
    {"s_cmp_nlt_f32", "SCC = not a < b, f32"},
    {"s_bfe_u32", "d = b[22:16] bits of a, starting at bit b[5:0], zero-extended; SCC = d != 0"},
    {"s_wait_loadcnt", "waits until at most k loads of vector memory are outstanding"},
    {"s_cbranch_execz", "branches if no lane is active"},
    // memory
    {"buffer_load_ubyte_d16_hi", "high half of d = 8 bits from the buffer, zero-extended"},
    {"buffer_store_d16_hi_b8", "stores bits 23:16 of data to the buffer"},
    {"tbuffer_load_format_xy", "d = x, y of an element of the buffer, converted to 32 bits each"},
    {"global_load_dwordx4", "d = 128 bits from global memory"},
    {"global_load_tr6_b96", "d = 96 bits from global memory; lanes exchange 6-bit elements, which transposes a tile"},
    {"global_load_lds_dwordx4", "copies 128 bits per lane from global memory to LDS, at M0"},
    {"global_store_async_from_lds_b32", "copies 32 bits per lane, asynchronously, from LDS to global memory"},
    {"buffer_atomic_pk_add_f16", "memory = memory + data, two f16, atomically; can return the former value"},
    {"flat_atomic_smax_x2", "memory = max(memory, data), i64, atomically; can return the former value"},
    {"global_atomic_cmpswap_b64",
     "if memory equals the upper half of data, memory = the lower half, b64, atomically; can return the former value"},
    {"s_buffer_load_dwordx8", "d = 256 bits from the buffer"},
    {"ds_add_rtn_u64", "LDS = LDS + data, u64, atomically; d = the former value"},
    {"ds_cmpst_b32", "if LDS equals data, LDS = data1, b32, atomically"},
    {"ds_cmpstore_b32", "if LDS equals data1, LDS = data, b32, atomically"},
    {"ds_read2st64_b64", "d = two values of 64 bits of LDS, at addr + 512 * offset0 and at addr + 512 * offset1"},
    {"ds_read_b64_tr_b16", "d = 64 bits of LDS; 16 lanes exchange 16-bit elements, which transposes a tile"},
    {"ds_bpermute_b32", "d = data of lane addr / 4, or 0 if that lane is inactive; does not access LDS"},
    {"tensor_load_to_lds", "copies a tile of a tensor that descriptors describe from memory to LDS, asynchronously"},
};
INSTANTIATE_TEST_SUITE_P(Each, OneMeaning, testing::ValuesIn(cases),
                         [](const auto &i) { return std::string(i.param.name); });

} // namespace
} // namespace fly::isa::test
