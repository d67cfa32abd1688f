// Sections as JSON, the same in `flyc doctor --json` and in a report of a full check.
#pragma once

#include "compiler/doctor/Advice.h"

#include <nlohmann/json.hpp>

namespace fly::doctor {

/// "ok", "note", "problem".
const char *name(Level level);
/// [{"title", "lines": [{"level", "what", "advice"}]}]
nlohmann::ordered_json toJson(const std::vector<Section> &sections);
/// The other direction; throws nlohmann::ordered_json::exception for other JSON.
std::vector<Section> sectionsOf(const nlohmann::ordered_json &json);

} // namespace fly::doctor
