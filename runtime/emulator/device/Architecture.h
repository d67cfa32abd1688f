// An architecture as the emulator needs it: its row of compiler/target, and what follows from the row.
#pragma once

#include "compiler/target/Target.h"
#include "runtime/emulator/device/LaunchConfig.h"

namespace fly::emulator {

struct Architecture : target::Target {
  explicit Architecture(const target::Target &row);

  bool gfx12;                  ///< workgroup ids in TTMP9/TTMP7, split wait counters, 106 SGPRs always
  bool clusters;               ///< TTMP6 describes the cluster
  bool fnuz;                   ///< 8-bit floats without infinity and negative zero
  bool pairedWmma;             ///< WMMA adds its products in aligned pairs (RDNA4)
  bool agentReleaseWritesBack; ///< a release of scope agent writes caches back: L2s are several (AMDGPUUsage)
  unsigned maxVgprs;           ///< addressable, without AGPRs
};
using ArchitectureRow = Architecture;

} // namespace fly::emulator
