// See Page.h. The files of assets/ in the order in which they depend on each other.
#include "compiler/page/Page.h"

#include "compiler/timing/Frame.h"
#include "compiler/timing/Palette.h"
#include "compiler/timing/Text.h"

namespace fly::page {

namespace {

const struct {
  std::string_view name, text;
} files[] = {
#include "compiler/page/Assets.inc"
};

std::string asset(std::string_view name) {
  for (const auto &file : files)
    if (file.name == name)
      return std::string(file.text);
  return "";
}

/// Safe inside of a script element: these characters occur only in strings, where their escapes mean the same.
std::string inScript(const Json &json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (char c : text)
    switch (c) {
    case '<': out += "\\u003c"; break;
    case '>': out += "\\u003e"; break;
    case '&': out += "\\u0026"; break;
    default: out += c;
    }
  return out;
}

std::string data(const std::string &id, const Json &json) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + inScript(json) + "</script>\n";
}

/// What the list of kernels shows of each.
Json entryOf(const Json &kernel) {
  const Json &report = kernel["report"];
  Json out;
  out["name"] = report["name"];
  out["demangled"] = report["demangled"];
  for (const char *key : {"object", "architecture", "kind"})
    out[key] = kernel[key];
  out["instructions"] = kernel["code"]["text"].size();
  return out;
}

Json paletteJson() {
  Json units = Json::array(), stalls = Json::array();
  for (size_t i = 0; i < timing::unitCount; ++i)
    units.push_back(timing::look(timing::Unit(i)).label);
  for (unsigned i = 0; i < emulator::stallCount; ++i)
    stalls.push_back({std::string(emulator::name(emulator::Stall(i))), timing::look(emulator::Stall(i)).sentence});
  return {{"units", std::move(units)}, {"stalls", std::move(stalls)}};
}

} // namespace

std::string pageOf(const Json &model, const std::string &title) {
  std::string script, parts;
  for (const char *part : {"model", "links", "text", "pane", "isa", "arrows", "pressure", "summary", "pictures",
                           "drawer", "copies", "input", "main"})
    script += asset(part);
  Json index = {{"schema_version", model["schema_version"]},
                {"title", title},
                {"palette", paletteJson()},
                {"kernels", Json::array()}};
  Json fileNames = Json::array();
  for (const Json &file : model["files"])
    fileNames.push_back(file["name"]);
  index["files"] = std::move(fileNames);
  for (const Json &kernel : model["kernels"])
    index["kernels"].push_back(entryOf(kernel));
  parts += data("index", index);
  for (size_t i = 0; i < model["files"].size(); ++i)
    parts += data("file-" + std::to_string(i), model["files"][i]);
  for (size_t i = 0; i < model["kernels"].size(); ++i)
    parts += data("kernel-" + std::to_string(i), model["kernels"][i]);
  return timing::document({.title = title,
                           .style = std::string(timing::pageFile("base")) + asset("page") + asset("drawer-style"),
                           .script = script,
                           .body = asset("body") + parts,
                           .bodyClass = "report"});
}

} // namespace fly::page
