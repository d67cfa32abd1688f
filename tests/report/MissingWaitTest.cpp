// Uses of registers before the wait that covers them, planted in small programs; none in what LLVM compiles.
#include "compiler/report/WaitCoverage.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

namespace {

/// "2 reads v1 of 0 vmcnt(0); ...": instruction, effect, registers, operation, counter.
std::string missing(const std::string &text, const char *arch) {
  Code code = assemble(text, arch);
  WaitCoverage coverage(code, targetOf(arch));
  std::string out;
  for (const MissingWait &m : coverage.missing())
    out += (out.empty() ? "" : "; ") + std::to_string(m.instruction) + (m.reads ? " reads " : " overwrites ") +
           isa::toString(m.reg) + " of " + std::to_string(m.operation) + " " + std::string(isa::name(m.counter)) + "(" +
           std::to_string(m.atMost) + ")";
  return out;
}

} // namespace

TEST(MissingWait, OfVectorMemory) {
  const std::string load = "global_load_dwordx2 v[2:3], v0, s[0:1]\n";
  EXPECT_EQ(missing(load + "v_add_f32 v4, v3, v3\ns_endpgm\n", "gfx942"), "1 reads v3 of 0 vmcnt(0)");
  EXPECT_EQ(missing(load + "v_mov_b32 v2, 0\ns_endpgm\n", "gfx942"), "1 overwrites v2 of 0 vmcnt(0)");
  EXPECT_EQ(missing(load + "v_add_f32 v2, v2, v2\ns_endpgm\n", "gfx942"), "1 reads v2 of 0 vmcnt(0)");
  EXPECT_EQ(missing(load + "s_waitcnt vmcnt(0)\nv_add_f32 v4, v3, v3\ns_endpgm\n", "gfx942"), "");
  EXPECT_EQ(missing(load + "s_waitcnt lgkmcnt(0)\nv_add_f32 v4, v3, v3\ns_endpgm\n", "gfx942"),
            "2 reads v3 of 0 vmcnt(0)");
  // Named once in a block.
  EXPECT_EQ(missing(load + "v_add_f32 v4, v3, v3\nv_add_f32 v4, v2, v3\ns_endpgm\n", "gfx942"),
            "1 reads v3 of 0 vmcnt(0)");
  // A returning atomic is an operation like a load, and so is a read by a store or as an address.
  EXPECT_EQ(
      missing("global_atomic_add v1, v0, v2, s[0:1] sc0\nglobal_store_dword v0, v1, s[0:1]\ns_endpgm\n", "gfx942"),
      "1 reads v1 of 0 vmcnt(0)");
  EXPECT_EQ(missing("global_load_dword v1, v0, s[0:1]\nglobal_load_dword v2, v1, s[0:1]\ns_endpgm\n", "gfx942"),
            "1 reads v1 of 0 vmcnt(0)");
  EXPECT_EQ(missing("buffer_load_dword a1, v0, s[0:3], 0 offen\nv_accvgpr_read_b32 v1, a1\ns_endpgm\n", "gfx942"),
            "1 reads a1 of 0 vmcnt(0)");
}

TEST(MissingWait, ThatIsOffByOne) {
  const std::string loads = "global_load_dword v1, v0, s[0:1]\nglobal_load_dword v2, v0, s[0:1] offset:4\n";
  EXPECT_EQ(
      missing(loads + "s_waitcnt vmcnt(1)\nv_add_f32 v3, v1, v1\ns_waitcnt vmcnt(0)\nv_add_f32 v3, v2, v2\ns_endpgm\n",
              "gfx942"),
      "");
  EXPECT_EQ(missing(loads + "s_waitcnt vmcnt(1)\nv_add_f32 v3, v1, v2\ns_endpgm\n", "gfx942"),
            "3 reads v2 of 1 vmcnt(0)");
  EXPECT_EQ(missing(loads + "s_waitcnt vmcnt(2)\nv_add_f32 v3, v1, v1\ns_endpgm\n", "gfx942"),
            "3 reads v1 of 0 vmcnt(1)");
}

