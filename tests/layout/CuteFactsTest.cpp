// Compares with results that CuTe's own headers computed: every case of facts/layout_facts.json whose operation exists
// here. A result must agree in profile and extents; where CuTe and we give an extent of 1 another stride (CuTe's depends
// on how the tiler's type was made), the functions are compared instead.
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

/// A tiler `<4:1;2:1>` by modes; a plain layout otherwise.
std::vector<TilerMode> byMode(const std::string &text) {
  std::vector<TilerMode> result;
  for (std::size_t start = 1; start < text.size();) {
    std::size_t end = text.find_first_of(";>", start);
    result.push_back({false, L(text.substr(start, end - start))});
    start = end + 1;
  }
  return result;
}
bool isByMode(const std::string &text) { return text.front() == '<'; }

std::string divide(const Json &fact, bool zipped, LeafArithmetic &arithmetic) {
  Layout a = L(fact["a"]);
  std::string b = fact["b"];
  if (isByMode(b))
    return textOf(zipped ? zippedDivide(a, byMode(b), arithmetic) : logicalDivide(a, byMode(b), arithmetic));
  return textOf(zipped ? zippedDivide(a, L(b), arithmetic) : logicalDivide(a, L(b), arithmetic));
}

std::string compose(const Json &fact, LeafArithmetic &arithmetic) {
  Layout a = L(fact["a"]);
  std::string b = fact["b"];
  if (!isByMode(b))
    return textOf(composition(a, L(b), arithmetic));
  std::vector<IntTuple> shape, stride;
  std::vector<TilerMode> tiler = byMode(b);
  for (std::size_t i = 0; i < tiler.size(); ++i) {
    Layout mode = valueOf(composition(a.mode(i), tiler[i].layout, arithmetic));
    shape.push_back(mode.shape());
    stride.push_back(mode.stride());
  }
  return Layout(IntTuple(shape), IntTuple(stride)).text();
}

const std::map<std::string, Case> operations = {
    {"size_cosize",
     [](const Json &fact, LeafArithmetic &arithmetic) {
       return "(" + number(size(L(fact["a"]), arithmetic)) + "," + number(cosize(L(fact["a"]), arithmetic)) + ")";
     }},
    {"coalesce",
     [](const Json &fact, LeafArithmetic &arithmetic) { return textOf(coalesce(L(fact["a"]), arithmetic)); }},
    {"crd2idx", [](const Json &fact,
                   LeafArithmetic &arithmetic) { return number(crd2idx(T(fact["coord"]), L(fact["a"]), arithmetic)); }},
    {"slice",
     [](const Json &fact, LeafArithmetic &arithmetic) {
       Slice result = valueOf(slice(T(fact["coord"]), L(fact["a"]), arithmetic));
       return "(" + result.layout.text() + "," + leafText(result.offset) + ")";
     }},
    {"complement",
     [](const Json &fact, LeafArithmetic &arithmetic) {
       return textOf(complement(L(fact["a"]), Leaf::known(fact["cotarget"].get<std::int64_t>()), arithmetic));
     }},
    {"composition", compose},
    {"logical_divide", [](const Json &fact, LeafArithmetic &arithmetic) { return divide(fact, false, arithmetic); }},
    {"zipped_divide", [](const Json &fact, LeafArithmetic &arithmetic) { return divide(fact, true, arithmetic); }},
};

/// Strides of extents that are known to be 1 set to 0: they take no part in the function.
std::string withoutUnitStrides(const std::string &text) {
  Result<Layout> layout = parseLayout(text);
  if (!layout)
    return text;
  std::vector<Leaf> shape = layout->shape().leaves();
  std::size_t i = 0;
  IntTuple stride =
      layout->stride().mapLeaves([&](const Leaf &leaf) { return shape[i++].isStatic(1) ? Leaf::known(0) : leaf; });
  return Layout(layout->shape(), stride).text();
}

TEST(CuteFacts, EveryResultOfOurOperationsAgrees) {
  std::ifstream file(FLY_LAYOUT_FACTS);
  ASSERT_TRUE(file) << FLY_LAYOUT_FACTS;
  std::map<std::string, int> checked;
  for (const Json &fact : Json::parse(file)) {
    auto operation = operations.find(fact["op"].get<std::string>());
    if (operation == operations.end())
      continue;
    InferringArithmetic arithmetic;
    EXPECT_EQ(withoutUnitStrides(operation->second(fact, arithmetic)),
              withoutUnitStrides(fact["result"].get<std::string>()))
        << fact.dump();
    ++checked[operation->first];
  }
  for (const auto &[name, operation] : operations)
    EXPECT_GE(checked[name], 27) << name;
}

} // namespace
} // namespace fly::layout
