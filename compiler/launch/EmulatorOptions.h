// The options of commands that run kernels, as the emulator takes them.
#pragma once

#include "compiler/launch/LaunchOptions.h"
#include "compiler/text/Words.h"
#include "runtime/emulator/device/Checks.h"
#include "runtime/emulator/device/DeviceNumbers.h"

#include <algorithm>

namespace fly::driver {

/// The texts are valid: the option has checked them.
inline emulator::Checks checksOf(const EmulatorOptions &options, emulator::Checks checks = {}) {
  for (auto &text : options.checks)
    emulator::parseChecks(text, checks);
  return checks;
}

inline unsigned computeUnitsOf(const EmulatorOptions &options) {
  return options.computeUnits ? options.computeUnits : emulator::defaultComputeUnits;
}

/// What a list leaves out.
inline std::string furtherFindings(const emulator::FindingList &findings) {
  return "checks found something " + std::to_string(findings.others) + " more times, at other places";
}

/// ", equal stores of waves in 2 places" for a summary; empty if there are none.
inline std::string equalStoresText(const emulator::FindingList &findings) {
  const auto n = std::count_if(findings.begin(), findings.end(), [](auto &each) { return each.second.isNote(); });
  return n == 0 ? "" : ", equal stores of waves in " + counted(n, "place");
}

} // namespace fly::driver
