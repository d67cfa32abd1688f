// Which wait covers which operation, in small programs written for it.
#include "compiler/report/Liveness.h"
#include "compiler/report/WaitCoverage.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

namespace {

/// "0 1~1": the numbers of the operations that a wait covers, `~n` for n passes ago; counters in parentheses if
/// `counters`.
std::string covers(const Code &code, const char *arch, uint32_t wait, bool counters = false) {
  WaitCoverage coverage(code, targetOf(arch));
  std::string text;
  for (const Covered &c : coverage.by(wait)) {
    text += (text.empty() ? "" : " ") + std::to_string(c.operation) +
            (c.passesAgo ? "~" + std::to_string(c.passesAgo) : "");
    if (counters)
      text += "(" + std::string(isa::name(c.counter)) + ")";
  }
  return text;
}

} // namespace

TEST(WaitCoverage, OfLoadsInOrder) {
  Code code = assemble("global_load_dword v1, v0, s[0:1]\n"
                       "global_load_dword v2, v0, s[0:1] offset:4\n"
                       "global_store_dword v0, v0, s[2:3]\n"
                       "s_waitcnt vmcnt(2)\n" // 3: two newer than the first
                       "s_waitcnt vmcnt(1)\n" // 4
                       "s_waitcnt vmcnt(0)\n" // 5: gfx9's stores count in vmcnt too
                       "s_endpgm\n",
                       "gfx942");
  EXPECT_EQ(covers(code, "gfx942", 3), "0");
  EXPECT_EQ(covers(code, "gfx942", 4), "1");
  EXPECT_EQ(covers(code, "gfx942", 5), "2");
  WaitCoverage coverage(code, targetOf("gfx942"));
  ASSERT_EQ(coverage.of(1).size(), 1u);
  EXPECT_EQ(coverage.of(1)[0].operation, 4u);
}

TEST(WaitCoverage, OfScalarMemoryOnlyByZero) {
  // lgkmcnt holds LDS operations, in order, and scalar loads, in any order.
  Code code = assemble("s_load_dword s4, s[0:1], 0x0\n"
                       "ds_read_b32 v1, v0\n"
                       "ds_read_b32 v2, v0 offset:4\n"
                       "s_waitcnt lgkmcnt(1)\n" // 3: of what is left, one may be the scalar load or the last of LDS
                       "s_waitcnt lgkmcnt(0)\n" // 4
                       "s_endpgm\n",
                       "gfx942");
  EXPECT_EQ(covers(code, "gfx942", 3), "1");
  EXPECT_EQ(covers(code, "gfx942", 4), "0 2");
}

TEST(WaitCoverage, OfFlatInBothCounters) {
  Code code = assemble("flat_load_dword v1, v[2:3]\nglobal_load_dword v4, v0, s[0:1]\ns_waitcnt vmcnt(1)\n"
                       "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm\n",
                       "gfx942");
  EXPECT_EQ(covers(code, "gfx942", 2), "");
  EXPECT_EQ(covers(code, "gfx942", 3, true), "0(vmcnt) 0(lgkmcnt) 1(vmcnt)");
}

TEST(WaitCoverage, OfBothWaysOfABranch) {
  // 0 load; 1 branch over 2; 2 load; 3 vmcnt(1): on the way around there is no newer load.
  Code code = assemble("global_load_dword v1, v0, s[0:1]\ns_cbranch_scc1 2\nglobal_load_dword v2, v0, s[0:1] offset:4\n"
                       "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0)\ns_endpgm\n",
                       "gfx942");
  EXPECT_EQ(covers(code, "gfx942", 3), "");
  EXPECT_EQ(covers(code, "gfx942", 4), "0 2");
}

TEST(WaitCoverage, OfAPipelinedLoop) {
  // The load of the previous iteration is waited for while this pass's is under way.
  Code code = assemble("global_load_dword v1, v0, s[0:1]\n"
                       "global_load_dword v2, v0, s[0:1] offset:4\n" // 1: the loop begins
                       "s_waitcnt vmcnt(1)\n"                        // 2
                       "s_cmp_lg_u32 s0, 0\n"
                       "s_cbranch_scc1 0xfffb\n" // to 1
                       "s_waitcnt vmcnt(0)\n"    // 5
                       "s_endpgm\n",
                       "gfx942");
  EXPECT_EQ(code.instructions[4].target(), code.instructions[1].address);
  EXPECT_EQ(covers(code, "gfx942", 2), "0 1~1");
  EXPECT_EQ(covers(code, "gfx942", 5), "1");
}

