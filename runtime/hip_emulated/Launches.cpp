// The ways to launch a kernel.
#include "runtime/hip_emulated/Launches.h"

#include "runtime/hip_emulated/Streams.h"

#include <hip/hip_ext.h>

#include <algorithm>
#include <utility>

namespace fly::hip_emulated {

hipError_t makeLaunch(const LoadedKernel *kernel, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                      size_t ldsBytes, void **parameters, void **extra, KernelAction &action) {
  if (!kernel) return hipErrorInvalidHandle;
  for (int i = 0; i < 3; ++i)
    if (uint64_t(grid[i]) * block[i] > UINT32_MAX)
      return refuse(hipErrorInvalidConfiguration, "more than 2^32 - 1 work-items in a dimension");
  if (ldsBytes > UINT32_MAX) return hipErrorInvalidValue;
  action.module = state().modules.at(kernel->module);
  action.kernel = kernel;
  action.config.grid = grid;
  action.config.block = block;
  action.config.dynamicLdsBytes = static_cast<uint32_t>(ldsBytes);
  action.config.checks = state().checks;
  action.config.instructionLimit = state().instructionLimit;
  return gatherArguments(*kernel, parameters, extra, action.arguments) ? hipSuccess : hipErrorInvalidValue;
}

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

namespace {

hipError_t launch(const LoadedKernel *kernel, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                  size_t ldsBytes, hipStream_t stream, void **parameters, void **extra) {
  KernelAction action;
  action.place = std::exchange(thread().place, {});
  if (hipError_t error = makeLaunch(kernel, grid, block, ldsBytes, parameters, extra, action); error != hipSuccess)
    return error;
  if (std::shared_ptr<Stream> s = streamOf(stream); s && s->device != action.module->device)
    return refuse(hipErrorInvalidHandle, "the kernel's module was loaded on another device than the stream's");
  return queueAction(stream, std::move(action));
}

/// The workgroups of a cooperative launch wait for each other, so the device must hold all of them at once. The
/// emulator could run more, but hardware refuses them.
hipError_t launchTogether(const LoadedKernel *kernel, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                          size_t ldsBytes, hipStream_t stream, void **parameters, void **extra) {
  if (!kernel) return hipErrorInvalidHandle;
  const uint64_t groups = uint64_t(grid[0]) * grid[1] * grid[2], threads = uint64_t(block[0]) * block[1] * block[2];
  const uint32_t each = resident(*kernel, static_cast<uint32_t>(std::min<uint64_t>(threads, UINT32_MAX)), ldsBytes);
  // With none at all, the launch is refused below, with the reason.
  if (each && groups > uint64_t(each) * static_cast<unsigned>(state().computeUnits))
    return refuse(hipErrorCooperativeLaunchTooLarge,
                  "a cooperative launch of " + std::to_string(groups) + " workgroups, but the device holds " +
                      std::to_string(each) + " of them on each of its " + std::to_string(state().computeUnits) +
                      " compute units (FLY_EMULATE_COMPUTE_UNITS)");
  return launch(kernel, grid, block, ldsBytes, stream, parameters, extra);
}

/// The event of a handle if it can be recorded in the stream. No handle: no event.
hipError_t eventFor(hipEvent_t handle, const Stream &stream, std::shared_ptr<Event> &event) {
  if (!handle) return hipSuccess;
  auto found = state().events.find(handle);
  if (found == state().events.end()) return hipErrorInvalidHandle;
  event = found->second;
  return mayRecord(*event, stream);
}

/// With events around it.
hipError_t launchBetween(const LoadedKernel *kernel, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                         size_t ldsBytes, hipStream_t stream, void **parameters, void **extra, hipEvent_t start,
                         hipEvent_t stop) {
  std::shared_ptr<Stream> s = streamOf(stream);
  if (!s) return hipErrorInvalidHandle;
  std::shared_ptr<Event> before, after;
  hipError_t error = eventFor(start, *s, before);
  if (error == hipSuccess) error = eventFor(stop, *s, after);
  if (error == hipSuccess && before) error = record(before, *s);
  if (error == hipSuccess) error = launch(kernel, grid, block, ldsBytes, stream, parameters, extra);
  return error == hipSuccess && after ? record(after, *s) : error;
}

std::array<uint32_t, 3> sizes(const dim3 &d) { return {d.x, d.y, d.z}; }

/// What ROCm 6.5 added; its header is newer than the one this is compiled with.
struct LaunchAttribute {
  int id;
  char padding[4];
  char value[64];
};
struct DriverLaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, ldsBytes;
  hipStream_t stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
struct RuntimeLaunchConfig {
  dim3 grid, block;
  size_t ldsBytes;
  hipStream_t stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

constexpr int cooperativeAttribute = 2, priorityAttribute = 8;

/// A priority changes nothing here; attributes other than these two would.
bool areKnown(const LaunchAttribute *attributes, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (attributes[i].id != cooperativeAttribute && attributes[i].id != priorityAttribute) return false;
  return true;
}

bool isCooperative(const LaunchAttribute *attributes, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (attributes[i].id == cooperativeAttribute && attributes[i].value[0]) return true;
  return false;
}

} // namespace

/// flyc's own: what the thread's next launch is for the program, so that the report of its failure can say it.
FLY_HIP_EXPORT hipError_t flyHipNextLaunch(const char *module, const char *function, unsigned step, unsigned steps) {
  std::string place = module ? module : "";
  if (function) place += std::string(".") + function;
  if (step) place += ", step " + std::to_string(step) + " of " + std::to_string(steps);
  thread().place = place + (step ? ": " : ".");
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gridX, unsigned int gridY,
                                                unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                                unsigned int blockZ, unsigned int ldsBytes, hipStream_t stream,
                                                void **parameters, void **extra) {
  return locked([&](Guard &) {
    return launch(kernelOf(function), {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, ldsBytes, stream, parameters,
                  extra);
  });
}
FLY_HIP_EXPORT hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned int gridX,
                                                           unsigned int gridY, unsigned int gridZ, unsigned int blockX,
                                                           unsigned int blockY, unsigned int blockZ,
                                                           unsigned int ldsBytes, hipStream_t stream,
                                                           void **parameters) {
  return locked([&](Guard &) {
    return launchTogether(kernelOf(function), {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, ldsBytes, stream,
                          parameters, nullptr);
  });
}

/// Its sizes are work-items in all, and it is a C++ function.
__attribute__((visibility("default"))) hipError_t
hipExtModuleLaunchKernel(hipFunction_t function, uint32_t itemsX, uint32_t itemsY, uint32_t itemsZ, uint32_t blockX,
                         uint32_t blockY, uint32_t blockZ, size_t ldsBytes, hipStream_t stream, void **parameters,
                         void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags) {
  return locked([&](Guard &) {
    if (flags & ~static_cast<uint32_t>(hipExtAnyOrderLaunch)) return hipErrorInvalidValue;
    if (!blockX || !blockY || !blockZ || itemsX % blockX || itemsY % blockY || itemsZ % blockZ)
      return refuse(hipErrorInvalidConfiguration, "the work-items do not form whole workgroups");
    return launchBetween(kernelOf(function), {itemsX / blockX, itemsY / blockY, itemsZ / blockZ},
                         {blockX, blockY, blockZ}, ldsBytes, stream, parameters, extra, start, stop);
  });
}
__attribute__((visibility("default"))) hipError_t
hipHccModuleLaunchKernel(hipFunction_t function, uint32_t itemsX, uint32_t itemsY, uint32_t itemsZ, uint32_t blockX,
                         uint32_t blockY, uint32_t blockZ, size_t ldsBytes, hipStream_t stream, void **parameters,
                         void **extra, hipEvent_t start, hipEvent_t stop) {
  return hipExtModuleLaunchKernel(function, itemsX, itemsY, itemsZ, blockX, blockY, blockZ, ldsBytes, stream,
                                  parameters, extra, start, stop, 0);
}

FLY_HIP_EXPORT hipError_t hipDrvLaunchKernelEx(const DriverLaunchConfig *config, hipFunction_t function,
                                               void **parameters, void **extra) {
  return locked([&](Guard &) {
    if (!config || (config->attributeCount && !config->attributes)) return hipErrorInvalidValue;
    if (!areKnown(config->attributes, config->attributeCount)) return hipErrorNotSupported;
    auto way = isCooperative(config->attributes, config->attributeCount) ? launchTogether : launch;
    return way(kernelOf(function), {config->gridX, config->gridY, config->gridZ},
               {config->blockX, config->blockY, config->blockZ}, config->ldsBytes, config->stream, parameters, extra);
  });
}
FLY_HIP_EXPORT hipError_t hipLaunchKernelExC(const RuntimeLaunchConfig *config, const void *function,
                                             void **arguments) {
  return locked([&](Guard &) {
    if (!config || (config->attributeCount && !config->attributes)) return hipErrorInvalidValue;
    if (!areKnown(config->attributes, config->attributeCount)) return hipErrorNotSupported;
    const LoadedKernel *kernel = registeredKernel(function);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    auto way = isCooperative(config->attributes, config->attributeCount) ? launchTogether : launch;
    return way(kernel, sizes(config->grid), sizes(config->block), config->ldsBytes, config->stream, arguments, nullptr);
  });
}

FLY_HIP_EXPORT hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                          size_t ldsBytes, hipStream_t stream) {
  return locked([&](Guard &) {
    const LoadedKernel *kernel = registeredKernel(function);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    return launch(kernel, sizes(grid), sizes(block), ldsBytes, stream, arguments, nullptr);
  });
}
FLY_HIP_EXPORT hipError_t hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                                     unsigned int ldsBytes, hipStream_t stream) {
  return locked([&](Guard &) {
    const LoadedKernel *kernel = registeredKernel(function);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    return launchTogether(kernel, sizes(grid), sizes(block), ldsBytes, stream, arguments, nullptr);
  });
}
FLY_HIP_EXPORT hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                             size_t ldsBytes, hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                                             int flags) {
  return locked([&](Guard &) {
    if (flags & ~hipExtAnyOrderLaunch) return hipErrorInvalidValue;
    const LoadedKernel *kernel = registeredKernel(function);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    return launchBetween(kernel, sizes(grid), sizes(block), ldsBytes, stream, arguments, nullptr, start, stop);
  });
}
