// The static timeline: bounded, and true to the cycles that it draws. tests/timing/svg.test reads it as XML.
#include "compiler/timing/Pictures.h"
#include "tests/timing/Example.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fly::timing {
namespace {

using namespace emulator;

auto elements(const std::string &svg) { return std::ranges::count(svg, '<') / 2; }

/// One wave of SIMD 2 with one span of a unit.
Timing oneSpan(const char *unit, WaveSpan span, uint64_t end) {
  Timing timing;
  timing.kernel = "one";
  TimedInstruction instruction;
  instruction.unit = unit;
  timing.instructions = {instruction};
  WaveLine wave;
  wave.simd = 2;
  wave.end = end;
  wave.spans = {span};
  timing.timeline = {wave};
  return timing;
}

TEST(TimelineSvg, WorkAndWaitAreWhereTheyHappen) {
  // 1126 wide: 1000 pixels for 1000 cycles, after 116 of labels.
  const std::string svg = timelineSvg(oneSpan("matrix", {0, 100, 300, 700, Stall::Barrier}, 1000), {.width = 1126});
  EXPECT_NE(svg.find(">SIMD 2<"), std::string::npos);
  EXPECT_NE(svg.find(">40.0 %<"), std::string::npos); // of the matrix unit
  EXPECT_NE(svg.find("<path fill=\"#ea8a0a\" d=\"M416 "), std::string::npos);
  EXPECT_NE(svg.find("<path fill=\"#d43d98\" fill-opacity=\"0.4\" d=\"M216 "), std::string::npos);
  EXPECT_NE(svg.find("h200v7h-200z"), std::string::npos); // the wait, 200 cycles long
  EXPECT_NE(svg.find("waits: barrier"), std::string::npos);
}

TEST(TimelineSvg, LoadsFly) {
  const std::string svg =
      timelineSvg(oneSpan("vector memory", {0, 100, 100, 900, Stall::Issue}, 1000), {.width = 1126});
  EXPECT_NE(svg.find("M216 "), std::string::npos);
  EXPECT_NE(svg.find("h800v1.8h-800z"), std::string::npos); // thin, until the data is there
  EXPECT_EQ(svg.find("waits:"), std::string::npos);
}

TEST(TimelineSvg, ShortWorkIsNotSpreadOverIdleTime) {
  const std::string svg =
      timelineSvg(oneSpan("vector", {0, 50000, 50000, 50002, Stall::Issue}, 100000), {.width = 1126});
  EXPECT_NE(svg.find("d=\"M616 68.74h1v0.26h-1z\""), std::string::npos); // 2 % of one pixel's time, in its strip
}

TEST(TimelineSvg, DrawsTheRangeOnly) {
  const Timing timing = exampleTiming();
  const std::string svg = timelineSvg(timing, {.from = 2000, .cycles = 400});
  EXPECT_NE(svg.find("cycles 2,000 to 2,400"), std::string::npos);
  EXPECT_EQ(svg.find("buffer_load"), std::string::npos);
  EXPECT_EQ(svg.find(">3,000<"), std::string::npos);
  EXPECT_NE(svg.find(">2,100<"), std::string::npos);
}

TEST(TimelineSvg, ElementsAndBytesAreBounded) {
  const Timing large = exampleTiming({.waves = 64, .iterations = 40, .matrix = 4096, .ldsReads = 1024, .loads = 512});
  const std::string svg = timelineSvg(large, {.waves = 64});
  EXPECT_LT(elements(svg), 5000);
  EXPECT_LT(svg.size(), 4'000'000u);
  EXPECT_LT(elements(timelineSvg(large)), 1500);
  // Longer time, not more elements.
  EXPECT_LT(
      std::abs(elements(timelineSvg(exampleTiming({.iterations = 100}))) - elements(timelineSvg(exampleTiming()))), 60);
}

TEST(TimelineSvg, SaysWhichWavesAreNotDrawn) {
  const std::string svg = timelineSvg(exampleTiming({.waves = 16}), {.waves = 6});
  EXPECT_NE(svg.find("10 waves not drawn"), std::string::npos);
  for (const char *simd : {">SIMD 0<", ">SIMD 1<", ">SIMD 2<", ">SIMD 3<"}) // the first of each
    EXPECT_NE(svg.find(simd), std::string::npos);
}

TEST(TimelineSvg, ExtremeRanges) {
  const Timing timing = exampleTiming();
  for (TimelineSvgOptions options :
       {TimelineSvgOptions{.from = UINT64_MAX}, TimelineSvgOptions{.from = 5, .cycles = UINT64_MAX},
        TimelineSvgOptions{.from = 100, .cycles = 1}, TimelineSvgOptions{.width = 1, .waves = 0}})
    EXPECT_NE(timelineSvg(timing, options).find("</svg>"), std::string::npos);
}

} // namespace
} // namespace fly::timing
