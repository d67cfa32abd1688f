// The page's data says what the timeline says, in few bytes, and ends where the budget does.
#include "compiler/timing/TimelineData.h"
#include "tests/timing/Example.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace fly::timing {
namespace {

using namespace emulator;
using nlohmann::json;

struct Decoded {
  std::string text;
  int64_t begin, issue, end;
  int stall;
};

/// As the page's script does.
std::vector<Decoded> decode(const json &data, const json &wave) {
  std::vector<Decoded> out;
  int64_t instruction = 0, issue = data["from"];
  std::size_t stalled = 0;
  for (std::size_t n = 0; n < wave["i"].size(); ++n) {
    instruction += wave["i"][n].get<int64_t>();
    const int64_t begin = issue + wave["b"][n].get<int64_t>(), waited = wave["w"][n];
    issue = begin + waited;
    out.push_back({data["instructions"].at(static_cast<std::size_t>(instruction))[0], begin, issue,
                   issue + wave["e"][n].get<int64_t>(), waited ? wave["s"].at(stalled++).get<int>() : -1});
  }
  EXPECT_EQ(stalled, wave["s"].size());
  return out;
}

TEST(TimelineData, HoldsEachSpan) {
  const Timing timing = exampleTiming();
  const json data = json::parse(timelineJson(timing, {}));
  EXPECT_EQ(data["units"].size(), 11u);
  EXPECT_EQ(data["stalls"].size(), stallCount);
  EXPECT_EQ(data["cut"], false);
  ASSERT_EQ(data["waves"].size(), timing.timeline.size());
  for (std::size_t w = 0; w < timing.timeline.size(); ++w) {
    const WaveLine &wave = timing.timeline[w];
    const std::vector<Decoded> spans = decode(data, data["waves"][w]);
    EXPECT_EQ(data["waves"][w]["simd"], wave.simd);
    ASSERT_EQ(spans.size(), wave.spans.size());
    for (std::size_t n = 0; n < spans.size(); ++n) {
      const WaveSpan &span = wave.spans[n];
      EXPECT_EQ(spans[n].text, timing.instructions[span.instruction].text);
      EXPECT_EQ(spans[n].begin, static_cast<int64_t>(span.begin));
      EXPECT_EQ(spans[n].issue, static_cast<int64_t>(span.issue));
      EXPECT_EQ(spans[n].end, static_cast<int64_t>(span.end));
      EXPECT_EQ(spans[n].stall, span.begin < span.issue ? static_cast<int>(span.stall) : -1);
    }
  }
}

TEST(TimelineData, IsCompact) {
  const Timing timing = exampleTiming({.waves = 16, .iterations = 50});
  std::size_t spans = 0;
  for (const WaveLine &wave : timing.timeline)
    spans += wave.spans.size();
  ASSERT_GT(spans, 15000u);
  EXPECT_LT(timelineJson(timing, {}).size(), 16 * spans);
}

TEST(TimelineData, EndsWithTheBudget) {
  const Timing timing = exampleTiming();
  const json data = json::parse(timelineJson(timing, {}, 100));
  EXPECT_EQ(data["cut"], true);
  std::size_t spans = 0;
  int64_t last = 0;
  for (const json &wave : data["waves"])
    for (const Decoded &span : decode(data, wave)) {
      ++spans;
      last = std::max(last, span.issue);
    }
  EXPECT_LE(spans, 100u);
  EXPECT_GT(spans, 80u);
  EXPECT_LE(last, data["to"].get<int64_t>());
  EXPECT_LT(data["to"].get<uint64_t>(), timing.cycles);
}

TEST(TimelineData, HasOnlyInstructionsThatItShows) {
  Timing timing = exampleTiming();
  TimedInstruction never;
  never.text = "v_never_executed";
  timing.instructions.insert(timing.instructions.end(), 10000, never);
  const std::string text = timelineJson(timing, {});
  EXPECT_EQ(text.find("never_executed"), std::string::npos);
  EXPECT_LE(json::parse(text)["instructions"].size(), 15u);
}

TEST(TimelineData, SourceLinesOnce) {
  unsigned asked = 0;
  const SourceLookup source = [&](const std::string &, unsigned line) {
    ++asked;
    return line == 41 ? "gemm(...)" : "";
  };
  const json data = json::parse(timelineJson(exampleTiming(), source));
  EXPECT_EQ(data["sources"], json::array({json::array({0, 41, "gemm(...)"})}));
  EXPECT_LE(asked, 15u);
}

TEST(TimelineData, BrokenSpansDoNoHarm) {
  Timing timing;
  WaveLine wave;
  wave.end = 100;
  wave.spans = {{7, 50, 60, 70, Stall::Lds},              // no such instruction
                {0, 30, 20, 10, static_cast<Stall>(200)}, // ends before it begins; out of order
                {0, 61, 64, 64, static_cast<Stall>(200)}};
  timing.timeline = {wave};
  const json data = json::parse(timelineJson(timing, {}));
  const std::vector<Decoded> spans = decode(data, data["waves"][0]);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].begin, 20);
  EXPECT_EQ(spans[0].end, 20);
  EXPECT_EQ(spans[1].issue, 60);
  EXPECT_LT(spans[2].stall, static_cast<int>(stallCount));
}

TEST(TimelineData, RangeThatWasAskedFor) {
  Timing timing = exampleTiming();
  timing.options.timelineFrom = 2000;
  timing.options.timelineCycles = 500;
  const json data = json::parse(timelineJson(timing, {}));
  EXPECT_EQ(data["from"], 2000);
  EXPECT_EQ(data["to"], 2500);
  EXPECT_EQ(decode(data, data["waves"][0])[0].begin, static_cast<int64_t>(timing.timeline[0].spans[0].begin));
}

} // namespace
} // namespace fly::timing
