#include "compiler/doctor/SectionJson.h"

namespace fly::doctor {

using Json = nlohmann::ordered_json;

const char *name(Level level) {
  switch (level) {
  case Level::Fine: return "ok";
  case Level::Note: return "note";
  case Level::Problem: return "problem";
  }
  return "";
}

static Level levelOf(const std::string &text) {
  for (Level level : {Level::Problem, Level::Note})
    if (text == name(level))
      return level;
  return Level::Fine;
}

Json toJson(const std::vector<Section> &sections) {
  Json all = Json::array();
  for (const Section &section : sections) {
    Json lines = Json::array();
    for (const Line &line : section.lines)
      lines.push_back({{"level", name(line.level)}, {"what", line.what}, {"advice", line.advice}});
    all.push_back({{"title", section.title}, {"lines", std::move(lines)}});
  }
  return all;
}

std::vector<Section> sectionsOf(const Json &json) {
  std::vector<Section> sections;
  for (const Json &section : json.get_ref<const Json::array_t &>()) {
    sections.push_back({section.at("title"), {}});
    for (const Json &line : section.at("lines").get_ref<const Json::array_t &>())
      sections.back().lines.push_back({levelOf(line.at("level")), line.at("what"), line.at("advice")});
  }
  return sections;
}

} // namespace fly::doctor
