// The architecture of a command that compiles, unless `--arch` names others. Its row is in Target.cpp.
#pragma once

#include <string_view>

namespace fly::target {

inline constexpr std::string_view defaultName = "gfx942";

} // namespace fly::target
