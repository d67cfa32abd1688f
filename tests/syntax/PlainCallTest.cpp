// Plain calls are read without the grammar, which has to make the same tree of them: with a semicolon after it, a call
// is not plain.
#include "compiler/syntax/Parser.h"
#include "compiler/syntax/PlainCalls.h"
#include "compiler/syntax/TreeBytes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <set>

using namespace fly;

namespace {

std::string treeOf(std::string text) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  auto tree = parseModule(sources.add("test.fly", std::move(text)), diags);
  return tree ? treeToBytes(*tree) : "";
}

/// Each line with `last` behind it.
std::string linesWith(const std::set<std::string> &lines, char last) {
  std::string text;
  for (const std::string &line : lines)
    text += line + last + "\n";
  return text;
}

bool isPlain(llvm::StringRef text) { return endOfPlainCall(text, 0).has_value(); }

TEST(PlainCalls, HaveTheTreeOfTheGrammar) {
  const std::set<std::string> lines = {
      "f()",
      "isa.s_endpgm()",
      "isa.v_add_f32_e64(v[2], isa.neg(v[2]), isa.abs(v[3]), clamp=True)",
      "isa.v_mov_b32_dpp(v[3], v[2], quad_perm=1, row_mask = 0xF, bound=False)",
      "a.b(1)(2)[3].c( x )",
      "f(-1, 0, 4095, 0xFFFFFFFF, -0x10, \"text, )\", None, x[0:4], y[ n : m.k ], z[1, 2:3], g(h(i(1))))",
      "f(a.True_, Nonesuch, x=-5)",
      "f(x[1][2:3].l, \"\")",
  };
  for (const std::string &line : lines)
    EXPECT_TRUE(isPlain(line)) << line;
  const std::string wanted = treeOf(linesWith(lines, ';'));
  EXPECT_FALSE(wanted.empty());
  EXPECT_TRUE(treeOf(linesWith(lines, ' ')) == wanted);
}

TEST(PlainCalls, OfEveryFileOfTheRepository) {
  std::set<std::string> lines;
  std::error_code error;
  for (const char *folder : {"/stdlib", "/kernels", "/tests"})
    for (llvm::sys::fs::recursive_directory_iterator it(FLY_SOURCE + std::string(folder), error), end;
         it != end && !error; it.increment(error)) {
      if (!llvm::StringRef(it->path()).ends_with(".fly"))
        continue;
      auto text = llvm::MemoryBuffer::getFile(it->path());
      ASSERT_TRUE(bool(text)) << it->path();
      for (llvm::StringRef rest = (*text)->getBuffer(); !rest.empty();) {
        auto [line, others] = rest.split('\n');
        rest = others;
        line = line.trim(' ');
        if (auto end = endOfPlainCall(line, 0))
          lines.insert(line.take_front(*end).str());
      }
    }
  EXPECT_GT(lines.size(), 1000u);
  const std::string wanted = treeOf(linesWith(lines, ';'));
  EXPECT_FALSE(wanted.empty());
  EXPECT_TRUE(treeOf(linesWith(lines, ' ')) == wanted);
}

TEST(PlainCalls, AreNothingElse) {
  for (const char *text : {"f",
                           "f.g",
                           "f[1]",
                           "x = f()",
                           "f() + 1",
                           "f(a + b)",
                           "f(*a)",
                           "f(**a)",
                           "f(x for x in y)",
                           "f(a=1, b)",
                           "f(a == b)",
                           "f(1.5)",
                           "f(1_000)",
                           "f(01)",
                           "f(1x)",
                           "f('a')",
                           "f(\"a\" \"b\")",
                           "f(\"\\n\")",
                           "f(f\"{a}\")",
                           "f(\"\"\"a\"\"\")",
                           "f(a,)",
                           "f(a[1,])",
                           "f(a[:])",
                           "f(a[1:2:3])",
                           "f(a, not b)",
                           "f(lambda: 1)",
                           "f(in)",
                           "if(a)",
                           "not(a)",
                           "f(global)",
                           "f (a)",
                           "f(a",
                           "f(a))",
                           "f(a); g(b)",
                           "f(-x)",
                           "f(0xFFFFFFFFFFFFFFFF)",
                           "f(1, True=2)",
                           "f(a, b[)",
                           "f(a if b else c)",
                           "f(a)(",
                           "f((1, 2))",
                           "f([1])"})
    EXPECT_FALSE(isPlain(text)) << text;
  EXPECT_FALSE(isPlain(std::string(20, 'f') + "(" + std::string(5, '(') + "1))))))"));
  std::string nested = "1";
  for (unsigned k = 0; k < 30; ++k)
    nested = "f(" + nested + ")";
  EXPECT_FALSE(isPlain(nested)) << "the limits are the grammar's";
}

} // namespace
