// See SweepGrid.h.
#include "compiler/search/sweep/SweepGrid.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

namespace {

using Json = nlohmann::ordered_json;

/// More are not a sweep but a mistake; each is a process.
constexpr size_t mostPoints = 100'000;

struct Wrong {
  std::string text;
};

std::optional<std::string> valueOf(const Json &json, bool isLlvm, const std::string &name) {
  if (json.is_null())
    return std::nullopt;
  if (json.is_boolean())
    return isLlvm ? json.get<bool>() ? "true" : "false" : json.get<bool>() ? "True" : "False";
  if (json.is_number())
    return json.dump();
  if (json.is_string() && !json.get<std::string>().empty())
    return json.get<std::string>();
  throw Wrong{"a value of `" + name + "` is " + json.dump() + ", not a number, a text, true, false or null"};
}

void readAxes(const Json &json, const char *key, bool isLlvm, SweepGrid &grid) {
  auto found = json.find(key);
  if (found == json.end())
    return;
  if (!found->is_object())
    throw Wrong{"`" + std::string(key) + "` must be an object"};
  for (auto &[name, values] : found->items()) {
    if (!values.is_array() || values.empty())
      throw Wrong{"`" + name + "` needs a list of values"};
    SweepAxis axis{name, isLlvm, {}};
    for (auto &value : values) {
      auto text = valueOf(value, isLlvm, name);
      if (llvm::is_contained(axis.values, text))
        throw Wrong{"`" + name + "` has the value " + value.dump() + " twice"};
      axis.values.push_back(std::move(text));
    }
    grid.axes.push_back(std::move(axis));
  }
}

std::string textOf(const Json &json, const char *key) {
  auto found = json.find(key);
  if (found == json.end())
    return "";
  if (!found->is_string())
    throw Wrong{"`" + std::string(key) + "` must be a string"};
  return found->get<std::string>();
}

} // namespace

size_t SweepGrid::points() const {
  size_t count = 1;
  for (auto &axis : axes)
    count *= axis.values.size();
  return count;
}

std::vector<std::optional<std::string>> SweepGrid::point(size_t number) const {
  std::vector<std::optional<std::string>> out(axes.size());
  for (size_t i = axes.size(); i-- > 0; number /= axes[i].values.size())
    out[i] = axes[i].values[number % axes[i].values.size()];
  return out;
}

std::string SweepGrid::title(size_t number) const {
  std::string title;
  auto values = point(number);
  for (size_t i = 0; i < axes.size(); ++i)
    if (values[i])
      title += (title.empty() ? "" : " ") + axes[i].name + "=" + *values[i];
  return title.empty() ? "as in the source" : title;
}

std::optional<SweepGrid> SweepGrid::parse(const std::string &text, std::string &error) {
  try {
    const Json json = Json::parse(text);
    if (!json.is_object())
      throw Wrong{"it must be an object"};
    if (auto version = json.find("schema_version"); version == json.end() || *version != 1)
      throw Wrong{"it needs `\"schema_version\": 1`"};
    for (auto &[key, value] : json.items())
      if (!llvm::is_contained({"schema_version", "constants", "llvm", "where", "benches", "checks", "kernel"}, key))
        throw Wrong{"it has no key `" + key + "`; the keys are constants, llvm, where, benches, checks, kernel"};
    SweepGrid grid;
    readAxes(json, "constants", /*isLlvm=*/false, grid);
    readAxes(json, "llvm", /*isLlvm=*/true, grid);
    if (grid.axes.empty())
      throw Wrong{"it varies nothing: `constants` or `llvm` has lists of values"};
    size_t count = 1;
    for (auto &axis : grid.axes)
      if ((count *= axis.values.size()) > mostPoints)
        throw Wrong{"it has more than " + std::to_string(mostPoints) + " points"};
    grid.where = textOf(json, "where");
    grid.benches = textOf(json, "benches");
    grid.checks = textOf(json, "checks");
    grid.kernel = textOf(json, "kernel");
    return grid;
  } catch (const Wrong &wrong) {
    error = wrong.text;
  } catch (const Json::exception &problem) {
    error = llvm::StringRef(problem.what()).split("] ").second.str(); // without nlohmann's own name of it
  }
  return std::nullopt;
}

} // namespace fly::driver
