// What `flyc doctor` says of what it found: a line each, and what to do.
#pragma once

#include "compiler/doctor/HipFacts.h"
#include "compiler/doctor/SystemFacts.h"

#include <string>
#include <vector>

namespace fly::doctor {

enum class Level : uint8_t {
  Fine,
  Note,    ///< works, and may surprise
  Problem, ///< flyc cannot use a GPU, or this one
};

struct Line {
  Level level;
  std::string what;
  std::string advice = {}; ///< empty: nothing to do
};

struct Section {
  std::string title;
  std::vector<Line> lines;
};

Section systemSection(const SystemFacts &system);
Section hipSection(const SystemFacts &system, const HipFacts &hip);
/// The devices, which of them flyc uses, and why not the others.
Section deviceSection(const HipFacts &hip);
/// Settings of the environment that decide what flyc uses.
Section environmentSection();
/// The architectures of the devices that flyc compiles for, each once.
std::vector<std::string> usableArchitectures(const HipFacts &hip);

} // namespace fly::doctor
