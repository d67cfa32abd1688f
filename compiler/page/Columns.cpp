// See Columns.h.
#include "compiler/page/Columns.h"

#include "compiler/report/ValueUses.h"
#include "compiler/timing/Palette.h"

#include "llvm/ADT/StringRef.h"

namespace fly::page {

int32_t Places::of(const std::string &file, uint32_t line, uint32_t column, int32_t caller) {
  if (line == 0)
    return -1;
  const int32_t number = fileOf(file);
  auto [found, isNew] = known.try_emplace({number, line, column, caller}, static_cast<int32_t>(list.size()));
  if (isNew)
    list.push_back({number, line, column, caller});
  return found->second;
}

std::vector<int32_t> Places::of(const artifact::PlacedText &text) {
  std::vector<int32_t> numbers;
  for (const auto &place : text.places)
    numbers.push_back(
        of(place.file, place.line, place.column, place.caller < 0 ? -1 : numbers[static_cast<size_t>(place.caller)]));
  std::vector<int32_t> out;
  for (int32_t place : text.ofLine)
    out.push_back(place < 0 ? -1 : numbers[static_cast<size_t>(place)]);
  return out;
}

Json codeColumns(const isa::CodeObject &object, const report::Code &code, const Json &listing, Places &places) {
  Json out;
  const char *columns[] = {"address", "text", "place", "unit", "block", "loop", "vgprs", "agprs", "sgprs", "target"};
  for (const char *column : columns)
    out[column] = Json::array();
  Json covers = Json::array();
  std::vector<std::string> counters;
  for (uint32_t i = 0; i < code.instructions.size(); ++i) {
    const isa::Instruction &instruction = code.instructions[i];
    const Json &listed = listing[i];
    const isa::SourceLocation &at = instruction.location;
    out["address"].push_back(instruction.address);
    out["text"].push_back(code.texts[i]);
    out["place"].push_back(at.valid() && at.file < object.files().size()
                               ? places.of(object.files()[at.file], at.line, at.column, -1)
                               : -1);
    out["unit"].push_back(static_cast<int>(timing::unitOf(isa::name(instruction.cls))));
    out["block"].push_back(listed["block"]);
    out["loop"].push_back(listed["loop"].is_null() ? Json(-1) : listed["loop"]);
    for (const char *file : {"vgprs", "agprs", "sgprs"})
      out[file].push_back(listed["live"][file]);
    const auto target = instruction.target();
    const uint32_t jump = target ? code.at(*target) : ~0u;
    out["target"].push_back(jump == ~0u ? -1 : static_cast<int64_t>(jump));
    if (!listed.contains("covers"))
      continue;
    for (const Json &covered : listed["covers"]) {
      const std::string counter = covered["counter"];
      auto found = std::find(counters.begin(), counters.end(), counter);
      const auto number = found - counters.begin();
      if (found == counters.end())
        counters.push_back(counter);
      for (int64_t value :
           {int64_t(i), int64_t(code.at(covered["address"])), int64_t(number), int64_t(covered["passes_ago"])})
        covers.push_back(value);
    }
  }
  out["counters"] = counters;
  out["covers"] = std::move(covers);
  const report::ValueUses uses = report::valueUses(code);
  Json &arrows = out["uses"] = Json::array();
  for (const report::ValueUse &use : uses.all)
    for (uint32_t value : {use.definition, use.use, uint32_t(use.unit), uint32_t(use.count)})
      arrows.push_back(value);
  out["uses_are_cut"] = uses.isCut;
  return out;
}

Json textColumns(const artifact::PlacedText &text, Places &places) {
  llvm::StringRef trimmed = llvm::StringRef(text.text).rtrim('\n');
  if (trimmed.empty())
    return nullptr;
  std::vector<int32_t> ofLine = places.of(text);
  ofLine.resize(size_t(trimmed.count('\n')) + 1, -1);
  return {{"text", trimmed.str()}, {"place", std::move(ofLine)}};
}

} // namespace fly::page
