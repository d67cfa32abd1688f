// Semantic names: one for all encodings of a meaning.
#include "compiler/isa/OpcodeNames.h"
#include "tests/isa/TestSupport.h"

namespace fly::isa::test {

TEST(SemanticName, LosesMarksOfEncodingAndSubtarget) {
  for (auto [opcode, expected] : {
           std::pair("V_ADD_F32_e64_gfx12", "V_ADD_F32"),
           std::pair("V_ADD_F16_fake16_e64_dpp_gfx12", "V_ADD_F16"),
           std::pair("V_ADD_NC_I16V_ADD_I16_t16_e64_gfx12", "V_ADD_I16"),
           std::pair("V_DIV_FIXUP_F16V_DIV_FIXUP_F16_gfx9_t16_e64_gfx12", "V_DIV_FIXUP_F16"),
           std::pair("GLOBAL_ATOMIC_ADD_SADDR_RTN_vi", "GLOBAL_ATOMIC_ADD"),
           std::pair("BUFFER_LOAD_DWORD_LDS_OFFEN_vi", "BUFFER_LOAD_DWORD"),
           std::pair("BUFFER_STORE_DWORD_VBUFFER_BOTHEN_gfx12", "BUFFER_STORE_DWORD"),
           std::pair("S_LOAD_B128_SGPR_IMM_gfx12", "S_LOAD_DWORDX4"),
           std::pair("V_MFMA_F32_32X32X8F16_gfx940_acd", "V_MFMA_F32_32X32X8F16"),
           std::pair("V_MFMA_SCALE_F32_16X16X128_F8F6F4_f4_f8_gfx940_vcd", "V_MFMA_SCALE_F32_16X16X128_F8F6F4"),
           std::pair("V_WMMA_F32_16X16X16_F16_w32_twoaddr_gfx12", "V_WMMA_F32_16X16X16_F16"),
           std::pair("V_SUBREV_CO_CI_U32_e64_gfx12", "V_SUBBREV_CO_U32"),
           std::pair("DS_ADD_RTN_U32_vi_gfx9", "DS_ADD_RTN_U32"),
       })
    EXPECT_EQ(semanticName(opcode), expected);
}

TEST(Op, IsInternedOnce) {
  Op op = findOp("V_ADD_F32");
  EXPECT_NE(op, Op::Invalid);
  EXPECT_EQ(findOp("V_ADD_F32"), op);
  EXPECT_EQ(name(op), "V_ADD_F32");
  EXPECT_EQ(name(Op::Invalid), "");
  EXPECT_LT(static_cast<unsigned>(op), opCount());
  EXPECT_TRUE(isInstructionName("V_ADD_F32"));
  EXPECT_FALSE(isInstructionName("V_AD_F32"));
}

} // namespace fly::isa::test
