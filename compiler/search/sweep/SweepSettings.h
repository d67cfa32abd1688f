// What `flyc sweep` is asked for.
#pragma once

#include "compiler/search/SearchSettings.h"

namespace fly::driver {

struct SweepSettings : SearchSettings {
  std::string grid;              ///< a file
  std::vector<std::string> skip; ///< checks, time
  std::string by = "cycles";     ///< the figure that ranks
  bool pin = false;
  unsigned top = 0; ///< rows that are printed; 0: all

  bool skips(const std::string &what) const {
    for (auto &each : skip)
      if (each == what)
        return true;
    return false;
  }
};

} // namespace fly::driver
