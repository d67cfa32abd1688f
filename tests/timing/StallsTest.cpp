// Where the cycles go: sums by line, order, bars, and what is left out.
#include "compiler/timing/Pictures.h"
#include "tests/timing/Example.h"

#include <gtest/gtest.h>

namespace fly::timing {
namespace {

using namespace emulator;

TimedInstruction instruction(const char *text, unsigned line, uint64_t issue, Stall stall, uint64_t stalled) {
  TimedInstruction i;
  i.address = 4 * line;
  i.text = text;
  i.unit = "vector memory";
  i.file = "k/a.fly";
  i.line = line;
  i.executions = 1;
  i.issueCycles = issue;
  i.stalls[static_cast<unsigned>(stall)] = stalled;
  return i;
}

TEST(Stalls, LinesAreSumsAndTheLongestComesFirst) {
  Timing timing;
  timing.instructions = {instruction("first", 7, 100, Stall::Lds, 0),
                         instruction("second", 9, 100, Stall::VectorMemory, 500),
                         instruction("third", 9, 100, Stall::Barrier, 200)};
  const std::string page = stallsHtml(timing);
  const std::size_t nine = page.find("data-place=\"k/a.fly:9\""), seven = page.find("data-place=\"k/a.fly:7\"");
  ASSERT_NE(nine, std::string::npos);
  EXPECT_LT(nine, seven);
  const std::string line = page.substr(nine, page.find("</summary>", nine) - nine);
  EXPECT_NE(line.find(">900<"), std::string::npos);
  EXPECT_NE(line.find(">90.0 %<"), std::string::npos);
  EXPECT_NE(line.find("vector memory 55.6 %, barrier 22.2 %"), std::string::npos);
  // The longest line fills its bar: 200 of 900 cycles are issue, then 500 wait for memory, then 200 at the barrier.
  EXPECT_NE(line.find("<rect class=\"issue\" x=\"0\" width=\"222.22\""), std::string::npos);
  EXPECT_NE(line.find("<rect class=\"s0\" x=\"222.22\" width=\"555.56\""), std::string::npos);
  EXPECT_NE(line.find("<rect class=\"s3\" x=\"777.78\" width=\"222.22\""), std::string::npos);
  EXPECT_NE(line.find("<title>vector memory: 500 cycles, 50.0 %</title>"), std::string::npos);
  EXPECT_LT(page.find("<code>second</code>"), page.find("<code>third</code>"));
}

TEST(Stalls, LoopsAndConflicts) {
  const std::string page = stallsHtml(exampleTiming());
  EXPECT_NE(page.find("pipelined.fly:30</span></code></th><td>16</td>"), std::string::npos);
  EXPECT_NE(page.find("512 cycles of LDS bank conflicts"), std::string::npos);
  EXPECT_LT(page.find("class=\"loops\""), page.find("class=\"lines\""));
}

TEST(Stalls, SourceLines) {
  const std::string page = stallsHtml(
      exampleTiming(), [](const std::string &file, unsigned line) { return line == 41 ? "\t  gemm(a < b)" : ""; });
  EXPECT_NE(page.find("<code>gemm(a &lt; b)</code>"), std::string::npos);
}

TEST(Stalls, WithoutALine) {
  Timing timing;
  timing.instructions = {instruction("lost", 0, 10, Stall::Fetch, 0)};
  timing.instructions[0].file.clear();
  EXPECT_NE(stallsHtml(timing).find("no line"), std::string::npos);
}

TEST(Stalls, SizeIsBounded) {
  Timing timing;
  for (unsigned line = 1; line <= 3000; ++line)
    for (unsigned i = 0; i < 60; ++i)
      timing.instructions.push_back(instruction("x", line, line, Stall::Lds, i));
  timing.loops.resize(1000);
  const std::string page = stallsHtml(timing);
  EXPECT_NE(page.find("2,940 more lines"), std::string::npos);
  EXPECT_NE(page.find("20 more instructions with fewer cycles"), std::string::npos);
  EXPECT_NE(page.find("980 more loops"), std::string::npos);
  EXPECT_LT(page.size(), 3'000'000u);
}

} // namespace
} // namespace fly::timing
