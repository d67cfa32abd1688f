// The language of `flyc stat --fail-on`.
#include "compiler/report/Limits.h"
#include "tests/report/TestSupport.h"

namespace fly::report::test {

namespace {

Json reportWith(int vgprs, int waves) {
  Json kernel;
  kernel["name"] = "k";
  kernel["resources"]["vgprs"] = vgprs;
  kernel["occupancy"]["waves"] = waves;
  Json report;
  report["objects"] = Json::array({{{"arch", "gfx942"}, {"kernels", Json::array({kernel})}}});
  return report;
}

size_t broken(const char *text, const Json &now, const Json *before) {
  std::vector<Limit> limits;
  auto error = parseLimits(text, limits);
  EXPECT_FALSE(error) << text << ": " << error->message;
  return checkLimits(limits, now, before).broken.size();
}

} // namespace

TEST(Limits, HoldOrBreak) {
  Json before = reportWith(100, 4), now = reportWith(104, 3);
  struct Row { const char *text; size_t broken; };
  const Row rows[] = {{"vgprs>+0", 1}, {"vgprs>+3", 1}, {"vgprs>+4", 0}, {"vgprs>=+4", 1}, {"vgprs>+3.9%", 1}, {"vgprs>+4%", 0}, {"vgprs>104", 0},
                      {"vgprs>103", 1}, {"vgprs!=104", 0}, {"vgprs==104", 1}, {"waves<-0", 1}, {"waves<-1", 0}, {"waves<=-1", 1}, {"waves<4", 1},
                      {" waves < 4 , vgprs > 1", 2}, {"vgprs<+0", 0}};
  for (const Row &row : rows)
    EXPECT_EQ(broken(row.text, now, &before), row.broken) << row.text;
}

TEST(Limits, DescribeWhatIsBroken) {
  Json before = reportWith(100, 4), now = reportWith(104, 3);
  std::vector<Limit> limits;
  ASSERT_FALSE(parseLimits("vgprs>+0,waves<4", limits));
  auto result = checkLimits(limits, now, &before);
  ASSERT_EQ(result.broken.size(), 2u);
  EXPECT_EQ(describe(result.broken[0]), "k, gfx942: vgprs is 104, was 100: vgprs>+0");
  EXPECT_EQ(describe(result.broken[1]), "k, gfx942: waves is 3: waves<4");
}

TEST(Limits, SayWhatIsMissing) {
  Json before = reportWith(100, 4), now = before;
  now["objects"][0]["kernels"][0]["name"] = "other";
  std::vector<Limit> limits;
  ASSERT_FALSE(parseLimits("vgprs>+0,sgprs>3", limits));
  auto result = checkLimits(limits, now, &before);
  EXPECT_TRUE(result.broken.empty());
  EXPECT_EQ(result.notes, (std::vector<std::string>{"other, gfx942: not in the baseline", "other, gfx942: the report has no `sgprs`", "k, gfx942: in the baseline only"}));
}

TEST(Limits, AreRefused) {
  struct Row { const char *text, *part; };
  const Row rows[] = {{"", "begins with a metric"}, {"vgprs", "one of > >="}, {"vgprs=3", "one of > >="}, {"vgprs>", "a number"}, {"vgprs>+", "a number"},
                      {"vgprs>3x", "a number"}, {"vgprs>5%", "with a sign, `+5%`"}, {"vgpr>3", "no metric `vgpr`"}, {"vgprs>1,,", "begins with a metric"},
                      {"vgprs>1.", "a number"}, {">3", "begins with a metric"}};
  for (const Row &row : rows) {
    std::vector<Limit> limits;
    auto error = parseLimits(row.text, limits);
    ASSERT_TRUE(error) << row.text;
    EXPECT_NE(error->message.find(row.part), std::string::npos) << row.text << ": " << error->message;
  }
}

} // namespace fly::report::test
