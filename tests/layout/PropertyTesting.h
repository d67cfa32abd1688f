// What the tests of laws have in common: random rounds, and what a failure shows.
#pragma once

#include "RandomLayouts.h"

#include <algorithm>

namespace fly::layout {

#define FOR_EACH_RANDOM(count, salt)                                                                                   \
  RandomLayouts random(salt);                                                                                          \
  InferringArithmetic arithmetic;                                                                                      \
  for (int round = 0; round < (count) && !::testing::Test::HasFailure(); ++round)

inline std::string where(const std::string &what) {
  return what + " (FLY_LAYOUT_SEED=" + std::to_string(seedOfRun()) + ")";
}

template <typename... Parts> std::string show(const Parts &...parts) {
  std::string text;
  ((text += (text.empty() ? "" : " , ") + parts.text()), ...);
  return where(text);
}

inline bool distinct(Offsets offsets) {
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
}
inline Offsets sorted(Offsets offsets) {
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

} // namespace fly::layout
