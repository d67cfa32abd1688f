// What `flyc tune` is asked for.
#pragma once

#include "compiler/launch/LaunchOptions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fly::driver {

struct TuneSettings {
  EmulatorOptions emulator;
  TimeOptions time;
  DeviceOptions device;
  std::string path;
  std::vector<std::string> archs;
  std::string kernel, filter;      ///< only these; empty: all
  std::vector<std::string> shapes; ///< NAME=VALUE,...: parameters of benches
  unsigned jobs = 0;               ///< processes; 0: one a core
  unsigned timeout = 600;          ///< seconds for one candidate
  uint64_t limit = 0;              ///< wave instructions per launch; 0: the emulator's default
  std::string journal;             ///< empty: X.tune.journal
  bool printJobs = false, dryRun = false, json = false, quiet = false;
  std::vector<std::string> join; ///< files of rows
  int64_t job = -1;              ///< run this job alone; -1: all
  std::string rows;              ///< where its row goes; empty: standard output
  double below = -1;             ///< a candidate whose bound is above this is not run; -1: none
};

} // namespace fly::driver
