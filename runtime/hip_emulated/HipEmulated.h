// What the emulated HIP's files share: the devices of this process, handles, errors.
//
// FLY_EMULATE=gfx942 (the default), or gfx942:2 for two devices. Everything happens when it is called: copies and
// launches are done when the call returns, so streams and synchronisation have nothing to wait for.
// Handles are checked: one that was never made, or is destroyed, is an error and not a crash.
#pragma once

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>

#include "runtime/emulator/Emulator.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define FLY_HIP_EXPORT extern "C" __attribute__((visibility("default")))

namespace fly::hip_emulated {

/// A place of an argument in the kernel's argument block; for launches that give pointers to the arguments.
struct ArgumentSlot { uint32_t offset, size; };

struct LoadedModule;

struct LoadedKernel {
  LoadedModule *module;
  std::string name;
  std::vector<ArgumentSlot> arguments;
  uint32_t argumentBytes = 0;
};

struct LoadedModule {
  int device = 0;
  std::shared_ptr<emulator::Module> module;
  std::map<std::string, LoadedKernel> kernels;
};

/// All state, behind one lock: the emulator's devices are not thread-safe.
struct State {
  std::mutex lock;
  hipError_t startError = hipSuccess;      ///< FLY_EMULATE is not understood
  const emulator::Architecture *architecture = nullptr;
  std::string architectureName;
  std::vector<std::unique_ptr<emulator::Device>> devices;
  std::map<const void *, std::unique_ptr<LoadedModule>> modules;
  std::map<const void *, int> streams;     ///< and the device each belongs to
  /// Allocation start to device and bytes: which device a pointer belongs to.
  struct Allocation { int device; size_t bytes; const void *module = nullptr; }; ///< `module`: a variable of it
  std::map<uintptr_t, Allocation> allocations;
  std::map<const void *, uintptr_t> hostMemory; ///< of hipHostMalloc: the host's address to the device's
};
State &state();

/// The calling thread's device and last error.
struct ThreadState {
  int device = 0;
  hipError_t lastError = hipSuccess;
  std::string report;                      ///< of the last launch that failed: hipGetErrorString gives it
};
ThreadState &thread();

/// Remembers an error for hipGetLastError; returns it.
hipError_t done(hipError_t error);

} // namespace fly::hip_emulated
