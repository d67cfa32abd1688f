// What the emulated HIP's files share: devices, streams, allocations, loaded modules, and the rules of locking.
//
//     a call of the program ── checks, makes an Action (Actions.h) ── a stream's queue, or a graph being captured
//     a stream's thread     ── waits for what the action follows, performs it, marks it complete
//
// Streams are asynchronous as on hardware: a program that reads before it has synchronised may see old memory here too
// (docs/rationale.md, "Streams of the emulated HIP"). Handles are checked: one that was never made, or is destroyed, is
// an error and not a crash.
//
// Locks, in this order: a device's `running` (the emulator's Device is not thread-safe: held while it executes, copies,
// allocates), then State::lock (all bookkeeping, never held while something executes).
#pragma once

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>

#include "compiler/isa/Instruction.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/emulator/device/DeviceNumbers.h"
#include "runtime/emulator/device/Memory.h"
#include "runtime/emulator/launch/Mutation.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#define FLY_HIP_EXPORT extern "C" __attribute__((visibility("default")))

namespace fly::target {
struct Target;
}

namespace fly::hip_emulated {

struct Stream;
struct Capture;
struct GraphNode;

/// A time of a stream, and what it has done until then. With FLY_EMULATE_CLOCK=modelled an operation begins when it is
/// queued or what it follows has ended, and takes as long as the time model says.
struct Moment {
  std::chrono::steady_clock::time_point at;
  std::chrono::nanoseconds busy{0};       ///< that operations took
  double readBytes = 0, writtenBytes = 0; ///< that kernels accessed
  void spend(std::chrono::nanoseconds time) {
    at += time;
    busy += time;
  }
};

/// An operation that the host or another operation may wait for.
struct Completion;
using CompletionRef = std::shared_ptr<Completion>;
struct Completion {
  bool done = false;
  Moment moment;                                ///< when it is done
  std::vector<std::weak_ptr<Completion>> after; ///< what it follows
};

/// A place of an argument in the kernel's argument block; for launches that give pointers to the arguments.
struct ArgumentSlot {
  uint32_t offset, size;
};

struct LoadedModule;
struct LoadedKernel {
  LoadedModule *module;
  std::string name;
  std::vector<ArgumentSlot> arguments;
  uint32_t argumentBytes = 0;
  emulator::KernelProperties properties;
};

/// Lives as long as something refers to it; `module` is null once it is unloaded.
struct LoadedModule {
  int device = 0;
  std::shared_ptr<emulator::Module> module;
  std::map<std::string, LoadedKernel> kernels;
};

/// Signal: of hipExtMallocWithFlags, 8 bytes of the host. Imported: of another process, by a handle.
enum class MemoryKind { Device, Pinned, Managed, Registered, Variable, Signal, Imported };

struct Allocation {
  int device = 0;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  unsigned flags = 0;
  uint8_t *host = nullptr;      ///< the host's view
  const void *module = nullptr; ///< Variable: of which module
  bool isFreed = false;         ///< hipFreeAsync is queued
  bool isHost() const {
    return kind != MemoryKind::Device && kind != MemoryKind::Variable && kind != MemoryKind::Imported;
  }
};

struct Event {
  unsigned flags = 0;
  int device = 0;
  CompletionRef recorded;            ///< null: never
  std::shared_ptr<Capture> capture;  ///< of the capture in which it was recorded last
  std::vector<GraphNode *> captured; ///< and the nodes it stands for
};

struct DeviceState {
  std::unique_ptr<emulator::Device> device;
  std::mutex running;
  std::shared_ptr<Stream> null;   ///< the default stream, made when it is needed
  hipError_t failed = hipSuccess; ///< a kernel faulted: stays until the device is reset
  std::string report;             ///< and how
  uint64_t peers = 0;             ///< devices whose memory its kernels may use
  unsigned flags = 0;
  std::map<int, size_t> limits; ///< that the program has set
};

struct State {
  std::mutex lock;
  std::condition_variable finished;   ///< some operation is complete
  hipError_t startError = hipSuccess; ///< FLY_EMULATE or a related variable is malformed: there is no device
  std::string startReason;            ///< and which
  const emulator::Architecture *architecture = nullptr;
  const target::Target *target = nullptr;
  std::string architectureName;
  int hipMajor = 6;                                 ///< which ROCm the program was made for, where they differ
  std::chrono::milliseconds delay{0};               ///< FLY_EMULATE_DELAY: before each operation
  int computeUnits = emulator::defaultComputeUnits; ///< FLY_EMULATE_COMPUTE_UNITS: of each device
  bool hasModelledClock = false;                    ///< FLY_EMULATE_CLOCK: of events
  emulator::Checks checks;                          ///< FLY_EMULATE_CHECK: of each launch
  emulator::Breakage broken;                        ///< FLY_EMULATE_BREAK: an instruction that is wrong
  std::atomic<bool> metBroken = false;              ///< a kernel had it
  uint64_t instructionLimit = 0;                    ///< FLY_EMULATE_LIMIT: of each launch; 0: the emulator's default
  emulator::FindingList findings;                   ///< that were printed
  std::shared_ptr<emulator::SharedMemory> shared = std::make_shared<emulator::SharedMemory>();
  std::vector<std::unique_ptr<DeviceState>> devices;
  std::map<const void *, std::shared_ptr<LoadedModule>> modules;
  std::map<const void *, LoadedKernel *> kernels;
  std::map<const void *, std::shared_ptr<Stream>> streams;
  std::map<const void *, std::shared_ptr<Event>> events;
  std::map<uintptr_t, Allocation> allocations;
  std::vector<std::weak_ptr<Capture>> captures; ///< those under way among them
  bool exiting = false;
  bool forked = false; ///< this process is a fork of one that had used HIP: every call is an error
};
State &state();

/// The calling thread's device, last error, and mode for calls that a capture forbids.
struct ThreadState {
  int device = 0;
  std::vector<int> covered; ///< devices that were current before a context was pushed
  hipError_t lastError = hipSuccess;
  std::string report;      ///< of the last refused or failed call: hipGetErrorString returns it
  bool isReported = false; ///< by the call that is under way
  hipStreamCaptureMode captureMode = hipStreamCaptureModeGlobal;
  std::vector<std::shared_ptr<Stream>> perThread; ///< hipStreamPerThread of each device
  std::string place;                              ///< which launch of flyc's runtime the next one is
  CompletionRef performing;                       ///< of the operation whose host function the thread is in
  ~ThreadState();
};
ThreadState &thread();

using Guard = std::unique_lock<std::mutex>;

/// Remembers an error for hipGetLastError; returns it.
hipError_t done(hipError_t error);
/// With a text for hipGetErrorString.
hipError_t refuse(hipError_t error, std::string report);

/// Runs `body(guard)` with the lock held and remembers its error.
template <typename Body> hipError_t locked(Body body) {
  Guard guard(state().lock);
  if (state().forked) return done(state().startError);
  return done(body(guard));
}

inline bool isDevice(int device) { return device >= 0 && device < static_cast<int>(state().devices.size()); }

/// After this the device is as new: nothing allocated, loaded or queued, and no fault.
hipError_t resetDevice(int device);
hipError_t setDeviceFlags(int device, unsigned flags);

/// The allocation that holds [pointer, pointer + bytes); null when none does.
const Allocation *allocationOf(const void *pointer, size_t bytes, uintptr_t *start = nullptr);
const LoadedKernel *kernelOf(const void *function);
/// The bytes of LDS that a launch may add to those of the kernel.
int mostDynamicLds(const LoadedKernel &kernel);
/// Loads a code object, or the part of a bundle that is for the device; `device` < 0: the current one.
hipError_t loadModule(std::string_view bytes, int device, std::shared_ptr<LoadedModule> &module);
hipError_t loadModule(const void *image, int device, std::shared_ptr<LoadedModule> &module);
void unloadModule(LoadedModule &module);

} // namespace fly::hip_emulated
