// The formatter's promises for every .fly file of the repository: the tree stays, formatting twice is formatting once,
// a file with mistakes is refused; and then its rules, one by one.
#include "compiler/format/Format.h"
#include "compiler/syntax/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace fly;

namespace {

/// The outline of the tree without places; empty if there is none.
std::string treeOf(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  auto module = parseModule(sources.add("test.fly", text.str()), diags);
  std::string tree;
  llvm::raw_string_ostream os(tree);
  if (module)
    printAST(*module, sources, os, /*withPlaces=*/false);
  return tree;
}

std::optional<std::string> formatted(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  auto result = formatFile(sources.add("test.fly", text.str()), diags);
  EXPECT_EQ(result.has_value(), !diags.hasErrors());
  for (const Diagnostic &diagnostic : diags.all())
    EXPECT_NE(diagnostic.kind, diag::bad_option) << "the formatter noticed a mistake of its own in\n" << text.str();
  return result;
}

/// Formats, and checks what holds for any text.
std::string format(llvm::StringRef text) {
  const std::string tree = treeOf(text);
  auto once = formatted(text);
  EXPECT_EQ(once.has_value(), !tree.empty());
  if (!once)
    return "refused";
  EXPECT_EQ(treeOf(*once), tree);
  EXPECT_EQ(formatted(*once), once);
  return *once;
}

std::vector<std::string> repositoryFiles() {
  std::vector<std::string> files;
  for (const char *folder : {"kernels", "stdlib", "tests"}) {
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator it(std::string(FLY_SOURCE_DIR "/") + folder, error), end;
         it != end && !error; it.increment(error))
      if (llvm::StringRef(it->path()).ends_with(".fly"))
        files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

TEST(Format, KeepsEveryFileOfTheRepository) {
  const auto files = repositoryFiles();
  EXPECT_GT(files.size(), 80u);
  unsigned well = 0;
  for (const std::string &path : files) {
    SCOPED_TRACE(path);
    well += format(read(path)) != "refused";
  }
  EXPECT_GT(well, 50u);
}

/// Lines of real files cut, doubled and shifted: most no longer parse, the others must keep their tree.
TEST(Format, KeepsMutatedFiles) {
  std::mt19937 random(std::getenv("FORMAT_ROUNDS") ? std::random_device()() : 1);
  const auto files = repositoryFiles();
  const char *rounds = std::getenv("FORMAT_ROUNDS"); // for a longer search
  for (int round = 0; round < (rounds ? std::atoi(rounds) : 200); ++round) {
    std::string text = read(files[random() % files.size()]);
    if (text.empty())
      continue;
    for (unsigned change = 0; change < 3; ++change) {
      const size_t at = random() % (text.size() + 1), length = std::min<size_t>(random() % 20, text.size() - at);
      switch (random() % 9) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, text.substr(at, length)); break;
      case 2: text.insert(at, " "); break;
      case 3: text.insert(at, "\n"); break;
      case 4: text.insert(at, "  # words\n"); break;
      case 5: text.insert(at, "\\\n"); break;
      case 6: text.insert(at, " \t\f"); break;
      case 7: text.insert(at, "\r\n"); break;
      case 8: text.insert(at, std::string(1, "([{)]},:;=.*-@"[random() % 14])); break;
      }
    }
    SCOPED_TRACE(text);
    format(text);
    if (HasFailure())
      break;
  }
}

/// Whatever the width of a bracketed line, its breaks are found once and kept.
TEST(Format, BreaksLinesOfAnyLength) {
  for (unsigned width = 60; width < 130; ++width) {
    std::string name(width / 4, 'a');
    SCOPED_TRACE(width);
    const std::string text =
        format("x, y = f(" + name + ", g(" + name + ", [" + name + "])), " + name + " + h(" + name + ")\n");
    llvm::StringRef rest = text;
    while (!rest.empty()) {
      auto [line, more] = rest.split('\n');
      EXPECT_LE(line.size(), 100u) << text;
      rest = more;
    }
  }
}

TEST(Format, LeavesWhatIsNotBroken) {
  EXPECT_EQ(format("x = (\n"), "refused");
  EXPECT_EQ(format("\tx = 1\n"), "refused");
  EXPECT_EQ(format("\xff"), "refused");
  EXPECT_EQ(format(""), "");
  EXPECT_EQ(format("\n\n"), "");
  EXPECT_EQ(format("# words"), "# words\n");
}

TEST(Format, Spaces) {
  EXPECT_EQ(format("x=a [ 1 : n,: ]+f( -y,*z , key = - 1,g=lambda  a,b=2:a )"),
            "x = a[1:n, :] + f(-y, *z, key=-1, g=lambda a, b=2: a)\n");
  EXPECT_EQ(format("l=layout[( 8,16 ) : ( 1,8 )]"), "l = layout[(8, 16):(1, 8)]\n");
  EXPECT_EQ(format("y=not a  and b**- 2@c  is  not d"), "y = not a and b ** -2 @ c is not d\n");
  EXPECT_EQ(format("d={ 'a' :1,b : [ ( x, ) ]}"), "d = {'a': 1, b: [(x,)]}\n");
  EXPECT_EQ(format("def f(a,b : i32=1,*,c= 2)->i32 : return a"), "def f(a, b: i32 = 1, *, c=2) -> i32: return a\n");
  EXPECT_EQ(format("from .. a . b import( c as d,e )\nfrom . import x"),
            "from ..a.b import (c as d, e)\nfrom . import x\n");
  EXPECT_EQ(format("from . . . .a import b\nfrom ... import c"), "from ....a import b\nfrom ... import c\n");
  EXPECT_EQ(format("x : f32=1 .bits\ny=1.0 .bits"), "x: f32 = 1 .bits\ny = 1.0 .bits\n");
  EXPECT_EQ(format("x=k [ T = f16 ]  ;y  =2"), "x = k[T=f16]; y = 2\n");
  EXPECT_EQ(format("s='a'  \"b\"   r'c'"), "s = 'a' \"b\" r'c'\n");
}

