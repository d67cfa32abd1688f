// Where a wave goes round: for the report of a launch that reached its instruction limit.
//
// The wave runs on, one instruction after the other, until it has come to its current instruction again a few times.
// What lies between two visits is one turn of its loop. A read whose address is the same in all of them is polled.
#pragma once

#include "runtime/emulator/wave/Program.h"

#include <string>
#include <vector>

namespace fly::emulator {

/// A read of the loop, and what it finds.
struct PolledRead {
  uint32_t instruction = 0; ///< index
  bool isLds = false;
  uint64_t address = 0; ///< of the first active lane; LDS: offset
  unsigned bytes = 0;
  uint64_t value = 0; ///< of up to 8 bytes, now
};

struct Spin {
  std::vector<uint32_t> loop; ///< indices of one turn's instructions; empty if the wave has not come back
  bool sleeps = false;
  std::vector<PolledRead> polled;
};

/// Lets the wave run on; it may end, stop at a barrier or fail while it does.
Spin findSpin(Program &program, Wave &wave);

/// Whether the wave comes back to an instruction again and again with the same registers, or with some that count
/// evenly while it polls (a limit of turns, a clock), and changes no memory: then it goes on so as long as memory stays
/// as it is, or until it gives up. It runs on meanwhile.
bool goesRound(Program &program, Wave &wave);

} // namespace fly::emulator
