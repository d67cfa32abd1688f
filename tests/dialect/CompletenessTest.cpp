// Every operation of the Fly dialect stands in a test of this folder that prints and parses it, and every message of a
// verifier, an inference or a parser of compiler/dialect is provoked by one.
//
// The operations are asked of the dialect. The messages are read from the sources: the string literals of the
// statements that call emitOpError and the like. Of a message put together from parts the longest literal counts; what
// an operation passes on from the layout algebra (`type.text()`) has none and is tested there.
#include "compiler/dialect/FlyDialect.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace {

std::string textOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The tests of the folder, those of errors or the others.
std::string tests(bool ofErrors) {
  std::string text;
  for (auto &entry : std::filesystem::directory_iterator(FLY_SOURCE_ROOT "/tests/dialect"))
    if (entry.path().extension() == ".mlir") {
      std::string one = textOf(entry.path());
      bool isOfErrors = one.find("--verify-diagnostics") != std::string::npos;
      if (isOfErrors == ofErrors)
        text += one;
    }
  return text;
}

TEST(Dialect, EveryOperationIsPrintedAndParsed) {
  mlir::MLIRContext context;
  context.getOrLoadDialect<fly::ir::FlyDialect>();
  std::string text;
  for (auto &entry : std::filesystem::directory_iterator(FLY_SOURCE_ROOT "/tests/dialect"))
    if (std::string one = textOf(entry.path());
        entry.path().extension() == ".mlir" && one.find("--mlir-print-op-generic") != std::string::npos)
      text += one;
  auto names = context.getRegisteredOperationsByDialect("fly");
  EXPECT_GT(names.size(), 50u);
  for (mlir::RegisteredOperationName name : names) {
    std::string op = name.getStringRef().str();
    EXPECT_TRUE(std::regex_search(text, std::regex("// CHECK[-A-Z]*:[^\n]*\\b" + op + "(?![\\w])")))
        << op << " has no CHECK line in a round trip of tests/dialect";
  }
}

/// Of the literals of a statement the longest; in front of `{{` and `}}` of a test they mean themselves.
std::string longestLiteral(const std::string &statement) {
  static const std::regex literal("\"((?:[^\"\\\\]|\\\\.)*)\"");
  std::string longest;
  for (std::sregex_iterator it(statement.begin(), statement.end(), literal), end; it != end; ++it)
    if ((*it)[1].length() > long(longest.size()))
      longest = (*it)[1];
  return longest;
}

TEST(Dialect, EveryMessageIsProvoked) {
  const std::string text = tests(true);
  static const std::regex call("emit(?:OpError|OptionalError|Error)\\([^;]*;");
  unsigned found = 0;
  for (auto &entry : std::filesystem::directory_iterator(FLY_SOURCE_ROOT "/compiler/dialect")) {
    if (entry.path().extension() != ".cpp")
      continue;
    const std::string source = textOf(entry.path());
    for (std::sregex_iterator it(source.begin(), source.end(), call), end; it != end; ++it) {
      std::string message = longestLiteral(it->str());
      // What inference says of an operand of another type: where text is read, the type's own parser has refused it.
      bool isOfBuilders =
          std::regex_search(message, std::regex("takes? a (tensor|pointer|layout)|takes a pointer and a layout"));
      if (message.size() < 5 || isOfBuilders)
        continue;
      ++found;
      EXPECT_NE(text.find(message), std::string::npos)
          << entry.path().filename() << ": no test of tests/dialect provokes \"" << message << "\"";
    }
  }
  EXPECT_GT(found, 25u);
}

} // namespace
