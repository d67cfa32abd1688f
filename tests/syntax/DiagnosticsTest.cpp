// The form of a printed diagnostic, the table of diagnostics and the pages of `flyc explain`.
#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/syntax/Parser.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fly;

namespace {

struct DiagnosticsTest : testing::Test {
  SourceManager sources;
  DiagnosticEngine diags{sources};

  SourceRange find(FileId file, llvm::StringRef what, size_t from = 0) {
    const size_t at = sources.text(file).find(what, from);
    EXPECT_NE(at, llvm::StringRef::npos) << what.str();
    return {file, static_cast<uint32_t>(at), static_cast<uint32_t>(at + what.size())};
  }
  std::string last() { return "\n" + diags.render(diags.all().back()); }
};

TEST_F(DiagnosticsTest, TextsOfOneLineStandBesideTheLastMarkAndBelowTheOthers) {
  FileId file = sources.add("dot.fly", std::string(10, '\n') + "        total = total + x[i] * y[i]\n");
  const size_t value = sources.text(file).find('=');
  diags.report(diag::mixed_types, find(file, "+"))
      .arg("+")
      .arg("f32")
      .arg("f16")
      .label(find(file, "total", value), "f32")
      .label(find(file, "x[i] * y[i]"), "f16")
      .note("machine types never convert implicitly; only a literal takes the type of the other operand")
      .help("to add in f32: `total + f32(x[i]) * f32(y[i])`");
  EXPECT_EQ(last(), R"(
error[FLY0301]: `+` takes operands of one type, got f32 and f16; convert one of them  [mixed-types]
   --> dot.fly:11:23
    |
 11 |         total = total + x[i] * y[i]
    |                 ~~~~~ ^ ~~~~~~~~~~~ f16
    |                 f32
    = note: machine types never convert implicitly; only a literal takes the type of the other operand
    = help: to add in f32: `total + f32(x[i]) * f32(y[i])`
)");
}

TEST_F(DiagnosticsTest, LinesThatAreLeftOutShowAsDots) {
  FileId file =
      sources.add("scan.fly", std::string(30, '\n') +
                                  "    if thread_id.x < 64:\n        part[thread_id.x] = x\n        barrier()\n");
  diags
      .report(find(file, "barrier()"),
              diag::divergent_barrier{.name = "barrier()", .what = "the threads of a workgroup"})
      .label(find(file, "thread_id.x < 64"), "differs between threads: it depends on `thread_id.x`")
      .help("end the `if` before the barrier");
  EXPECT_EQ(last(), R"(
error[FLY0407]: `barrier()` is under a condition that differs between the threads of a workgroup; the kernel would hang  [divergent-barrier]
   --> scan.fly:33:9
    |
 31 |     if thread_id.x < 64:
    |        ~~~~~~~~~~~~~~~~ differs between threads: it depends on `thread_id.x`
   ...
 33 |         barrier()
    |         ^^^^^^^^^
    = help: end the `if` before the barrier
)");
}

TEST_F(DiagnosticsTest, ANoteWithAPlaceHasItsOwnSnippetAndHelpComesLast) {
  FileId file = sources.add("a.fly", "\n\n\n\nfill = g()\nmine = fill.partition_S(b)\ncopy(mine, r)\n");
  diags.report(diag::unknown_name, find(file, "r)"))
      .arg("r")
      .arg("")
      .help("let the destination place the lanes;\nthe swizzle is free there")
      .note(find(file, "fill"), "made here")
      .note("of the copy");
  EXPECT_EQ(last(), R"(
error[FLY0203]: `r` is not defined  [unknown-name]
  --> a.fly:7:12
   |
 7 | copy(mine, r)
   |            ^^
note: made here
  --> a.fly:5:1
   |
 5 | fill = g()
   | ^^^^
   = note: of the copy
   = help: let the destination place the lanes;
           the swizzle is free there
)");
}

TEST_F(DiagnosticsTest, LabelsOfOtherFilesBecomeNotes) {
  FileId one = sources.add("one.fly", "x = f(1)\n"), two = sources.add("two.fly", "def f():\n");
  diags.report(diag::wrong_argument_count, find(one, "f(1)"))
      .arg("f")
      .arg("0 arguments")
      .arg("1")
      .label(find(two, "f()"), "defined here");
  EXPECT_EQ(last(), R"(
error[FLY0211]: `f` takes 0 arguments, got 1  [wrong-argument-count]
  --> one.fly:1:5
   |
 1 | x = f(1)
   |     ^^^^
note: defined here
  --> two.fly:1:5
   |
 1 | def f():
   |     ^^^
)");
}

TEST_F(DiagnosticsTest, ColumnsCountCharactersAndTabsAreExpanded) {
  FileId file = sources.add("wide.fly", "\tx = \"größe 数\" + y\n");
  diags.report(diag::unknown_name, find(file, "y")).arg("y").arg("");
  EXPECT_EQ(last(), R"(
error[FLY0203]: `y` is not defined  [unknown-name]
  --> wide.fly:1:18
   |
 1 |     x = "größe 数" + y
   |                      ^
)");
}

TEST_F(DiagnosticsTest, ARangeOfSeveralLinesIsMarkedInItsFirst) {
  FileId file = sources.add("a.fly", "x = f(a,   \n      b)\n");
  diags.report(diag::unknown_name, find(file, "f(a,   \n      b)")).arg("f").arg("");
  EXPECT_NE(last().find("1 | x = f(a,\n   |     ^^^^\n"), std::string::npos) << last();
}

TEST_F(DiagnosticsTest, AnEmptyRangeAtTheEndOfTheFileHasOneCaret) {
  FileId file = sources.add("a.fly", "x =");
  diags.report(diag::unknown_name, {file, 3, 3}).arg("x").arg("");
  EXPECT_NE(last().find("1 | x =\n   |    ^\n"), std::string::npos) << last();
}

TEST_F(DiagnosticsTest, ALongLineIsCutAroundItsMarks) {
  FileId file = sources.add("a.fly", "x = " + std::string(1000, 'a') + " + yy + " + std::string(1000, 'b') + "\n");
  diags.report(diag::unknown_name, find(file, "yy")).arg("yy").arg("");
  std::istringstream lines(last());
  for (std::string line; std::getline(lines, line);)
    EXPECT_LT(line.size(), 220u) << line;
  EXPECT_NE(last().find("^^\n"), std::string::npos) << last();
}

TEST_F(DiagnosticsTest, ADiagnosticWithoutAPlaceIsItsMessage) {
  diags.report(diag::cannot_read, {}).arg("x.fly").arg("no such file");
  EXPECT_EQ(last(), "\nerror[FLY0931]: cannot read `x.fly`: no such file  [cannot-read]\n");
}

TEST_F(DiagnosticsTest, TheSameMistakeIsReportedOnce) {
  FileId file = sources.add("a.fly", "x y\n");
  for (int i = 0; i < 3; ++i)
    diags.report(diag::unknown_name, find(file, "x")).arg("x").arg("");
  diags.report(diag::unknown_name, find(file, "y")).arg("y").arg("");
  EXPECT_EQ(diags.errorCount(), 2u);
}

TEST_F(DiagnosticsTest, LongCallChainsShowTheirEnds) {
  FileId file = sources.add("a.fly", "f()\n");
  for (int i = 0; i < 100; ++i)
    diags.frames.push_back({{file, 0, 3}, "in the call of `f` " + std::to_string(i)});
  diags.report(diag::recursion_limit, {file, 0, 1}).arg("100");
  std::string text = last();
  for (const char *shown : {"`f` 99", "`f` 98", "`f` 97", "`f` 96", "  ... 95 calls ...\n", "`f` 0"})
    EXPECT_NE(text.find(shown), std::string::npos) << shown << text;
  EXPECT_EQ(text.find("`f` 95"), std::string::npos);
}

TEST_F(DiagnosticsTest, ErrorsPastTheLimitAreCounted) {
  FileId file = sources.add("a.fly", std::string(100, 'x'));
  for (uint32_t i = 0; i < 60; ++i)
    diags.report(diag::unknown_name, {file, i, i + 1}).arg("x").arg("");
  EXPECT_EQ(diags.errorCount(), 60u);
  EXPECT_EQ(diags.all().size(), 50u);
  std::string text;
  llvm::raw_string_ostream os(text);
  diags.flush(os);
  EXPECT_NE(text.find("note: 10 more errors are not shown"), std::string::npos);
}

TEST_F(DiagnosticsTest, FlushPrintsEachDiagnosticOnce) {
  diags.report(diag::cannot_read, {}).arg("x").arg("y");
  std::string first, second;
  llvm::raw_string_ostream toFirst(first), toSecond(second);
  diags.flush(toFirst);
  diags.flush(toSecond);
  EXPECT_FALSE(first.empty());
  EXPECT_TRUE(second.empty());
}

TEST(DidYouMean, FindsTyposAndNothingElse) {
  std::vector<std::string> names{"thread_id", "block_id", "range", "f32", "f16"};
  EXPECT_EQ(didYouMean("thraed_id", names), "thread_id");
  EXPECT_EQ(didYouMean("Range", names), "range");
  EXPECT_EQ(didYouMean("f3", names), "f32");
  EXPECT_EQ(didYouMean("x", names), std::nullopt);
  EXPECT_EQ(didYouMean("something_else", names), std::nullopt);
}

TEST_F(DiagnosticsTest, NamedArgumentsStandWhereTheMessageNamesThem) {
  diags.report({}, diag::out_of_range{.what = "the width", .low = 1, .high = 32, .found = "40"});
  EXPECT_EQ(last(), "\nerror[FLY0318]: the width must be from 1 to 32, got 40  [out-of-range]\n");
  diags.report({}, diag::unknown_choice{.what = "{0} {what}", .choices = {"1", "2", "4"}, .found = "3"});
  EXPECT_EQ(last(), "\nerror[FLY0332]: {0} {what} must be 1, 2 or 4, got 3  [unknown-choice]\n");
}

// ---- the table

TEST(DiagnosticTable, CodesAreUniqueSortedAndWellFormed) {
  std::string previous, names = " ";
  for (unsigned i = 0; i < diag::count; ++i) {
    const DiagnosticInfo &row = info(static_cast<diag::Kind>(i));
    EXPECT_LT(previous, row.code) << "sort the rows by code";
    EXPECT_EQ(std::string(row.code).size(), 7u) << row.code;
    EXPECT_EQ(std::string(row.code).substr(0, 3), "FLY");
    EXPECT_EQ(names.find(" " + std::string(row.name) + " "), std::string::npos) << "two diagnostics named " << row.name;
    names += std::string(row.name) + " ";
    EXPECT_EQ(findDiagnostic(row.code), static_cast<diag::Kind>(i));
    EXPECT_EQ(findDiagnostic(row.name), static_cast<diag::Kind>(i));
    const std::string message = row.message;
    EXPECT_FALSE(message.empty());
    EXPECT_NE(message.back(), '.') << row.code << ": no full stop";
    EXPECT_FALSE(std::isupper(message[0]) && message.rfind("LLVM ", 0) != 0) << row.code << ": lower case";
    previous = row.code;
  }
  EXPECT_EQ(findDiagnostic("FLY9999"), std::nullopt);
}

/// The blocks of a page between ```fly and ```.
std::vector<std::string> examples(llvm::StringRef page) {
  std::vector<std::string> result;
  while (true) {
    const size_t at = page.find("```fly\n");
    if (at == llvm::StringRef::npos)
      return result;
    page = page.drop_front(at + 7);
    result.push_back(page.take_front(page.find("```")).str());
    page = page.drop_front(result.back().size());
  }
}

TEST(ExplainPages, EachDiagnosticHasAPage) {
  for (unsigned i = 0; i < diag::count; ++i) {
    const DiagnosticInfo &row = info(static_cast<diag::Kind>(i));
    llvm::StringRef page = explanation(static_cast<diag::Kind>(i));
    EXPECT_TRUE(page.starts_with("# " + std::string(row.code) + " " + row.name + "\n"))
        << "write compiler/diagnostics/explain/" << row.code << ".md";
  }
}

TEST(ExplainPages, ExamplesOfSyntaxErrorsHaveThemAndTheOthersParse) {
  for (unsigned i = 0; i < diag::count; ++i) {
    const DiagnosticInfo &row = info(static_cast<diag::Kind>(i));
    const bool syntax = llvm::StringRef(row.code).starts_with("FLY01");
    const auto blocks = examples(explanation(static_cast<diag::Kind>(i)));
    for (size_t k = 0; k < blocks.size(); ++k) {
      SourceManager sources;
      DiagnosticEngine diags(sources);
      parseModule(sources.add(row.code, blocks[k]), diags);
      if (syntax && k == 0) {
        ASSERT_EQ(diags.all().size(), 1u) << row.code << "\n" << blocks[k];
        EXPECT_EQ(diags.all()[0].kind, static_cast<diag::Kind>(i)) << diags.render(diags.all()[0]);
      } else {
        EXPECT_FALSE(diags.hasErrors()) << diags.render(diags.all()[0]);
      }
    }
  }
}

TEST(DiagnosticTable, EachSyntaxErrorIsProvokedByATest) {
  std::string all;
  for (const auto &entry : std::filesystem::directory_iterator(FLY_SYNTAX_TESTS)) {
    if (!entry.is_regular_file())
      continue;
    std::ifstream in(entry.path());
    all += std::string(std::istreambuf_iterator<char>(in), {});
  }
  for (unsigned i = 0; i < diag::count; ++i) {
    const DiagnosticInfo &row = info(static_cast<diag::Kind>(i));
    if (!llvm::StringRef(row.code).starts_with("FLY01"))
      continue;
    const bool seen = all.find(std::string(row.code) + ": ") != std::string::npos ||
                      all.find("diag::" + std::string(row.id)) != std::string::npos;
    EXPECT_TRUE(seen) << "no test expects " << row.code << " " << row.name;
  }
}

} // namespace
