// Layouts of numbers against what CuTe's own headers computed (tests/layout/facts).
#include "compiler/reference/Places.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fly::reference {
namespace {

using Json = nlohmann::json;

Json facts() {
  std::ifstream file(FLY_LAYOUT_FACTS);
  return Json::parse(file);
}

Function layoutOf(const std::string &text) {
  const int64_t *none = nullptr;
  auto layout = layout::parseAnyLayout(text);
  EXPECT_TRUE(bool(layout)) << text;
  return functionOf(*layout, none);
}

std::vector<int64_t> placesOf(const PlainLayout &layout) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < layout.size(); ++i)
    places.push_back(placeOf(Tree::of(i), layout).number);
  return places;
}

TEST(Reference, LayoutsAreEvaluatedByTheirDefinition) {
  unsigned checked = 0;
  for (const Json &fact : facts())
    if (fact["op"] == "crd2idx") {
      const int64_t *none = nullptr;
      auto coordinate = layout::parseIntTuple(fact["coord"].get<std::string>());
      ASSERT_TRUE(bool(coordinate));
      EXPECT_EQ(layoutOf(fact["a"]).at(treeOf(*coordinate, none)).number, std::stoll(fact["result"].get<std::string>()))
          << fact;
      ++checked;
    }
  EXPECT_GE(checked, 30u);
}

TEST(Reference, StepsGiveCutesFunctions) {
  const std::map<std::string, std::string> steps = {{"composition", "composition "},
                                                    {"logical_divide", "logical_divide "},
                                                    {"zipped_divide", "zipped_divide "},
                                                    {"tiled_divide", "tiled_divide "},
                                                    {"flat_divide", "flat_divide "}};
  std::map<std::string, unsigned> checked;
  for (const Json &fact : facts()) {
    auto found = steps.find(fact["op"]);
    if (found == steps.end())
      continue;
    auto step = layout::parseRearrangement(found->second + fact["b"].get<std::string>());
    ASSERT_TRUE(bool(step)) << fact;
    const int64_t *none = nullptr;
    auto result = rearranged(layoutOf(fact["a"]).domain, *step, none);
    if (!result)
      continue; // a tile of tiles
    EXPECT_EQ(placesOf(*result), placesOf(layoutOf(fact["result"]).domain)) << fact;
    ++checked[fact["op"]];
  }
  for (auto &[name, text] : steps)
    EXPECT_GE(checked[name], 20u) << name;
}

TEST(Reference, SwizzlesAreCutes) {
  // x ^ ((x & Y) >> shift), by hand.
  const Function swizzled = layoutOf("S<3,3,3> o 0 o (8,64):(64,1)");
  for (int64_t row = 0; row < 8; ++row)
    for (int64_t column = 0; column < 64; ++column)
      EXPECT_EQ(swizzled.at(Tree::of(std::vector{Tree::of(row), Tree::of(column)})).number,
                row * 64 + ((column / 8) ^ row) * 8 + column % 8);
}

} // namespace
} // namespace fly::reference
