// Hazards on every path, and none in what LLVM compiles.
#include "compiler/isa/HazardPaths.h"
#include "tests/isa/HazardCases.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

using namespace isa::test;

namespace {

std::vector<isa::Hazard> hazards(const std::string &text, const char *arch,
                                 isa::HazardBound bound = isa::HazardBound::Both) {
  const Code code = assemble(text, arch);
  return isa::findHazards(code.instructions, code.flow, *target::find(arch), bound);
}

std::string joined(const std::vector<std::string> &texts) {
  std::string out;
  for (const std::string &text : texts)
    out += text + "\n";
  return out + "s_endpgm\n";
}

} // namespace

TEST(HazardPaths, BelowTheDistanceOfARuleAndNotAtIt) {
  for (const HazardCase &c : hazardCases())
    for (unsigned between = 0; between <= c.needed; ++between) {
      SCOPED_TRACE(std::string(c.first) + " / " + std::to_string(between) + " " + c.filler + " / " + c.second);
      auto found = hazards(joined(textsOf(c, between)), c.arch);
      ASSERT_EQ(found.size(), between < c.needed ? 1u : 0u);
      if (found.empty())
        continue;
      EXPECT_EQ(found[0].instruction, between + 1);
      EXPECT_EQ(found[0].finding.producer, 0u);
      EXPECT_EQ(found[0].finding.missing(), c.needed - between);
    }
}

TEST(HazardPaths, InOneInstruction) {
  auto found = hazards(joined({pairThatOverwrites}), "gfx1250");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].broken, nullptr);
  for (const char *pair : pairsThatMayRun)
    EXPECT_TRUE(hazards(joined({pair}), "gfx1250").empty());
}

TEST(HazardPaths, ThatLlvmMissesAreOnlyTheManuals) {
  // LLVM 22 does not keep a pair away from an instruction whose source or result it overwrites.
  const std::string exp = "v_exp_f32_e32 v0, v1\n",
                    wmma = "v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], v[16:23]\n";
  const std::string source = "v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v4, v5\ns_endpgm\n",
                    result = "v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v17, v2\ns_endpgm\n",
                    reads = "v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v7, v2\ns_endpgm\n";
  for (const std::string &text :
       {exp + source, wmma + source, wmma + result, wmma + "v_nop\nv_nop\nv_nop\n" + result}) {
    EXPECT_EQ(hazards(text, "gfx1250", isa::HazardBound::Manual).size(), 1u) << text;
    EXPECT_EQ(hazards(text, "gfx1250").size(), 0u) << text;
  }
  EXPECT_EQ(hazards(exp + "v_nop\n" + source, "gfx1250", isa::HazardBound::Manual).size(), 0u);
  EXPECT_EQ(hazards(exp + reads, "gfx1250").size(), 1u);
}

TEST(HazardPaths, OnTheShortestPath) {
  // The branch leaves out the v_nop.
  auto found = hazards("v_exp_f32_e32 v0, v1\ns_cbranch_scc1 1\nv_nop\nv_mov_b32_e32 v2, v0\ns_endpgm\n", "gfx1250");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].instruction, 3u);
  // Around a loop, from its end to its beginning.
  found = hazards("v_mov_b32_e32 v2, v0\nv_nop\nv_exp_f32_e32 v0, v1\ns_cbranch_scc1 0xfffc\ns_endpgm\n", "gfx1250");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].instruction, 0u);
  EXPECT_EQ(found[0].finding.producer, 2u);
}

TEST(HazardPaths, NoneInWhatLlvmCompiles) {
  unsigned kernels = 0;
  for (const std::string &path : codeObjectPaths()) {
    const std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << path;
    const target::Target *target = target::findReadable(object->architecture());
    if (!isa::hasHazards(*target))
      continue;
    auto decoded = readCode(*object);
    ASSERT_TRUE(bool(decoded)) << path << ": " << errorOf(decoded);
    for (const Code &code : *decoded) {
      ++kernels;
      for (const isa::Hazard &h : isa::findHazards(code.instructions, code.flow, *target))
        ADD_FAILURE() << path << " " << code.name << ": `" << code.texts[h.instruction] << "` "
                      << (h.broken ? h.broken : isa::toString(h.finding));
    }
  }
  EXPECT_GT(kernels, 0u);
}

} // namespace fly::report::test
