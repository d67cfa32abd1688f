// An architecture as the emulator needs it: its row of compiler/target, and what follows from the row.
#pragma once

#include "compiler/target/Counters.h"
#include "runtime/emulator/device/LaunchConfig.h"

namespace fly::emulator {

struct Architecture : target::Target {
  explicit Architecture(const target::Target &row);

  bool clusters;                                             ///< TTMP6 describes the cluster
  bool fnuz;                                                 ///< 8-bit floats without infinity and negative zero
  unsigned maxVgprs;                                         ///< addressable, without AGPRs
  std::array<uint8_t, target::counterCount> counterCapacity; ///< operations that each counter holds
};
using ArchitectureRow = Architecture;

} // namespace fly::emulator
