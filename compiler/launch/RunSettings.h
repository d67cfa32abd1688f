// What `flyc run` is asked for.
#pragma once

#include "compiler/launch/LaunchOptions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fly::driver {

struct RunSettings {
  EmulatorOptions emulator;
  std::string path, kernel, arch;
  std::vector<std::string> grid; ///< one to three: N, compute_units, N*compute_units; empty: its own
  std::vector<uint32_t> block;   ///< one to three numbers; alike
  std::vector<uint32_t> cluster; ///< workgroups; alike
  int64_t ldsBytes = -1;         ///< dynamic; -1: the kernel's own
  std::string kernarg;           ///< the block of arguments: @FILE or hexadecimal digits; empty: none
  std::vector<std::string> arguments, outputs, prints;
  std::string order = "ascending";
  unsigned threads = 0; ///< 0: one a core
  uint64_t limit = 0;   ///< wave instructions; 0: the emulator's
  bool races = false;   ///< a race on LDS is a fault
  std::string matrix = "exact";
  std::string profile, profileOutput;
  TimeOptions timing;
  std::string timeModel;            ///< text or json; empty: no time model
  std::string timeOutput, timePage; ///< files
  bool quiet = false, time = false;
};

} // namespace fly::driver
