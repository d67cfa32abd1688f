// How many workgroups of a kernel share a compute unit, by the same formulas as `flyc build`'s report (compiler/isa).
#include "runtime/hip_emulated/Launches.h"

#include <algorithm>

using namespace fly::hip_emulated;

namespace fly::hip_emulated {

uint32_t resident(const LoadedKernel &kernel, uint32_t threads, size_t dynamicLds) {
  const emulator::KernelProperties &p = kernel.properties;
  uint64_t lds = p.ldsBytes + dynamicLds;
  return lds > UINT32_MAX ? 0 : p.residentWorkgroups(threads, static_cast<uint32_t>(lds), state().architectureName);
}

} // namespace fly::hip_emulated

namespace {

hipError_t activeBlocks(int *count, const LoadedKernel *kernel, int threads, size_t dynamicLds) {
  if (!count || threads <= 0) return hipErrorInvalidValue;
  if (!kernel) return hipErrorInvalidDeviceFunction;
  *count = static_cast<int>(resident(*kernel, static_cast<uint32_t>(threads), dynamicLds));
  return hipSuccess;
}

/// The size with the most work-items on a compute unit, the largest of those; and how many of it fill the device.
hipError_t bestBlock(int *grid, int *block, const LoadedKernel *kernel, size_t dynamicLds, int limit) {
  if (!grid || !block || limit < 0) return hipErrorInvalidValue;
  if (!kernel) return hipErrorInvalidDeviceFunction;
  const fly::emulator::KernelProperties &p = kernel->properties;
  uint32_t most = limit ? std::min<uint32_t>(static_cast<uint32_t>(limit), p.maxWorkgroupSize) : p.maxWorkgroupSize,
           best = 0;
  *grid = *block = 0;
  for (uint32_t threads = most;;) {
    uint32_t count = resident(*kernel, threads, dynamicLds);
    if (count * threads > best) {
      best = count * threads;
      *block = static_cast<int>(threads);
      *grid = static_cast<int>(count) * state().computeUnits;
    }
    if (threads <= p.waveSize) break;
    threads = (threads - 1) / p.waveSize * p.waveSize;
  }
  return hipSuccess;
}

/// hipOccupancyDefault, and hipOccupancyDisableCachingOverride of ROCm 6, which is about caches.
bool areFlags(unsigned flags) { return flags <= 1; }

} // namespace

#define ACTIVE int *count, hipFunction_t function, int threads, size_t dynamicLds
#define BEST int *grid, int *block, hipFunction_t function, size_t dynamicLds, int limit

FLY_HIP_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(ACTIVE) {
  return locked([&](Guard &) { return activeBlocks(count, kernelOf(function), threads, dynamicLds); });
}
FLY_HIP_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ACTIVE, unsigned int flags) {
  if (!areFlags(flags)) return done(hipErrorInvalidValue);
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(count, function, threads, dynamicLds);
}
FLY_HIP_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSize(BEST) {
  return locked([&](Guard &) { return bestBlock(grid, block, kernelOf(function), dynamicLds, limit); });
}
FLY_HIP_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(BEST, unsigned int flags) {
  if (!areFlags(flags)) return done(hipErrorInvalidValue);
  return hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, dynamicLds, limit);
}
FLY_HIP_EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *count, const void *function, int threads,
                                                                       size_t dynamicLds) {
  return locked([&](Guard &) { return activeBlocks(count, registeredKernel(function), threads, dynamicLds); });
}
FLY_HIP_EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, const void *function,
                                                                                int threads, size_t dynamicLds,
                                                                                unsigned int flags) {
  if (!areFlags(flags)) return done(hipErrorInvalidValue);
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(count, function, threads, dynamicLds);
}
FLY_HIP_EXPORT hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *function,
                                                            size_t dynamicLds, int limit) {
  return locked([&](Guard &) { return bestBlock(grid, block, registeredKernel(function), dynamicLds, limit); });
}
