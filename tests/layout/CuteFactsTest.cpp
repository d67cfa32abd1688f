// Compares with results that CuTe's own headers computed: every case of facts/layout_facts.json, to the letter.
#include "LayoutTesting.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace fly::layout {
namespace {

using Json = nlohmann::json;
using Case = std::function<std::string(const Json &, LeafArithmetic &)>;

template <typename T> std::string textOf(const Result<T> &result) { return result ? result->text() : result.text(); }
std::string number(const Result<Leaf> &result) { return result ? leafText(*result) : result.text(); }

/// A tiler `<4:1;2:1>` by modes; else a layout.
Tile tileOf(const Json &fact) {
  std::string text = fact["b"];
  return text.front() == '<' ? valueOf(parseTile(text)) : Tile::of(L(text));
}
/// The entries as layouts, where the text was read as extents.
Tile withLayouts(const Tile &tile) {
  std::vector<Tile> entries;
  for (std::size_t i = 0; i < tile.rank(); ++i)
    entries.push_back(Tile::of(tile.mode(i).layout()));
  return tile.isTuple() ? Tile(std::move(entries)) : tile;
}

using ByTile = Result<Layout> (*)(const Layout &, const Tile &, LeafArithmetic &);
Case byTile(ByTile operation) {
  return [=](const Json &fact, LeafArithmetic &arithmetic) {
    std::string result = textOf(operation(L(fact["a"]), tileOf(fact), arithmetic));
    if (result == fact["result"].get<std::string>())
      return result;
    // The file writes `1:1` for the extent 1 and for the layout, between which CuTe distinguishes.
    return textOf(operation(L(fact["a"]), withLayouts(tileOf(fact)), arithmetic));
  };
}
using ByLayout = Result<Layout> (*)(const Layout &, const Layout &, LeafArithmetic &);
Case byLayout(ByLayout operation) {
  return [=](const Json &fact, LeafArithmetic &arithmetic) {
    return textOf(operation(L(fact["a"]), L(fact["b"]), arithmetic));
  };
}
using OfOne = Result<Layout> (*)(const Layout &, LeafArithmetic &);
Case ofOne(OfOne operation) {
  return [=](const Json &fact, LeafArithmetic &arithmetic) { return textOf(operation(L(fact["a"]), arithmetic)); };
}
using Recast = Result<Layout> (*)(const Layout &, std::int64_t, LeafArithmetic &);
Case recast(Recast operation) {
  return [=](const Json &fact, LeafArithmetic &arithmetic) {
    return textOf(operation(L(fact["a"]), fact["n"].get<std::int64_t>(), arithmetic));
  };
}

std::string swizzled(const Json &fact) {
  const Json &numbers = fact["swizzle"];
  Swizzle swizzle = valueOf(makeSwizzle(numbers[0], numbers[1], numbers[2]));
  std::vector<IntTuple> results;
  for (const Json &offset : fact["offsets"])
    results.push_back(IntTuple(swizzle.apply(offset.get<std::int64_t>())));
  return IntTuple(std::move(results)).text();
}

const std::map<std::string, Case> operations = {
    {"size_cosize",
     [](const Json &fact, LeafArithmetic &arithmetic) {
       return "(" + number(size(L(fact["a"]), arithmetic)) + "," + number(cosize(L(fact["a"]), arithmetic)) + ")";
     }},
    {"crd2idx", [](const Json &fact,
                   LeafArithmetic &arithmetic) { return number(crd2idx(T(fact["coord"]), L(fact["a"]), arithmetic)); }},
    {"idx2crd",
     [](const Json &fact, LeafArithmetic &arithmetic) {
       return textOf(idx2crd(Leaf::known(fact["index"].get<std::int64_t>()), L(fact["a"]).shape(), arithmetic));
     }},
    {"slice",
     [](const Json &fact, LeafArithmetic &arithmetic) {
       Slice result = valueOf(slice(T(fact["coord"]), L(fact["a"]), arithmetic));
       return "(" + result.layout.text() + "," + leafText(result.offset) + ")";
     }},
    {"complement",
     [](const Json &fact, LeafArithmetic &arithmetic) {
       return textOf(complement(L(fact["a"]), Leaf::known(fact["cotarget"].get<std::int64_t>()), arithmetic));
     }},
    {"swizzle", [](const Json &fact, LeafArithmetic &) { return swizzled(fact); }},
    {"coalesce", ofOne(coalesce)},
    {"filter", ofOne(filter)},
    {"nullspace", ofOne(nullspace)},
    {"right_inverse", ofOne(rightInverse)},
    {"left_inverse", ofOne(leftInverse)},
    {"upcast", recast(upcast)},
    {"downcast", recast(downcast)},
    {"max_common_layout", byLayout(maxCommonLayout)},
    {"blocked_product", byLayout(blockedProduct)},
    {"raked_product", byLayout(rakedProduct)},
    {"composition", byTile(composition)},
    {"logical_divide", byTile(logicalDivide)},
    {"zipped_divide", byTile(zippedDivide)},
    {"tiled_divide", byTile(tiledDivide)},
    {"flat_divide", byTile(flatDivide)},
    {"logical_product", byTile(logicalProduct)},
    {"zipped_product", byTile(zippedProduct)},
    {"tiled_product", byTile(tiledProduct)},
    {"flat_product", byTile(flatProduct)},
};

TEST(CuteFacts, EveryResultAgrees) {
  std::ifstream file(FLY_LAYOUT_FACTS);
  ASSERT_TRUE(file) << FLY_LAYOUT_FACTS;
  std::map<std::string, int> checked;
  for (const Json &fact : Json::parse(file)) {
    auto operation = operations.find(fact["op"].get<std::string>());
    ASSERT_NE(operation, operations.end()) << fact.dump();
    InferringArithmetic arithmetic;
    EXPECT_EQ(operation->second(fact, arithmetic), fact["result"].get<std::string>()) << fact.dump();
    ++checked[operation->first];
  }
  for (const auto &[name, operation] : operations)
    EXPECT_GE(checked[name], 27) << name;
}

} // namespace
} // namespace fly::layout
