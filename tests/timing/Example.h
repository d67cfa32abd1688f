// A launch to draw: a product of tiles as a kernel with a double buffer in LDS runs it, with the times of a simple
// model.
#pragma once

#include "runtime/emulator/timing/Timing.h"

namespace fly::timing {

struct ExampleOptions {
  unsigned waves = 4, simds = 4, iterations = 4;
  bool hidden = true; ///< loads are issued an iteration ahead; else each waits for its own
  unsigned matrix = 256, ldsReads = 64, loads = 32; ///< by all waves, in one iteration
  unsigned matrixCycles = 16, flight = 900;
};
emulator::Timing exampleTiming(const ExampleOptions &options = {});

} // namespace fly::timing
