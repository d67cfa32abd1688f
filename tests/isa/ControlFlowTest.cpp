// Blocks, edges, dominators and loops of small programs.
#include "compiler/isa/ControlFlow.h"
#include "tests/isa/TestSupport.h"

namespace fly::isa::test {

std::vector<Instruction> decodeText(const std::string &text) {
  auto encoder = Encoder::create("gfx942");
  auto decoder = Decoder::create("gfx942");
  auto parts = (*encoder)->assemble(text);
  EXPECT_TRUE(bool(parts)) << errorOf(parts);
  Encoding code;
  if (parts)
    for (const Encoding &e : *parts)
      code.insert(code.end(), e.begin(), e.end());
  auto list = (*decoder)->decodeKernel(code, 0x100);
  EXPECT_TRUE(bool(list)) << errorOf(list);
  return list ? *list : std::vector<Instruction>();
}

TEST(ControlFlow, OfALoop) {
  //  0: mov; 1: (loop) add, cmp, cbranch 1; 2: end
  auto code = decodeText("s_mov_b32 s0, 0\ns_add_i32 s0, s0, 1\ns_cmp_lt_i32 s0, 4\ns_cbranch_scc1 0xfffd\ns_endpgm\n");
  ASSERT_EQ(code.size(), 5u);
  ControlFlow flow(code);
  ASSERT_EQ(flow.blocks().size(), 3u);
  EXPECT_EQ(flow.blocks()[1].successors.size(), 2u);
  EXPECT_EQ(flow.blocks()[1].successors[0], 2u);
  EXPECT_EQ(flow.blocks()[1].successors[1], 1u);
  EXPECT_EQ(flow.immediateDominator(2), 1u);
  EXPECT_FALSE(flow.blocks()[2].leaves);
  auto loops = flow.loops();
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].header, 1u);
  EXPECT_EQ(loops[0].blocks, std::vector<uint32_t>{1});
}

TEST(ControlFlow, OfADiamond) {
  //  0: cbranch 2; 1: branch 3; 2: nop; 3: end
  auto code = decodeText("s_cbranch_scc0 1\ns_branch 1\ns_nop 0\ns_endpgm\n");
  ControlFlow flow(code);
  ASSERT_EQ(flow.blocks().size(), 4u);
  EXPECT_EQ(flow.immediateDominator(3), 0u);
  EXPECT_EQ(flow.blocks()[3].predecessors.size(), 2u);
  EXPECT_TRUE(flow.loops().empty());
}

TEST(ControlFlow, LeavesTheListByAWildBranch) {
  ControlFlow flow(decodeText("s_cbranch_scc0 100\ns_endpgm\n"));
  EXPECT_TRUE(flow.blocks()[0].leaves);
  EXPECT_TRUE(ControlFlow({}).blocks().empty());
}

TEST(ControlFlow, EveryCompiledKernelEndsEverywhere) {
  for (const std::string &path : codeObjectPaths()) {
    if (path.find(".O0.") != path.npos)
      continue; // has calls, which leave
    std::string bytes = readFile(path);
    auto object = CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << errorOf(object);
    for (const Kernel &k : object->kernels()) {
      auto decoder = Decoder::create(object->architecture(), k.waveSize);
      auto code = (*decoder)->decodeKernel(object->text(k), k.entry);
      ASSERT_TRUE(bool(code)) << errorOf(code);
      ControlFlow flow(*code);
      for (const Block &b : flow.blocks())
        EXPECT_FALSE(b.leaves) << path << " " << k.name;
    }
  }
}

} // namespace fly::isa::test
