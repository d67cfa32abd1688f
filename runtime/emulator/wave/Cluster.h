// What instructions need from the cluster of their workgroup.
#pragma once

#include "runtime/emulator/wave/Wave.h"

#include <string>

namespace fly::emulator {

inline uint32_t clusterSize(const Workgroup &group) { return group.cluster ? group.cluster->groups() : 1; }

/// Place of the workgroup within its cluster, x first: the bit that means it in a mask of workgroups.
inline uint32_t clusterRank(const Workgroup &group) {
  const uint32_t *d = group.cluster ? group.cluster->dims : nullptr;
  return d ? group.member[0] + d[0] * (group.member[1] + d[1] * group.member[2]) : 0;
}

/// Checks a mask of workgroups that a multicast load is meant for. False if the wave faulted: the mask names
/// workgroups that the cluster does not have, for which the hardware would wait.
inline bool clusterMask(Wave &wave, uint32_t mask) {
  mask &= 0xffff;
  uint32_t size = clusterSize(*wave.group), all = size >= 16 ? 0xffff : (1u << size) - 1;
  if ((mask & ~all) == 0) return true;
  wave.fail(FaultKind::OutOfBounds,
            "a multicast load names workgroups that are not in its cluster of " + std::to_string(size));
  return false;
}

} // namespace fly::emulator
