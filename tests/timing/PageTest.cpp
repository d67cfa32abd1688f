// Whole pages: they need nothing else, foreign text stays text, and the same launch gives the same bytes.
#include "compiler/timing/Pictures.h"
#include "tests/timing/Example.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

namespace fly::timing {
namespace {

using emulator::Timing;

std::string sourceOf(const std::string &, unsigned line) { return "line " + std::to_string(line) + " <of> \"source\""; }

std::size_t occurrences(const std::string &text, const std::string &part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::string between(const std::string &text, const std::string &from, const std::string &to) {
  const std::size_t start = text.find(from), end = text.find(to, start + from.size());
  return start == std::string::npos ? "" : text.substr(start + from.size(), end - start - from.size());
}

/// All that the library draws of a launch.
std::vector<std::string> everything(const Timing &timing) {
  return {timingPage(timing, sourceOf), timelineHtml(timing, sourceOf), stallsHtml(timing, sourceOf),
          timelineSvg(timing), rooflineSvg(timing)};
}

TEST(TimingPage, HasAllSections) {
  const std::string page = timingPage(exampleTiming(), sourceOf);
  for (const char *part :
       {"<!DOCTYPE html>", "<h1>gemm_f16_pipelined</h1>", "gfx950 · MI355X", "± 12.0 %, 16 points on gfx950",
        "bound by</dt><dd><b>matrix", "matrix units busy", "limited by VGPRs", "id=\"timeline\"", "id=\"canvas\"",
        "id=\"stalls\"", "id=\"roofline\"", "id=\"timeline-data\""})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(TimingPage, LoadsNothing) {
  for (const std::string &text : everything(exampleTiming())) {
    EXPECT_FALSE(std::regex_search(text, std::regex(R"(\s(src|href|style|on[a-z]+)\s*=\s*["'])")));
    EXPECT_EQ(text.find("@import"), std::string::npos);
    EXPECT_EQ(text.find("url("), std::string::npos);
    EXPECT_EQ(text.find("eval("), std::string::npos);
    EXPECT_EQ(std::regex_replace(text, std::regex("http://www.w3.org/2000/svg"), "").find("://"), std::string::npos);
  }
}

TEST(TimingPage, ThePolicyAllowsItsOwnStyleAndScript) {
  auto hash = [](const std::string &text) {
    return llvm::encodeBase64(
        llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size())));
  };
  for (const std::string &page :
       {timingPage(exampleTiming()), timelineHtml(exampleTiming()), stallsHtml(exampleTiming())}) {
    const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
    EXPECT_NE(policy.find("style-src 'sha256-" + hash(between(page, "<style>", "</style>")) + "'"), std::string::npos);
    EXPECT_NE(policy.find("script-src 'sha256-" + hash(between(page, "<script>", "</script>")) + "'"),
              std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  }
}

TEST(TimingPage, ForeignTextStaysText) {
  const std::string evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\"'&]]>\xFF";
  const std::size_t scripts[] = {2, 2, 1, 0, 0};
  Timing timing = exampleTiming();
  timing.kernel = timing.architecture = timing.machine = timing.bound = timing.uncertaintyNote = timing.occupancyLimit =
      evil;
  for (emulator::TimedInstruction &i : timing.instructions)
    i.text = i.file = evil;
  for (emulator::TimedLoop &loop : timing.loops)
    loop.file = evil;
  const SourceLookup source = [&](const std::string &, unsigned) { return evil; };
  const std::string drawn[] = {timingPage(timing, source), timelineHtml(timing, source), stallsHtml(timing, source),
                               timelineSvg(timing), rooflineSvg(timing)};
  for (std::size_t i = 0; i < std::size(drawn); ++i) {
    EXPECT_EQ(occurrences(drawn[i], "<script"), scripts[i]) << i;
    EXPECT_EQ(occurrences(drawn[i], "</script"), scripts[i]) << i;
    for (const char *part : {"<img", "<!--", "\xFF", "&]]"})
      EXPECT_EQ(drawn[i].find(part), std::string::npos) << i << " " << part;
    EXPECT_NE(drawn[i].find("&lt;img"), std::string::npos) << i;
  }
  // A unit that is not known, too.
  timing.instructions[0].unit = evil;
  EXPECT_EQ(timingPage(timing, source).find("<img"), std::string::npos);
}

TEST(TimingPage, SameLaunchSameBytes) { EXPECT_EQ(everything(exampleTiming()), everything(exampleTiming())); }

TEST(TimingPage, NothingTimed) {
  for (const std::string &text : everything(Timing{})) {
    EXPECT_FALSE(text.empty());
    EXPECT_FALSE(std::regex_search(text, std::regex("=\"-?(nan|inf)")));
  }
  const std::string page = timingPage(Timing{});
  EXPECT_NE(page.find("No timeline was recorded."), std::string::npos);
  EXPECT_NE(page.find("No instruction was timed."), std::string::npos);
  EXPECT_EQ(page.find("timeline-data"), std::string::npos);
}

TEST(TimingPage, NumbersThatAreNone) {
  Timing timing = exampleTiming();
  timing.uncertainty = timing.matrixFlops = timing.memoryBytes = timing.peakMatrixFlops = NAN;
  timing.peakMemoryBytes = INFINITY;
  timing.maximumClock = timing.sustainedClock = -1;
  timing.busy.fill(NAN);
  timing.loops[0].matrixShare = timing.loops[0].cycles = NAN;
  for (const std::string &text : everything(timing))
    EXPECT_FALSE(std::regex_search(text, std::regex("[=\" >](-?nan|-?inf)[\" <]")));
}

TEST(TimingPage, SaysWhatWasNotReplayed) {
  Timing timing = exampleTiming();
  timing.replayed = 64;
  timing.timeDependent = timing.orderDependent = true;
  const std::string page = timingPage(timing);
  EXPECT_NE(page.find("64 of 1,024 workgroups were replayed"), std::string::npos);
  EXPECT_NE(page.find("It waits for memory that another wave or device writes"), std::string::npos);
  EXPECT_NE(page.find("Atomics returned values"), std::string::npos);
}

TEST(TimingPage, LegendsShowWhatOccurs) {
  const std::string page = timelineHtml(exampleTiming());
  const std::string legend = between(page, "<div class=\"legend\">", "</div>");
  EXPECT_NE(legend.find("</i>matrix</span>"), std::string::npos);
  EXPECT_NE(legend.find("</i>barrier</span>"), std::string::npos);
  EXPECT_EQ(legend.find("transcendental"), std::string::npos);
  EXPECT_EQ(legend.find("fetch"), std::string::npos);
}

} // namespace
} // namespace fly::timing