TEST(Format, BlocksAndBlankLines) {
  EXPECT_EQ(
      format(
          "\n\nA=1\ndef f():\n  if p:\n\n\n     x=1\n\n\n\n     y=2\n  return x\n@kernel\n\ndef g(): pass\nB=1\n\n\n\n"
          "\nC=2"),
      "A = 1\n\n\ndef f():\n    if p:\n        x = 1\n\n        y = 2\n    return x\n\n\n@kernel\ndef g(): pass\n\n\n"
      "B = 1\n\n\nC = 2\n");
  EXPECT_EQ(
      format("@struct\nclass S:\n  a : f32\n  def f(self):\n    return 1\n  def g(self):\n    return 2\nx=1\n"),
      "@struct\nclass S:\n    a: f32\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\n\n"
      "x = 1\n");
}

// Names that a comprehension or a lambda binds stay together.
TEST(Format, BoundNames) {
  const std::string names(30, 'a'), others(30, 'b');
  const std::string text = format("k = lambda t: total([" + names + " + " + others + " for " + names + ", " + others +
                                  " in enumerate(t) if " + names + " > 2])");
  EXPECT_NE(text.find("for " + names + ", " + others + " in enumerate("), std::string::npos) << text;
  const std::string lambda =
      format("key = reduction(lambda " + names + ", " + others + ": " + names + " + " + others + ", x)");
  EXPECT_NE(lambda.find("lambda " + names + ", " + others + ":"), std::string::npos) << lambda;
}

TEST(Format, Comments) {
  // In their blocks, with the definition below them, after what they follow.
  EXPECT_EQ(format("def f():\n  a\n  # in f\n# about g\ndef g():\n  # first\n  b\n"),
            "def f():\n    a\n    # in f\n\n\n# about g\ndef g():\n    # first\n    b\n");
  EXPECT_EQ(format("x=1 # one\n"), "x = 1  # one\n");
  // In one column before, in one column after.
  EXPECT_EQ(format("x=1        # one\nyy = 22    # two\nz=f(a,b,c) # three\n"),
            "x = 1           # one\nyy = 22         # two\nz = f(a, b, c)  # three\n");
  EXPECT_EQ(format("x = f(a,   # first\n      b)   # second\n"), "x = f(a,   # first\n      b)   # second\n");
  EXPECT_EQ(format("x = [ # open\n  1, # one\n\n  # alone\n  2 ]\n"),
            "x = [  # open\n    1,  # one\n\n    # alone\n    2]\n");
}

TEST(Format, Continuations) {
  EXPECT_EQ(format("x = f(a,\n  b,\n     c)\n"), "x = f(a,\n      b,\n      c)\n");
  EXPECT_EQ(format("x = f(\n        a,\n  b\n      )\n"), "x = f(\n    a,\n    b\n)\n");
  EXPECT_EQ(format("x = a + \\\n b\n"), "x = a + \\\n    b\n");
  EXPECT_EQ(format("def f(\n  a,\n  b):\n  pass\n"), "def f(\n        a,\n        b):\n    pass\n");
  EXPECT_EQ(format("x = '''a\n  b'''  +  c\n"), "x = '''a\n  b''' + c\n");
  const std::string a(40, 'a'), b(40, 'b'), c(40, 'c');
  EXPECT_EQ(format("x = f(" + a + ", " + b + ", " + c + ")\n"), "x = f(" + a + ", " + b + ",\n      " + c + ")\n");
  EXPECT_EQ(format("x, y, z = " + a + ", " + b + ", " + c + "\n"),
            "x, y, z = (" + a + ", " + b + ",\n           " + c + ")\n");
  EXPECT_EQ(format("if " + a + " and " + b + " and " + c + ":\n    pass\n"),
            "if (" + a + " and " + b + "\n    and " + c + "):\n    pass\n");
}

TEST(Format, Limits) {
  // As deep as the parser goes, with one pair of parentheses more for a line that is too long.
  const std::string deep = std::string(198, '(') + "a" + std::string(198, ')');
  EXPECT_NE(format("x = y + " + deep + "\n"), "refused");
  EXPECT_NE(format("x = y + (" + deep + ")\n"), "refused");
  EXPECT_EQ(format("x = y + (((" + deep + ")))\n"), "refused");
}

TEST(Format, LineEnds) {
  EXPECT_EQ(format("x=1\r\ny=2\r\n"), "x = 1\r\ny = 2\r\n");
  EXPECT_EQ(format("\xEF\xBB\xBFx=1"), "\xEF\xBB\xBFx = 1\n");
}

/// Neither long statements nor many of them take more than linear time.
TEST(Format, LargeFiles) {
  std::string list = "x = [", chain = "y = 1", block;
  for (unsigned i = 0; i < 10000; ++i)
    list += std::to_string(i) + ",";
  for (unsigned i = 0; i < 400; ++i)
    chain += " + a" + std::to_string(i);
  for (unsigned i = 0; i < 3000; ++i)
    block += "z=" + std::to_string(i) + " # c\n";
  format(list + "]\n" + chain + "\n" + block);
}

} // namespace
