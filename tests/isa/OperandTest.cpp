// Operands have the roles, registers, constants and modifiers that the assembly text says.
#include "tests/isa/TestSupport.h"

namespace fly::isa::test {

struct RoleCase {
  const char *architecture, *line, *op, *roles;
};
void PrintTo(const RoleCase &c, std::ostream *out) { *out << c.architecture << ": " << c.line; }
class Roles : public testing::TestWithParam<RoleCase> {};

TEST_P(Roles, AreThoseOfTheText) {
  const RoleCase &c = GetParam();
  Instruction inst = decodeLine(c.line, c.architecture);
  EXPECT_EQ(std::string(name(inst.op)), c.op) << c.line;
  EXPECT_EQ(rolesOf(inst), c.roles) << c.line;
}

const RoleCase cases[] = {
    {"gfx942", "v_fma_f32 v3, -v1, s4, 1.0", "V_FMA_F32", "dst=v3 src0=-v1 src1=s4 src2=0x3f800000"},
    {"gfx942", "v_fmac_f32_e32 v3, v1, v2", "V_FMAC_F32", "dst=v3 src0=v1 src1=v2 src2=v3"},
    {"gfx942", "v_fmamk_f32 v3, v1, 0x40490fdb, v2", "V_FMAMK_F32", "dst=v3 src0=v1 simm=0x40490fdb src1=v2"},
    {"gfx942", "v_add_f64 v[2:3], |v[4:5]|, 2.0", "V_ADD_F64", "dst=v[2:3] src0=|v[4:5]| src1=0x4000000000000000"},
    {"gfx1201", "v_add_f64_e32 v[2:3], 0x40240000, v[4:5]", "V_ADD_F64",
     "dst=v[2:3] src0=0x4024000000000000 src1=v[4:5]"},
    {"gfx1201", "s_mov_b64 s[0:1], 0xfffffff0", "S_MOV_B64", "dst=s[0:1] src0=0xfffffff0"},
    {"gfx1201", "v_cmp_lt_i64_e32 vcc_lo, 0xffffff00, v[2:3]", "V_CMP_LT_I64",
     "src0=0xffffffffffffff00 src1=v[2:3] sdst=vcc_lo"},
    {"gfx950", "v_permlane32_swap_b32 v1, v2", "V_PERMLANE32_SWAP_B32", "dst=v1 dst1=v2 src1=v1 src0=v2"},
    {"gfx942", "v_add_co_u32_e32 v1, vcc, v2, v3", "V_ADD_CO_U32", "dst=v1 src0=v2 src1=v3 sdst=vcc"},
    {"gfx942", "v_addc_co_u32_e64 v1, s[4:5], v2, v3, s[6:7]", "V_ADDC_CO_U32",
     "dst=v1 sdst=s[4:5] src0=v2 src1=v3 src2=s[6:7]"},
    {"gfx942", "v_addc_co_u32_e32 v1, vcc, v2, v3, vcc", "V_ADDC_CO_U32", "dst=v1 src0=v2 src1=v3 sdst=vcc src2=vcc"},
    {"gfx942", "v_cndmask_b32_e32 v1, v2, v3, vcc", "V_CNDMASK_B32", "dst=v1 src0=v2 src1=v3 src2=vcc"},
    {"gfx942", "v_cmp_lt_f32_e64 s[4:5], v1, v2", "V_CMP_LT_F32", "sdst=s[4:5] src0=v1 src1=v2"},
    {"gfx942", "v_readfirstlane_b32 s4, v1", "V_READFIRSTLANE_B32", "dst=s4 src0=v1"},
    {"gfx942", "v_writelane_b32 v1, s2, 3", "V_WRITELANE_B32", "dst=v1 src0=s2 src1=0x3 old=v1"},
    {"gfx942", "v_accvgpr_write_b32 a3, v1", "V_ACCVGPR_WRITE_B32", "dst=a3 src0=v1"},
    {"gfx942", "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[8:11]", "V_MFMA_F32_16X16X16F16",
     "dst=a[0:3] src0=v[4:5] src1=v[6:7] src2=a[8:11]"},
    {"gfx942", "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", "V_SMFMAC_F32_16X16X32_F16",
     "dst=v[0:3] src0=v[4:5] src1=v[6:9] index=v10 src2=v[0:3]"},
    {"gfx942", "v_mov_b32_dpp v1, v2 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", "V_MOV_B32",
     "dst=v1 old=v1 src0=v2"},
    {"gfx942", "v_swap_b32 v1, v2", "V_SWAP_B32", "dst=v1 dst1=v2 src0=v2 src1=v1"},
    {"gfx942", "global_load_dwordx4 v[0:3], v8, s[4:5] offset:16", "GLOBAL_LOAD_DWORDX4",
     "dst=v[0:3] saddr=s[4:5] vaddr=v8"},
    {"gfx942", "global_store_dword v[0:1], v2, off", "GLOBAL_STORE_DWORD", "vaddr=v[0:1] vdata=v2"},
    {"gfx942", "global_atomic_add v5, v[0:1], v2, off sc0", "GLOBAL_ATOMIC_ADD", "dst=v5 vaddr=v[0:1] vdata=v2"},
    {"gfx942", "global_atomic_add v[0:1], v2, off", "GLOBAL_ATOMIC_ADD", "vaddr=v[0:1] vdata=v2"},
    {"gfx942", "global_load_short_d16_hi v5, v[0:1], off", "GLOBAL_LOAD_SHORT_D16_HI", "dst=v5 vaddr=v[0:1] old=v5"},
    {"gfx942", "scratch_store_dword v1, v2, s3 offset:4", "SCRATCH_STORE_DWORD", "vdata=v2 vaddr=v1 saddr=s3"},
    {"gfx942", "scratch_load_dword v1, off, s3", "SCRATCH_LOAD_DWORD", "dst=v1 saddr=s3"},
    {"gfx942", "buffer_load_dwordx2 v[2:3], v1, s[4:7], s8 offen offset:32", "BUFFER_LOAD_DWORDX2",
     "dst=v[2:3] vaddr=v1 srsrc=s[4:7] soffset=s8"},
    {"gfx942", "buffer_store_dword v2, off, s[4:7], 0", "BUFFER_STORE_DWORD", "vdata=v2 srsrc=s[4:7] soffset=0x0"},
    {"gfx942", "buffer_atomic_cmpswap v[2:3], v1, s[4:7], 0 idxen sc0", "BUFFER_ATOMIC_CMPSWAP",
     "dst=v2 vdata=v[2:3] vaddr=v1 srsrc=s[4:7] soffset=0x0"},
    {"gfx942", "buffer_load_dword v1, s[4:7], 0 offen lds", "BUFFER_LOAD_DWORD", "vaddr=v1 srsrc=s[4:7] soffset=0x0"},
    {"gfx942", "ds_write2_b64 v0, v[2:3], v[4:5] offset0:1 offset1:7", "DS_WRITE2_B64",
     "vaddr=v0 vdata=v[2:3] vdata1=v[4:5]"},
    {"gfx942", "ds_add_rtn_u32 v1, v2, v3", "DS_ADD_RTN_U32", "dst=v1 vaddr=v2 vdata=v3"},
    {"gfx942", "s_load_dwordx4 s[0:3], s[4:5], s6 offset:0x10", "S_LOAD_DWORDX4", "dst=s[0:3] saddr=s[4:5] soffset=s6"},
    {"gfx942", "s_addk_i32 s3, 0xfff0", "S_ADDK_I32", "dst=s3 src0=s3 simm=0xfffffff0"},
    {"gfx942", "s_cmp_eq_u32 s1, 0x12345", "S_CMP_EQ_U32", "src0=s1 src1=0x12345"},
    {"gfx942", "s_mov_b64 s[0:1], -1", "S_MOV_B64", "dst=s[0:1] src0=0xffffffffffffffff"},
    {"gfx942", "s_cbranch_scc1 0xfffe", "S_CBRANCH_SCC1", "target=0xffc"},
    {"gfx950",
     "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], v24, v25 op_sel:[1,0,0] op_sel_hi:[0,1,0]",
     "V_MFMA_SCALE_F32_16X16X128_F8F6F4", "dst=v[0:3] src0=v[4:11] src1=v[12:19] src2=v[20:23] scale0=v24 scale1=v25"},
    {"gfx1201", "v_add_nc_u32_e32 v1, v2, v3", "V_ADD_U32", "dst=v1 src0=v2 src1=v3"},
    {"gfx1201", "s_load_b64 s[0:1], s[2:3], 0x8", "S_LOAD_DWORDX2", "dst=s[0:1] saddr=s[2:3]"},
    {"gfx1201", "v_cmp_lt_f32_e32 vcc_lo, v1, v2", "V_CMP_LT_F32", "src0=v1 src1=v2 sdst=vcc_lo"},
    {"gfx1201", "v_cmpx_lt_f32_e32 v1, v2", "V_CMPX_LT_F32", "src0=v1 src1=v2 sdst=exec_lo"},
    {"gfx1201", "v_mov_b16_e32 v1.h, v2.l", "V_MOV_B16", "dst=v1.h src0=v2.l"},
    {"gfx1201", "buffer_load_b32 v1, v2, s[4:7], null offen", "BUFFER_LOAD_DWORD",
     "dst=v1 vaddr=v2 srsrc=s[4:7] soffset=null"},
    {"gfx1250", "v_mov_b64_e32 v[0:1], v[2:3]", "V_MOV_B64", "dst=v[0:1] src0=v[2:3]"},
    {"gfx1250", "global_load_async_to_lds_b32 v1, v[2:3], off", "GLOBAL_LOAD_ASYNC_TO_LDS_B32",
     "vdata=v1 vaddr=v[2:3]"},
};
INSTANTIATE_TEST_SUITE_P(Cases, Roles, testing::ValuesIn(cases));

TEST(Modifiers, OfMemory) {
  Instruction i = decodeLine("global_load_dword v1, v[2:3], off offset:-8 sc0 sc1 nt", "gfx942");
  EXPECT_EQ(i.modifiers.offset, -8);
  EXPECT_TRUE(i.modifiers.sc0 && i.modifiers.sc1 && i.modifiers.nt);
  i = decodeLine("ds_read2_b32 v[0:1], v2 offset0:3 offset1:200", "gfx942");
  EXPECT_EQ(i.modifiers.offset, 3);
  EXPECT_EQ(i.modifiers.offset1, 200);
  i = decodeLine("global_load_b32 v1, v[2:3], off offset:16 th:TH_LOAD_NT scope:SCOPE_DEV", "gfx1201");
  EXPECT_EQ(i.modifiers.temporalHint, 1);
  EXPECT_EQ(i.modifiers.scope, 2);
  i = decodeLine("buffer_load_dword v1, v[2:3], s[4:7], 0 idxen offen offset:4095", "gfx942");
  EXPECT_TRUE(i.modifiers.idxen && i.modifiers.offen);
  EXPECT_EQ(i.modifiers.offset, 4095);
  i = decodeLine("buffer_load_dword v1, s[4:7], 0 offen lds", "gfx942");
  EXPECT_TRUE(i.modifiers.lds);
  i = decodeLine("global_load_b32 v1, v[2:3], off offset:-16", "gfx1201");
  EXPECT_EQ(i.modifiers.offset, -16);
  i = decodeLine("s_load_dword s0, s[2:3], -0x10", "gfx942");
  EXPECT_EQ(i.modifiers.offset, -16);
  i = decodeLine("s_load_b32 s0, s[2:3], -0x10", "gfx1201");
  EXPECT_EQ(i.modifiers.offset, -16);
  i = decodeLine("s_load_dword s0, s[2:3], 0x1234", "gfx942");
  EXPECT_EQ(i.modifiers.offset, 0x1234);
}

TEST(Modifiers, OfVectorArithmetic) {
  Instruction i = decodeLine("v_add_f32_e64 v0, v1, v2 clamp mul:4", "gfx942");
  EXPECT_TRUE(i.modifiers.clamp);
  EXPECT_EQ(i.modifiers.omod, 2);
  i = decodeLine("v_pk_add_f16 v0, v1, v2 op_sel:[0,1] op_sel_hi:[1,0] neg_lo:[1,0] neg_hi:[0,1]", "gfx942");
  const Operand *a = i.find(Role::Src0), *b = i.find(Role::Src1);
  EXPECT_TRUE(a->neg && !a->negHi && !a->opSel && a->opSelHi);
  EXPECT_TRUE(!b->neg && b->negHi && b->opSel && !b->opSelHi);
  i = decodeLine("v_add_i16 v0, v1, v2 op_sel:[1,0,1]", "gfx942");
  EXPECT_TRUE(i.find(Role::Src0)->opSel && !i.find(Role::Src1)->opSel && i.find(Role::Dst)->opSel);
  i = decodeLine("v_fma_mix_f32 v0, |v1|, -v2, v3 op_sel:[1,0,0] op_sel_hi:[1,1,0]", "gfx942");
  EXPECT_TRUE(i.find(Role::Src0)->abs && i.find(Role::Src1)->neg && i.find(Role::Src0)->opSelHi);
  i = decodeLine("v_bitop3_b32 v0, v1, v2, v3 bitop3:0x96", "gfx950");
  EXPECT_EQ(i.modifiers.bitop3, 0x96);
}

TEST(Modifiers, OfDppAndSdwa) {
  Instruction i = decodeLine("v_add_f32_dpp v0, v1, v2 row_shr:3 row_mask:0xa bank_mask:0x5 bound_ctrl:0", "gfx942");
  EXPECT_EQ(i.form, Form::DPP16);
  EXPECT_EQ(i.baseForm, Form::VOP2);
  EXPECT_EQ(i.modifiers.dppControl, 0x113);
  EXPECT_EQ(i.modifiers.rowMask, 0xa);
  EXPECT_EQ(i.modifiers.bankMask, 5);
  EXPECT_TRUE(i.modifiers.boundCtrl);
  i = decodeLine("v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1", "gfx1201");
  EXPECT_EQ(i.form, Form::DPP8);
  EXPECT_EQ(i.modifiers.dpp8Lanes, (std::array<uint8_t, 8>{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_TRUE(i.modifiers.fetchInactive);
  i = decodeLine(
      "v_add_u32_sdwa v0, sext(v1), v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:WORD_0",
      "gfx942");
  EXPECT_EQ(i.form, Form::SDWA);
  EXPECT_EQ(i.modifiers.sdwaDst, 5);
  EXPECT_EQ(i.modifiers.sdwaUnused, 2);
  EXPECT_EQ(i.find(Role::Src0)->sdwaSel, 2);
  EXPECT_TRUE(i.find(Role::Src0)->sext);
  EXPECT_EQ(i.find(Role::Src1)->sdwaSel, 4);
}

TEST(Modifiers, OfMatrixInstructions) {
  Instruction i = decodeLine("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15] cbsz:2 abid:1 blgp:3", "gfx942");
  EXPECT_EQ(i.cls, Class::Matrix);
  EXPECT_EQ(i.modifiers.cbsz, 2);
  EXPECT_EQ(i.modifiers.abid, 1);
  EXPECT_EQ(i.modifiers.blgp, 3);
  i = decodeLine("v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:9], v[12:19], v[20:23], v24, v25 op_sel:[1,0,0] "
                 "op_sel_hi:[0,1,0] cbsz:2 blgp:1",
                 "gfx950");
  EXPECT_EQ(i.modifiers.cbsz, 2);
  EXPECT_EQ(i.modifiers.blgp, 1);
  EXPECT_TRUE(i.modifiers.scaled);
  EXPECT_EQ(i.find(Role::Src0)->width, 6);
  EXPECT_TRUE(i.find(Role::Scale0)->opSel && !i.find(Role::Scale0)->opSelHi);
  EXPECT_TRUE(!i.find(Role::Scale1)->opSel && i.find(Role::Scale1)->opSelHi);
}

// LLVM's decoder fills in a wrong register for the accumulator of the second half.
TEST(Dual, TheSecondHalfAccumulatesIntoItsOwnResult) {
  Instruction i = decodeLine("v_dual_max_num_f32 v6, 0, v6 :: v_dual_fmac_f32 v5, s3, v1", "gfx1201");
  ASSERT_EQ(i.components.size(), 2u);
  const Operand *accumulator = i.components[1].find(Role::Src2);
  ASSERT_NE(accumulator, nullptr);
  EXPECT_EQ(accumulator->index, 5u);
}

TEST(Vopd, HasTwoComponents) {
  Instruction i = decodeLine("v_dual_fmac_f32 v2, v1, v3 :: v_dual_mov_b32 v5, 2.0", "gfx1201");
  EXPECT_EQ(i.form, Form::VOPD);
  EXPECT_EQ(name(i.op), "V_DUAL_FMAC_F32_X_MOV_B32");
  ASSERT_EQ(i.components.size(), 2u);
  EXPECT_EQ(name(i.components[0].op), "V_FMAC_F32");
  EXPECT_EQ(rolesOf(i.components[0]), "dst=v2 src0=v1 src1=v3 src2=v2");
  EXPECT_EQ(name(i.components[1].op), "V_MOV_B32");
  EXPECT_EQ(i.components[1].find(Role::Src0)->bits & 0xffffffff, 0x40000000u);
}

/// What assembly of gfx1250 is after it has been encoded and decoded as a kernel.
static llvm::Expected<std::vector<Instruction>> decodedKernel(const std::string &assembly) {
  auto encoder = Encoder::create("gfx1250");
  auto decoder = Decoder::create("gfx1250");
  if (!encoder)
    return encoder.takeError();
  if (!decoder)
    return decoder.takeError();
  auto parts = (*encoder)->assemble(assembly);
  if (!parts)
    return parts.takeError();
  Encoding code;
  for (const Encoding &e : *parts)
    code.insert(code.end(), e.begin(), e.end());
  return (*decoder)->decodeKernel(code, 0);
}

TEST(VgprMsb, MovesRegisterNumbers) {
  auto list = decodedKernel("s_set_vgpr_msb 0x41\nv_add_f32_e32 v1, v2, v3\n");
  ASSERT_TRUE(bool(list)) << errorOf(list);
  EXPECT_EQ(rolesOf(list->back()), "dst=v257 src0=v258 src1=v3");
}

// Writes of MODE take bits 19:12 over, in another order of operands, whatever part of MODE they name.
TEST(VgprMsb, WritesOfMode) {
  auto list = decodedKernel("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0x2d001\n"
                            "v_add_f32_e32 v1, v2, v3\n"
                            "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 2\n"
                            "v_add_f32_e32 v1, v2, v3\n"
                            "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n"
                            "v_add_f32_e32 v1, v2, v3\n");
  ASSERT_TRUE(bool(list)) << errorOf(list);
  EXPECT_EQ(rolesOf((*list)[1]), "dst=v257 src0=v770 src1=v515"); // 0x2d: dst 1, src0 3, src1 2
  EXPECT_EQ(rolesOf((*list)[3]), "dst=v257 src0=v770 src1=v515");
  EXPECT_EQ(rolesOf((*list)[5]), "dst=v1 src0=v2 src1=v3");
}

// Scales stay among the first 256 registers; the addend of a SWMMAC is its destination, its index has Src2's bits.
TEST(VgprMsb, ScalesAndIndicesOfMatrixInstructions) {
  auto list = decodedKernel("s_set_vgpr_msb 0x6d\n"
                            "v_wmma_scale_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], v[0:15], v40, v42\n"
                            "v_swmmac_f32_16x16x64_f16 v[24:31], v[0:7], v[8:23], v32\n");
  ASSERT_TRUE(bool(list)) << errorOf(list);
  EXPECT_EQ(rolesOf((*list)[1]),
            "dst=v[256:271] src0=v[272:287] src1=v[800:807] src2=v[512:527] scale0=v40 scale1=v42");
  EXPECT_EQ(rolesOf((*list)[2]), "dst=v[280:287] src0=v[256:263] src1=v[776:791] src2=v[280:287] index=v544");
}

// Both operands of a swap are results: the first one has the bits of Dst, the second one those of Src0.
TEST(VgprMsb, Swaps) {
  auto list = decodedKernel("s_set_vgpr_msb 0x40\nv_permlane16_swap_b32_e32 v61, v66\nv_swap_b32 v1, v2\n"
                            "s_set_vgpr_msb 2\nv_permlane16_swap_b32_e32 v61, v66\n");
  ASSERT_TRUE(bool(list)) << errorOf(list);
  EXPECT_EQ(rolesOf((*list)[1]), "dst=v317 dst1=v66 src1=v317 src0=v66");
  EXPECT_EQ(rolesOf((*list)[2]), "dst=v257 dst1=v2 src0=v2 src1=v257");
  EXPECT_EQ(rolesOf((*list)[4]), "dst=v61 dst1=v578 src1=v61 src0=v578");
}

} // namespace fly::isa::test
