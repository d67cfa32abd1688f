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
  struct Row {
    const char *text;
    size_t broken;
  };
  const Row rows[] = {
      {"vgprs>+0", 1},  {"vgprs>+3", 1},  {"vgprs>+4", 0},  {"vgprs>=+4", 1},  {"vgprs>+3.9%", 1},
      {"vgprs>+4%", 0}, {"vgprs>104", 0}, {"vgprs>103", 1}, {"vgprs!=104", 0}, {"vgprs==104", 1},
      {"waves<-0", 1},  {"waves<-1", 0},  {"waves<=-1", 1}, {"waves<4", 1},    {" waves < 4 , vgprs > 1", 2},
      {"vgprs<+0", 0}};
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
  EXPECT_EQ(result.notes,
            (std::vector<std::string>{"other, gfx942: not in the baseline", "other, gfx942: the report has no `sgprs`",
                                      "k, gfx942: in the baseline only"}));
}

TEST(Limits, TakeKernelsOfOneNameByTheirFiles) {
  auto both = [](std::initializer_list<std::pair<const char *, int>> files) {
    Json report;
    report["objects"] = Json::array();
    for (auto [file, vgprs] : files) {
      Json object = reportWith(vgprs, 4)["objects"][0];
      object["file"] = file;
      report["objects"].push_back(object);
    }
    return report;
  };
  struct Row {
    Json before, now;
    std::vector<const char *> said;
  };
  const Row rows[] = {
      {both({{"a.fly", 10}, {"b.fly", 20}}), both({{"a.fly", 10}, {"b.fly", 20}}), {}},
      {both({{"a.fly", 10}, {"b.fly", 20}}), both({{"b.fly", 20}, {"a.fly", 10}}), {}},
      {both({{"a.fly", 10}, {"b.fly", 20}}),
       both({{"a.fly", 11}, {"b.fly", 19}}),
       {"k, gfx942 (a.fly): vgprs is 11, was 10: vgprs>+0"}},
      {both({{"a.fly", 30}, {"b.fly", 20}}),
       both({{"a.fly", 30}, {"b.fly", 21}}),
       {"k, gfx942 (b.fly): vgprs is 21, was 20: vgprs>+0"}},
      {both({{"x/a.fly", 10}, {"y/a.fly", 20}}), both({{"now/y/a.fly", 20}, {"now/x/a.fly", 10}}), {}},
      {both({{"a.fly", 10}, {"b.fly", 20}}), both({{"out/b.gfx942.hsaco", 20}, {"out/a.gfx942.hsaco", 10}}), {}},
      {both({{"a.fly", 10}, {"b.fly", 20}}), both({{"c.fly", 10}, {"d.fly", 20}}), {}},
      {both({{"a.fly", 10}, {"a.fly", 20}}), both({{"a.fly", 10}, {"a.fly", 20}}), {}},
      {both({{"a.fly", 10}, {"b.fly", 20}}), both({{"b.fly", 20}}), {"k, gfx942 (a.fly): in the baseline only"}},
      {both({{"b.fly", 20}}), both({{"a.fly", 30}, {"b.fly", 20}}), {"k, gfx942 (a.fly): not in the baseline"}},
      {both({{"a.fly", 20}}), both({{"b.fly", 21}}), {"k, gfx942: vgprs is 21, was 20: vgprs>+0"}},
  };
  for (const Row &row : rows) {
    std::vector<Limit> limits;
    ASSERT_FALSE(parseLimits("vgprs>+0", limits));
    auto result = checkLimits(limits, row.now, &row.before);
    std::vector<std::string> said;
    for (auto &each : result.broken)
      said.push_back(describe(each));
    said.insert(said.end(), result.notes.begin(), result.notes.end());
    EXPECT_EQ(said, std::vector<std::string>(row.said.begin(), row.said.end())) << row.before << row.now;
  }
}

TEST(Limits, FindWhatIsAnAliasOnTheOtherSide) {
  Json before = reportWith(100, 4), now = reportWith(104, 4);
  before["objects"][0]["kernels"][0]["aliases"] = Json::array({"other"});
  now["objects"][0]["kernels"].push_back(now["objects"][0]["kernels"][0]);
  now["objects"][0]["kernels"][1]["name"] = "other";
  std::vector<Limit> limits;
  ASSERT_FALSE(parseLimits("vgprs>+0", limits));
  auto result = checkLimits(limits, now, &before);
  ASSERT_EQ(result.broken.size(), 2u);
  EXPECT_EQ(describe(result.broken[1]), "other, gfx942: vgprs is 104, was 100: vgprs>+0");
  EXPECT_TRUE(result.notes.empty());
  EXPECT_TRUE(checkLimits(limits, before, &now).notes.empty()); // and the other way round
}

TEST(Limits, AreRefused) {
  struct Row {
    const char *text, *part;
  };
  const Row rows[] = {{"", "starts with a metric"},
                      {"vgprs", "one of > >="},
                      {"vgprs=3", "one of > >="},
                      {"vgprs>", "a number"},
                      {"vgprs>+", "a number"},
                      {"vgprs>3x", "a number"},
                      {"vgprs>5%", "with a sign: `+5%`"},
                      {"vgpr>3", "no metric `vgpr`"},
                      {"vgprs>1,,", "starts with a metric"},
                      {"vgprs>1.", "a number"},
                      {">3", "starts with a metric"}};
  for (const Row &row : rows) {
    std::vector<Limit> limits;
    auto error = parseLimits(row.text, limits);
    ASSERT_TRUE(error) << row.text;
    EXPECT_NE(error->message.find(row.part), std::string::npos) << row.text << ": " << error->message;
  }
}

} // namespace fly::report::test