TEST(WaitCoverage, OfAFullCounter) {
  // lgkmcnt holds 15: after that many newer ones an LDS operation is done, so the wait is not what covers it.
  std::string text = "ds_read_b32 v1, v0\n";
  for (unsigned i = 0; i < 15; ++i)
    text += "ds_read_b32 v2, v0\n";
  Code code = assemble(text + "s_waitcnt lgkmcnt(0)\ns_endpgm\n", "gfx942");
  EXPECT_EQ(covers(code, "gfx942", 16), "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
}

TEST(WaitCoverage, OfSplitCounters) {
  Code code = assemble("global_load_b32 v1, v0, s[0:1]\n"
                       "global_store_b32 v0, v0, s[2:3]\n"
                       "ds_load_b32 v2, v0\n"
                       "s_load_b32 s4, s[0:1], 0x0\n"
                       "s_wait_loadcnt 0x0\n"  // 4
                       "s_wait_storecnt 0x0\n" // 5
                       "s_wait_dscnt 0x0\n"    // 6
                       "s_wait_kmcnt 0x0\n"    // 7
                       "s_endpgm\n",
                       "gfx1201");
  EXPECT_EQ(covers(code, "gfx1201", 4, true), "0(loadcnt)");
  EXPECT_EQ(covers(code, "gfx1201", 5, true), "1(storecnt)");
  EXPECT_EQ(covers(code, "gfx1201", 6, true), "2(dscnt)");
  EXPECT_EQ(covers(code, "gfx1201", 7, true), "3(kmcnt)");
}

TEST(WaitCoverage, OfJoinedWaitsAndScratchStores) {
  // Scratch stores are a line of their own in storecnt.
  Code code = assemble("global_store_b32 v0, v0, s[2:3]\nscratch_store_b32 off, v0, off\nds_load_b32 v2, v0\n"
                       "s_wait_storecnt_dscnt 0x100\n" // storecnt 1, dscnt 0
                       "s_wait_storecnt 0x0\ns_endpgm\n",
                       "gfx1201");
  EXPECT_EQ(covers(code, "gfx1201", 3, true), "2(dscnt)");
  EXPECT_EQ(covers(code, "gfx1201", 4, true), "0(storecnt) 1(storecnt)");
}

TEST(WaitCoverage, OfAsynchronousAndTensorOperations) {
  Code code = assemble("global_load_async_to_lds_b32 v1, v0, s[0:1]\n"
                       "global_load_async_to_lds_b32 v1, v0, s[0:1] offset:4\n"
                       "global_store_async_from_lds_b32 v0, v1, s[0:1]\n"
                       "tensor_load_to_lds s[0:3], s[4:11]\n"
                       "s_wait_asynccnt 0x1\n"  // 4: the first load; the store is of another line
                       "s_wait_asynccnt 0x0\n"  // 5
                       "s_wait_tensorcnt 0x0\n" // 6
                       "s_endpgm\n",
                       "gfx1250");
  EXPECT_EQ(covers(code, "gfx1250", 4, true), "0(asynccnt)");
  EXPECT_EQ(covers(code, "gfx1250", 5, true), "1(asynccnt) 2(asynccnt)");
  EXPECT_EQ(covers(code, "gfx1250", 6, true), "3(tensorcnt)");
}

TEST(WaitCoverage, OfACall) {
  // The callee waits for what it may read; stores stay outstanding.
  Code code =
      assemble("global_load_b32 v1, v0, s[0:1]\nglobal_store_b32 v0, v0, s[2:3]\ns_swappc_b64 s[30:31], s[4:5]\n"
               "s_wait_storecnt 0x0\ns_endpgm\n",
               "gfx1201");
  EXPECT_EQ(covers(code, "gfx1201", 2, true), "0(loadcnt)");
  EXPECT_EQ(covers(code, "gfx1201", 3, true), "1(storecnt)");
}

/// Every load of a compiled kernel is waited for before the kernel ends, unless its result is never read.
TEST(WaitCoverage, OfCompiledKernels) {
  unsigned loads = 0;
  for (const std::string &path : codeObjectPaths()) {
    std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << errorOf(object);
    auto codes = readCode(*object);
    ASSERT_TRUE(bool(codes)) << errorOf(codes);
    for (const Code &code : *codes) {
      WaitCoverage coverage(code, targetOf(object->architecture()));
      Liveness live(code);
      for (uint32_t i = 0; i + 1 < code.instructions.size(); ++i) {
        const isa::Instruction &inst = code.instructions[i];
        if (!code.kernel || !inst.mayLoad || !inst.find(isa::Role::Dst) || !WaitCoverage::isFollowed(inst))
          continue;
        const isa::Operand &result = *inst.find(isa::Role::Dst);
        unsigned reg = result.index + (result.isAgpr() ? unit::firstAgpr : result.isSgpr() ? unit::firstSgpr : 0);
        if (result.isSpecial() || !live.registersBefore(i + 1).test(reg))
          continue;
        ++loads;
        EXPECT_FALSE(coverage.of(i).empty()) << path << " " << code.name << ": " << code.texts[i];
      }
    }
  }
  EXPECT_GT(loads, 300u);
}

/// Walks from every load until its result is overwritten: no way leads to a read of the result without a wait that
/// covers the load. LLVM puts its waits so, and by rules of its own.
TEST(WaitCoverage, NoCompiledKernelReadsTooEarly) {
  unsigned loads = 0, reads = 0;
  for (const std::string &path : codeObjectPaths()) {
    std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    auto codes = readCode(*object);
    ASSERT_TRUE(bool(codes)) << errorOf(codes);
    for (const Code &code : *codes) {
      WaitCoverage coverage(code, targetOf(object->architecture()));
      for (uint32_t load = 0; load < code.instructions.size(); ++load) {
        const isa::Instruction &inst = code.instructions[load];
        const isa::Operand *result = inst.find(isa::Role::Dst);
        if (!inst.mayLoad || !result || result->isSpecial() || !WaitCoverage::isFollowed(inst))
          continue;
        ++loads;
        unsigned first = result->index + (result->isAgpr() ? unit::firstAgpr : result->isSgpr() ? unit::firstSgpr : 0);
        std::vector<std::pair<uint32_t, llvm::BitVector>> work;
        std::vector<llvm::BitVector> seen(code.instructions.size(), llvm::BitVector(unit::count));
        auto go = [&](uint32_t from, const llvm::BitVector &pending) {
          const isa::Instruction &at = code.instructions[from];
          if (!at.isTerminator() && from + 1 < code.instructions.size())
            work.push_back({from + 1, pending});
          if (auto target = at.target())
            if (uint32_t to = code.at(*target); to != ~0u)
              work.push_back({to, pending});
        };
        llvm::BitVector pending(unit::count);
        pending.set(first, std::min<unsigned>(first + result->width, unit::count));
        go(load, pending);
        while (!work.empty()) {
          auto [at, left] = std::move(work.back());
          work.pop_back();
          bool isCovered =
              llvm::any_of(coverage.of(load), [&](const Covered &c) { return c.operation == at && c.passesAgo == 0; });
          llvm::BitVector fresh = left;
          fresh.reset(seen[at]);
          if (at == load || isCovered || fresh.none())
            continue;
          seen[at] |= left;
          RegisterEffects effects = effectsOf(code, at);
          // A load of a half into the same register, and what only carries the rest of a register along, reads nothing.
          bool merges = code.instructions[at].find(isa::Role::Old) != nullptr;
          for (unsigned reg : effects.reads)
            if (left.test(reg) && !code.isReturn(at) && !merges) {
              ADD_FAILURE() << path << " " << code.name << ": `" << code.texts[at] << "` reads what `"
                            << code.texts[load] << "` loads";
              left.reset(reg);
            } else {
              ++reads;
            }
          for (unsigned reg : effects.writes)
            left.reset(reg);
          if (left.any())
            go(at, left);
        }
      }
    }
  }
  EXPECT_GT(loads, 300u);
  EXPECT_GT(reads, 1000u);
}

} // namespace fly::report::test
