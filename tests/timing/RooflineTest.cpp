// Rooflines: where points and roofs are, and launches that have none.
#include "compiler/timing/Pictures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fly::timing {
namespace {

using emulator::Timing;

/// 2^20 FLOP and 4096 bytes per cycle at most: the ridge is at 256 FLOP per byte.
Timing launch(const char *kernel, double flops, double bytes, uint64_t cycles = 1000) {
  Timing timing;
  timing.kernel = kernel;
  timing.cycles = cycles;
  timing.matrixFlops = flops;
  timing.memoryBytes = bytes;
  timing.peakMatrixFlops = 1 << 20;
  timing.peakMemoryBytes = 4096;
  return timing;
}

std::size_t occurrences(const std::string &text, const std::string &part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

double number(const std::string &svg, const std::string &element, const std::string &name) {
  const std::size_t at = svg.find(" " + name + "=\"", svg.find(element));
  return std::stod(svg.substr(at + name.size() + 3));
}

TEST(Roofline, APointAtTheRoofIsOnIt) {
  // On the level part: the roof is drawn to there.
  const std::string top = rooflineSvg(launch("top", 1000.0 * (1 << 20), 1e5));
  const std::string level = "H740";
  const std::size_t end = top.find(level), start = top.rfind(' ', end);
  EXPECT_NEAR(number(top, "class=\"point\"", "cy"), std::stod(top.substr(start + 1)), 0.02);
  EXPECT_NE(top.find("100 % of its roof"), std::string::npos);
  // Bound by memory: 8 FLOP per byte allow 32768 FLOP per cycle.
  const std::string slope = rooflineSvg(launch("slope", 1000.0 * 16384, 1000.0 * 2048));
  EXPECT_NE(slope.find("50.0 % of its roof"), std::string::npos);
}

TEST(Roofline, AxesAreLogarithmic) {
  const Timing a = launch("a", 1e7, 1e6), b = launch("b", 1e8, 1e6), c = launch("c", 1e9, 1e6);
  const Timing *const all[] = {&a, &b, &c};
  const std::string svg = rooflineSvg(all);
  std::vector<double> x, y;
  for (std::size_t at = svg.find("class=\"point\""); at != std::string::npos;
       at = svg.find("class=\"point\"", at + 1)) {
    x.push_back(number(svg.substr(at), "class", "cx"));
    y.push_back(number(svg.substr(at), "class", "cy"));
  }
  ASSERT_EQ(x.size(), 3u);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.03);
  EXPECT_NEAR(y[0] - y[1], y[1] - y[2], 0.03);
  EXPECT_GT(x[1], x[0]);
  EXPECT_LT(y[1], y[0]);
  EXPECT_EQ(occurrences(svg, "class=\"roof\""), 1u); // they share it
}

TEST(Roofline, RoofsOfEachMachine) {
  const Timing a = launch("a", 1e8, 1e6);
  Timing b = launch("b", 1e8, 1e6);
  b.peakMatrixFlops = 1 << 19;
  const Timing *const both[] = {&a, &b};
  EXPECT_EQ(occurrences(rooflineSvg(both), "class=\"roof\""), 2u);
}

TEST(Roofline, UncertaintyIsABar) {
  Timing timing = launch("a", 1e8, 1e6);
  EXPECT_EQ(rooflineSvg(timing).find("uncertainty"), std::string::npos);
  timing.uncertainty = 0.2;
  EXPECT_NE(rooflineSvg(timing).find("class=\"uncertainty\""), std::string::npos);
  EXPECT_NE(rooflineSvg(timing).find("± 20.0 %"), std::string::npos);
}

TEST(Roofline, WithoutMatrixWorkABandwidthBar) {
  Timing timing = launch("copy <a>", 0, 1000.0 * 1024);
  timing.uncertainty = 0.1;
  const std::string svg = rooflineSvg(timing);
  EXPECT_EQ(svg.find("class=\"point\""), std::string::npos);
  EXPECT_EQ(svg.find("class=\"roof\""), std::string::npos);
  EXPECT_NE(svg.find("copy &lt;a&gt;</tspan> 1.02 k of 4.1 k B/cycle, 25.0 %, ± 10.0 %"), std::string::npos);
  EXPECT_NEAR(number(svg, "class=\"bandwidth\"", "width") / number(svg, "class=\"ground\"", "width"), 0.25, 0.001);
}

TEST(Roofline, BothKinds) {
  const Timing a = launch("gemm", 1e8, 1e6), b = launch("copy", 0, 1e6);
  const Timing *const both[] = {&a, &b};
  const std::string svg = rooflineSvg(both);
  EXPECT_EQ(occurrences(svg, "class=\"point\""), 1u);
  EXPECT_EQ(occurrences(svg, "class=\"bandwidth\""), 1u);
}

TEST(Roofline, WithoutTraffic) {
  const std::string svg = rooflineSvg(launch("registers", 1e8, 0));
  EXPECT_NE(svg.find("no memory traffic"), std::string::npos);
  EXPECT_NE(svg.find("class=\"point\""), std::string::npos);
}

TEST(Roofline, WithoutPeaks) {
  Timing timing = launch("unknown", 1e8, 1e6, 0);
  timing.peakMatrixFlops = timing.peakMemoryBytes = 0;
  const std::string svg = rooflineSvg(timing);
  EXPECT_NE(svg.find("class=\"point\""), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Roofline, ManyLaunchesAreBounded) {
  const Timing one = launch("one", 1e8, 1e6);
  const std::vector<const Timing *> many(500, &one);
  const std::string svg = rooflineSvg(many);
  EXPECT_NE(svg.find("476 more launches"), std::string::npos);
  EXPECT_LT(svg.size(), 40'000u);
  EXPECT_NE(rooflineSvg(std::span<const Timing *const>()).find("</svg>"), std::string::npos);
}

} // namespace
} // namespace fly::timing
