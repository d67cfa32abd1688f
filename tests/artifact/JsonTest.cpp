// The JSON metadata: its trees, its bytes, and that it is what the published schema says.
#include "SampleModule.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace fly;
using namespace fly::artifact;
using namespace fly::artifact::testing;

/// Without references.
static nlohmann::json whole(const nlohmann::json &part, const nlohmann::json &expressions) {
  if (part.is_object() && part.contains("ref"))
    return whole(expressions.at(part["ref"].get<size_t>()), expressions);
  nlohmann::json all = part;
  if (part.is_structured())
    for (auto &each : all)
      each = whole(each, expressions);
  return all;
}

TEST(Json, ExpressionsThatOccurSeveralTimesAreThereOnce) {
  auto json = nlohmann::json::parse(toJson(sampleModule()));
  std::set<std::string> seen;
  for (size_t i = 0; i < json["expressions"].size(); ++i) {
    EXPECT_TRUE(seen.insert(json["expressions"][i].dump()).second);
    for (auto &arg : json["expressions"][i]["args"])
      EXPECT_LT(arg.value("ref", int64_t(-1)), int64_t(i)); // elements before it
    EXPECT_NE(json["architectures"].dump().find("{\"ref\":" + std::to_string(i) + "}"), std::string::npos);
  }
  EXPECT_GT(seen.size(), 2u);
}

TEST(Json, ExpressionsAreTrees) {
  auto json = nlohmann::json::parse(toJson(sampleModule()));
  json = whole(json, json["expressions"]);
  auto &kernel = json["architectures"][0]["kernels"][0];
  EXPECT_EQ(kernel["grid"][0].dump(), R"({"args":[{"index":3,"name":"n","op":"parameter"},{"op":"int","value":256}],)"
                                      R"("op":"ceil_div"})");
  EXPECT_EQ(kernel["grid"][1].dump(), R"({"op":"int","value":1})");
  EXPECT_EQ(kernel["dynamic_lds"]["value"], 0);
  EXPECT_EQ(kernel["requires"][0]["text"], "n % 4 == 0");
  EXPECT_EQ(kernel["aliases"][0], "add");
  EXPECT_EQ(json["architectures"][1]["kernels"][0]["block"][0]["value"], 128);
  auto &launch = json["architectures"][0]["launches"][0];
  EXPECT_EQ(launch["symbol"], "add_twice");
  EXPECT_EQ(launch["workspace"][0]["bytes"].dump(),
            R"({"args":[{"index":3,"name":"n","op":"parameter"},{"op":"int","value":4}],"op":"mul"})");
  EXPECT_EQ(launch["steps"][0]["fill"].dump(), R"({"workspace":0})");
  EXPECT_EQ(launch["steps"][0]["byte"].dump(), "0");
  EXPECT_EQ(launch["steps"][0]["bytes"].dump(), launch["workspace"][0]["bytes"].dump());
  EXPECT_EQ(launch["steps"][1]["kernel"], "add_f32");
  EXPECT_EQ(launch["steps"][1]["arguments"].dump(),
            R"([{"parameter":0},{"parameter":1},{"workspace":0},{"parameter":3}])");
  EXPECT_EQ(launch["steps"][2]["when"]["op"], "gt");
}

TEST(Json, SameModuleSameBytesWithANewlineAtTheEnd) {
  std::string text = toJson(sampleModule());
  EXPECT_EQ(text, toJson(sampleModule()));
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.find("compileMs"), std::string::npos);
}

TEST(Json, FitsThePublishedSchema) {
  TemporaryDirectory directory;
  ModuleInfo module = sampleModule();
  module.docstring += "\xff not UTF-8";
  // Every operation once, and numbers JSON does not have.
  host::ExprRef x = host::parameter(3, "n", host::ExprKind::Int), y = host::parameter(3, "n", host::ExprKind::Float);
  for (int op = int(host::ExprOp::Neg); op <= int(host::ExprOp::Select); ++op) {
    unsigned operands = host::operandCount(host::ExprOp(op));
    for (const host::ExprRef &operand : {x, y})
      module.archs[0].instances[0].requirements.push_back(
          {host::make(host::ExprOp(op), std::vector<host::ExprRef>(operands, operand)), "all", "x.fly", 1, false});
  }
  module.archs[0].instances[0].requirements.push_back({host::floatConstant(1 / 0.0), "", "", 0, true});
  writeText(directory.file("m.json"), toJson(module));
  writeText(directory.file("empty.json"), toJson({"empty", "empty.fly", "", {}}));
  CommandResult result = run("python3 " + word(FLY_SOURCE_DIR "/docs/schema/validate.py") + " " +
                             directory.word("m.json") + " " + directory.word("empty.json"));
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST(Json, SchemaRefusesWhatIsNotMetadata) {
  TemporaryDirectory directory;
  std::string text = toJson(sampleModule());
  text.replace(text.find("\"ceil_div\""), 10, "\"ceil\"");
  writeText(directory.file("m.json"), text);
  EXPECT_NE(run("python3 " + word(FLY_SOURCE_DIR "/docs/schema/validate.py") + " " + directory.word("m.json")).status,
            0);
}
