// Rules of code that a compiler has made: SCC is written on every way to what reads it, and all bytes are instructions.
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

namespace {
Options compiled() {
  Options options;
  options.isCompiled = true;
  return options;
}
} // namespace

TEST(CompiledCode, SccIsWrittenOnEveryWayToItsReader) {
  const std::string select = "s_cselect_b32 s2, s0, s1\ns_endpgm\n";
  for (const char *arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"}) {
    EXPECT_EQ(errorsOf(select, arch, compiled()), "scc 0 0: SCC is read, and is not written on every way to it\n");
    EXPECT_EQ(errorsOf(select, arch), "") << "hand-written code may rely on a block before";
    EXPECT_EQ(errorsOf("s_cmp_eq_u32 s0, s1\n" + select, arch, compiled()), "");
    // LLVM divides blocks late: the branch leaves SCC as it is.
    EXPECT_EQ(errorsOf("s_cmp_eq_u32 s0, s1\ns_cbranch_vccz 1\n" + select, arch, compiled()), "");
    // On one of two ways nothing has written it.
    EXPECT_EQ(errorsOf("s_cbranch_vccz 1\ns_cmp_eq_u32 s0, s1\n" + select, arch, compiled()),
              "scc 2 2: SCC is read, and is not written on every way to it\n");
  }
}

TEST(CompiledCode, EachReaderOfScc) {
  for (const char *reader : {"s_cselect_b64 s[2:3], s[4:5], 0\n", "s_addc_u32 s2, s3, s4\n", "s_subb_u32 s2, s3, s4\n",
                             "s_cmov_b32 s2, s3\n", "s_cbranch_scc0 0\n"})
    EXPECT_NE(errorsOf(std::string(reader) + "s_endpgm\n", "gfx942", compiled()), "") << reader;
}

TEST(CompiledCode, BytesThatAreNoInstruction) {
  for (const std::string &path : codeObjectPaths()) {
    std::string bytes = readFile(path);
    {
      auto object = isa::CodeObject::read(bytes);
      ASSERT_TRUE(bool(object)) << path;
      if (object->kernels().empty())
        continue;
      EXPECT_EQ(prove(*object, compiled())[0].errors.size(), 0u) << path;
      const auto code = object->text(object->kernels()[0]);
      const size_t at = bytes.find(std::string(code.begin(), code.begin() + 64));
      ASSERT_NE(at, std::string::npos);
      bytes.replace(at, 4, "\xff\xff\xff\xff");
    }
    auto damaged = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(damaged)) << path;
    const Proof ours = prove(*damaged, compiled())[0], others = prove(*damaged, {})[0];
    ASSERT_EQ(ours.errors.size(), 1u) << path;
    EXPECT_STREQ(ours.errors[0].rule->name, "encoding");
    EXPECT_EQ(others.verdict(), Verdict::NotProved) << path;
    return;
  }
  FAIL() << "no kernel was tried";
}

} // namespace fly::verify::test
