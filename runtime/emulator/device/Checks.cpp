// The text of --check, and lists of findings.
#include "runtime/emulator/device/Checks.h"

#include <algorithm>

namespace fly::emulator {

namespace {

struct CheckRow {
  std::string_view name;
  CheckMode Checks::*mode;
};
constexpr CheckRow checkRows[] = {{"wait", &Checks::waits},
                                  {"races", &Checks::races},
                                  {"hazards", &Checks::hazards},
                                  {"init", &Checks::init},
                                  {"barriers", &Checks::barriers}};

struct ModeRow {
  std::string_view name;
  CheckMode mode;
};
constexpr ModeRow modeRows[] = {{"error", CheckMode::Error}, {"warn", CheckMode::Warn}, {"off", CheckMode::Off}};

/// Faults that always end a launch, and why.
struct AlwaysRow {
  std::string_view name, why;
};
constexpr AlwaysRow alwaysRows[] = {
    {"bounds", "an access outside memory gives no value to continue with"},
    {"registers", "a register that the kernel does not have gives no value to continue with"},
    {"alignment", "what the hardware does with a misaligned access is not documented"},
    {"instructions", "an unknown instruction gives no result to continue with"},
    {"deadlock", "no wave can continue"},
    {"trap", "the kernel stops itself"}};

template <typename Row, size_t n> const Row *find(const Row (&rows)[n], std::string_view name) {
  auto found = std::find_if(rows, rows + n, [&](const Row &row) { return row.name == name; });
  return found == rows + n ? nullptr : found;
}

template <typename Row, size_t n> std::string names(const Row (&rows)[n]) {
  std::string text;
  for (const Row &row : rows) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

/// In the singular, too: "race".
const CheckRow *findCheck(std::string_view name) {
  const CheckRow *row = find(checkRows, name);
  return row ? row : find(checkRows, std::string(name) + "s");
}

} // namespace

std::string parseChecks(std::string_view text, Checks &checks) {
  Checks result = checks;
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
    const size_t colon = item.find(':');
    const std::string name(item.substr(0, colon)), mode(colon == item.npos ? "error" : item.substr(colon + 1));
    if (const AlwaysRow *always = find(alwaysRows, name))
      return "`" + name + "` always ends the run: " + std::string(always->why) + "; the checks are " + names(checkRows);
    const CheckRow *check = findCheck(name);
    if (!check && name != "all") return "`" + name + "` is not a check; choose all, " + names(checkRows);
    const ModeRow *found = find(modeRows, mode);
    if (!found) return "`" + mode + "` is not a mode of a check; choose " + names(modeRows);
    for (const CheckRow &row : checkRows)
      if (!check || check == &row) result.*row.mode = found->mode;
  }
  checks = result;
  return {};
}

std::string Finding::frequency() const {
  return count == 1 ? "once, in " : std::to_string(count) + " times, first in ";
}

void Finding::keepFirst(uint64_t ofUnit, const FaultReport &other) {
  if (ofUnit >= unit) return;
  unit = ofUnit;
  report.place = other.place;
  report.address = other.address;
}

Finding *FindingList::at(const Place &place) {
  auto known = places.find(place);
  if (known == places.end()) {
    if (places.size() == limit) {
      ++others;
      return nullptr;
    }
    known = places.emplace(place, Finding()).first;
    known->second.kind = std::get<FaultKind>(place);
    known->second.instruction = std::get<0>(place);
    known->second.earlier = std::get<1>(place);
  }
  return &known->second;
}

void FindingList::merge(const FindingList &other) {
  others += other.others;
  for (const auto &[place, finding] : other.places) {
    auto known = places.find(place);
    if (known == places.end()) {
      if (places.size() < limit) places.emplace(place, finding);
      else others += finding.count;
      continue;
    }
    Finding &mine = known->second;
    mine.count += finding.count;
    mine.keepFirst(finding.unit, finding.report);
  }
}

} // namespace fly::emulator
