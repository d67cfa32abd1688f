// How kernels run: on which emulated device, with which time model, or on a GPU. What the command line says, unread;
// EmulatorOptions.h, TimeOptions.h and FigureSource.h read it.
#pragma once

#include <string>
#include <vector>

namespace fly::driver {

/// What the emulated device is like, for commands that run kernels.
struct EmulatorOptions {
  std::vector<std::string> checks; ///< "wait:warn,races"; later ones win
  unsigned computeUnits = 0;       ///< 0: the emulator's default
};

/// Of the time model (runtime/emulator/timing).
struct TimeOptions {
  std::string machine;               ///< a file with constants; empty: the architecture's own machine
  std::string computeUnits = "auto"; ///< that are simulated: auto, xcd, all, or a number
  unsigned rounds = 0;               ///< of workgroups; 0: all
  bool sample = false;               ///< execute only the workgroups that are simulated
  bool cold = false;                 ///< the memory-side cache holds nothing when a kernel starts
};

/// What measures benches.
struct DeviceOptions {
  std::string device = "model";     ///< model, gpu, auto
  unsigned warmUp = 3, repeat = 11; ///< runs of a launch on a GPU: first without a time, then with one
};

} // namespace fly::driver
