// The report: what it says of results, that it reads back, and what it never holds.
#include "compiler/hardware/FullReport.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace fly;
using namespace fly::hardware;

namespace {

FullReport example() {
  FullReport report{"flyc 1", "2026-11-28", "", {}, {}, {}};
  report.system.push_back({"system", {{doctor::Level::Note, "a <note>", "do & be done"}}});
  report.gpus.push_back({"gfx942", "AMD Instinct MI300X", 304});
  report.tasks.push_back({"instructions", "gfx942", "gfx942 instructions", true, {}});
  auto form = [&](const char *name, const char *outcome, const char *of) {
    report.tasks.back().results.push_back({name, outcome, "", 1, of});
  };
  form("v_add_f32 v8", "same", "V_ADD_F32");
  form("v_add_f32_dpp v8", "different", "V_ADD_F32");
  form("v_add_f32_sdwa v8", "different", "V_ADD_F32");
  form("v_rcp_f32 v8", "approximate", "V_RCP_F32");
  form("v_nop", "left out", "V_NOP");
  form("v_odd v8", "refused", "V_ODD");
  report.tasks.push_back({"kernels", "gfx942", "gfx942 kernels a/b.fly", false, {}});
  form("adds n=1", "passed", "");
  form("adds n=2", "hung", "");
  form("subtracts", "bits", "");
  return report;
}

TEST(Report, SuspectsAreInstructionsAndChecks) {
  const auto suspects = suspectsOf(example());
  ASSERT_EQ(suspects.size(), 2u);
  EXPECT_EQ(suspects[0].what, "V_ADD_F32");
  EXPECT_EQ(suspects[0].count, 2u);
  EXPECT_EQ(suspects[0].of, 3u);
  EXPECT_EQ(suspects[0].first, "v_add_f32_dpp v8");
  EXPECT_EQ(suspects[1].what, "a/b.fly: adds");
  EXPECT_EQ(suspects[1].outcome, "hung");
}

TEST(Report, CoverageIsWhatMatchedInEachForm) {
  const auto coverage = coverageOf(example());
  ASSERT_EQ(coverage.size(), 1u);
  EXPECT_EQ(coverage[0].matched, std::set<std::string>{"V_RCP_F32"});
  EXPECT_EQ(coverage[0].others, std::set<std::string>{"V_ADD_F32"});
  EXPECT_EQ(coverage[0].forms, 4u);
}

TEST(Report, ReadsBack) {
  std::string error;
  const std::string text = toJson(example());
  const auto report = parseReport(text, error);
  ASSERT_TRUE(report) << error;
  EXPECT_EQ(toJson(*report), text);
  EXPECT_EQ(nlohmann::json::parse(findingsJson(*report))["suspects"].size(), 2u);
}

TEST(Report, OtherFilesAreRefusedWithAReason) {
  nlohmann::json good = nlohmann::json::parse(toJson(example()));
  std::string error;
  EXPECT_FALSE(parseReport("{", error));
  EXPECT_EQ(error, "it is not a report of `flyc doctor --full`");
  for (auto &[key, value] : good.items()) {
    for (const nlohmann::json &wrong : {nlohmann::json(), nlohmann::json(7.5), nlohmann::json::array({7})}) {
      if (key == "summary")
        continue; // for a person; nothing reads it
      nlohmann::json bad = good;
      bad[key] = wrong;
      error.clear();
      EXPECT_FALSE(parseReport(bad.dump(), error)) << key << " " << wrong;
      EXPECT_NE(error, "") << key;
    }
  }
}

TEST(Report, HoldsNoNameOfAUserOrAHost) {
  const char *before = std::getenv("HOME");
  const std::string home = before ? before : "";
  setenv("HOME", "/home/someone", 1);
  FullReport report = example();
  report.tasks[1].results[1].detail = "/home/someone/kernels/b.fly:3:1: it differs";
  const std::string json = toJson(report), page = pageOf(report);
  setenv("HOME", home.c_str(), 1);
  for (const std::string &text : {json, page}) {
    EXPECT_EQ(text.find("someone"), std::string::npos);
    EXPECT_NE(text.find("~/kernels/b.fly:3:1"), std::string::npos);
  }
}

TEST(Report, ThePageEscapesWhatItShows) {
  const std::string page = pageOf(example());
  EXPECT_EQ(page.find("a <note>"), std::string::npos);
  EXPECT_NE(page.find("a &lt;note&gt;"), std::string::npos);
}

} // namespace
