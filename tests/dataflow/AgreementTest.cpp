// Reports and the verifier name the same missing waits: in what clang compiles, in the same code with one wait taken
// out or weakened, and in small programs.
#include "compiler/report/WaitCoverage.h"
#include "compiler/verify/Verify.h"
#include "tests/report/TestSupport.h"

#include <map>

namespace fly::dataflow::test {

namespace {

using report::Code;
using report::test::assemble;
using report::test::targetOf;

/// By operation and whether it is read: the first instruction that uses it too early, and how many blocks do.
using Missing = std::map<std::pair<uint32_t, bool>, std::pair<uint32_t, unsigned>>;

Missing reported(const Code &code, const target::Target &target) {
  Missing out;
  const report::WaitCoverage coverage(code, target);
  for (const report::MissingWait &m : coverage.missing())
    ++out.try_emplace({m.operation, m.reads}, m.instruction, 0u).first->second.second;
  return out;
}

Missing refused(const Code &code, const target::Target &target) {
  Missing out;
  for (const verify::Finding &f : verify::verify(code.instructions, code.flow, target).errors)
    if (const llvm::StringRef rule = f.rule->name; rule == "wait-read" || rule == "wait-overwrite")
      out[{f.first, rule == "wait-read"}] = {f.second, f.others + 1};
  return out;
}

/// How many both find.
size_t agreed(const Code &code, const target::Target &target, const std::string &where) {
  const Missing byReport = reported(code, target);
  EXPECT_EQ(byReport, refused(code, target)) << where;
  return byReport.size();
}

size_t agreedOn(const std::string &text, const char *arch) {
  return agreed(assemble(text, arch), targetOf(arch), text);
}

/// All kernels and functions that clang compiled, each with its target.
template <class F> void forEachCode(F &&f) {
  for (const std::string &path : isa::test::codeObjectPaths()) {
    const std::string bytes = isa::test::readFile(path);
    auto object = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << path;
    auto codes = report::readCode(*object);
    ASSERT_TRUE(bool(codes)) << isa::test::errorOf(codes);
    for (Code &code : *codes)
      f(code, targetOf(object->architecture()), path + " " + code.name);
  }
}

} // namespace

TEST(Agreement, OnWhatClangCompiles) {
  forEachCode([](Code &code, const target::Target &target, const std::string &where) {
    EXPECT_EQ(agreed(code, target, where), 0u);
  });
}

TEST(Agreement, OnAWaitThatIsMissing) {
  unsigned planted = 0, found = 0;
  forEachCode([&](Code &code, const target::Target &target, const std::string &where) {
    for (uint32_t i = 0; i < code.instructions.size() && code.instructions.size() < 2000; ++i) {
      isa::Waits &waits = code.instructions[i].waits;
      const isa::Waits kept = waits;
      if (!kept.any())
        continue;
      waits = {};
      ++planted;
      found += agreed(code, target, where) != 0;
      waits = kept;
      for (uint8_t &limit : waits.limit)
        limit += limit != isa::Waits::none;
      ++planted;
      found += agreed(code, target, where) != 0;
      waits = kept;
    }
  });
  EXPECT_GT(planted, 500u);
  EXPECT_GT(found, 400u);
}

TEST(Agreement, OnVectorMemoryThatOverwritesVectorMemory) {
  // In order up to gfx11.
  EXPECT_EQ(
      agreedOn("global_load_dword v1, v0, s[0:1]\nglobal_load_dword v1, v0, s[0:1] offset:4\ns_endpgm\n", "gfx942"),
      0u);
  EXPECT_EQ(agreedOn("global_load_b32 v1, v0, s[0:1]\nglobal_load_b32 v1, v0, s[0:1] offset:4\ns_endpgm\n", "gfx1201"),
            1u);
  // FLAT may go to LDS.
  EXPECT_EQ(agreedOn("flat_load_dword v1, v[2:3]\nflat_load_dword v1, v[2:3] offset:4\ns_endpgm\n", "gfx942"), 1u);
}

TEST(Agreement, OnFlat) {
  const std::string flat = "flat_load_dword v1, v[2:3]\n", use = "v_mov_b32 v4, v1\ns_endpgm\n";
  EXPECT_EQ(agreedOn(flat + use, "gfx942"), 1u);
  for (const char *wait : {"s_waitcnt vmcnt(0)\n", "s_waitcnt lgkmcnt(0)\n", "s_waitcnt vmcnt(0) lgkmcnt(0)\n"})
    EXPECT_EQ(agreedOn(flat + wait + use, "gfx942"), 0u) << wait;
}

TEST(Agreement, OnCodeThatNothingLeadsTo) {
  const std::string early = "global_load_dword v1, v0, s[0:1]\nv_mov_b32 v2, v1\ns_endpgm\n";
  EXPECT_EQ(agreedOn("s_endpgm\n" + early, "gfx942"), 0u);
  // It falls into code that something leads to.
  EXPECT_EQ(agreedOn("s_branch 2\nglobal_load_dword v1, v0, s[0:1]\nv_mov_b32 v2, v1\ns_endpgm\n", "gfx942"), 0u);
}

TEST(Agreement, OnACall) {
  const std::string call = "s_swappc_b64 s[30:31], s[4:5]\nv_mov_b32 v2, v1\ns_endpgm\n";
  EXPECT_EQ(agreedOn("global_load_dword v1, v0, s[0:1]\n" + call, "gfx942"), 0u);
  EXPECT_EQ(agreedOn("s_load_dwordx2 s[4:5], s[0:1], 0x0\n" + call, "gfx942"), 1u);
}

} // namespace fly::dataflow::test
