// Which counters an instruction raises, and what a wait waits for.
#include "tests/isa/TestSupport.h"

namespace fly::isa::test {

std::string countersOf(const char *line, const char *architecture) {
  Instruction inst = decodeLine(line, architecture);
  std::string text;
  for (unsigned c = 0; c < counterCount; ++c)
    if (inst.increments & maskOf(static_cast<Counter>(c)))
      text += (text.empty() ? "" : " ") + std::string(name(static_cast<Counter>(c)));
  return text;
}

TEST(Counters, OfGfx9) {
  EXPECT_EQ(countersOf("global_load_dword v1, v[2:3], off", "gfx942"), "vmcnt");
  EXPECT_EQ(countersOf("global_store_dword v[2:3], v1, off", "gfx942"), "vmcnt");
  EXPECT_EQ(countersOf("flat_load_dword v1, v[2:3]", "gfx942"), "vmcnt lgkmcnt");
  EXPECT_EQ(countersOf("ds_read_b32 v1, v2", "gfx942"), "lgkmcnt");
  EXPECT_EQ(countersOf("s_load_dword s1, s[2:3], 0x0", "gfx942"), "lgkmcnt");
  EXPECT_EQ(countersOf("v_add_f32 v1, v2, v3", "gfx942"), "");
}

TEST(Counters, OfGfx12) {
  EXPECT_EQ(countersOf("global_load_b32 v1, v[2:3], off", "gfx1201"), "loadcnt");
  EXPECT_EQ(countersOf("global_store_b32 v[2:3], v1, off", "gfx1201"), "storecnt");
  EXPECT_EQ(countersOf("global_atomic_add_u32 v[2:3], v1, off", "gfx1201"), "storecnt");
  EXPECT_EQ(countersOf("global_atomic_add_u32 v5, v[2:3], v1, off th:TH_ATOMIC_RETURN", "gfx1201"), "loadcnt");
  EXPECT_EQ(countersOf("ds_load_b32 v1, v2", "gfx1201"), "dscnt");
  EXPECT_EQ(countersOf("s_load_b32 s1, s[2:3], 0x0", "gfx1201"), "kmcnt");
  EXPECT_EQ(countersOf("global_load_async_to_lds_b32 v1, v[2:3], off", "gfx1250"), "asynccnt xcnt");
}

TEST(Counters, OfGfx10AndGfx11) {
  for (const char *arch : {"gfx1030", "gfx1100"}) {
    EXPECT_EQ(countersOf("global_load_dword v1, v[2:3], off", arch), "vmcnt");
    EXPECT_EQ(countersOf("global_store_dword v[2:3], v1, off", arch), "vscnt");
    EXPECT_EQ(countersOf("global_atomic_add v[2:3], v1, off", arch), "vscnt");
    EXPECT_EQ(countersOf("global_atomic_add v5, v[2:3], v1, off glc", arch), "vmcnt");
    EXPECT_EQ(countersOf("flat_load_dword v1, v[2:3]", arch), "vmcnt lgkmcnt");
    EXPECT_EQ(countersOf("ds_read_b32 v1, v2", arch), "lgkmcnt");
    EXPECT_EQ(countersOf("s_load_dword s1, s[2:3], 0x0", arch), "lgkmcnt");
    EXPECT_EQ(countersOf("buffer_gl0_inv", arch), "");
  }
  EXPECT_EQ(countersOf("buffer_load_dword off, s[8:11], 0 lds", "gfx1030"), "vmcnt");
}

std::string waitsOf(const char *line, const char *architecture) {
  Instruction inst = decodeLine(line, architecture);
  EXPECT_EQ(inst.cls, Class::Wait) << line;
  std::string text;
  for (unsigned c = 0; c < counterCount; ++c)
    if (inst.waits.limit[c] != Waits::none)
      text += (text.empty() ? "" : " ") + std::string(name(static_cast<Counter>(c))) + "=" +
              std::to_string(inst.waits.limit[c]);
  return text;
}

TEST(Waits, AreUnpacked) {
  EXPECT_EQ(waitsOf("s_waitcnt vmcnt(37) lgkmcnt(0)", "gfx942"), "vmcnt=37 lgkmcnt=0");
  EXPECT_EQ(waitsOf("s_waitcnt expcnt(2)", "gfx942"), "expcnt=2");
  EXPECT_EQ(waitsOf("s_waitcnt vmcnt(7) expcnt(1)", "gfx803"), "vmcnt=7 expcnt=1");
  EXPECT_EQ(waitsOf("s_waitcnt vmcnt(37) lgkmcnt(41)", "gfx1030"), "vmcnt=37 lgkmcnt=41");
  EXPECT_EQ(waitsOf("s_waitcnt vmcnt(37) expcnt(3) lgkmcnt(41)", "gfx1100"), "vmcnt=37 lgkmcnt=41 expcnt=3");
  EXPECT_EQ(waitsOf("s_waitcnt_vscnt null, 0x5", "gfx1030"), "vscnt=5");
  EXPECT_EQ(waitsOf("s_waitcnt_vmcnt null, 0x5", "gfx1100"), "vmcnt=5");
  EXPECT_EQ(waitsOf("s_waitcnt_vscnt s3, 0x5", "gfx1030"), "");
  EXPECT_EQ(waitsOf("s_wait_loadcnt 0x5", "gfx1201"), "loadcnt=5");
  EXPECT_EQ(waitsOf("s_wait_loadcnt_dscnt 0x301", "gfx1201"), "loadcnt=3 dscnt=1");
  EXPECT_EQ(waitsOf("s_wait_storecnt_dscnt 0x3f00", "gfx1201"), "dscnt=0");
  EXPECT_EQ(waitsOf("s_wait_kmcnt 0x0", "gfx1201"), "kmcnt=0");
  EXPECT_EQ(waitsOf("s_wait_tensorcnt 0x0", "gfx1250"), "tensorcnt=0");
}

TEST(ImplicitOperands, OfWave32And64) {
  auto implicitText = [](const Instruction &inst) {
    std::string text;
    for (const Operand &o : inst.operands)
      if (o.implicit)
        text += (text.empty() ? "" : " ") + std::string(o.def ? "=" : "") + toString(o);
    return text;
  };
  EXPECT_EQ(implicitText(decodeLine("v_cmp_eq_u32_e32 vcc_lo, v1, v2", "gfx1201", 32)), "=vcc_lo exec_lo");
  EXPECT_EQ(implicitText(decodeLine("v_cmp_eq_u32_e32 vcc, v1, v2", "gfx1201", 64)), "=vcc exec");
  EXPECT_EQ(implicitText(decodeLine("s_addc_u32 s1, s2, s3", "gfx942")), "=scc scc");
  EXPECT_EQ(implicitText(decodeLine("v_div_fmas_f32 v1, v2, v3, v4", "gfx942")), "mode vcc exec");
}

} // namespace fly::isa::test
