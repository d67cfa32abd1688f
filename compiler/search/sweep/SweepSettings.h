// What `flyc sweep` is asked for.
#pragma once

#include "compiler/launch/LaunchOptions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fly::driver {

struct SweepSettings {
  EmulatorOptions emulator;
  TimeOptions time;
  std::string path, grid;
  std::vector<std::string> archs;
  std::vector<std::string> skip; ///< checks, time
  std::string by = "cycles";     ///< the figure that ranks
  unsigned jobs = 0;             ///< processes; 0: one a core
  unsigned timeout = 600;        ///< seconds for one point
  uint64_t limit = 0;            ///< wave instructions per launch; 0: the emulator's default
  std::string journal;           ///< empty: X.sweep.journal
  bool printJobs = false, pin = false, json = false, quiet = false;
  unsigned top = 0;              ///< rows that are printed; 0: all
  std::vector<std::string> join; ///< files of rows
  int64_t job = -1;              ///< run this job alone; -1: all
  std::string rows;              ///< where its row goes; empty: standard output
  bool skips(const std::string &what) const {
    for (auto &each : skip)
      if (each == what)
        return true;
    return false;
  }
};

} // namespace fly::driver
