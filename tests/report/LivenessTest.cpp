// Live registers against a search of paths: for every instruction and register, walk the code from there until a read
// or a write, and back until a write or the entry.
#include "compiler/report/Liveness.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

namespace {

/// Reads and writes as the operands say them: this is for code without calls and indices.
struct Access {
  bool reads = false, writes = false, partly = false;
};
Access accessOf(const isa::Instruction &i, unsigned reg) {
  Access out;
  for (const isa::Operand &o : i.operands) {
    unsigned first = o.isVgpr()   ? o.index
                     : o.isAgpr() ? unit::firstAgpr + o.index
                     : o.isSgpr() ? unit::firstSgpr + o.index
                                  : ~0u;
    if (first == ~0u || reg < first || reg >= first + o.width)
      continue;
    bool whole = o.half == isa::Half::Whole && !o.opSel;
    out.reads |= !o.def;
    out.writes |= o.def && whole;
    out.partly |= o.def && !whole;
  }
  return out;
}

std::vector<uint32_t> nextOf(const Code &code, uint32_t i) {
  std::vector<uint32_t> out;
  const isa::Instruction &inst = code.instructions[i];
  if (!inst.isTerminator() && i + 1 < code.instructions.size())
    out.push_back(i + 1);
  if (auto target = inst.target())
    if (uint32_t at = code.at(*target); at != ~0u)
      out.push_back(at);
  return out;
}

bool isLive(const Code &code, const std::vector<std::vector<uint32_t>> &next,
            const std::vector<std::vector<uint32_t>> &previous, uint32_t point, unsigned reg) {
  auto search = [&](uint32_t start, bool forward) {
    std::vector<uint32_t> work{start};
    std::vector<bool> seen(code.instructions.size());
    while (!work.empty()) {
      uint32_t i = work.back();
      work.pop_back();
      if (forward) {
        if (seen[i])
          continue;
        seen[i] = true;
        Access a = accessOf(code.instructions[i], reg);
        if (a.reads)
          return true;
        if (a.writes)
          continue;
        for (uint32_t n : next[i])
          work.push_back(n);
      } else { // is it defined before i?
        if (seen[i])
          continue;
        seen[i] = true;
        if (i == 0 &&
            (reg == 0 || (reg >= unit::firstSgpr &&
                          reg < unit::firstSgpr + code.kernel->descriptor.userSgprs +
                                    code.kernel->descriptor.workgroupIdX + code.kernel->descriptor.workgroupIdY +
                                    code.kernel->descriptor.workgroupIdZ + code.kernel->descriptor.workgroupInfo)))
          return true;
        for (uint32_t p : previous[i]) {
          Access a = accessOf(code.instructions[p], reg);
          if (a.writes || a.partly)
            return true;
          work.push_back(p);
        }
      }
    }
    return false;
  };
  return search(point, true) && search(point, false);
}

void compareWithPaths(const Code &code, const std::string &where) {
  Liveness live(code);
  std::vector<std::vector<uint32_t>> next(code.instructions.size()), previous(next.size());
  llvm::BitVector named(unit::count);
  for (uint32_t i = 0; i < code.instructions.size(); ++i) {
    next[i] = nextOf(code, i);
    for (uint32_t n : next[i])
      previous[n].push_back(i);
    for (unsigned reg = 0; reg < unit::count; ++reg)
      if (Access a = accessOf(code.instructions[i], reg); a.reads || a.writes || a.partly)
        named.set(reg);
  }
  for (uint32_t i = 0; i < code.instructions.size(); ++i) {
    if (!code.flow.reachable(code.flow.blockOf(i)))
      continue;
    llvm::BitVector got = live.registersBefore(i);
    unsigned vgprs = 0, agprs = 0, sgprs = 0;
    for (int reg = named.find_first(); reg >= 0; reg = named.find_next(unsigned(reg))) {
      bool expected = isLive(code, next, previous, i, unsigned(reg));
      ASSERT_EQ(got.test(unsigned(reg)), expected) << where << " register " << reg << " before " << code.texts[i];
      (unsigned(reg) < unit::firstAgpr ? vgprs : unsigned(reg) < unit::firstSgpr ? agprs : sgprs) += expected;
    }
    EXPECT_EQ(live.before(i).vgprs, vgprs);
    EXPECT_EQ(live.before(i).agprs, agprs);
    EXPECT_EQ(live.before(i).sgprs, sgprs);
  }
}

} // namespace

TEST(Liveness, OfStraightCode) {
  Code code = assemble("v_mov_b32 v1, s3\n"     // v0 and s0-s15 are set; needed: v0, s3
                       "v_add_f32 v2, v0, v1\n" // v0, v1
                       "v_mov_b32 v1, 0\n"      // v2: v1 is overwritten before it is read
                       "v_add_f32 v3, v2, v1\n" // v2, v1
                       "v_add_f32 v4, v3, v9\n" // v3: v9 was never written
                       "s_endpgm\n",
                       "gfx942");
  Liveness live(code);
  const unsigned expected[] = {1, 2, 1, 2, 1, 0};
  for (uint32_t i = 0; i < 6; ++i)
    EXPECT_EQ(live.before(i).vgprs, expected[i]) << i;
  EXPECT_EQ(live.before(0).sgprs, 1u); // s3
  EXPECT_EQ(live.before(1).sgprs, 0u);
  EXPECT_EQ(live.peak().most.vgprs, 2u);
  EXPECT_EQ(live.peak().vgprsAt, 1u);
}