TEST(MissingWait, OfLdsAndScalarMemoryInOneCounter) {
  EXPECT_EQ(
      missing("ds_read_b32 v1, v0\nds_read_b32 v2, v0 offset:4\ns_waitcnt lgkmcnt(1)\nv_add_f32 v3, v1, v2\ns_endpgm\n",
              "gfx942"),
      "3 reads v2 of 1 lgkmcnt(0)");
  EXPECT_EQ(missing("s_load_dword s4, s[0:1], 0x0\ns_add_u32 s5, s4, s4\ns_endpgm\n", "gfx942"),
            "1 reads s4 of 0 lgkmcnt(0)");
  EXPECT_EQ(missing("s_load_dwordx2 vcc, s[0:1], 0x0\nv_cndmask_b32 v1, v2, v3, vcc\ns_endpgm\n", "gfx942"),
            "1 reads vcc of 0 lgkmcnt(0)");
  // Scalar loads return in any order: only 0 covers one.
  EXPECT_EQ(
      missing("s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\ns_waitcnt lgkmcnt(1)\ns_add_u32 s6, s4, 1\n"
              "s_endpgm\n",
              "gfx942"),
      "3 reads s4 of 0 lgkmcnt(0)");
  EXPECT_EQ(
      missing("s_load_dword s4, s[0:1], 0x0\ns_load_dword s4, s[0:1], 0x4\ns_waitcnt lgkmcnt(0)\ns_endpgm\n", "gfx942"),
      "1 overwrites s4 of 0 lgkmcnt(0)");
  // The address of a call is read before the callee can wait.
  EXPECT_EQ(missing("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_swappc_b64 s[30:31], s[4:5]\ns_endpgm\n", "gfx942"),
            "1 reads s[4:5] of 0 lgkmcnt(0)");
}

TEST(MissingWait, OfSplitCounters) {
  for (const char *arch : {"gfx1201", "gfx1250"}) {
    EXPECT_EQ(missing("global_load_b32 v1, v0, s[0:1]\ns_wait_dscnt 0x0\nv_add_f32 v2, v1, v1\ns_endpgm\n", arch),
              "2 reads v1 of 0 loadcnt(0)");
    EXPECT_EQ(missing("ds_load_b32 v1, v0\ns_wait_loadcnt 0x0\nv_add_f32 v2, v1, v1\ns_endpgm\n", arch),
              "2 reads v1 of 0 dscnt(0)");
    EXPECT_EQ(missing("s_load_b64 s[4:5], s[0:1], 0x0\ns_wait_loadcnt_dscnt 0x0\nv_mov_b32 v1, s5\ns_endpgm\n", arch),
              "2 reads s5 of 0 kmcnt(0)");
    EXPECT_EQ(missing("global_load_b32 v1, v0, s[0:1]\nds_load_b32 v2, v0\ns_load_b32 s4, s[0:1], 0x0\n"
                      "s_wait_loadcnt_dscnt 0x0\ns_wait_kmcnt 0x0\n"
                      "v_add_f32 v2, v1, v2\ns_add_co_u32 s5, s4, s4\ns_endpgm\n",
                      arch),
              "");
    // Both halves of a pair read.
    EXPECT_EQ(
        missing("ds_load_2addr_b32 v[2:3], v0 offset1:1\nv_dual_mov_b32 v4, 0 :: v_dual_mov_b32 v5, v3\ns_endpgm\n",
                arch),
        "1 reads v3 of 0 dscnt(0)");
  }
}

TEST(MissingWait, OfGenerationsThatAreOnlyRead) {
  for (const char *arch : {"gfx803", "gfx1030", "gfx1100"})
    EXPECT_EQ(missing("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_mov_b32 s6, s4\ns_endpgm\n", arch),
              "1 reads s4 of 0 lgkmcnt(0)")
        << arch;
  // Stores have a counter of their own since gfx10; LDS may have 63 operations under way.
  EXPECT_EQ(
      missing(
          "global_load_dword v1, v0, s[0:1]\nglobal_store_dword v0, v2, s[0:1]\ns_waitcnt vmcnt(1)\nv_mov_b32 v3, v1\n"
          "s_endpgm\n",
          "gfx1030"),
      "3 reads v1 of 0 vmcnt(0)");
  EXPECT_EQ(
      missing(
          "global_load_dword v1, v0, s[0:1]\nglobal_store_dword v0, v2, s[0:1]\ns_waitcnt vmcnt(1)\nv_mov_b32 v3, v1\n"
          "s_endpgm\n",
          "gfx900"),
      "");
  std::string many = "ds_read_b32 v1, v0\n";
  for (unsigned i = 0; i < 20; ++i)
    many += "ds_read_b32 v2, v0\n";
  EXPECT_EQ(missing(many + "v_mov_b32 v3, v1\ns_endpgm\n", "gfx1100"), "21 reads v1 of 0 lgkmcnt(20)");
}

