// One row an architecture: what differs between them before any instruction is executed.
#pragma once

#include "runtime/emulator/device/LaunchConfig.h"

#include <string_view>

namespace fly::emulator {

struct Architecture {
  std::string_view name;
  unsigned waveSize;                 ///< when the descriptor does not say wave32
  bool gfx12;                        ///< workgroup ids in TTMP9/TTMP7, split wait counters, 106 SGPRs always
  bool clusters;                     ///< TTMP6 describes the cluster
  bool vgprMsb;                      ///< s_set_vgpr_msb
  bool signedScalarOffset;           ///< global with a scalar base: the vector offset is signed
  bool globalScratch;                ///< a flat scratch address holds the lane in bits 56:52
  bool zeroesHigh16;                 ///< 16-bit results clear the register's high half
  bool preloadPrologue;              ///< kernarg preload: the wave starts 256 bytes behind the entry
  unsigned vgprGranule32, vgprGranule64; ///< of the descriptor's count
  unsigned ldsBytes;                 ///< largest allocation of a workgroup
  unsigned maxVgprs;                 ///< addressable, without AGPRs
  bool wideBuffers = false;          ///< buffer resources with 57 bits of address and 45 of records
};
using ArchitectureRow = Architecture;

} // namespace fly::emulator
