// What `flyc tune` is asked for.
#pragma once

#include "compiler/search/SearchSettings.h"

namespace fly::driver {

struct TuneSettings : SearchSettings {
  DeviceOptions device;
  std::string kernel, filter;      ///< only these; empty: all
  std::vector<std::string> shapes; ///< NAME=VALUE,...: parameters of benches
  bool dryRun = false;
  double below = -1; ///< a candidate whose bound is above this is not run; -1: none
};

} // namespace fly::driver