TEST(MissingWait, OverABackEdge) {
  // 1: the loop reads what it loaded a pass ago; vmcnt(1) leaves this pass's newest load only in the first pass.
  const std::string text = "global_load_dword v1, v0, s[0:1]\n"
                           "s_waitcnt vmcnt(%)\n"   // 1
                           "v_add_f32 v3, v1, v3\n" // 2
                           "global_load_dword v1, v0, s[0:1]\n"
                           "s_cbranch_scc1 0xfffb\n" // to 1
                           "s_waitcnt vmcnt(0)\ns_endpgm\n";
  auto with = [&](const char *count) { return std::string(text).replace(text.find('%'), 1, count); };
  EXPECT_EQ(missing(with("0"), "gfx942"), "");
  EXPECT_EQ(missing(with("1"), "gfx942"), "2 reads v1 of 0 vmcnt(0); 2 reads v1 of 3 vmcnt(0)");
  Code code = assemble(with("1"), "gfx942");
  WaitCoverage coverage(code, targetOf("gfx942"));
  ASSERT_EQ(coverage.missing().size(), 2u);
  EXPECT_EQ(coverage.missing()[1].path, std::vector<uint32_t>{code.flow.blockOf(2)});
}

TEST(MissingWait, OnOneOfTwoPaths) {
  // 1 jumps over the wait.
  Code code =
      assemble("ds_read_b32 v1, v0\ns_cbranch_scc1 1\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, v1\ns_endpgm\n", "gfx942");
  WaitCoverage coverage(code, targetOf("gfx942"));
  ASSERT_EQ(coverage.missing().size(), 1u);
  EXPECT_EQ(coverage.missing()[0].instruction, 3u);
  EXPECT_EQ(coverage.missing()[0].path, std::vector<uint32_t>{code.flow.blockOf(3)});
  // A use in the other branch is none.
  EXPECT_EQ(missing("s_cbranch_scc1 2\nds_read_b32 v1, v0\ns_endpgm\nv_mov_b32 v2, v1\ns_endpgm\n", "gfx942"), "");
}

TEST(MissingWait, IsNoneWhereNothingCanGoWrong) {
  // Results of one unit come in order; stores have read their data; LDS-DMA has no registers; halves of a register.
  EXPECT_EQ(missing("global_load_dword v1, v0, s[0:1]\nglobal_load_dword v1, v0, s[0:1] offset:4\ns_waitcnt vmcnt(0)\n"
                    "v_mov_b32 v2, v1\ns_endpgm\n",
                    "gfx942"),
            "");
  EXPECT_EQ(missing("global_store_dword v0, v1, s[0:1]\nv_mov_b32 v1, 0\ns_endpgm\n", "gfx942"), "");
  EXPECT_EQ(missing("global_load_lds_dword v0, s[0:1]\nv_mov_b32 v0, 0\ns_endpgm\n", "gfx942"), "");
  EXPECT_EQ(missing("global_load_short_d16 v1, v0, s[0:1]\nglobal_load_short_d16_hi v1, v0, s[0:1] offset:2\n"
                    "s_waitcnt vmcnt(0)\nv_mov_b32 v2, v1\ns_endpgm\n",
                    "gfx942"),
            "");
  // A load whose register is its address, and a call that waits.
  EXPECT_EQ(missing("global_load_dword v0, v0, s[0:1]\ns_swappc_b64 s[30:31], s[4:5]\nv_mov_b32 v2, v0\ns_endpgm\n",
                    "gfx942"),
            "");
  // Of another unit it is not in order.
  EXPECT_EQ(missing("ds_read_b32 v1, v0\nglobal_load_dword v1, v0, s[0:1]\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm\n",
                    "gfx942"),
            "1 overwrites v1 of 0 lgkmcnt(0)");
}

