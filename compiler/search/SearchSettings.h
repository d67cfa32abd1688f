// What every search is asked for, whatever it searches.
#pragma once

#include "compiler/launch/LaunchOptions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fly::driver {

struct SearchSettings {
  EmulatorOptions emulator;
  TimeOptions time;
  std::string path; ///< the .fly file
  std::vector<std::string> archs;
  unsigned jobs = 0;      ///< processes; 0: one per core
  unsigned timeout = 600; ///< seconds for one job
  uint64_t limit = 0;     ///< wave instructions per launch; 0: the emulator's default
  std::string journal;    ///< empty: X.tune.journal, X.sweep.journal
  bool printJobs = false, json = false, quiet = false;
  std::vector<std::string> join; ///< files of rows
  int64_t job = -1;              ///< run this job alone; -1: all
  std::string rows;              ///< where its row goes; empty: standard output
};

} // namespace fly::driver
