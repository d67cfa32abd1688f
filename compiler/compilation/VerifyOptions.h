// `-W no-verify=RULE`: rules of compiler/verify that a build or `flyc verify` leaves out.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

struct RulesTurnedOff {
  std::vector<std::string> names;
  std::string problem; ///< if it is not empty, there is no such rule
};
/// None if the option is not about this. `no-verify` alone turns off all rules.
std::optional<RulesTurnedOff> rulesTurnedOff(const std::string &warning);

} // namespace fly::driver
