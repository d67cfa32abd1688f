// Operands, modifiers and families of the listed instructions.
#include "compiler/isa/InstructionList.h"
#include "tests/isa/TestSupport.h"

#include <set>

namespace fly::isa::test {

namespace {

/// The only one of this name.
ListedInstruction listed(const char *architecture, const char *name) {
  auto list = listInstructions(architecture, name);
  if (!list || list->size() != 1) {
    ADD_FAILURE() << name << ": " << errorOf(list);
    return {};
  }
  return list->front();
}
std::vector<std::string> formsOf(const ListedInstruction &instruction) {
  std::vector<std::string> texts;
  for (const InstructionForm &form : instruction.forms) {
    texts.push_back(textOf(form));
    for (const std::string &need : form.needs)
      texts.back() += " with " + need;
  }
  return texts;
}
using Texts = std::vector<std::string>;

struct Case {
  const char *architecture, *name;
  Texts forms;
};
class OperandsOf : public testing::TestWithParam<Case> {};
TEST_P(OperandsOf, AreThese) { EXPECT_EQ(formsOf(listed(GetParam().architecture, GetParam().name)), GetParam().forms); }
const Case cases[] = {
    {"gfx942", "v_add_f32", {"d: v; a: v, s or a constant; b: v, s or a constant"}},
    {"gfx942", "v_fmac_f32", {"d, read and written: v; a: v, s or a constant; b: v, s or a constant"}},
    {"gfx942", "v_add_co_u32", {"d: v; carry: s(2); a: v, s or a constant; b: v, s or a constant"}},
    {"gfx942", "v_writelane_b32", {"d, read and written: v; a: s or a constant; b: s or a constant"}},
    {"gfx942",
     "v_mfma_f32_16x16x16_f16",
     {"d: v(4) or a(4); a: v(2) or a(2); b: v(2) or a(2); c: v(4), a(4) or a constant"}},
    {"gfx942",
     "v_smfmac_f32_16x16x32_f16",
     {"d, read and written: v(4) or a(4); a: v(2) or a(2); b: v(4) or a(4); index: v"}},
    {"gfx942",
     "buffer_load_dwordx4",
     {"d: v(4) or a(4); addr: v, v(2) or off; buffer: s(4); soffset: s or a constant"}},
    {"gfx942",
     "buffer_load_dword",
     {"d: v or a; addr: v, v(2) or off; buffer: s(4); soffset: s or a constant",
      "addr: v, v(2) or off; buffer: s(4); soffset: s or a constant with lds"}},
    {"gfx942",
     "global_atomic_add_f64",
     {"addr: v or v(2); data: v(2) or a(2); saddr: s(2) or off",
      "d: v(2) or a(2); addr: v or v(2); data: v(2) or a(2); saddr: s(2) or off with sc0"}},
    {"gfx942", "ds_read2_b64", {"d: v(4) or a(4); addr: v"}},
    {"gfx942", "s_load_dwordx4", {"d: s(4); addr: s(2); offset: s or a constant"}},
    {"gfx942", "s_setreg_b32", {"hwreg: a constant or hwreg(HW_REG_MODE, 0, 4); a: s"}},
    {"gfx942", "s_cbranch_scc0", {"target: a label"}},
    {"gfx942", "s_getpc_b64", {"d: s(2)"}},
    {"gfx942", "s_barrier", {""}},
    {"gfx1250", "v_add_f16", {"d: half of v; a: half of v, s or a constant; b: half of v, s or a constant"}},
    {"gfx1250", "v_dual_fmamk_f32", {"d: v; a: v, s or a constant; k: a constant; b: v"}},
    {"gfx1250",
     "tensor_store_from_lds",
     {"group0: s(4); group1: s(8)", "group0: s(4); group1: s(8); group2: s(4); group3: s(4)"}},
    {"gfx1250", "global_store_async_from_lds_b32", {"addr: v or v(2); lds: v; saddr: s(2) or off"}},
};
INSTANTIATE_TEST_SUITE_P(Each, OperandsOf, testing::ValuesIn(cases),
                         [](const auto &i) { return std::string(i.param.architecture) + "_" + i.param.name; });

TEST(InstructionList, KnowsModifiers) {
  EXPECT_EQ(listed("gfx942", "v_add_f32").modifiers, (Texts{"DPP", "SDWA", "abs", "clamp", "div", "mul", "neg"}));
  EXPECT_EQ(listed("gfx942", "v_mfma_f32_16x16x16_f16").modifiers, (Texts{"abid", "blgp", "cbsz"}));
  EXPECT_EQ(listed("gfx942", "global_load_dword").modifiers, (Texts{"nt", "offset", "sc0", "sc1"}));
  EXPECT_EQ(listed("gfx1250", "global_load_b32").modifiers, (Texts{"nv", "offset", "scale_offset", "scope", "th"}));
}

TEST(InstructionList, SaysWhatAKernelOfLlvmMayNotCall) {
  EXPECT_EQ(listed("gfx942", "v_add_co_u32").notInKernel, "");
  EXPECT_EQ(listed("gfx942", "ds_append").notInKernel, "");
  EXPECT_EQ(listed("gfx942", "s_branch").notInKernel, "branches");
  EXPECT_EQ(listed("gfx942", "s_and_saveexec_b64").notInKernel, "writes exec");
  EXPECT_EQ(listed("gfx942", "s_cmp_eq_u32").notInKernel, "has no result except SCC");
  EXPECT_EQ(listed("gfx1201", "v_dual_mul_f32").notInKernel, "is a half of two instructions in one");
}

TEST(InstructionList, SaysWhichFormReadsM0) {
  EXPECT_FALSE(listed("gfx942", "ds_read2_b32").forms.front().readsM0); // on gfx8 it would
  EXPECT_TRUE(listed("gfx942", "ds_append").forms.front().readsM0);
  const ListedInstruction load = listed("gfx942", "buffer_load_dword");
  ASSERT_EQ(load.forms.size(), 2u);
  EXPECT_FALSE(load.forms[0].readsM0);
  EXPECT_TRUE(load.forms[1].readsM0) << "with lds";
}

TEST(InstructionList, TakesPatterns) {
  auto list = listInstructions("gfx950", "ds_read_b*_tr_b?");
  ASSERT_TRUE(bool(list)) << errorOf(list);
  Texts names;
  for (const ListedInstruction &i : *list) {
    names.push_back(i.name);
    EXPECT_EQ(i.family, InstructionFamily::Lds);
  }
  EXPECT_EQ(names, (Texts{"ds_read_b64_tr_b4", "ds_read_b64_tr_b8", "ds_read_b96_tr_b6"}));
  auto none = listInstructions("gfx950", "v_wmma_*");
  ASSERT_TRUE(bool(none)) << errorOf(none);
  EXPECT_TRUE(none->empty());
  auto bad = listInstructions("gfx950", "[");
  EXPECT_NE(errorOf(bad), "");
}

/// Each has a form, and the names of its operands are different.
TEST(InstructionList, NamesOperands) {
  auto list = listInstructions("gfx1250");
  ASSERT_TRUE(bool(list)) << errorOf(list);
  EXPECT_GT(list->size(), 1300u);
  for (const ListedInstruction &i : *list) {
    EXPECT_FALSE(i.forms.empty()) << i.name;
    EXPECT_FALSE(i.meaning.empty()) << i.name;
    for (const InstructionForm &form : i.forms) {
      std::set<std::string> names;
      for (const ListedOperand &o : form.operands) {
        EXPECT_TRUE(names.insert(o.name).second) << i.name << ": " << textOf(form);
        EXPECT_FALSE(kindsOf(o).empty()) << i.name << ": " << o.name;
      }
    }
  }
}

} // namespace
} // namespace fly::isa::test
