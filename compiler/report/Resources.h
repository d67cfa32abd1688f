// Registers, memory and occupancy of a kernel; what limits the occupancy, and what would have to be freed for more.
//
//     limited by VGPRs: 108 of 512, allocated 112; 4 waves; 5 waves with at most 96
//
// Not trivial because several resources may limit at once, and the next possible number of waves is not always one
// more, because LDS is allocated to whole workgroups.
#pragma once

#include "compiler/isa/CodeObject.h"

#include <string>
#include <vector>

namespace fly::report {

struct Resources {
  bool fromMetadata = true;                 ///< else register counts are what is allocated, from the descriptor
  uint32_t vgprs = 0, agprs = 0, sgprs = 0; ///< vgprs without agprs
  uint32_t vectorRegisters = 0;             ///< of the vector file: with AGPRs where they are part of it
  uint32_t registersAllocated = 0;          ///< of it, by the descriptor; 0: as many as are used, in granules
  uint32_t ldsBytes = 0, scratchBytes = 0, vgprSpills = 0, sgprSpills = 0;
  uint32_t kernargBytes = 0, maxWorkgroupSize = 0, waveSize = 0;
  bool dynamicStack = false; ///< scratchBytes is a lower bound
};
Resources resourcesOf(const isa::CodeObject &object, const isa::Kernel &kernel);

/// A resource that must shrink: "vector_registers", "sgprs", "lds_bytes".
struct Need {
  std::string resource;
  uint32_t now = 0, atMost = 0;
};

struct OccupancyReport {
  isa::Occupancy occupancy;
  /// "vector_registers", "sgprs", "lds_bytes", "workgroup_size" (workgroups of this size do not fill the waves that
  /// fit), "wave_slots".
  std::vector<std::string> limitedBy;
  uint32_t nextWaves = 0; ///< 0: no smaller use of these resources gives more waves
  std::vector<Need> needs;
};
OccupancyReport explainOccupancy(const std::string &architecture, const Resources &resources);

} // namespace fly::report