TEST(MissingWait, OfFlatIsMadeUpForByEitherCounter) {
  EXPECT_EQ(missing("flat_load_dword v1, v[2:3]\nv_mov_b32 v2, v1\ns_endpgm\n", "gfx942"), "1 reads v1 of 0 vmcnt(0)");
  EXPECT_EQ(missing("flat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, v1\ns_endpgm\n", "gfx942"), "");
  // Known to be in memory, it is in order there.
  EXPECT_EQ(missing("flat_load_dword v1, v[2:3]\nflat_load_dword v4, v[2:3]\nglobal_load_dword v5, v0, s[0:1]\n"
                    "s_waitcnt vmcnt(2)\nv_mov_b32 v2, v1\n"
                    "s_waitcnt vmcnt(1)\nv_mov_b32 v2, v4\ns_endpgm\n",
                    "gfx942"),
            "");
  EXPECT_EQ(
      missing(
          "flat_load_dword v1, v[2:3]\nflat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(1)\nv_mov_b32 v2, v4\ns_endpgm\n",
          "gfx942"),
      "3 reads v4 of 1 vmcnt(0)");
  EXPECT_EQ(missing("flat_load_b32 v1, v[2:3]\ns_wait_loadcnt 0x1\nv_mov_b32 v2, v1\ns_endpgm\n", "gfx1201"),
            "2 reads v1 of 0 loadcnt(0)");
}

TEST(MissingWait, IsNoneInCompiledKernels) {
  unsigned codesRead = 0;
  for (const std::string &path : codeObjectPaths()) {
    std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    auto codes = readCode(*object);
    ASSERT_TRUE(bool(codes)) << errorOf(codes);
    for (const Code &code : *codes) {
      ++codesRead;
      for (const MissingWait &m : WaitCoverage(code, targetOf(object->architecture())).missing())
        ADD_FAILURE() << path << " " << code.name << ": `" << code.texts[m.instruction] << "` uses what `"
                      << code.texts[m.operation] << "` loads";
    }
  }
  EXPECT_GT(codesRead, 30u);
}

/// LLVM makes few waits stronger than needed, so almost every one that is taken out or weakened by one is missed. The
/// rest are for stores, for volatile loads whose results are not used, before a function returns, or for one of the two
/// counters of a FLAT load.
TEST(MissingWait, IsFoundWhereACompiledKernelLosesAWait) {
  unsigned removed = 0, foundRemoved = 0, weakened = 0, foundWeakened = 0;
  for (const std::string &path : codeObjectPaths()) {
    std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    auto codes = readCode(*object);
    ASSERT_TRUE(bool(codes)) << errorOf(codes);
    const auto &target = targetOf(object->architecture());
    for (Code &code : *codes) {
      WaitCoverage coverage(code, target);
      for (uint32_t i = 0; i < code.instructions.size() && code.instructions.size() < 2000; ++i) {
        isa::Instruction &wait = code.instructions[i];
        if (!wait.is(isa::Class::Wait) || coverage.by(i).empty())
          continue;
        const isa::Waits kept = wait.waits;
        if (llvm::any_of(coverage.by(i),
                         [&](const Covered &c) { return code.instructions[c.operation].find(isa::Role::Dst); })) {
          wait.waits = {};
          ++removed;
          foundRemoved += !WaitCoverage(code, target).missing().empty();
        }
        const uint8_t limit =
            kept[isa::Counter::Vm] != isa::Waits::none ? kept[isa::Counter::Vm] : kept[isa::Counter::Load];
        if (limit != isa::Waits::none && limit > 0) {
          wait.waits = kept;
          for (isa::Counter c : {isa::Counter::Vm, isa::Counter::Load})
            if (uint8_t &each = wait.waits.limit[unsigned(c)]; each != isa::Waits::none)
              ++each;
          ++weakened;
          foundWeakened += !WaitCoverage(code, target).missing().empty();
        }
        wait.waits = kept;
      }
    }
  }
  EXPECT_GT(removed, 500u);
  EXPECT_GT(weakened, 20u);
  EXPECT_GE(foundRemoved * 100, removed * 95) << foundRemoved << " of " << removed;
  EXPECT_GE(foundWeakened * 100, weakened * 85) << foundWeakened << " of " << weakened;
}

} // namespace fly::report::test
