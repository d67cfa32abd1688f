// A syntax tree as bytes and back: the outline with its places, and the bytes of what was read, are the same.
#include "compiler/syntax/Parser.h"
#include "compiler/syntax/TreeBytes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace fly;

namespace {

std::string outline(const ast::Module &module, const SourceManager &sources) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printAST(module, sources, out);
  return text;
}

/// The outline of `text`; empty if it does not parse.
std::string roundTrip(const std::string &name, std::string text) {
  SourceManager sources;
  sources.add("another", ""); // places name the file that the reader is told, here the second
  DiagnosticEngine diags(sources);
  const FileId file = sources.add(name, std::move(text));
  auto tree = parseModule(file, diags);
  if (!tree)
    return "";
  const std::string bytes = treeToBytes(*tree);
  auto again = treeFromBytes(bytes, file);
  const std::string before = outline(*tree, sources);
  EXPECT_EQ(before, outline(*again, sources)) << name;
  EXPECT_EQ(bytes, treeToBytes(*again)) << name;
  EXPECT_EQ(tree->docstring, again->docstring);
  return before;
}

TEST(TreeBytes, EveryFileOfTheRepository) {
  std::string outlines;
  unsigned files = 0;
  std::error_code error;
  for (const char *folder : {"/stdlib", "/kernels", "/tests"})
    for (llvm::sys::fs::recursive_directory_iterator it(FLY_SOURCE + std::string(folder), error), end;
         it != end && !error; it.increment(error)) {
      if (!llvm::StringRef(it->path()).ends_with(".fly"))
        continue;
      auto text = llvm::MemoryBuffer::getFile(it->path());
      ASSERT_TRUE(bool(text)) << it->path();
      const std::string found = roundTrip(it->path(), (*text)->getBuffer().str());
      files += !found.empty();
      outlines += found;
    }
  EXPECT_GT(files, 300u);
  for (const char *node :
       {"Name",      "Int",   "Float",     "String",      "FString",       "True",     "None",        "Tuple",
        "List",      "Dict",  "Unary",     "Binary",      "Compare",       "And",      "Conditional", "Call",
        "Subscript", "Slice", "Attribute", "Lambda",      "Comprehension", "Starred",  "Assign",      "AugAssign",
        "AnnAssign", "If",    "For",       "While",       "Break",         "Continue", "Return",      "Assert",
        "Pass",      "Def",   "Class",     "Import from", "With"})
    EXPECT_NE(outlines.find(node), std::string::npos) << node;
}

TEST(TreeBytes, Values) {
  EXPECT_NE(roundTrip("integers.fly",
                      "x = (0, 127, 128, 9223372036854775807, 9223372036854775808, " + std::string(700, '9') + ")\n"),
            "");
  EXPECT_NE(roundTrip("floats.fly", "x = (0.0, 1e-310, 1.7976931348623157e308)\n"), "");
  EXPECT_NE(roundTrip("strings.fly", "'doc'\nx = ('', 'a\\0b', '\\u00e9', f'{x!r:>{y}} {z=}')\n"), "");
  EXPECT_EQ(roundTrip("empty.fly", ""), "Module\n");
}

} // namespace
