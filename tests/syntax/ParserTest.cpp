// Inputs that a .fly test cannot hold: odd bytes, deep nesting, great length. None may crash, hang or recurse
// without bound; each has one clear diagnostic or a tree.
#include "compiler/syntax/Parser.h"

#include "llvm/Support/Casting.h"
#include "gtest/gtest.h"

using namespace fly;

namespace {

/// Kinds of all diagnostics of a text; a tree must exist if there are none.
std::vector<diag::Kind> kinds(std::string text) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  auto module = parseModule(sources.add("test.fly", std::move(text)), diags);
  EXPECT_EQ(module != nullptr, !diags.hasErrors());
  std::vector<diag::Kind> result;
  for (const Diagnostic &d : diags.all()) {
    result.push_back(d.kind);
    EXPECT_LT(diags.render(d).size(), 2000u);
  }
  return result;
}
const std::vector<diag::Kind> none;
using Kinds = std::vector<diag::Kind>;

std::string repeat(llvm::StringRef text, unsigned count) {
  std::string result;
  for (unsigned i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(Nesting, IsLimitedInEveryDirection) {
  const unsigned many = 20000;
  const Kinds tooDeep{diag::nested_too_deeply};
  EXPECT_EQ(kinds("x = " + repeat("(", many) + repeat(")", many)), tooDeep);
  EXPECT_EQ(kinds("x = " + repeat("[", many) + repeat("]", many)), tooDeep);
  EXPECT_EQ(kinds("x = a" + repeat(" + a", many)), tooDeep);
  EXPECT_EQ(kinds("x = " + repeat("- ", many) + "a"), tooDeep);
  EXPECT_EQ(kinds("x = " + repeat("not ", many) + "a"), tooDeep);
  EXPECT_EQ(kinds("x = a" + repeat(" ** a", many)), tooDeep);
  EXPECT_EQ(kinds("x = " + repeat("a if b else ", many) + "c"), tooDeep);
  EXPECT_EQ(kinds("x = " + repeat("lambda: ", many) + "c"), tooDeep);
  EXPECT_EQ(kinds("x = a" + repeat(".b", many)), tooDeep);
  EXPECT_EQ(kinds("x = a" + repeat("()", many)), tooDeep);
  EXPECT_EQ(kinds("x = a" + repeat("[0]", many)), tooDeep);
  EXPECT_EQ(kinds("if a: pass\n" + repeat("elif b: pass\n", many)), tooDeep);
  std::string stairs;
  for (unsigned i = 0; i < 300; ++i)
    stairs += repeat(" ", i) + "if a:\n";
  EXPECT_EQ(kinds(stairs + repeat(" ", 300) + "pass\n"), tooDeep);
  EXPECT_EQ(kinds("x = " + repeat("(a + ", 190) + "a" + repeat(")", 190)), tooDeep);
}

TEST(Nesting, OfAnOrdinaryDepthIsFine) {
  EXPECT_EQ(kinds("x = " + repeat("(", 100) + "a" + repeat(")", 100)), none);
  EXPECT_EQ(kinds("x = " + repeat("(", 200) + "a" + repeat(")", 200)), none);
  EXPECT_EQ(kinds("x = a" + repeat(" + a", 400)), none);
  EXPECT_EQ(kinds("x = " + repeat("(a + ", 100) + "a" + repeat(")", 100)), none);
  std::string stairs;
  for (unsigned i = 0; i < 100; ++i)
    stairs += repeat(" ", i) + "if a:\n";
  EXPECT_EQ(kinds(stairs + repeat(" ", 100) + "pass\n"), none);
}

TEST(Length, IsNotLimitedWhereNothingNests) {
  EXPECT_EQ(kinds("x = a" + repeat(" and a", 5000)), none);
  EXPECT_EQ(kinds("x = a" + repeat(" < a", 5000)), none);
  EXPECT_EQ(kinds("x = (" + repeat("a, ", 5000) + ")"), none);
  EXPECT_EQ(kinds("x = [a" + repeat(" for a in b", 2000) + "]"), none);
  EXPECT_EQ(kinds(repeat("a = ", 5000) + "1"), none);
  EXPECT_EQ(kinds(repeat("x = 1; ", 5000)), none);
  EXPECT_EQ(kinds(repeat("@a\n", 2000) + "def f(): pass"), none);
  EXPECT_EQ(kinds("x = " + repeat("'a' ", 5000)), none);
}

TEST(FStrings, NestAFewDeep) {
  EXPECT_EQ(kinds(R"(x = f"{f'{a}'}")"), none);
  const std::string four = "f\"\"\"{f'''{f\"{f'{f}'}\"}'''}\"\"\"";
  EXPECT_EQ(kinds("x = " + four), none);
}

TEST(Bytes, ThatAreNotTextAreReportedAtTheirPlace) {
  EXPECT_EQ(kinds("x = '\xFF'\n"), Kinds{diag::bad_encoding});
  EXPECT_EQ(kinds(std::string("\xFF\xFEx\0", 4)), Kinds{diag::bad_encoding}); // UTF-16
  EXPECT_EQ(kinds("# \xC3"), Kinds{diag::bad_encoding});                      // cut short
  EXPECT_EQ(kinds(std::string("x = 1\0\n", 7)), Kinds{diag::bad_character});
  EXPECT_EQ(kinds("x = \x01 + 1\n"), Kinds{diag::bad_character});
  EXPECT_EQ(kinds("x = 'größe' # größe\n"), none);
}

TEST(Bytes, ByteOrderMarkAndAnyLineEndAreAccepted) {
  EXPECT_EQ(kinds("\xEF\xBB\xBFif x:\r\n    y = 1\r\n"), none);
  EXPECT_EQ(kinds("\xEF\xBB\xBF"), none);
  EXPECT_EQ(kinds("if x:\r    y = 1\rz = 2\r"), none);
  EXPECT_EQ(kinds("x = 1 + \\\r\n    2\r\n"), none);
  EXPECT_EQ(kinds(""), none);
  EXPECT_EQ(kinds("\n\n   \n# x"), none);
  EXPECT_EQ(kinds("if x:\n    y = 1"), none);
}

TEST(Bytes, BackslashAtTheEndOfTheFile) {
  EXPECT_EQ(kinds("x = 1 \\"), Kinds{diag::bad_continuation::kind});
  EXPECT_EQ(kinds("x = '\\"), Kinds{diag::unterminated_string::kind});
  EXPECT_EQ(kinds("x = '''\\"), Kinds{diag::unterminated_string::kind});
}

TEST(Length, OfAFileIsLimited) {
  EXPECT_EQ(kinds(std::string((4u << 20) + 1, '\n')), Kinds{diag::file_too_large::kind});
  EXPECT_EQ(kinds("x = " + std::string(100000, '9')), Kinds{diag::bad_number});
  EXPECT_EQ(kinds("x = 1." + std::string(100000, '9')), Kinds{diag::bad_number});
}

TEST(Errors, OfManyLinesEndAtTheLimit) {
  EXPECT_EQ(kinds(repeat("x y\n", 20000)).size(), 50u);
  EXPECT_EQ(kinds(repeat("$", 20000)).size(), 1u);
  EXPECT_EQ(kinds(repeat("$\n", 20000)).size(), 50u);
  EXPECT_EQ(kinds(repeat(")", 20000)).size(), 1u);
  EXPECT_EQ(kinds(repeat("0x ", 20000)).size(), 50u);
}

TEST(ParseExpression, GivesOneExpression) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  auto module = parseExpression(sources.add("-D", "(8,\n 16)"), diags);
  ASSERT_TRUE(module);
  ASSERT_EQ(module->body.size(), 1u);
  auto *statement = llvm::dyn_cast<ast::ExprStmt>(module->body[0]);
  ASSERT_TRUE(statement);
  EXPECT_TRUE(llvm::isa<ast::TupleExpr>(statement->value));
  for (const char *bad : {"", "1 2", "x = 1", "(", ")", "1\n2", "return"}) {
    DiagnosticEngine own(sources);
    EXPECT_FALSE(parseExpression(sources.add("-D", bad), own)) << bad;
    EXPECT_EQ(own.errorCount(), 1u) << bad;
  }
}

TEST(Docstrings, LeaveTheBody) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  auto module = parseModule(sources.add("a.fly", "\"m\"\ndef f():\n    'd'\n    pass\n"), diags);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->docstring, "m");
  auto *def = llvm::cast<ast::DefStmt>(module->body.at(0));
  EXPECT_EQ(def->docstring, "d");
  EXPECT_EQ(def->body.size(), 1u);
}