TEST(Liveness, OfALoopCarriedValue) {
  // The branch goes back to the add.
  Code code = assemble("v_mov_b32 v1, 0\nv_mov_b32 v2, 1.0\n"
                       "v_add_f32 v1, v1, v2\ns_add_i32 s0, s0, -1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 0xfffc\n"
                       "global_store_dword v0, v1, s[2:3]\ns_endpgm\n",
                       "gfx942");
  Liveness live(code);
  EXPECT_EQ(live.before(2).vgprs, 3u); // v0, v1, v2
  EXPECT_EQ(live.before(6).vgprs, 2u);
  compareWithPaths(code, "loop");
}

TEST(Liveness, OfPartialWrites) {
  // A half that is written leaves the other half needed; a lane that is written reads the rest.
  Code half = assemble("v_mov_b32 v1, 0\nv_mov_b16 v1.l, v0.l\nglobal_store_b32 v0, v1, s[2:3]\ns_endpgm\n", "gfx1250");
  EXPECT_EQ(Liveness(half).before(1).vgprs, 2u);
  Code lane =
      assemble("v_mov_b32 v1, 0\nv_writelane_b32 v1, s1, 3\nglobal_store_dword v0, v1, s[2:3]\ns_endpgm\n", "gfx942");
  EXPECT_EQ(Liveness(lane).before(1).vgprs, 2u);
}

TEST(Liveness, OfAccumulatorsAndMatrices) {
  Code code = assemble(
      "v_accvgpr_write_b32 a0, 0\nv_accvgpr_write_b32 a1, 0\nv_accvgpr_write_b32 a2, 0\nv_accvgpr_write_b32 a3, 0\n"
      "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v0, a[0:3]\n"
      "v_accvgpr_read_b32 v1, a2\nglobal_store_dword v0, v1, s[2:3]\ns_endpgm\n",
      "gfx942");
  Liveness live(code);
  EXPECT_EQ(live.before(4).agprs, 4u);
  EXPECT_EQ(live.before(5).agprs, 1u);
  EXPECT_EQ(live.before(6).agprs, 0u);
}

TEST(Liveness, OfIndexedRegisters) {
  // Any register from v4 on may be the one that is read.
  Code code = assemble(
      "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\ns_set_gpr_idx_on s1, gpr_idx(SRC0)\nv_mov_b32 v1, v4\ns_set_gpr_idx_off\n"
      "global_store_dword v0, v1, s[2:3]\ns_endpgm\n",
      "gfx942");
  EXPECT_EQ(Liveness(code).before(2).vgprs, 3u);
}

/// v_movrel is gfx12's way.
TEST(Liveness, OfMovrel) {
  Code code = assemble(
      "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_movrels_b32 v1, v4\nglobal_store_b32 v0, v1, s[2:3]\ns_endpgm\n", "gfx1201");
  EXPECT_EQ(Liveness(code).before(2).vgprs, 3u);
}

TEST(Liveness, OfACall) {
  // v1 is an argument, v33 is kept over the call, v2 is not read after it but may be an argument too; v41 is
  // overwritten after it.
  Code code =
      assemble("v_mov_b32 v1, 0\nv_mov_b32 v2, 0\nv_mov_b32 v33, 0\nv_mov_b32 v41, 0\ns_swappc_b64 s[30:31], s[4:5]\n"
               "v_mov_b32 v41, v33\nglobal_store_dword v0, v41, s[2:3]\ns_endpgm\n",
               "gfx942");
  EXPECT_EQ(code.calls + code.isCall(4), 1u);
  EXPECT_EQ(Liveness(code).before(4).vgprs, 4u); // v0, v1, v2, v33
  EXPECT_EQ(Liveness(code).before(5).vgprs, 2u);
}

TEST(Liveness, AgreesWithPathsInCompiledKernels) {
  unsigned compared = 0;
  for (const std::string &path : codeObjectPaths()) {
    std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << errorOf(object);
    auto codes = readCode(*object);
    ASSERT_TRUE(bool(codes)) << errorOf(codes);
    for (const Code &code : *codes) {
      if (!code.kernel || code.calls || code.instructions.size() > 300)
        continue;
      compareWithPaths(code, path + " " + code.name);
      ++compared;
    }
  }
  EXPECT_GE(compared, 50u);
}

TEST(Liveness, NeverExceedsWhatIsAllocated) {
  for (const std::string &path : codeObjectPaths()) {
    std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    auto codes = readCode(*object);
    ASSERT_TRUE(bool(codes)) << errorOf(codes);
    for (const Code &code : *codes) {
      if (!code.kernel)
        continue;
      auto peak = Liveness(code).peak();
      EXPECT_LE(peak.most.vgprs + peak.most.agprs, std::max(code.kernel->vgprs, 1u)) << path << " " << code.name;
    }
  }
}

} // namespace fly::report::test
