// Hazards on every path, and none in what LLVM compiles.
#include "compiler/report/HazardCheck.h"
#include "tests/isa/HazardCases.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

using namespace isa::test;

namespace {

std::vector<Hazard> hazards(const std::string &text, const char *arch) {
  return findHazards(assemble(text, arch), *target::find(arch));
}

std::string joined(const std::vector<std::string> &texts) {
  std::string out;
  for (const std::string &text : texts)
    out += text + "\n";
  return out + "s_endpgm\n";
}

} // namespace

TEST(HazardCheck, BelowTheDistanceOfARuleAndNotAtIt) {
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

TEST(HazardCheck, InOneInstruction) {
  auto found = hazards(joined({pairThatOverwrites}), "gfx1250");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].broken, nullptr);
  for (const char *pair : pairsThatMayRun)
    EXPECT_TRUE(hazards(joined({pair}), "gfx1250").empty());
}

TEST(HazardCheck, OnTheShortestPath) {
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

TEST(HazardCheck, NoneInWhatLlvmCompiles) {
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
      for (const Hazard &h : findHazards(code, *target))
        ADD_FAILURE() << path << " " << code.name << ": `" << code.texts[h.instruction] << "` "
                      << (h.broken ? h.broken : isa::toString(h.finding) + ", after `" + code.texts[h.finding.producer] + "`");
    }
  }
  EXPECT_GT(kernels, 0u);
}

} // namespace fly::report::test