/// The outline of what can be read of a text.
std::string whatIsGood(std::string text, bool &hasErrors) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  auto module = parseWhatIsGood(sources.add("a.fly", std::move(text)), diags);
  std::string outline;
  llvm::raw_string_ostream os(outline);
  printAST(*module, sources, os, /*withPlaces=*/false);
  hasErrors = module->hasErrors;
  EXPECT_EQ(hasErrors, diags.hasErrors());
  return outline;
}

TEST(WhatIsGood, LacksBadStatementsAlone) {
  bool hasErrors = false;
  EXPECT_EQ(whatIsGood("import a\n"
                       "x = 1 +\n"
                       "@d\n"
                       "def f(p):\n"
                       "    'text'\n"
                       "    y = (p\n"
                       "    return y y\n"
                       "    if p:\n"
                       "        g(p) = 1; z = 2\n"
                       "        1 = p\n"
                       "        v = 3\n"
                       "    return z\n"
                       "def g(1):\n"
                       "    return 1\n"
                       "h = [1,\n"
                       "from b import c\n",
                       hasErrors),
            whatIsGood("import a\n"
                       "@d\n"
                       "def f(p):\n"
                       "    'text'\n"
                       "    if p:\n"
                       "        v = 3\n"
                       "    return z\n"
                       "from b import c\n",
                       hasErrors = true));
  EXPECT_FALSE(hasErrors);
}

TEST(WhatIsGood, IsThereForEveryPrefix) {
  const std::string text = "from fly.math import exp\n"
                           "@kernel(grid=(1, 2), block=64)\n"
                           "def f(a: In[f32, 4], *, N: Constexpr[int] = 4):\n"
                           "    'a docstring'\n"
                           "    for i in range(N):\n"
                           "        if a[i] < 0.5 and not (i % 2):\n"
                           "            a[i] = exp(a[i]) if i else f\"{i:>4}\"\n"
                           "        elif i: pass\n"
                           "    return {i: [j for j in (1, 2)], **lambda x: x}\n";
  bool hasErrors = false;
  for (size_t end = 0; end <= text.size(); ++end) {
    whatIsGood(text.substr(0, end), hasErrors);
    if (end < text.size())
      whatIsGood(text.substr(0, end) + text.substr(end + 1), hasErrors);
  }
}

} // namespace
