// Nested loops, loops that share nothing, and regions with several entries.
#include "compiler/report/Loops.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

TEST(Loops, NestByContainment) {
  Code code = assemble("s_mov_b32 s0, 0\n"
                       "s_mov_b32 s1, 0\n"       // 1: outer
                       "s_add_i32 s1, s1, 1\n"   // 2: inner
                       "s_cbranch_scc1 0xfffe\n" // to 2
                       "s_add_i32 s0, s0, 1\n"
                       "s_cbranch_scc0 0xfffb\n" // to 1
                       "s_nop 0\n"               // 6: a loop of its own
                       "s_cbranch_vccz 0xfffe\n" // to 6
                       "s_endpgm\n",
                       "gfx942");
  auto loops = findLoops(code);
  ASSERT_EQ(loops.size(), 3u);
  EXPECT_EQ(loops[0].parent, -1);
  EXPECT_EQ(loops[1].parent, 0);
  EXPECT_EQ(loops[2].parent, -1);
  EXPECT_EQ(loops[0].depth, 1u);
  EXPECT_EQ(loops[1].depth, 2u);
  EXPECT_EQ(code.of(loops[0].blocks).size(), 5u);
  EXPECT_EQ(code.of(loops[0].ownBlocks).size(), 3u);
  EXPECT_EQ(code.of(loops[1].blocks).size(), 2u);
  for (auto &loop : loops)
    EXPECT_FALSE(loop.irreducible);
}

TEST(Loops, OfAJumpIntoTheMiddleAreIrreducible) {
  Code code = assemble("s_cbranch_scc1 1\n"      // to 2
                       "s_nop 0\n"               // 1: one entry
                       "s_nop 1\n"               // 2: the other
                       "s_cbranch_scc0 0xfffd\n" // to 1
                       "s_endpgm\n",
                       "gfx1201");
  auto loops = findLoops(code);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_TRUE(loops[0].irreducible);
  EXPECT_EQ(loops[0].entries.size(), 2u);
  EXPECT_EQ(code.of(loops[0].blocks).size(), 3u);
}

TEST(Loops, InsideAnIrreducibleRegion) {
  Code code = assemble("s_cbranch_scc1 3\n"      // to 4
                       "s_nop 0\n"               // 1: entry
                       "s_nop 0\n"               // 2: a natural loop of one block
                       "s_cbranch_vccz 0xfffe\n" // to 2
                       "s_nop 1\n"               // 4: entry
                       "s_cbranch_scc0 0xfffb\n" // to 1
                       "s_endpgm\n",
                       "gfx942");
  auto loops = findLoops(code);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_TRUE(loops[0].irreducible);
  EXPECT_FALSE(loops[1].irreducible);
  EXPECT_EQ(loops[1].parent, 0);
}

TEST(Loops, InsideAnIrreducibleRegionBelongToItWhole) {
  Code code = assemble("s_cbranch_scc1 5\n" // to 6
                       "s_nop 0\n"          // 1: entry
                       "s_cbranch_vccz 3\n" // 2: header of a natural loop; to 6
                       "s_nop 1\n"          // 3: only on the natural loop
                       "s_nop 2\n"
                       "s_branch 0xfffc\n"       // 5: to 2
                       "s_nop 3\n"               // 6: entry
                       "s_cbranch_scc0 0xfff9\n" // to 1
                       "s_endpgm\n",
                       "gfx942");
  auto loops = findLoops(code);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_TRUE(loops[0].irreducible);
  EXPECT_EQ(code.of(loops[0].blocks).size(), 7u); // 1 to 7, with 3 to 5
  EXPECT_EQ(loops[0].entries.size(), 2u);
  EXPECT_FALSE(loops[1].irreducible);
  EXPECT_EQ(loops[1].parent, 0);
  EXPECT_EQ(loops[1].depth, 2u);
  EXPECT_EQ(code.of(loops[1].blocks).size(), 4u);
}

TEST(Loops, OfOneBlockIsNatural) {
  Code code = assemble("s_nop 0\ns_cbranch_scc0 0xfffe\ns_endpgm\n", "gfx942");
  auto loops = findLoops(code);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_FALSE(loops[0].irreducible);
}

TEST(Loops, HaveTheLineOfTheirBranch) {
  std::string bytes = codeObject("control.gfx942");
  auto object = isa::CodeObject::read(bytes);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  auto codes = readCode(*object, "loops");
  ASSERT_TRUE(bool(codes) && codes->size() == 1u);
  auto loops = findLoops(codes->front());
  ASSERT_FALSE(loops.empty());
  EXPECT_TRUE(loops.front().location.valid());
}

} // namespace fly::report::test
