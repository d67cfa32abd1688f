// The classes by which `@expect` counts: what belongs to them on each generation.
#include "compiler/isa/InstructionClasses.h"
#include "tests/isa/TestSupport.h"

namespace fly::isa::test {

namespace {
/// The names of all classes that the instruction belongs to, without the one of all.
std::string classesOf(const char *line, const char *architecture) {
  Instruction instruction = decodeLine(line, architecture);
  std::string out;
  for (auto &each : instructionClasses())
    if (each.holds(instruction) && std::string(each.name) != "instructions")
      out += (out.empty() ? "" : " ") + std::string(each.name);
  return out;
}
} // namespace

TEST(InstructionClass, HoldsWhatItsNameSays) {
  struct Row {
    const char *line, *architecture, *classes;
  };
  for (auto &row : {
           Row{"v_add_f32 v0, v1, v2", "gfx942", "valu"},
           Row{"v_exp_f32 v0, v1", "gfx942", "valu trans"},
           Row{"s_add_u32 s0, s1, s2", "gfx942", "salu"},
           Row{"v_mfma_f32_16x16x4_f32 v[0:3], v4, v5, v[0:3]", "gfx942", "mfma"},
           Row{"v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]", "gfx1201", "wmma"},
           Row{"global_load_dwordx4 v[0:3], v4, s[0:1]", "gfx942", "vmem vmem_read"},
           Row{"global_store_b128 v4, v[0:3], s[0:1]", "gfx1201", "vmem vmem_write"},
           Row{"global_load_lds_dword v0, s[0:1]", "gfx942", "vmem lds_dma"},
           Row{"buffer_load_dword v0, s[0:3], 0 offen lds", "gfx942", "vmem lds_dma"},
           Row{"global_atomic_add v0, v1, s[0:1]", "gfx942", "vmem atomics"},
           Row{"s_load_dwordx2 s[0:1], s[2:3], 0x0", "gfx942", "smem"},
           Row{"ds_read_b128 v[0:3], v4", "gfx942", "ds ds_read"},
           Row{"ds_store_b64 v0, v[2:3]", "gfx1201", "ds ds_write"},
           Row{"ds_add_u32 v0, v1", "gfx942", "atomics ds"},
           Row{"s_waitcnt vmcnt(0)", "gfx942", "waits"},
           Row{"s_wait_loadcnt 0x0", "gfx1201", "waits"},
           Row{"s_barrier", "gfx942", "barriers"},
           Row{"s_barrier_signal -1", "gfx1201", ""},
           Row{"s_barrier_wait -1", "gfx1201", "barriers"},
           Row{"s_cbranch_scc1 8", "gfx942", "branches"},
           Row{"s_nop 0", "gfx942", "nops"},
           Row{"s_setprio 1", "gfx942", "priorities"},
           Row{"s_sleep 1", "gfx942", "hints"},
           Row{"s_clause 0x3", "gfx1201", "hints"},
           Row{"s_delay_alu instid0(VALU_DEP_1)", "gfx1201", "hints"},
       })
    EXPECT_EQ(classesOf(row.line, row.architecture), row.classes) << row.line;
}

TEST(InstructionClass, IsFoundByItsName) {
  EXPECT_STREQ(findInstructionClass("vmem_read")->name, "vmem_read");
  EXPECT_EQ(findInstructionClass("v_add_f32"), nullptr);
}

TEST(Mnemonic, LosesWhatTheEncodingAdds) {
  EXPECT_EQ(mnemonic("v_add_f32_e32 v0, v1, v2"), "v_add_f32");
  EXPECT_EQ(mnemonic("v_add_f32_e64_dpp v0, v1, v2 row_shr:1"), "v_add_f32");
  EXPECT_EQ(mnemonic("v_mov_b32_sdwa v0, v1"), "v_mov_b32");
  EXPECT_EQ(mnemonic("s_endpgm"), "s_endpgm");
  EXPECT_EQ(commonMnemonic(decodeLine("global_load_b128 v[0:3], v4, s[0:1]", "gfx1201")), "global_load_dwordx4");
}

} // namespace fly::isa::test
